"""Samples: poses of a page's headset and controllers, checked, and converted from WebXR's axes to ours."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.avatar.trackers import FINGER_JOINTS, HANDS, POINTS, Trackers
from kinematch.avatar.velocities import LARGEST_GAP, WINDOW, Poses
from kinematch.math import quaternion
from kinematch.stream.layout import SAMPLE, unpack
from kinematch.stream.picture import XYZW
from kinematch.studio.vr import kernels
from kinematch.studio.vr.kernels import MAX_DISTANCE

MAX_CLOCK_SECONDS = 1e9  # s, of a page's clock
HALF_TURN = np.array([0.0, 0, 1, 0])  # a WebXR device looks along its own -Z, ours along +Z; the room is the same

NO_FINGERS = np.full((len(HANDS), FINGER_JOINTS, 3), np.nan)


@dataclass(frozen=True, eq=False)
class DeviceSample:
    """Devices at one moment, in our axes."""

    sequence: int
    time: float  # s, of the page's clock
    positions: np.ndarray  # (7, 3) m
    rotations: np.ndarray  # (7, 4)
    valid: np.ndarray  # (7,) bool
    fingers: np.ndarray | None  # (2, 25, 3) m
    problem: str = ""  # what was wrong with some of it


def read_sample(data: bytes) -> DeviceSample:
    """The sample of a page's message; raises ValueError for a malformed one. Implausible points are not valid."""
    header, arrays = unpack(SAMPLE, data)
    if header["points"] != len(POINTS) or header["hands"] not in (0, len(HANDS)):
        raise ValueError(f"{header['points']:.0f} points and {header['hands']:.0f} hands, expected 7 and 0 or 2")
    time = header["time"]
    if not 0 <= time <= MAX_CLOCK_SECONDS:
        raise ValueError(f"a sample of time {time}, expected seconds from 0 to {MAX_CLOCK_SECONDS:g}")
    positions, rotations = arrays["positions"].astype(np.float64), arrays["rotations"].astype(np.float64)
    valid = np.empty(len(POINTS), bool)
    bits = kernels.check_points(positions, rotations, int(header["valid"]), valid)
    wrong = [point.replace("_", " ") for k, point in enumerate(POINTS) if bits >> k & 1] if bits else []
    fingers = arrays["fingers"].astype(np.float64) if header["hands"] else None
    if fingers is not None:
        fingers[~(np.abs(fingers) < MAX_DISTANCE).all(axis=(-1, -2))] = np.nan
    return DeviceSample(
        int(header["sequence"]), float(time), positions, rotations, valid, fingers,
        f"no usable pose of the {' and the '.join(wrong)}; the body goes on without" if wrong else "",
    )  # fmt: skip


def compile_kernels() -> None:
    """Compile what the first samples need, or load it, now: the server's loop, which reads them, must not wait."""
    nothing = np.zeros(len(POINTS), bool)
    places, turns = np.zeros((len(POINTS), 3)), np.zeros((len(POINTS), 4))
    kernels.check_points(places, turns, 0, nothing)
    kernels.find_motion(places, turns, places, turns, nothing, 1.0, places.copy(), places.copy())


def to_webxr(rotations: np.ndarray) -> np.ndarray:
    """Rotations (..., 4) of devices that look along +Z as those of devices that look along -Z, x y z w."""
    return quaternion.multiply(rotations, -HALF_TURN)[..., XYZW]


def to_poses(samples: Sequence[DeviceSample]) -> Poses:
    """One user over time."""
    fingers = None
    if any(one.fingers is not None for one in samples):
        fingers = np.stack([NO_FINGERS if one.fingers is None else one.fingers for one in samples])
    return Poses(
        np.array([one.time for one in samples]), np.stack([one.positions for one in samples]),
        np.stack([one.rotations for one in samples]), np.stack([one.valid for one in samples]), fingers,
    )  # fmt: skip


def to_trackers(recent: Sequence[DeviceSample]) -> Trackers:
    """The last of some samples, with velocities since the oldest that is near: `find_velocities` of it alone."""
    now = recent[-1]
    near = [one for one in recent if one.time >= now.time - WINDOW] if len(recent) > 1 else [now]
    if len(near) == 1 and len(recent) > 1:
        near = [recent[-2], now]
    before, dt = near[0], now.time - near[0].time
    velocities, angular = np.zeros((2, 1, len(POINTS), 3))
    if 0 < dt < LARGEST_GAP:
        known = now.valid.copy()
        for one in near[:-1]:
            known &= one.valid
        kernels.find_motion(
            now.positions, now.rotations, before.positions, before.rotations, known, dt, velocities[0], angular[0]
        )
    fingers = None if now.fingers is None else now.fingers[None]
    return Trackers.wrap(
        np.array([now.time]), now.positions[None], now.rotations[None], velocities, angular, now.valid[None], fingers
    )
