"""Wrong starts: how soon an estimator that believes in a wrong direction gives what it gives when started right."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinematch.avatar.orientation.estimator import DirectionEstimator
from kinematch.avatar.trackers import Trackers, take_moments
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y, wrap_angle

WAIT_SECONDS, WATCH_SECONDS = 1.0, 1.0  # s that a start is believed in, and that recovery is watched
UP = np.array([0.0, 1.0, 0.0])


def turn_space(joints: Trackers, yaws: np.ndarray) -> Trackers:
    """N samples in a space that is turned about the vertical by yaws (N,)."""
    turned = {
        name: rotate_about_y(getattr(joints, name), yaws[:, None])
        for name in ("positions", "velocities", "angular_velocities")
    }
    turns = rotation.from_axis_angle(UP, yaws)[:, None]
    return replace(joints, **turned, rotations=quaternion.multiply(turns, joints.rotations))


def measure_recovery(
    estimator: DirectionEstimator, users: Sequence[Trackers], rng: np.random.Generator, *, head_heights: np.ndarray,
    arm_lengths: np.ndarray, rate: float, starts: int = 300,
) -> np.ndarray:  # fmt: skip
    """Degrees (starts, T) between wrong and right starts, for each sample after the start; none if all users are short.

    `users`: joints of users over time, with their measures (U,) m. For a second the estimator sees one of them in a
    space turned by any angle, so that all it believes in is off by that; then it sees the truth. The right start sees
    the truth from the beginning.
    """
    before, after = round(WAIT_SECONDS * rate), round(WATCH_SECONDS * rate)
    long = np.array([k for k, user in enumerate(users) if len(user) > before + after], int)
    if not len(long):
        return np.zeros((0, after))
    chosen = long[rng.integers(len(long), size=starts)]
    firsts = np.array([rng.integers(len(users[k]) - before - after) for k in chosen])
    yaws = rng.uniform(-np.pi, np.pi, starts)
    answers = []
    for offsets in (np.zeros(starts), yaws):
        estimator.reset(starts, head_heights=head_heights[chosen], arm_lengths=arm_lengths[chosen])
        seen = []
        for frame in range(before + after):
            joints = take_moments([users[k] for k in chosen], firsts + frame)
            found = estimator.estimate(turn_space(joints, offsets) if frame < before else joints, 1 / rate)
            seen.append(found.yaws)
        answers.append(np.array(seen[before:]).T)
    return np.degrees(np.abs(wrap_angle(answers[1] - answers[0])))
