"""Writing a file so that it is either whole or not there: beside its place first, then renamed."""

import glob
import os
import stat
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kinematch.errors import FileError


def write_beside(path: str | Path, content: bytes) -> None:
    """Replace the file at once; an interruption leaves what was there before."""
    with replacing(path) as part:
        part.write_bytes(content)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A place beside the path to write to: it takes the path's place at the end, and vanishes if anything fails."""
    place = place_for(path)
    name = place.name[:50]  # whatever is added must not make a long name too long
    part = place.with_name(f".{name}.{uuid.uuid4().hex[:8]}.{os.getpid()}.part")
    try:
        _remove_orphans(place.parent, name)
        yield part
        os.replace(part, place)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # it is gone already, or its folder was no folder
            part.unlink()


def place_for(path: str | Path) -> Path:
    """Where a path leads through links, if a file can be put there: renaming would do away with a device or a pipe."""
    try:
        place = Path(os.path.realpath(path))
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        if place.parent.is_dir() and not os.access(place.parent, os.W_OK):
            raise FileError(path, "cannot be written: its folder is read-only") from None
        return place
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise FileError(path, f"cannot be written: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file (a pipe or device)"
        raise FileError(path, f"cannot be written: is {what}")
    if not os.access(place, os.W_OK):
        raise FileError(path, "cannot be written: is read-only")
    return place


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
