"""A safetensors file of aligned arrays with checksums: written beside and renamed, verified as it is read."""

import hashlib
import json
import math
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import numpy as np

from kinematch.errors import FileError
from kinematch.files.reading import opened
from kinematch.threads import run_each
from kinematch.writing import replacing

ALIGNMENT = 64  # bytes: a cache line, and the widest vector a processor loads
LARGEST_HEADER = 100_000_000  # bytes, the limit of the safetensors library itself
TYPES = {
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
    "I32": "<i4",
    "I64": "<i8",
    "U8": "|u1",
    "U16": "<u2",
    "U64": "<u8",
    "BOOL": "|b1",
}
NAMES = {np.dtype(code): name for name, code in TYPES.items()}
MOST_AXES = 8  # of an array; the deepest of a database has three
FILLER = "filler."  # safetensors allows no holes, so the gaps that align arrays are arrays too
NO_CHECKSUM = "0" * 64


@dataclass(frozen=True)
class Words:
    """How messages speak of a kind of file."""

    noun: str = "database"
    made_by: str = "`kinematch build` writes those"
    remedy: str = "build it again"  # what to do about a damaged one


DATABASE_WORDS = Words()


def write_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], *, format: str, version: int, about: dict[str, Any]
) -> None:
    """Write a file; one of that name stays in place until the new one is complete on disk."""
    described = lay_out({name: (array.dtype, array.shape) for name, array in arrays.items()})
    about = {**about, "digests": dict.fromkeys(arrays, NO_CHECKSUM)}
    start = 8 + len(make_header(format, version, about, described))
    with replacing(path) as part:
        path.parent.mkdir(parents=True, exist_ok=True)
        make_file(part, start, described)

        def write(name: str) -> None:
            data = as_bytes(arrays[name])
            about["digests"][name] = hashlib.sha256(data).hexdigest()
            write_at(part, start + described[name]["data_offsets"][0], data)

        run_each(list(arrays), write)
        finish_file(part, make_header(format, version, about, described))


def lay_out(shapes: Mapping[str, tuple[np.dtype, tuple[int, ...]]]) -> dict[str, Any]:
    """Where each array stands behind the header, aligned."""
    described: dict[str, Any] = {}
    offset = 0
    for name, (dtype, shape) in shapes.items():
        size = dtype.itemsize * math.prod(shape)
        described[name] = {
            "dtype": NAMES[dtype.newbyteorder("<")],
            "shape": list(shape),
            "data_offsets": [offset, offset + size],
        }
        offset += size
        gap = -offset % ALIGNMENT
        if gap:
            described[FILLER + name] = {"dtype": "U8", "shape": [gap], "data_offsets": [offset, offset + gap]}
            offset += gap
    return described


def make_file(part: Path, start: int, described: Mapping[str, Any]) -> None:
    with open(part, "wb") as file:  # gaps between arrays stay zero
        file.truncate(start + max((entry["data_offsets"][1] for entry in described.values()), default=0))


def finish_file(part: Path, header: bytes) -> None:
    with open(part, "r+b") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.flush()
        os.fsync(file.fileno())


def write_at(path: Path, offset: int, data: bytes | memoryview) -> None:
    """Through a handle of its own, since threads write at once."""
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def make_header(
    format: str, version: int, about: dict[str, Any], described: dict[str, Any], *, length: int = 0
) -> bytes:
    """The header with its own checksum, at least so long; its length does not depend on the checksums."""
    head = {"format": format, "version": str(version), "checksum": NO_CHECKSUM, "about": json.dumps(about)}
    header = json.dumps({"__metadata__": head, **described}, separators=(",", ":")).encode()
    header = header.ljust(length)
    header += b" " * (-(8 + len(header)) % ALIGNMENT)
    return header.replace(NO_CHECKSUM.encode(), hashlib.sha256(header).hexdigest().encode(), 1)


