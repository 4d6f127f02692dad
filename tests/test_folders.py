"""Folders that cannot be written: everything runs, and one line says what is not kept and how to keep it."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kinematch import folders
from kinematch.access.certificate import open_certificate
from kinematch.avatar.calibration_file import list_users
from kinematch.camera.model_file import set_up_model
from kinematch.database.built_in import write_recipe
from kinematch.errors import FileError, KinematchError
from kinematch.folders import find_cache_folder, find_settings_folder, name_cache_folder
from kinematch.studio.workshop.routes import project_of

VARIABLES = ("KINEMATCH_CACHE", "KINEMATCH_SETTINGS", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NUMBA_CACHE_DIR")
posix = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folders of other systems")


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """No variable of whoever runs the tests, and no temporary folder of an earlier test."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(folders, "_STAND_INS", {})


@pytest.fixture
def nowhere(tmp_path, monkeypatch) -> Path:
    """A home below a file: nobody, root included, can write there."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "file" / "home"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "file" / "home"))
    return tmp_path / "file" / "home"


def test_a_folder_that_can_be_written_is_used_without_a_word(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "a" / "b"))
    assert find_cache_folder() == name_cache_folder() == tmp_path / "a" / "b"
    assert list((tmp_path / "a" / "b").iterdir()) == []
    assert not caplog.records


def test_one_line_says_that_caches_are_not_kept_and_how_to_keep_them(nowhere, caplog):
    with caplog.at_level(logging.WARNING):
        first = find_cache_folder()
        assert find_cache_folder() == first
    (line,) = caplog.messages
    assert str(nowhere) in line
    assert "set KINEMATCH_CACHE to" in line
    assert "\n" not in line
    assert first.stat().st_mode & 0o077 == 0 or sys.platform == "win32"  # what is in it is trusted


def test_a_home_that_cannot_be_written_breaks_nothing(nowhere, caplog):
    assert write_recipe().is_file()
    assert project_of(None).folder.is_dir()
    assert open_certificate("127.0.0.1", find_settings_folder() / "https").key.is_file()
    assert list_users() == []
    assert len(caplog.messages) == 2  # caches and settings


def test_settings_that_can_only_be_read_are_read(tmp_path, monkeypatch):
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets" / "mine.toml").write_text("as saved")
    (tmp_path / "presets" / "film.mp4").write_text("of somebody who named the wrong folder")
    monkeypatch.setenv("KINEMATCH_SETTINGS", str(tmp_path))
    monkeypatch.setattr(folders, "_find_refusal", lambda folder: "read-only")
    found = find_settings_folder()
    assert found != tmp_path
    assert [path.name for path in found.glob("*/*")] == ["mine.toml"]
    (found / "presets" / "mine.toml").write_text("changed")
    assert (tmp_path / "presets" / "mine.toml").read_text() == "as saved"


def test_a_model_that_could_not_be_kept_is_not_downloaded(nowhere):
    with pytest.raises(FileError, match=r"cannot be written: .*; set KINEMATCH_CACHE to a folder"):
        set_up_model(address="https://localhost:1/")


@posix
def test_a_user_without_a_home_gets_temporary_folders(monkeypatch, caplog):
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", fail)
    assert find_cache_folder().is_dir()
    assert find_settings_folder().is_dir()
    assert all("the user has no home folder" in line for line in caplog.messages)


@posix
@pytest.mark.parametrize("given", ["", "relative"])
def test_variables_of_the_system_that_name_no_absolute_folder_do_not_count(given, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert name_cache_folder() == tmp_path / ".cache" / "kinematch"


def test_without_a_temporary_folder_one_error_says_what_to_set(nowhere, monkeypatch):
    def fail(**options):
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(folders.tempfile, "TemporaryDirectory", fail)
    with pytest.raises(KinematchError, match="set KINEMATCH_CACHE to a folder that can be written"):
        find_cache_folder()


def test_temporary_folders_are_gone_when_the_program_ends(nowhere):
    code = "from kinematch.folders import find_cache_folder; print(find_cache_folder())"
    source = str(Path(folders.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.count("\n") == 1
    assert not Path(done.stdout.strip()).exists()
