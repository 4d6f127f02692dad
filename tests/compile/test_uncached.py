"""Where compiled code is kept: in a folder of the user alone, bounded, or nowhere, and then one line says so."""

import os
import sys

import numba
import pytest
from numba.core.caching import NullCache

from kinematch import code_folder
from kinematch.code_folder import find_code_folder, has_entry, load_entry, save_entry
from kinematch.compile import code_cache

posix = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folders of other systems")


def double(x):
    return 2 * x


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user's home, with none of the variables of whoever runs the tests."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    for name in ("XDG_CACHE_HOME", "KINEMATCH_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(code_cache, "_warn_uncached", code_cache._warn_uncached.__wrapped__)
    return tmp_path / "home"


@posix
@pytest.mark.parametrize("home_is", ["file/below", "~"])  # below a file; and what an unknown home is taken for
def test_code_that_cannot_be_kept_is_compiled_and_one_line_says_so(home_is, tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOME", home_is if home_is == "~" else str(tmp_path / home_is))
    dispatcher = numba.njit(double)
    code_cache.set_cache(dispatcher, ())
    assert isinstance(dispatcher._cache, NullCache)
    assert dispatcher(21) == 42
    (line,) = caplog.messages
    assert "set NUMBA_CACHE_DIR to a folder" in line
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@posix
def test_code_is_kept_below_the_users_home_in_a_folder_of_his_own(home, caplog):
    dispatcher = numba.njit(double)
    code_cache.set_cache(dispatcher, ())
    assert dispatcher(21) == 42
    folder = home / ".cache" / "kinematch" / "compiled"
    assert len(list(folder.glob("*.code"))) == 1
    assert folder.stat().st_mode & 0o077 == 0
    assert not caplog.messages


@posix
def test_a_folder_that_others_can_write_is_not_used_unless_the_user_names_it(home, tmp_path, monkeypatch):
    folder = home / ".cache" / "kinematch" / "compiled"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert find_code_folder() is None
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "named"))
    assert find_code_folder() == tmp_path / "named" / "kinematch"


def test_entries_used_longest_ago_are_removed_above_the_limit(tmp_path, monkeypatch):
    save_entry(tmp_path, "size", b"0" * 100)
    size = (tmp_path / "size.code").stat().st_size
    monkeypatch.setattr(code_folder, "MAX_FOLDER_BYTES", 3 * size)
    for age, name in enumerate(("used", "new", "old", "size"), start=1):
        save_entry(tmp_path, name, b"0" * 100)
        os.utime(tmp_path / f"{name}.code", (10_000_000 - age, 10_000_000 - age))
        if name == "old":  # in use again: no longer the oldest
            (tmp_path / "other program's.txt").write_text("kept")
            assert load_entry(tmp_path, "old") == b"0" * 100
    save_entry(tmp_path, "last", b"0" * 100)
    assert [name for name in ("used", "new", "old", "size", "last") if has_entry(tmp_path, name)] == [
        "used", "old", "last",
    ]  # fmt: skip
    assert (tmp_path / "other program's.txt").exists()


def test_nothing_but_a_whole_entry_is_read(tmp_path):
    save_entry(tmp_path, "whole", b"content")
    written = (tmp_path / "whole.code").read_bytes()
    for number, damaged in enumerate((b"", b"\x80\x04.", written[:-1], written + b"\0", b"K" + written[1:])):
        (tmp_path / f"damaged{number}.code").write_bytes(damaged)
        assert load_entry(tmp_path, f"damaged{number}") is None
    assert load_entry(tmp_path, "whole") == b"content"
