"""What a verb takes: how its options are explained, and where it may write, checked before the work begins."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tyro

from kinematch.errors import FileError, KinematchError
from kinematch.writing import place_for

RAY_HELP = "work on a Ray cluster: its address, or `auto` to find it (the extra `scale`)"


def option(text: str, *aliases: str, name: str | None = None) -> Any:
    """The explanation of a parameter, with its default where that says something; `name` where Python's differs."""
    return tyro.conf.arg(name=name, help=text, aliases=list(aliases) or None, help_behavior_hint=_hint)


def _hint(default: str) -> str:
    return "" if default in ("", "None", "False") else f"(default: {default})"


def check_output(path: Path | None, *endings: str, reads: Sequence[Path | None] = ()) -> None:
    """Refuse what could not be written in the end, or would replace what is read; a path that is not given is good."""
    if path is None:
        return
    if path.exists() and any(one is not None and one.exists() and path.samefile(one) for one in reads):
        raise FileError(path, "is read, and would be replaced; name another file to write")
    folder = place_for(path).parent  # it refuses folders, devices and what is read-only
    if endings and path.suffix.lower() not in endings:
        raise FileError(path, f"cannot be written: ending {path.suffix!r}, expected {' '.join(endings)}")
    if not folder.is_dir():
        raise FileError(path, f"cannot be written: no folder {str(folder)!r}")
    try:
        tempfile.TemporaryFile(dir=folder).close()  # permissions alone do not decide
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None


@contextmanager
def blaming(path: Path | None) -> Iterator[None]:
    """Name the file in errors about its contents: arrays are read long after it was opened."""
    try:
        yield
    except FileError:
        raise
    except KinematchError as error:
        if path is None:
            raise
        raise FileError(path, str(error)) from error
