"""Writing a file or a folder so that it is either whole or not there: beside its place first, then renamed."""

import glob
import os
import shutil
import stat
import sys
import uuid
from collections.abc import Callable, Iterator
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


@contextmanager
def replacing_folder(folder: str | Path, is_ours: Callable[[str], bool]) -> Iterator[Path]:
    """A new folder beside the place to write files into: at the end it takes the place, and vanishes if anything fails.

    `is_ours` knows the names that an earlier export may have left there; see check_folder.
    """
    place = check_folder(folder, is_ours)
    beside = place.with_name(f".{place.name[:50]}.{uuid.uuid4().hex[:8]}")
    try:
        (beside / "new").mkdir(parents=True)
        yield beside / "new"
        if place.exists():
            os.replace(place, beside / "old")
        os.replace(beside / "new", place)
    except OSError as error:
        raise FileError(folder, f"cannot be written: {error.strerror or error}") from error
    finally:
        if (beside / "old").exists() and not place.exists():
            os.replace(beside / "old", place)
        shutil.rmtree(beside, ignore_errors=True)


def check_folder(folder: str | Path, is_ours: Callable[[str], bool]) -> Path:
    """The place of an export: it must be free, an empty folder, or hold an earlier export and nothing else."""
    place = Path(os.path.realpath(folder))
    if not place.parent.is_dir():
        raise FileError(folder, f"cannot be written: no folder {str(place.parent)!r}")
    if place.exists():
        if not place.is_dir():
            raise FileError(folder, "cannot be written: it is a file, expected a folder to write into")
        others = sorted(path.name for path in place.iterdir() if not is_ours(path.name))
        if others:
            raise FileError(folder, f"cannot be written: it holds {others[0]!r}, which no export wrote; choose another")
    return place


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
    except OSError:  # of another program
        return True
    return True
