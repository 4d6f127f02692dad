"""Wrong starts: how soon an estimator that believes in a wrong direction gives what it gives when started right."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinematch.avatar.orientation.estimator import DirectionEstimator
from kinematch.avatar.orientation.training.people import RATE, Person
from kinematch.avatar.orientation.training.score import THREE_POINTS
from kinematch.avatar.trackers import Trackers, take_moments
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y, wrap_angle

BEFORE, AFTER = 1.0, 1.0  # s that a start is believed in, and that recovery is watched
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
    estimator: DirectionEstimator, people: Sequence[Person], rng: np.random.Generator, *, starts: int = 300
) -> np.ndarray:
    """Degrees (starts, T) between wrong and right starts, for each sample after the start.

    For a second the estimator sees the user in a space turned by any angle, so that all it believes in is off by that;
    then it sees the truth. The right start sees the truth from the beginning.
    """
    before, after = round(BEFORE * RATE), round(AFTER * RATE)
    long = [person for person in people if len(person.yaws) > before + after]
    chosen = [long[k] for k in rng.integers(len(long), size=starts)]
    firsts = np.array([rng.integers(len(person.yaws) - before - after) for person in chosen])
    yaws = rng.uniform(-np.pi, np.pi, starts)
    users = [person.joints.keep(THREE_POINTS) for person in chosen]
    answers = []
    for offsets in (np.zeros(starts), yaws):
        estimator.reset(
            starts,
            head_heights=np.array([person.head_height for person in chosen]),
            arm_lengths=np.array([person.arm_length for person in chosen]),
        )
        seen = []
        for frame in range(before + after):
            joints = take_moments(users, firsts + frame)
            found = estimator.estimate(turn_space(joints, offsets) if frame < before else joints, 1 / RATE)
            seen.append(found.yaws)
        answers.append(np.array(seen[before:]).T)
    return np.degrees(np.abs(wrap_angle(answers[1] - answers[0])))
