"""Arrays in a file that are read and written some rows at a time, and never stand in memory as a whole."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from kinematch.database.container import (
    ALIGNMENT,
    DATABASE_WORDS,
    FILLER,
    NO_CHECKSUM,
    TYPES,
    Words,
    as_bytes,
    check_digest,
    finish_file,
    lay_out,
    make_file,
    make_header,
    read_description,
    write_at,
)
from kinematch.database.packing.fields import UnpackedArray
from kinematch.errors import FileError
from kinematch.files.reading import opened
from kinematch.threads import run_each
from kinematch.writing import replacing

BLOCK_BYTES = 1 << 22  # of an array at a time, where all of it is read
MAX_LATE_BYTES = 1 << 16  # of the description, kept free for what is known only after the arrays are written


@dataclass(frozen=True, eq=False)
class ArrayFile:
    """A file of arrays; changing it meanwhile is an error, and does no harm."""

    path: Path
    described: Mapping[str, Any]  # shapes, types and places, by name
    start: int  # of the data, bytes
    about: dict[str, Any] = field(default_factory=dict)
    words: Words = DATABASE_WORDS

    def names(self) -> list[str]:
        return [name for name in self.described if not name.startswith(FILLER)]

    def read(self, name: str) -> np.ndarray:
        """A whole array, compared with its checksum."""
        shape = self.described[name]["shape"]
        array = self.read_rows(name, 0, shape[0] if shape else 1)
        check_digest(self.path, name, hashlib.sha256(as_bytes(array)).hexdigest(), self.about, self.words)
        array.flags.writeable = False
        return array

    def read_rows(self, name: str, first: int, stop: int) -> np.ndarray:
        """Rows [first, stop) of an array."""
        shape, dtype = self.described[name]["shape"], np.dtype(TYPES[self.described[name]["dtype"]])
        array = np.empty((stop - first, *shape[1:]) if shape else (), dtype)
        row = array.nbytes // max(1, stop - first)
        with opened(self.path, f"a {self.words.noun}") as (file, _):
            file.seek(self.start + self.described[name]["data_offsets"][0] + first * row)
            self._fill(file, array)
        return array

    def stand_in(self, name: str) -> UnpackedArray:
        """An array whose rows are read when it is indexed."""

        def read(frames: np.ndarray) -> np.ndarray:
            if not len(frames):
                return self.read_rows(name, 0, 0)
            first = int(frames.min())
            return self.read_rows(name, first, int(frames.max()) + 1)[frames - first]

        return UnpackedArray(tuple(self.described[name]["shape"]), TYPES[self.described[name]["dtype"]], read)

    def check(self) -> None:
        """Compare all contents with their checksums."""
        run_each(
            self.names(), lambda name: check_digest(self.path, name, self.find_digest(name), self.about, self.words)
        )

    def find_digest(self, name: str) -> str:
        digest, (first, last) = hashlib.sha256(), self.described[name]["data_offsets"]
        with opened(self.path, f"a {self.words.noun}") as (file, _):
            file.seek(self.start + first)
            for done in range(0, last - first, BLOCK_BYTES):
                digest.update(file.read(min(BLOCK_BYTES, last - first - done)))
        return digest.hexdigest()

    def _fill(self, file: BinaryIO, array: np.ndarray) -> None:
        if file.readinto(as_bytes(array)) != array.nbytes:  # type: ignore[attr-defined]
            raise FileError(self.path, "was cut off while it was read", kind="damaged")


def open_arrays(path: Path, *, format: str, version: int, words: Words = DATABASE_WORDS) -> ArrayFile:
    """Read and check what a file says of itself, and none of its contents."""
    with opened(path, f"a {words.noun}") as (file, size):
        described, about, start = read_description(path, file, size, format=format, version=version, words=words)
    return ArrayFile(path, described, start, about, words)


@dataclass(frozen=True, eq=False)
class ArrayWriter(ArrayFile):
    """A file that is being written; threads may write different rows at once."""

    def write_all(self, name: str, array: np.ndarray) -> None:
        if array.ndim and len(array):
            self.write_rows(name, 0, array)

    def write_rows(self, name: str, first: int, rows: np.ndarray) -> None:
        """Rows of an array from `first` on."""
        entry = self.described[name]
        data = np.ascontiguousarray(rows, TYPES[entry["dtype"]])
        if list(data.shape[1:]) != entry["shape"][1:] or not 0 <= first <= first + len(data) <= entry["shape"][0]:
            raise ValueError(
                f"{name!r}: rows {first} to {first + len(data)} of shape {data.shape}, not {entry['shape']}"
            )
        write_at(
            self.path,
            self.start + entry["data_offsets"][0] + first * (data.nbytes // max(1, len(data))),
            as_bytes(data),
        )


@contextmanager
def writing_arrays(
    path: Path, shapes: Mapping[str, tuple[np.dtype, tuple[int, ...]]], *, format: str, version: int,
    about: dict[str, Any],
) -> Iterator[ArrayWriter]:  # fmt: skip
    """A file to write rows to; one of that name stays in place until the new one is complete on disk.

    The description may still grow by MAX_LATE_BYTES while the rows are written.
    """
    described = lay_out(shapes)
    about = {**about, "digests": dict.fromkeys(shapes, NO_CHECKSUM)}
    length = len(make_header(format, version, about, described)) + MAX_LATE_BYTES
    length += -(8 + length) % ALIGNMENT
    with replacing(path) as part:
        path.parent.mkdir(parents=True, exist_ok=True)
        make_file(part, 8 + length, described)
        writer = ArrayWriter(part, described, 8 + length, about)
        yield writer

        def measure(name: str) -> None:
            about["digests"][name] = writer.find_digest(name)

        run_each(list(shapes), measure)
        header = make_header(format, version, about, described, length=length)
        if len(header) > length:
            raise FileError(path, f"its description has {len(header)} bytes, expected at most {length}")
        finish_file(part, header)
