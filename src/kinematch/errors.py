"""The errors users can cause: each says where, what was found and what was expected."""

import difflib
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
LONGEST_LINE = 1000  # characters of a message: a file may hold a word as long as itself
MOST_CHOICES = 60  # names in a message; a rig may have thousands of joints


class KinematchError(Exception):
    """Something the user can put right; the command line prints it without a traceback."""


# Kinds that code may want to distinguish: `foreign` is a good file of another kind, `damaged` one that was whole once,
# `newer` one of a later version of this program. No code looks into the text of a message.
FileErrorKind = Literal["", "foreign", "damaged", "newer"]


class FileError(KinematchError):
    """A file that cannot be read or written, with its name and, where known, the line."""

    def __init__(self, path: str | Path, message: str, *, line: int | None = None, kind: FileErrorKind = ""):
        self.path = Path(path)
        self.line = line
        self.kind: FileErrorKind = kind
        self.message = "\n".join(
            line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..." for line in message.split("\n")
        )
        where = visible(str(path)) + (f":{line}" if line is not None else "")
        super().__init__(f"{where}: {self.message}")

    def __reduce__(self) -> tuple[Any, ...]:  # keeps the keyword arguments when a worker process passes the error on
        return _rebuild_file_error, (type(self), str(self.path), self.message, self.line, self.kind)


def _rebuild_file_error(
    type_: type[FileError], path: str, message: str, line: int | None, kind: FileErrorKind
) -> FileError:
    return type_(path, message, line=line, kind=kind)


def visible(text: str) -> str:
    """Control characters spelt out, so that a name can neither break a line nor command a terminal."""
    return text.translate(CONTROL)


def failure(error: BaseException) -> str:
    """`ValueError: no such thing (own.py, line 3)`: what went wrong in a user's own code, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(last[0].filename).name}, line {last[0].lineno})" if last else ""
    if isinstance(error, SyntaxError):  # which has its own location
        where = ""
    return f"{type(error).__name__}: {error}{where}"


def call_own(name: str, function: Callable[..., Any], *given: Any) -> Any:
    """What a user's own function returns; its errors are reported with a name and the place where they were raised."""
    try:
        return function(*given)
    except KinematchError:
        raise
    except Exception as error:
        raise KinematchError(f"{name}: {failure(error)}") from error


def unknown(kind: str, name: str, choices: Iterable[str]) -> str:
    """`no joint 'LeftFot'; did you mean 'LeftFoot'?`, or the list of choices when none is near."""
    names = list(choices)
    short = name if len(name) <= 80 else name[:80] + "..."
    near = difflib.get_close_matches(short, names, n=1)
    if near:
        return f"no {kind} {short!r}; did you mean {near[0]!r}?"
    return f"no {kind} {short!r}" + (f"; choose from: {listed(names)}" if names else "; there are none")


def listed(names: Sequence[str], most: int = MOST_CHOICES) -> str:
    """`Hips, Spine and 4 more`"""
    more = len(names) - most
    return ", ".join(map(visible, names[:most])) + (f" and {more} more" if more > 0 else "")
