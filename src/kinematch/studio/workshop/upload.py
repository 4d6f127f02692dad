"""Uploads: one motion file at a time, checked by name, size and first bytes, written beside and then renamed."""

import re
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path

from kinematch.errors import FileError, KinematchError
from kinematch.files import READABLE
from kinematch.files.reading import file_kind
from kinematch.studio.workshop.project_files import Project, inside
from kinematch.studio.workshop.trial import try_reading
from kinematch.writing import replacing

LONGEST_NAME = 120  # characters; file systems take 255 bytes


class TooLarge(KinematchError):
    """The upload is too large."""


class Taken(KinematchError):
    """A file of that name exists."""


def safe_name(name: str) -> str:
    """The name of an uploaded file without folders, valid on every file system; other kinds of file are refused."""
    bare = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    bare = re.sub(r'[\x00-\x1f\x7f<>:"|?*]', "_", bare).strip(" .")
    stem, dot, suffix = bare.rpartition(".")
    if not dot or f".{suffix.lower()}" not in READABLE:
        raise KinematchError(f"{bare or name!r} is not a motion file; readable are {' '.join(READABLE)}")
    return f"{stem[:LONGEST_NAME].strip(' .') or 'clip'}.{suffix.lower()}"


async def receive(project: Project, name: str, chunks: AsyncIterator[bytes], *, largest: int, replace: bool) -> Path:
    """Write an upload; it appears under its name only once it is complete and known to be a motion file."""
    path = inside(project, safe_name(name))
    if path.exists() and not replace:
        raise Taken(f"{path.name} is in the project's folder already")
    size = 0
    with replacing(path) as part:
        with part.open("wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > largest:
                    raise TooLarge(f"{path.name} is larger than {largest // 1_000_000} MB")
                file.write(chunk)
        await _must_be_motion(part, path)
    return path


async def _must_be_motion(part: Path, path: Path) -> None:
    """Check a file by its first bytes, then by reading it elsewhere; messages name the upload, not the part."""
    named = part.with_name(part.name + path.suffix)
    try:
        part.rename(named)
        file_kind(named)
        await try_reading(named, path.name)
    except FileError as error:
        raise FileError(path.name, error.message, line=error.line) from None
    finally:
        named.rename(part)
