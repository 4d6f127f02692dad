"""Recordings of other programs: A-Frame's motion capture (JSON) and tables of headset and controllers (CSV)."""

import csv
from pathlib import Path

import msgspec
import numpy as np

from kinematch.avatar.axes import swap_webxr, swap_webxr_rotations
from kinematch.avatar.repair import decode_json, mend_times
from kinematch.avatar.trackers import POINTS
from kinematch.avatar.velocities import Poses
from kinematch.errors import FileError, listed
from kinematch.math import quaternion, rotation

MAX_SAMPLE_GAP = 0.05  # s between samples of two devices that count as one
MAX_HEAD_METRES = 3.0  # m: a head that is higher is given in centimetres
DEVICE_WORDS = {"camera": "head", "head": "head", "hmd": "head", "left": "left_hand", "right": "right_hand"}


class _Vector(msgspec.Struct):
    x: float | None  # null for NaN
    y: float | None
    z: float | None


class _Sample(msgspec.Struct):
    position: _Vector
    rotation: _Vector
    timestamp: float | None


class _Entity(msgspec.Struct):
    poses: list[_Sample] = []


def parse_aframe(path: str | Path, content: bytes, remarks: list[str]) -> Poses:
    """Times, positions, rotations and validity of an A-Frame recording: metres, degrees in the order YXZ, ms."""
    try:
        entities = decode_json(content, msgspec.json.Decoder(dict[str, _Entity]))
    except msgspec.ValidationError as error:
        raise FileError(path, f"is not a recording of A-Frame: {error}", kind="foreign") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(path, f"not JSON: {error}", line=_find_line(content, str(error)), kind="damaged") from None
    worn = {}  # by point: times, places, turns
    for name, entity in entities.items():
        word = next((word for word in DEVICE_WORDS if word in name.lower()), None)
        if word is None or not entity.poses or DEVICE_WORDS[word] in worn:
            continue
        found = _parse_entity(entity, remarks)
        if len(found[0]):
            worn[DEVICE_WORDS[word]] = found
    if "head" not in worn:
        raise FileError(path, f"records {listed(list(entities)) or 'nothing'}, expected a 'camera' with poses")
    times = worn["head"][0]
    count = len(times)
    positions, rotations = np.zeros((count, len(POINTS), 3)), quaternion.identity((count, len(POINTS)))
    valid: np.ndarray = np.zeros((count, len(POINTS)), bool)
    for point, (own, places, turns) in worn.items():
        k = POINTS.index(point)
        after = np.clip(np.searchsorted(own, times), 1, max(len(own) - 1, 1)) if len(own) > 1 else np.zeros(count, int)
        before = np.maximum(after - 1, 0)
        nearest = np.where(np.abs(own[before] - times) < np.abs(own[after] - times), before, after)
        positions[:, k], rotations[:, k] = places[nearest], turns[nearest]
        valid[:, k] = np.abs(own[nearest] - times) <= MAX_SAMPLE_GAP
    return Poses(times, swap_webxr(positions), swap_webxr_rotations(rotations), valid)


def _parse_entity(entity: _Entity, remarks: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = [
        (s.timestamp, s.position.x, s.position.y, s.position.z, s.rotation.y, s.rotation.x, s.rotation.z)
        for s in entity.poses
    ]
    table = np.array(rows, np.float64)
    kept, times = mend_times(table[:, 0] / 1000, remarks)
    table = table[kept]
    return times[kept], table[:, 1:4], rotation.from_euler(np.radians(table[:, 4:]), "YXZ")


def parse_table(path: str | Path, content: bytes, remarks: list[str]) -> Poses:
    """Times, positions, rotations and validity of a table with a header: ms, cm or m, quaternions w x y z.

    The axes are OpenVR's, those of WebXR: in the recordings at hand the hands are in front of the head, and the head
    looks at them, along -Z only.
    """
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        raise FileError(path, "is not UTF-8, expected a table") from None
    header = [name.strip() for name in next(csv.reader(lines[:1]))]
    devices = {"hmd": "head", "left_controller": "left_hand", "right_controller": "right_hand"}
    parts = ("pos_x", "pos_y", "pos_z", "rot_w", "rot_x", "rot_y", "rot_z")
    present = {device: point for device, point in devices.items() if f"{device}_{parts[0]}" in header}
    wanted = ["timestamp", *(f"{device}_{part}" for device in {"hmd": 0} | present for part in parts)]
    missing = [name for name in wanted if name not in header]
    if missing:
        raise FileError(path, f"has no column {listed(missing, 8)}; expected {listed(wanted)}", line=1, kind="foreign")
    columns = [header.index(name) for name in wanted]
    rows: list[list[float]] = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        fields = line.split(",")
        if len(fields) != len(header):
            raise FileError(path, f"has {len(fields)} fields, expected {len(header)}", line=number)
        try:
            row = [float(fields[column] or "nan") for column in columns]
        except ValueError as error:
            raise FileError(path, f"{str(error)[:120]}, expected a number", line=number) from None
        rows.append(row)
    table = np.array(rows, np.float64).reshape(len(rows), len(wanted))
    kept, times = mend_times(table[:, 0] / 1000, remarks)
    table, count = table[kept], int(kept.sum())
    positions, rotations = np.zeros((count, len(POINTS), 3)), np.zeros((count, len(POINTS), 4))
    for n, point in enumerate(present.values()):
        k = POINTS.index(point)
        positions[:, k], rotations[:, k] = table[:, 1 + 7 * n : 4 + 7 * n], table[:, 4 + 7 * n : 8 + 7 * n]
    tall = count and np.nanmedian(np.abs(positions[:, 0, 1])) > MAX_HEAD_METRES
    valid = np.broadcast_to(np.isin(POINTS, list(present.values())), (count, len(POINTS)))
    places = swap_webxr(positions) / (100 if tall else 1)
    return Poses(times[kept], places, swap_webxr_rotations(rotations), valid)


def _find_line(content: bytes, message: str) -> int | None:
    """The line of the byte that a message of msgspec names."""
    _, _, rest = message.partition("(byte ")
    return content[: int(rest.rstrip(")"))].count(b"\n") + 1 if rest.rstrip(")").isdigit() else None
