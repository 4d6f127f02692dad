"""Writing a file so that it is either whole or not there: beside its place first, then renamed."""

import glob
import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kinematch.errors import FileError


def write_beside(path: str | Path, content: bytes) -> None:
    """Replace the file at once; an interruption leaves what was there before."""
    try:
        with replacing(path) as part:
            part.write_bytes(content)
    except ValueError as error:  # a path with a null character
        raise FileError(path, f"cannot be written: {error}") from None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A place beside the path to write to: it takes the path's place at the end, and vanishes if anything fails."""
    path = Path(path)
    name = path.name[:50]  # whatever is added must not make a long name too long
    _remove_orphans(path.parent, name)
    part = path.with_name(f".{name}.{uuid.uuid4().hex[:8]}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # it is gone already, or its folder was no folder
            part.unlink()


def _remove_orphans(folder: Path, name: str) -> None:
    """Parts of writers that were killed; those of writers still at work stay."""
    for part in folder.glob(f".{glob.escape(name)}.*.part"):
        owner = part.name.split(".")[-2]
        if owner.isdigit() and not _alive(int(owner)):
            part.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    if sys.platform == "win32":  # signal 0 would end the process there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
