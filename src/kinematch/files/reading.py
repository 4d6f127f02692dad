"""Opening a file that may be anything: what it is by its first bytes, and one clear error when it cannot be read."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from kinematch.errors import FileError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 text with it
READABLE = {
    ".bvh": "bvh",
    ".glb": "glb",
    ".gltf": "gltf",
    ".vrm": "glb",
    ".vrma": "glb",
    ".npz": "npz",
    ".fbx": "fbx",
}

MAX_FILE_BYTES = 1 << 32  # bytes, what a GLB can hold; as BVH, that is days of one person
# what a file is when it starts like this, and what those are that people have but that are not read here
MAGIC = {b"HIERARCHY": "bvh", b"glTF": "glb", b"{": "gltf", b"Kaydara FBX": "fbx", b"; FBX": "fbx"}
FOREIGN_FORMATS = {
    b"PK\x03\x04": "a zip archive",
    b"#usda": "a USD file",
    b"PXR-USDC": "a USD file",
    b"#!OML": "an AMC file",
    b":FULLY-SPECIFIED": "an AMC file",
}


@contextmanager
def opened(path: str | Path, expected: str = "a motion file") -> Iterator[tuple[BufferedReader, int]]:
    """The open file and its size; errors of the system become a FileError."""
    try:
        # a pipe or device would block or never end, so it is looked at before it is opened
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise FileError(path, f"is a folder, expected {expected}")
        if not stat.S_ISREG(status.st_mode):
            raise FileError(path, f"is not a regular file (a pipe or device), expected {expected}")
        with open(path, "rb") as file:
            yield file, status.st_size
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise FileError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def file_kind(path: str | Path) -> str:
    """bvh, glb, gltf, npz or fbx: by content first, since files are often renamed."""
    with opened(path) as (file, size):
        start = file.read(4096) if size else b""  # what has no size but bytes, as in /proc, may wait for ever
    suffix = Path(path).suffix.lower()
    if size > MAX_FILE_BYTES:
        raise FileError(path, f"is {size / 1e9:.1f} GB long, expected at most {MAX_FILE_BYTES / 1e9:.1f} GB")
    if not start:
        raise FileError(path, "the file is empty")
    stripped = start.removeprefix(BYTE_ORDER_MARK).lstrip()
    if suffix == ".npz" and start.startswith(b"PK"):
        return "npz"
    for magic, kind in (MAGIC | FOREIGN_FORMATS).items():
        if stripped[: len(magic)].upper() == magic.upper():
            if magic in FOREIGN_FORMATS:
                raise FileError(path, f"is {kind}, which cannot be read here; {_readable()}")
            if kind != "gltf" or suffix != ".bvh":  # one brace is not much to go by
                return kind
    if suffix not in READABLE:
        raise FileError(path, f"unknown kind of file {suffix!r}; {_readable()}")
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError(path, "is UTF-16 text; save it as UTF-8 or ASCII", line=1)
    expected = {
        "bvh": "'HIERARCHY'",
        "glb": "the bytes 'glTF'",
        "gltf": "'{'",
        "npz": "a zip archive",
        "fbx": "'Kaydara FBX'",
    }[READABLE[suffix]]
    found = "binary data" if b"\0" in start else repr(shorten(stripped.split(maxsplit=1)[0])) if stripped else "blanks"
    raise FileError(path, f"starts with {found}, expected {expected} ({suffix} file of {size} bytes)", line=1)


def shorten(word: bytes, most: int = 40) -> str:
    """A word of a file, fit for an error message."""
    text = word[:most].decode("ascii", "backslashreplace")
    return text if len(word) <= most else text + "..."


def _readable() -> str:
    return f"these can: {' '.join(READABLE)}"
