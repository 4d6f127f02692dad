"""Stored calibrations: kept per user, read as they were, refused when broken."""

import json

import numpy as np
import pytest

from kinematch.avatar.calibration import make_calibration
from kinematch.avatar.calibration_file import (
    find_calibration_file,
    list_users,
    load_calibration,
    save_calibration,
)
from kinematch.errors import FileError, KinematchError


def test_a_stored_calibration_is_read_as_it_was(tmp_path):
    calibration = make_calibration("index", height=1.62, floor=-0.1, seated=True, swapped=True, scale=1.1)
    save_calibration("Ada Lovelace", calibration, tmp_path / "new")
    again = load_calibration("Ada Lovelace", tmp_path / "new")
    for name in ("height", "floor", "arm_length", "seated", "swapped", "scale"):
        assert getattr(again, name) == getattr(calibration, name)
    assert np.array_equal(again.positions, calibration.positions)
    assert np.allclose(again.rotations, calibration.rotations, atol=1e-15)
    assert list_users(tmp_path / "new") == ["Ada Lovelace"]


def test_users_have_a_file_each_in_the_settings_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KINEMATCH_SETTINGS", str(tmp_path))
    assert load_calibration("a") is None
    assert list_users() == []
    for user, height in (("a", 1.5), ("b", 1.9), ("a", 1.6)):
        save_calibration(user, make_calibration(height=height))
    assert load_calibration("a").height == 1.6
    assert load_calibration("b").height == 1.9
    assert sorted(path.name for path in (tmp_path / "calibrations").iterdir()) == ["a.json", "b.json"]
    assert list_users() == ["a", "b"]


@pytest.mark.parametrize("user", ["", "../evil", "a/b", "a\0", ".hidden", "x" * 65, "a.", "a ", "a\\b", "C:x"])
def test_names_that_are_no_file_names_are_refused(tmp_path, user):
    with pytest.raises(KinematchError, match="expected up to 64 letters"):
        find_calibration_file(user, tmp_path)


BROKEN = {
    "": "not JSON",
    "[" * 100000: "not JSON",
    "[]": "is not a calibration",
    '{"kinematch": "script"}': "is not a calibration",
    '{"kinematch": "calibration", "version": 2}': "of version 2, expected 1",
    '{"kinematch": "calibration", "version": 1, "hight": 2}': "has unknown fields: hight",
    '{"kinematch": "calibration", "version": 1, "height": "2"}': "height is '2'",
    '{"kinematch": "calibration", "version": 1, "height": NaN}': "height is nan",
    '{"kinematch": "calibration", "version": 1, "positions": [[1]]}': "positions, expected shape",
    '{"kinematch": "calibration", "version": 1, "positions": {"a": 1}}': "positions are not numbers",
}


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[-30:])
def test_broken_files_are_refused_and_say_what_to_do(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(FileError, match=BROKEN[text]):
        load_calibration("a", tmp_path)


def test_a_huge_file_and_a_folder_are_refused(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps("x" * 200_000))
    (tmp_path / "b.json").mkdir()
    for user in "ab":
        with pytest.raises(FileError):
            load_calibration(user, tmp_path)
