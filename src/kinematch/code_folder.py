"""Compiled code on disk: one file for each function and its types, named by what the code was made from.

Checkouts and virtual environments of one user share the folder. Entries are pickles, so the folder is the user's own.
Platform wheels carry entries too (`export/wheel.py`), within the package.
"""

import hashlib
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import time

import numba

from kinematch.errors import KinematchError
from kinematch.folders import name_cache_folder
from kinematch.writing import write_beside

MAX_FOLDER_BYTES = 1_000_000_000  # about five versions of all kernels, those of the tests included
MIN_TOUCH_SECONDS = 3600.0  # between notes that an entry is in use
HEADER = b"kinematch compiled code 1\n"
SUFFIX = ".code"
SHIPPED = Path(__file__).parent / "shipped"  # entries of a platform wheel
TARGET = SHIPPED / "target.json"  # the processor they are for, and its features


def find_code_folder() -> Path | None:
    """Where compiled code is kept: below NUMBA_CACHE_DIR, or else below the cache folder; None where none is usable."""
    if given := numba.config.CACHE_DIR:
        return _make_folder(Path(given) / "kinematch", trusted=True)
    caches = name_cache_folder()
    return None if caches is None else _make_folder(caches / "compiled", trusted=False)


def load_entry(folder: Path, name: str) -> bytes | None:
    """The content of an entry; None where there is none that is whole."""
    path = folder / f"{name}{SUFFIX}"
    try:
        content = path.read_bytes()
        if time() - path.stat().st_mtime > MIN_TOUCH_SECONDS:
            os.utime(path)
    except OSError:
        return None
    start = len(HEADER) + hashlib.sha256().digest_size
    if content[:start] != HEADER + hashlib.sha256(content[start:]).digest():
        return None
    return content[start:]


def save_entry(folder: Path, name: str, content: bytes) -> None:
    """Write an entry and remove those used longest ago, so that the folder stays below MAX_FOLDER_BYTES.

    A folder that can no longer be written is no reason to fail: the code is compiled again next time.
    """
    with suppress(OSError, KinematchError):
        write_beside(folder / f"{name}{SUFFIX}", HEADER + hashlib.sha256(content).digest() + content)
        _remove_oldest(folder)


def has_entry(folder: Path, prefix: str) -> bool:
    """Whether there is a whole entry whose name begins so."""
    return any(load_entry(folder, path.name.removesuffix(SUFFIX)) for path in folder.glob(f"{prefix}*{SUFFIX}"))


def _remove_oldest(folder: Path) -> None:
    entries = []
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):  # another process has just removed it
            about = path.stat()
            entries.append((about.st_mtime, about.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= MAX_FOLDER_BYTES:
            return
        with suppress(OSError):
            path.unlink()
        total -= size


@cache
def _make_folder(folder: Path, *, trusted: bool) -> Path | None:
    """The folder if it can be written; unless the user named it, other users must not be able to write there."""
    try:
        folder.mkdir(mode=0o777 if trusted else 0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        about = folder.stat()
    except (OSError, ValueError):  # ValueError: a path with a null character
        return None
    if not trusted and hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & 0o022):
        return None
    return folder
