"""Files by pattern: what glob finds, links in a circle, and no end of entries."""

import glob
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
