"""Files are whole or not there, whatever goes wrong on the way."""

import os

import pytest

from kinematch.errors import FileError
from kinematch.writing import replacing, write_beside


def test_a_failure_leaves_the_earlier_file_and_no_litter(tmp_path):
    path = tmp_path / "name[1].txt"
    write_beside(path, b"earlier")
    with pytest.raises(TypeError), replacing(path) as part, open(part, "wb") as file:
        file.write("not bytes")
    assert path.read_bytes() == b"earlier"
    assert os.listdir(tmp_path) == [path.name]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    path = tmp_path / "file"
    with replacing(path) as first, replacing(path) as second:
        first.write_bytes(b"first")
        second.write_bytes(b"second")
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["no/such/folder", "null\0character", "", "n" * 300])
def test_a_path_that_cannot_be_is_a_file_error(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match="cannot be written"):
        write_beside(name, b"content")


def test_the_longest_name_can_be_written(tmp_path):
    write_beside(tmp_path / ("n" * 255), b"content")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"content"
