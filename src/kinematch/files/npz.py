"""Arrays of .npz archives from anywhere: bounded in size, never unpickled."""

import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from kinematch.errors import FileError
from kinematch.files.reading import opened

HEADER_ERRORS = (ValueError, SyntaxError, TokenError, RecursionError, MemoryError)  # what numpy's own reader may raise
ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
MAX_ARRAY_BYTES = 1 << 31  # bytes; six days at 60 frames a second of SMPL-H


def read_npz(path: str | Path, what: str) -> dict[str, np.ndarray]:
    """All arrays of numbers and of text in a file, which errors call `what`; others are left out."""
    with opened(path, what) as (file, _):
        try:
            with zipfile.ZipFile(file) as archive:
                found = {}
                for name in archive.namelist():
                    try:
                        found[name.removesuffix(".npy")] = read_array(path, archive, name, kinds="fiuU")
                    except FileError as error:
                        if error.kind == "damaged":
                            raise
                return found
        except ARCHIVE_ERRORS as error:
            raise FileError(path, f"is a damaged archive: {error}", kind="damaged") from None


def read_array(path: str | Path, archive: zipfile.ZipFile, name: str, *, kinds: str = "fiu") -> np.ndarray:
    """One array of an archive, of numbers, or of text where `kinds` has "U"; nothing is unpickled."""
    with archive.open(name) as file:
        try:
            version = np.lib.format.read_magic(file)
            read: Any = (
                np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            )
            shape, _, dtype = read(file)
            size = int(np.prod([int(extent) for extent in shape], dtype=object)) * dtype.itemsize
            if dtype.kind not in kinds or not 0 <= size <= MAX_ARRAY_BYTES or size > archive.getinfo(name).file_size:
                raise ValueError(f"{dtype} of shape {shape}")
        except HEADER_ERRORS as error:
            raise FileError(path, f"array {name!r} cannot be read: {str(error)[:200]}, expected numbers") from None
    with archive.open(name) as file:
        try:
            return np.lib.format.read_array(file, allow_pickle=False)
        except ValueError as error:
            raise FileError(path, f"array {name!r} cannot be read: {str(error)[:200]}", kind="damaged") from None
