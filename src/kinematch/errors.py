"""The errors users can cause: each says where, what was found and what was expected."""

import difflib
from collections.abc import Iterable
from pathlib import Path


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
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"no {kind} {name!r}; did you mean {near[0]!r}?"
    return f"no {kind} {name!r}; choose from: {', '.join(names)}" if names else f"no {kind} {name!r}"
