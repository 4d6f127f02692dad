"""Samples: what a page's headset and controllers say, checked, and turned from WebXR's axes into ours."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.avatar.trackers import FINGER_JOINTS, HANDS, POINTS
from kinematch.avatar.velocities import Poses
from kinematch.math import quaternion
from kinematch.studio.layout import SAMPLE, unpack
from kinematch.studio.picture import WXYZ, XYZW

FARTHEST = 1000.0  # m from the middle of the room
LATEST = 1e9  # s, of a page's clock
HALF_TURN = np.array([0.0, 0, 1, 0])  # a WebXR device looks along its own -Z, ours along +Z; the room is the same

NO_FINGERS = np.full((len(HANDS), FINGER_JOINTS, 3), np.nan)


@dataclass(frozen=True, eq=False)
class Sample:
    """Devices at one moment, in our axes."""

    sequence: int
    time: float  # s, of the page's clock
    positions: np.ndarray  # (7, 3) m
    rotations: np.ndarray  # (7, 4)
    valid: np.ndarray  # (7,) bool
    fingers: np.ndarray | None  # (2, 25, 3) m
    problem: str = ""  # what was wrong with some of it


def read_sample(data: bytes) -> Sample:
    """The sample of a page's message; raises ValueError when it is none. Points that make no sense are not valid."""
    header, arrays = unpack(SAMPLE, data)
    if header["points"] != len(POINTS) or header["hands"] not in (0, len(HANDS)):
        raise ValueError(f"{header['points']:.0f} points and {header['hands']:.0f} hands, expected 7 and 0 or 2")
    time = header["time"]
    if not 0 <= time <= LATEST:
        raise ValueError(f"a sample of time {time}, expected seconds from 0 to {LATEST:g}")
    told = (int(header["valid"]) >> np.arange(len(POINTS))) & 1 > 0
    positions, rotations = arrays["positions"].astype(np.float64), arrays["rotations"][:, WXYZ].astype(np.float64)
    sizes = np.linalg.norm(rotations, axis=-1)
    # comparisons with NaN are false
    valid = told & (np.abs(positions) < FARTHEST).all(axis=-1) & (sizes > 0.5) & (sizes < 2.0)
    wrong = [POINTS[k].replace("_", " ") for k in np.flatnonzero(told & ~valid)]
    positions[~valid], rotations[~valid] = 0.0, (1.0, 0, 0, 0)
    fingers = arrays["fingers"].astype(np.float64) if header["hands"] else None
    if fingers is not None:
        fingers[~(np.abs(fingers) < FARTHEST).all(axis=(-1, -2))] = np.nan
    return Sample(
        int(header["sequence"]), float(time), positions, from_webxr(rotations), valid, fingers,
        f"no usable pose of the {' and the '.join(wrong)}; the body goes on without" if wrong else "",
    )  # fmt: skip


def from_webxr(rotations: np.ndarray) -> np.ndarray:
    """Rotations (..., 4) of devices that look along -Z as those of devices that look along +Z."""
    return quaternion.multiply(rotations, HALF_TURN)


def to_webxr(rotations: np.ndarray) -> np.ndarray:
    """The inverse of `from_webxr`, x y z w."""
    return quaternion.multiply(rotations, -HALF_TURN)[..., XYZW]


def to_poses(samples: Sequence[Sample]) -> Poses:
    """One user over time."""
    fingers = None
    if any(one.fingers is not None for one in samples):
        fingers = np.stack([NO_FINGERS if one.fingers is None else one.fingers for one in samples])
    return Poses(
        np.array([one.time for one in samples]), np.stack([one.positions for one in samples]),
        np.stack([one.rotations for one in samples]), np.stack([one.valid for one in samples]), fingers,
    )  # fmt: skip