def read_arrays(
    path: Path, *, format: str, version: int, verify: bool = True, mapped: bool = False,
    words: Words = DATABASE_WORDS,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:  # fmt: skip
    """A file's arrays, read-only, and its description; the contents of each are compared with their checksum.

    They are read into memory of their own, which is read-only. `mapped` has them share the file's pages
    instead: a file that is cut off later ends the process that touches it.
    """
    path = Path(path)
    with opened(path, f"a {words.noun}") as (file, size):
        described, about, start = read_description(path, file, size, format=format, version=version, words=words)
        data = np.asarray(np.memmap(file, np.uint8, "r", offset=0)) if mapped else _allocate(size)
        reading = Lock()
        arrays: dict[str, np.ndarray] = {name: data[:0] for name in described if not name.startswith(FILLER)}

        def open_array(name: str) -> None:
            first, last = (start + offset for offset in described[name]["data_offsets"])
            own = data[first:last]
            if not mapped:
                with reading:
                    file.seek(first)
                    if file.readinto(own.data) != len(own):
                        raise FileError(path, "was cut off while it was read", kind="damaged")
            if verify:
                check_digest(path, name, hashlib.sha256(own.data).hexdigest(), about, words)
            arrays[name] = own.view(TYPES[described[name]["dtype"]]).reshape(described[name]["shape"])
            arrays[name].flags.writeable = False

        run_each(list(arrays), open_array)
    return arrays, about


def read_description(
    path: Path, file: BinaryIO, size: int, *, format: str, version: int, words: Words
) -> tuple[dict[str, Any], dict[str, Any], int]:
    """The arrays of a file by name, what it says of itself, and where its data starts."""
    header = _read_header(path, file, size, words)
    described, about = _check_header(path, header, format=format, version=version, words=words)
    start = 8 + len(header)
    end = start + max((entry["data_offsets"][1] for entry in described.values()), default=0)
    if size != end:
        what = f"{end - size} bytes are missing: it was cut off" if size < end else "it has bytes past its end"
        raise FileError(path, f"is {size} bytes long where its header says {end}; {what}", kind="damaged")
    return described, about, start


def check_digest(path: Path, name: str, found: str, about: Mapping[str, Any], words: Words) -> None:
    if found != about["digests"].get(name):
        message = f"is damaged: the contents of {name!r} do not fit their checksum; {words.remedy}"
        raise FileError(path, message, kind="damaged")


def read_checksum(path: Path, words: Words = DATABASE_WORDS) -> str:
    """What the header of a file says of itself, and so of all arrays, whose checksums it holds."""
    with opened(path, f"a {words.noun}") as (file, size):
        header = _read_header(path, file, size, words)
    try:
        return str(json.loads(header)["__metadata__"]["checksum"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise FileError(path, "has a damaged header", kind="damaged") from None


def _allocate(size: int) -> np.ndarray:
    """A buffer of `size` bytes, aligned."""
    room = np.empty(size + ALIGNMENT, np.uint8)
    first = -room.__array_interface__["data"][0] % ALIGNMENT
    return room[first : first + size]


def as_bytes(array: np.ndarray) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _read_header(path: Path, file: BinaryIO, size: int, words: Words) -> bytes:
    other = FileError(path, f"is no {words.noun}: it does not begin with a safetensors header", kind="foreign")
    start = file.read(8) if size else b""
    if len(start) < 8:
        raise FileError(path, f"is no {words.noun}: only {size} bytes long", kind="foreign")
    (length,) = struct.unpack("<Q", start)
    if not 2 <= length <= LARGEST_HEADER:
        raise other
    header = file.read(length)
    if not header.startswith(b"{"):
        raise other
    if len(header) < length:
        message = f"was cut off: {size} bytes long, its header alone takes {8 + length}"
        raise FileError(path, message, kind="damaged")
    return header


def _check_header(
    path: Path, header: bytes, *, format: str, version: int, words: Words
) -> tuple[dict[str, Any], dict[str, Any]]:
    damaged = FileError(path, f"is damaged: its header does not fit its checksum; {words.remedy}", kind="damaged")
    try:
        described = json.loads(header)
        meta = described.pop("__metadata__", {})
        if meta.get("format") != format:
            raise FileError(path, f"is a safetensors file, but no {format}; {words.made_by}", kind="foreign")
        found = int(meta["version"])
        if found > version:
            message = f"was written by a newer kinematch (format version {found}, this one reads {version}); update it"
            raise FileError(path, message, kind="newer")
        checksum = meta["checksum"].encode()
        if len(checksum) != len(NO_CHECKSUM) or header.count(checksum) != 1:
            raise damaged
        if hashlib.sha256(header.replace(checksum, NO_CHECKSUM.encode())).hexdigest().encode() != checksum:
            raise damaged
        about = json.loads(meta["about"])
        if found < 1 or not isinstance(about["digests"], dict):
            raise damaged
        _check_layout(described)
        if len(header) % ALIGNMENT != ALIGNMENT - 8:
            raise damaged
        return described, about | {"checksum": meta["checksum"]}
    except FileError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise damaged from None


def _check_layout(described: Mapping[str, Any]) -> None:
    """Arrays are aligned, follow one another without holes, and are as long as their shapes say."""
    last = 0
    for name, entry in sorted(described.items(), key=lambda item: item[1]["data_offsets"]):
        (first, end), shape, size = entry["data_offsets"], entry["shape"], np.dtype(TYPES[entry["dtype"]]).itemsize
        if any(type(number) is not int or number < 0 for number in (first, end, *shape)):
            raise ValueError(entry)
        if first != last or end - first != size * math.prod(shape):
            raise ValueError(entry)
        if len(shape) > MOST_AXES or size * math.prod(extent or 1 for extent in shape) >= 2**63:
            raise ValueError(entry)  # numpy has no such array, however empty
        if first % ALIGNMENT and not name.startswith(FILLER):
            raise ValueError(entry)  # kernels read whole vectors
        last = end
