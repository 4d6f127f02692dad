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


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_never_replaced_by_one(tmp_path, make):
    """A rename would put a file in the place of a device such as /dev/null."""
    make(tmp_path / "place")
    before = os.stat(tmp_path / "place")
    with pytest.raises(FileError, match=r"cannot be written: is (a folder|no regular file)"):
        write_beside(tmp_path / "place", b"content")
    assert os.path.samestat(os.stat(tmp_path / "place"), before)
    assert os.listdir(tmp_path) == ["place"]


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / "link").symlink_to("file")
    write_beside(tmp_path / "link", b"first")
    write_beside(tmp_path / "link", b"second")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"second"


def test_links_that_lead_nowhere_or_in_circles_are_refused(tmp_path):
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(FileError, match="cannot be written: Too many levels"):
        write_beside(tmp_path / "circle", b"content")


def test_a_file_that_the_user_has_protected_stays_as_it_is(tmp_path, monkeypatch):
    write_beside(tmp_path / "file", b"precious")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write whatever the permissions say
    with pytest.raises(FileError, match="cannot be written: is read-only"):
        write_beside(tmp_path / "file", b"content")
    assert (tmp_path / "file").read_bytes() == b"precious"
    with pytest.raises(FileError, match="cannot be written: its folder is read-only"):
        write_beside(tmp_path / "new", b"content")
