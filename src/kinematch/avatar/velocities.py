"""Velocities of tracked points from their poses, for sources that report none."""

from typing import NamedTuple

import numpy as np

from kinematch.avatar.trackers import Trackers
from kinematch.math import quaternion, rotation

WINDOW = 0.05  # s; trackers jitter, and files round, so that differences of neighbouring samples are noisy
LARGEST_GAP = 0.2  # s without samples, after which motion is unknown


class Poses(NamedTuple):
    """Poses of one user over time, as files and protocols give them."""

    times: np.ndarray  # (N,) s, increasing
    positions: np.ndarray  # (N, 7, 3) m
    rotations: np.ndarray  # (N, 7, 4)
    valid: np.ndarray  # (N, 7) bool
    fingers: np.ndarray | None = None  # (N, 2, 25, 3) m

    def take(self, samples: np.ndarray | slice) -> "Poses":
        """Some of the samples."""
        fingers = None if self.fingers is None else self.fingers[samples]
        return Poses(
            self.times[samples], self.positions[samples], self.rotations[samples], self.valid[samples], fingers
        )


def find_velocities(given: Poses, *, window: float = WINDOW) -> Trackers:
    """Trackers with velocities from the samples before.

    Only the past is used, so that a recording gives what the same user gives live. A point that has just appeared has
    no velocity.
    """
    still = np.zeros(given.positions.shape)
    poses = Trackers(given.times, given.positions, given.rotations, still, still, given.valid, given.fingers)
    times, valid, count = poses.times, poses.valid, len(poses)
    if not count:
        return poses
    # the oldest sample within the window, but at least the one before
    before = np.minimum(np.searchsorted(times, times - window, side="left"), np.maximum(np.arange(count) - 1, 0))
    dt = (times - times[before])[:, None]
    missing = np.concatenate([np.zeros((1, valid.shape[1]), int), np.cumsum(~valid, axis=0)])
    tracked = missing[np.arange(1, count + 1)] == missing[before]  # without a break since then
    known = (tracked & (dt > 0) & (dt < LARGEST_GAP))[..., None]
    dt = np.where(dt > 0, dt, 1.0)[..., None]
    turns = quaternion.multiply(poses.rotations, quaternion.inverse(poses.rotations[before]))
    return Trackers(
        times, poses.positions, poses.rotations, np.where(known, (poses.positions - poses.positions[before]) / dt, 0.0),
        np.where(known, rotation.to_rotation_vector(turns) / dt, 0.0), valid, poses.fingers,
    )  # fmt: skip
