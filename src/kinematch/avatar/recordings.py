"""Recorded trackers: one user over time, read from and written to files."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kinematch.avatar.foreign_recordings import parse_aframe, parse_table
from kinematch.avatar.repair import decode_json, mend_times, report_lost
from kinematch.avatar.trackers import FINGER_JOINTS, POINTS, Trackers
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.errors import FileError, unknown
from kinematch.files.reading import BYTE_ORDER_MARK, opened, shorten
from kinematch.writing import write_beside

VERSION = 1
HEADER = {"kinematch": "trackers", "version": VERSION}
MAX_FILE_BYTES = 1 << 28  # bytes; an hour of three points is 100 MB
FINGER_KEYS = ("left_fingers", "right_fingers")
KEYS = ("time", *POINTS, *FINGER_KEYS)
MIN_STEP_SECONDS = 1e-6  # s between samples; less is one sample written twice


def write_trackers(path: str | Path, trackers: Trackers) -> None:
    """Write one user over time as a .jsonl file: a header, then a line per sample.

    A line holds the time [s] and for each tracked point x y z [m] and the quaternion w x y z, exact to the last bit.
    Velocities are not written; reading finds them again.
    """
    lines = [json.dumps(HEADER).encode()]
    poses = np.concatenate([trackers.positions, trackers.rotations], axis=-1)
    for n, time in enumerate(trackers.times.tolist()):
        if not np.isfinite(time) or (n and time <= trackers.times[n - 1]):
            raise FileError(path, f"cannot be written: time {time} s of sample {n} does not increase")
        line: dict[str, Any] = {"time": time}
        line |= {POINTS[k]: poses[n, k].tolist() for k in np.flatnonzero(trackers.valid[n])}
        if trackers.fingers is not None:
            hands = zip(FINGER_KEYS, trackers.fingers[n])
            line |= {name: hand.reshape(-1).tolist() for name, hand in hands if np.isfinite(hand).all()}
        lines.append(msgspec.json.encode(line))
    write_beside(path, b"\n".join(lines) + b"\n")


def read_trackers(path: str | Path, remarks: list[str] | None = None) -> Trackers:
    """Read recorded trackers of one user, from any known program; the first sample is at time 0.

    Poses that are not numbers count as not tracked, and clocks that go backwards are mended; `remarks` takes what was
    noticed.

    Known by content: files of `write_trackers`, A-Frame's motion capture (JSON), and tables with a column for each
    coordinate such as hmd_pos_x (CSV, as motion-learning-toolbox has them).
    """
    with opened(path, "recorded trackers") as (file, size):
        if size > MAX_FILE_BYTES:
            raise FileError(path, f"is {size / 1e6:.0f} MB long, expected at most {MAX_FILE_BYTES / 1e6:.0f} MB")
        content = file.read(size).removeprefix(BYTE_ORDER_MARK)
    remarks = [] if remarks is None else remarks
    first = content.lstrip().split(b"\n", 1)[0]
    if b"\0" in first or not first:
        raise FileError(path, f"{'is binary' if first else 'is empty'}, expected recorded trackers (JSON or CSV)")
    if first.startswith(b"{"):
        parse = parse_lines if b'"kinematch"' in first[:200] else parse_aframe
        poses = parse(path, content, remarks)
    elif b"," in first:
        poses = parse_table(path, content, remarks)
    else:
        raise FileError(path, f"starts with {shorten(first)!r}, expected recorded trackers (JSON or CSV)", line=1)
    if not len(poses.times):
        raise FileError(path, "holds no samples")
    report_lost(poses, remarks)
    kept = np.concatenate([[True], np.diff(poses.times) >= MIN_STEP_SECONDS])
    if len(kept) > 1 and not kept[1:].any():
        raise FileError(path, f"holds {len(kept)} samples, all at one time, expected times in seconds that grow")
    poses = poses.take(kept)
    return find_velocities(poses._replace(times=poses.times - poses.times[0]))


def parse_lines(path: str | Path, content: bytes, remarks: list[str]) -> Poses:
    """Times, positions, rotations, validity and fingers of a file that `write_trackers` wrote."""
    decoder = msgspec.json.Decoder()
    rows: list[tuple[float, dict[str, Any], int]] = []
    header = False
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip() or line.startswith(b"#"):
            continue
        try:
            values = decode_json(line, decoder)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FileError(path, f"not JSON: {error}", line=number) from None
        if not isinstance(values, dict):
            raise FileError(path, 'expected an object such as {"time": 0.0, "head": [...]}', line=number)
        if not header:
            _check_header(path, values, number)
            header = True
            continue
        time = values.get("time", "not given")
        if time is not None and (not isinstance(time, int | float) or not abs(time) < 1e15):
            raise FileError(path, f"time is {time!r}, expected a number of seconds", line=number)
        rows.append((np.nan if time is None else float(time), values, number))
    count = len(rows)
    positions, rotations = np.zeros((count, len(POINTS), 3)), np.zeros((count, len(POINTS), 4))
    valid: np.ndarray = np.zeros((count, len(POINTS)), bool)
    fingers = np.full((count, 2, FINGER_JOINTS, 3), np.nan)
    for n, (_, values, number) in enumerate(rows):
        for key, value in values.items():
            if key in POINTS:
                pose = _numbers(path, key, value, 7, number)
                k = POINTS.index(key)
                positions[n, k], rotations[n, k], valid[n, k] = pose[:3], pose[3:], True
            elif key in FINGER_KEYS:
                flat = _numbers(path, key, value, FINGER_JOINTS * 3, number)
                fingers[n, FINGER_KEYS.index(key)] = flat.reshape(FINGER_JOINTS, 3)
            elif key != "time":
                raise FileError(path, unknown("key", key, KEYS), line=number)
    kept, times = mend_times(np.array([time for time, _, _ in rows]), remarks)
    return Poses(times, positions, rotations, valid, fingers if np.isfinite(fingers).any() else None).take(kept)


def _check_header(path: str | Path, values: dict[str, Any], number: int) -> None:
    if values.get("kinematch") != "trackers":
        raise FileError(path, f"no trackers: expected a first line {json.dumps(HEADER)}", line=number, kind="foreign")
    if values.get("version") != VERSION:
        raise FileError(
            path, f"trackers of version {values.get('version')!r}, expected {VERSION}", line=number, kind="newer"
        )


def _numbers(path: str | Path, key: str, value: Any, count: int, line: int) -> np.ndarray:
    known = (int, float, type(None))  # a null stands for NaN
    numbers = isinstance(value, list) and len(value) == count and all(type(one) in known for one in value)
    if numbers and not any(one is not None and abs(one) >= 1e6 for one in value):
        return np.array(value, np.float64)
    raise FileError(path, f"{key} is {repr(value)[:60]}, expected {count} finite numbers", line=line)
