"""The errors users can cause: each says where, what was found and what was expected."""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

MOST_CHOICES = 60  # names in a message; a rig may have thousands of joints


class KinematchError(Exception):
    """Something the user can put right; the command line prints it without a traceback."""


class FileError(KinematchError):
    """A file that cannot be read or written, with its name and, where known, the line."""

    def __init__(self, path: str | Path, message: str, *, line: int | None = None):
        self.path = Path(path)
        self.line = line
        self.message = message
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {message}")

    def __reduce__(self):  # keeps the keyword argument when a worker process passes the error on
        return _rebuild_file_error, (type(self), str(self.path), self.message, self.line)


def _rebuild_file_error(kind: type[FileError], path: str, message: str, line: int | None) -> FileError:
    return kind(path, message, line=line)


def unknown(kind: str, name: str, choices: Iterable[str]) -> str:
    """`no joint 'LeftFot'; did you mean 'LeftFoot'?`, or the list of choices when none is near."""
    names = list(choices)
    short = name if len(name) <= 80 else name[:80] + "..."
    near = difflib.get_close_matches(short, names, n=1)
    if near:
        return f"no {kind} {short!r}; did you mean {near[0]!r}?"
    more = f" and {len(names) - MOST_CHOICES} more" if len(names) > MOST_CHOICES else ""
    return f"no {kind} {short!r}" + (f"; choose from: {', '.join(names[:MOST_CHOICES])}{more}" if names else "")


def listed(names: Sequence[str], most: int) -> str:
    """`Hips, Spine and 4 more`"""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
