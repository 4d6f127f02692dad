"""Falling, lying and getting up: hands, knees and the trunk rest on the floor as feet do."""

import pytest

from kinematch.files import read_clip
from kinematch.motion.clean.floor import put_on_floor
from kinematch.robot.trial import try_robot

LYING = slice(1990, 2030)  # on the back, and the heels on the floor


@pytest.fixture(scope="module")
def fall(data):
    return put_on_floor(read_clip(data / "lafan1-takes" / "fallAndGetUp3_subject1.bvh")).frames(1880, 2120)


def test_a_fall_is_followed_down_and_up(g1, fall):
    _, quality = try_robot(fall, g1)
    assert quality.deviation < 0.08
    assert quality.penetration < 1e-6
    assert quality.limit_violations == 0
    assert quality.reversal_share == 0
    assert quality.collision_share < 0.01


def test_who_lies_is_not_bent_to_stand_on_the_soles(g1, fall):
    motion, _ = try_robot(fall, g1)
    rows = slice(LYING.start - 1880, LYING.stop - 1880)
    assert motion.base_positions[rows, 1].max() < 0.25
