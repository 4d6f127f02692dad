"""Recorded landmarks: one body before one camera over time, read from and written to files."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kinematch.camera.landmarks import Landmarks
from kinematch.errors import FileError, KinematchError
from kinematch.files.reading import opened
from kinematch.writing import write_beside

VERSION = 1
MAX_SECONDS = 1e15  # of a time in seconds; JSON has whole numbers that are too large for a float
KIND = "landmarks"
SUFFIXES = (".jsonl", ".json")
MAX_FILE_BYTES = 1 << 28  # bytes; an hour at 20 frames a second is 200 MB
DIGITS = 5  # of places (m), shares of the picture and visibility


def write_landmarks(path: str | Path, landmarks: Landmarks) -> None:
    """Write landmarks as a .jsonl file: a header with the names, then a line per frame.

    A line holds the time [s] and for each landmark x y z [m, camera axes], its place in the picture and its visibility.
    A frame without anybody holds its time alone.
    """
    header = {"kinematch": KIND, "version": VERSION, "aspect": landmarks.aspect, "names": landmarks.names}
    rows = np.concatenate([landmarks.places, landmarks.image, landmarks.visibility[..., None]], axis=-1).round(DIGITS)
    lines = [json.dumps(header).encode()]
    for time, row, seen in zip(landmarks.times.tolist(), rows, landmarks.seen):
        lines.append(msgspec.json.encode({"time": time, "landmarks": row.tolist()} if seen else {"time": time}))
    write_beside(path, b"\n".join(lines) + b"\n")


def is_landmarks(path: str | Path) -> bool:
    """Whether a file is meant to hold landmarks: by its name, or because it begins as JSON, which no video does."""
    path = Path(path)
    if path.suffix.lower() in SUFFIXES:
        return True
    if not path.is_file():
        return False
    with opened(path, "video or landmarks") as (file, _):
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def read_landmarks(path: str | Path) -> Landmarks:
    """Read what `write_landmarks` wrote."""
    with opened(path, "recorded landmarks") as (file, size):
        if size > MAX_FILE_BYTES:
            raise FileError(path, f"is {size / 1e6:.0f} MB long, expected at most {MAX_FILE_BYTES / 1e6:.0f} MB")
        lines = file.read(size).split(b"\n")
    header = _decode(path, lines[0], 1)
    if header.get("kinematch") != KIND:
        raise FileError(path, f'no landmarks: expected a first line {{"kinematch": "{KIND}", ...}}', kind="foreign")
    if header.get("version") != VERSION:
        raise FileError(path, f"landmarks of version {header.get('version')!r}, expected {VERSION}", kind="newer")
    names, aspect = header.get("names"), header.get("aspect")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FileError(path, "names are not a list of texts", line=1)
    if not isinstance(aspect, int | float) or not abs(aspect) < MAX_SECONDS:
        raise FileError(path, f"aspect is {aspect!r}, expected a number", line=1)
    times: list[float] = []
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        values = _decode(path, line, number)
        time = values.get("time")
        if not isinstance(time, int | float) or not abs(time) < MAX_SECONDS or (times and time <= times[-1]):
            raise FileError(path, f"time is {time!r}, expected a number of seconds that grows", line=number)
        times.append(float(time))
        rows.append(_read_row(path, values.get("landmarks"), len(names), number))
    if not times:
        raise FileError(path, "holds no frames")
    table = np.array(rows)
    try:
        return Landmarks(np.array(times), table[..., :3], table[..., 3:5], table[..., 5], float(aspect), tuple(names))
    except KinematchError as error:
        raise FileError(path, str(error)) from None


def _decode(path: str | Path, line: bytes, number: int) -> dict[str, Any]:
    try:
        values = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(path, f"not JSON: {error}", line=number) from None
    if not isinstance(values, dict):
        raise FileError(path, 'expected an object such as {"time": 0.0, "landmarks": [...]}', line=number)
    return values


def _read_row(path: str | Path, row: Any, count: int, number: int) -> np.ndarray:
    """(K, 6): place, image and visibility; all zero without a detection."""
    if row is None:
        return np.zeros((count, 6))
    try:
        array = np.array(row, np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0)
    if array.shape != (count, 6):
        raise FileError(path, f"landmarks, expected {count} lists of 6 numbers", line=number)
    return array
