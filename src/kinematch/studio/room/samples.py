"""Samples: what a page's headset and controllers say, checked, and turned from WebXR's axes into ours."""

from dataclasses import dataclass, fields

import numpy as np

from kinematch.avatar.trackers import FINGER_JOINTS, HANDS, POINTS, Trackers
from kinematch.math import difference, quaternion
from kinematch.studio.layout import SAMPLE, unpack
from kinematch.studio.picture import WXYZ, XYZW

FARTHEST = 1000.0  # m from the middle of the room
LATEST = 1e9  # s, of a page's clock
HALF_TURN = np.array([0.0, 0, 1, 0])  # a WebXR device looks along its own -Z, ours along +Z; the room is the same


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


def to_trackers(before: Sample | None, now: Sample, dt: float) -> Trackers:
    """One sample as trackers; velocities are those since the sample before."""
    velocities, angular = np.zeros((len(POINTS), 3)), np.zeros((len(POINTS), 3))
    if before is not None:
        both = before.valid & now.valid
        velocities[both] = difference.backward([before.positions[both], now.positions[both]], dt)[1]
        angular[both] = difference.angular_backward([before.rotations[both], now.rotations[both]], dt)[1]
    fingers = None if now.fingers is None else now.fingers[None]
    return Trackers(
        np.array([now.time]), now.positions[None], now.rotations[None], velocities[None], angular[None],
        now.valid[None], fingers,
    )  # fmt: skip


NO_FINGERS = np.full((len(HANDS), FINGER_JOINTS, 3), np.nan)


def join_samples(samples: list[Sample]) -> Trackers:
    """One user over time."""
    pairs = zip([None, *samples], samples)
    each = [to_trackers(a, b, 1.0 if a is None else max(b.time - a.time, 1e-3)) for a, b in pairs]
    fingers = None
    if any(one.fingers is not None for one in each):
        fingers = np.stack([NO_FINGERS if one.fingers is None else one.fingers[0] for one in each])
    return Trackers(
        *(np.concatenate([getattr(one, field.name) for one in each]) for field in fields(Trackers)[:-1]),
        fingers=fingers,
    )
