"""How people hold themselves is scored: calibration poses, heads below the command, bent stands."""

from types import SimpleNamespace

import numpy as np
import pytest

from kinematch.evaluate.bearing import measure_bearing
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clip import Clip
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def walk() -> Clip:
    return walk_along([(0.0, 0.0), (0.0, 3.0)])


def take_of(clip: Clip, wanted: float = 0.0) -> SimpleNamespace:
    velocities = np.tile([0.0, 0, wanted], (clip.frame_count, 1))
    return SimpleNamespace(clip=lambda: clip, velocities=velocities)


def held(clip: Clip, rotations: np.ndarray) -> Clip:
    """A pose for half of the time of the clip, which stands."""
    poses, positions = np.repeat(clip.rotations[:1], 100, 0), np.repeat(clip.positions[:1], 100, 0)
    poses[:50] = rotations
    return clip.with_(rotations=poses, positions=positions)


def test_a_t_pose_for_half_of_the_time_is_half(walk):
    scores = measure_bearing([take_of(held(walk, walk.skeleton.tpose))])
    assert scores["calibration"] == pytest.approx(0.5, abs=0.02)
    assert measure_bearing([take_of(walk, 1.3)])["calibration"] == 0


def test_bending_over_is_a_low_head_and_a_bent_stand(walk):
    bent = np.array(walk.rotations[0])
    spine = walk.skeleton.joint("spine")
    bent[spine] = quaternion.multiply(from_axis_angle(np.array([1.0, 0, 0]), np.radians(80)), bent[spine])
    scores = measure_bearing([take_of(held(walk, bent))])
    assert scores["head_low"] == pytest.approx(0.5, abs=0.02)
    assert scores["bent_standing"] == pytest.approx(0.5, abs=0.05)
    upright = measure_bearing([take_of(walk, 1.3)])
    assert upright["head_low"] == 0
