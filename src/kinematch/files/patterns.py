"""Files by pattern, as glob finds them, but bounded: no folder is entered twice by links, and entries are counted."""

import glob
import os
import re
from collections.abc import Iterator
from fnmatch import translate
from itertools import count
from pathlib import Path

from kinematch.errors import KinematchError
from kinematch.files.safe_paths import OutsideError, find_inside

MAX_ENTRIES = 1_000_000  # looked at for one pattern: the folders of a large library


def find_files(pattern: str, folder: Path, *, most: int = MAX_ENTRIES, stays_inside: bool = False) -> list[Path]:
    """Real paths of the files below a folder that match a pattern, sorted; see `find_named_files`."""
    return list(find_named_files(pattern, folder, most=most, stays_inside=stays_inside))


def find_named_files(
    pattern: str, folder: Path, *, most: int = MAX_ENTRIES, stays_inside: bool = False
) -> dict[Path, str]:
    """Real paths of the files below a folder that match a pattern with `*`, `?`, `[...]` and `**`, sorted, each with
    the name it was found by, which a link may have changed; hidden files are found only by name.

    With `stays_inside`, a pattern that leads out of the folder, through a link too, is an error before it is followed.
    """
    seen = count(1)

    def list_entries(place: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if next(seen) > most:
                        raise KinematchError(f"{pattern!r}: more than {most:,} files and folders; name fewer of them")
                    yield entry
        except OSError:  # not a folder, or not ours to read
            return

    def check(place: str) -> str:
        if stays_inside and find_inside(folder, place) is None:
            raise OutsideError(f"{pattern!r} leads out of the folder through {os.path.basename(place)!r}")
        return place

    def check_link(entry: os.DirEntry[str]) -> str:
        return check(entry.path) if entry.is_symlink() else entry.path

    def expand(place: str, parts: tuple[str, ...], entered: frozenset[str] | set[str]) -> Iterator[str]:
        if not parts:
            yield place
            return
        part, rest = parts[0], parts[1:]
        if part == "**":
            real = os.path.realpath(place)
            if real in entered:
                return
            entered = entered if isinstance(entered, set) else set()
            entered.add(real)
            if rest:
                yield from expand(place, rest, frozenset())
            for entry in list_entries(place):
                if not entry.name.startswith("."):
                    if entry.is_dir():
                        yield from expand(check_link(entry), parts, entered)
                    elif not rest:
                        yield check_link(entry)
        elif glob.has_magic(part):
            fits = re.compile(translate(os.path.normcase(part))).match
            for entry in list_entries(place):
                hidden = entry.name.startswith(".") and not part.startswith(".")
                if not hidden and fits(os.path.normcase(entry.name)) and (not rest or entry.is_dir()):
                    yield from expand(check_link(entry), rest, frozenset())
        else:
            yield from expand(check(os.path.join(place, part)), rest, frozenset())

    start = check(find_start(pattern, folder))
    parts = Path(pattern).parts[_count_plain(pattern) :]
    found = sorted(path for path in expand(start, parts, frozenset()) if os.path.isfile(path))
    named = {Path(path).resolve(): os.path.basename(path) for path in reversed(found)}
    return dict(sorted(named.items()))


def find_start(pattern: str, folder: Path) -> str:
    """The path up to the pattern's first wildcard, absolute, since the folder may be named from where we are."""
    return os.path.join(os.path.realpath(folder), *Path(pattern).parts[: _count_plain(pattern)])


def _count_plain(pattern: str) -> int:
    """How many parts have no wildcard before the first that has one."""
    parts = Path(pattern).parts
    return next((k for k, part in enumerate(parts) if glob.has_magic(part)), len(parts))
