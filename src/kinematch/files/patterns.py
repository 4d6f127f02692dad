"""Files by pattern, as glob finds them, but bounded: no folder is entered twice by links, and entries are counted."""

import glob
import os
import re
from collections.abc import Iterator
from fnmatch import translate
from itertools import count
from pathlib import Path

from kinematch.errors import KinematchError

MOST_ENTRIES = 1_000_000  # looked at for one pattern: the folders of a large library


def find_files(pattern: str, folder: Path, *, most: int = MOST_ENTRIES) -> list[Path]:
    """Files below a folder that match a pattern with `*`, `?`, `[...]` and `**`, sorted; hidden ones only by name."""
    seen = count(1)

    def list_entries(place: str) -> Iterator[os.DirEntry]:
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if next(seen) > most:
                        raise KinematchError(f"{pattern!r}: more than {most:,} files and folders; name fewer of them")
                    yield entry
        except OSError:  # not a folder, or not ours to read
            return

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
                        yield from expand(entry.path, parts, entered)
                    elif not rest:
                        yield entry.path
        elif glob.has_magic(part):
            fits = re.compile(translate(os.path.normcase(part))).match
            for entry in list_entries(place):
                hidden = entry.name.startswith(".") and not part.startswith(".")
                if not hidden and fits(os.path.normcase(entry.name)) and (not rest or entry.is_dir()):
                    yield from expand(entry.path, rest, frozenset())
        else:
            yield from expand(os.path.join(place, part), rest, frozenset())

    whole = Path(pattern)
    start, parts = (whole.anchor, whole.parts[1:]) if whole.anchor else (str(folder), whole.parts)
    return sorted({Path(path).resolve() for path in expand(start, parts, frozenset()) if os.path.isfile(path)})
