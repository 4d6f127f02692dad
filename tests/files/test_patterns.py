"""Files by pattern: what glob finds, links in a circle, and no end of entries."""

import glob
import os
from pathlib import Path

import pytest

from kinematch.errors import KinematchError
from kinematch.files.patterns import find_files

NAMES = ("a.bvh", "b.BVH", "sub/c.bvh", "sub/deep/d.bvh", "sub/deep/e.txt", ".hidden/f.bvh", "sub/.g.bvh", "[x]/h.bvh")
PATTERNS = (
    "*.bvh", "**/*.bvh", "**", "sub/**", "sub/*/*.bvh", "**/deep/*", "?.bvh", "[ab].bvh", "a.bvh", "./a.bvh", "nothing",
    "nothing/*.bvh", ".hidden/*.bvh", "sub/.*", "**/**/*.bvh", "[[]x[]]/*", "sub/../*.bvh", "*/*/../c.bvh",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        file = tmp_path / "data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path / "data"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_it_finds_what_glob_finds(folder, pattern):
    found = (folder / name for name in glob.glob(pattern, root_dir=folder, recursive=True))
    expected = sorted({path.resolve() for path in found if path.is_file()})
    assert find_files(pattern, folder) == expected
    assert find_files(str(folder / pattern), Path("/")) == expected


def test_links_in_a_circle_are_entered_once(folder):
    (folder / "sub" / "back").symlink_to(folder, target_is_directory=True)
    (folder / "sub" / "deep" / "up").symlink_to(folder / "sub", target_is_directory=True)
    names = ("a.bvh", "[x]/h.bvh", "sub/c.bvh", "sub/deep/d.bvh")
    assert find_files("**/*.bvh", folder, most=30) == sorted((folder / name).resolve() for name in names)


def test_too_many_entries_are_an_error(folder):
    with pytest.raises(KinematchError, match=r"'\*\*/\*\.bvh': more than 3 files and folders"):
        find_files("**/*.bvh", folder, most=3)


@pytest.mark.parametrize(
    "pattern",
    [
        "../other/*.bvh",
        "/etc/*",
        "out/*.bvh",
        "o*/*.bvh",
        "**/*.bvh",
        "**",
        "sub/*/../../../other/*",
        "f*.bvh",
        "far.bvh",
    ],
)
@pytest.mark.parametrize("relative", [False, True])
def test_a_pattern_that_must_stay_inside_is_refused_before_it_leads_out(folder, pattern, relative, monkeypatch):
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / "z.bvh").touch()
    (folder / "out").symlink_to(folder.parent / "other", target_is_directory=True)
    (folder / "far.bvh").symlink_to(folder.parent / "other" / "z.bvh")
    if relative:  # as `kinematch play FOLDER` names it
        monkeypatch.chdir(folder.parent)
        folder = Path(folder.name)
    listed, scan = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda place: listed.append(os.path.realpath(place)) or scan(place))
    with pytest.raises(KinematchError, match="leads out of the folder"):
        find_files(pattern, folder, stays_inside=True)
    assert all(place.startswith(os.path.realpath(folder)) for place in listed)


def test_a_pattern_that_stays_inside_finds_the_same_links_among_them(folder):
    (folder / "near.bvh").symlink_to(folder / "sub" / "c.bvh")
    for pattern in ("*.bvh", "**/*.bvh", "sub/../a.bvh", str(folder / "sub" / "*")):
        assert find_files(pattern, folder, stays_inside=True) == find_files(pattern, folder) != []


def test_a_folder_that_is_named_from_where_we_are_is_the_same_folder(folder, monkeypatch):
    found = find_files("**/*.bvh", folder, stays_inside=True)
    for place, name in ((folder.parent, folder.name), (folder, "."), (folder / "sub", "..")):
        monkeypatch.chdir(place)
        assert find_files("**/*.bvh", Path(name), stays_inside=True) == found
