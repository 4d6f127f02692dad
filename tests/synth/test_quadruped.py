"""The four-legged walker: paws stand still where they are put, and it goes where it is told."""

import numpy as np
import pytest

from kinematch.motion import kinematics
from kinematch.synth.quadruped import LEGS, REPERTOIRE, TOE_HEIGHT, Stint, find_roles, make_skeleton, walk_quadruped


def find_paws(clip):
    return kinematics.global_pose(clip)[0][:, [clip.skeleton.joint(f"{leg}Toe") for leg in LEGS]]


@pytest.mark.parametrize("name", REPERTOIRE)
def test_paws_stand_on_the_floor_and_do_not_slide(name):
    paws = find_paws(walk_quadruped(REPERTOIRE[name]))
    assert paws[..., 1].min() > TOE_HEIGHT - 0.002
    down = paws[..., 1] < TOE_HEIGHT + 5e-4  # a swing is higher from its first frame on
    still = down[1:] & down[:-1]
    assert still.mean() > 0.5
    assert np.linalg.norm(np.diff(paws, axis=0), axis=-1)[still].max() < 2e-3
    assert (down.sum(axis=1) >= 1).all()


def test_a_walk_sets_down_one_leg_after_the_other_and_a_trot_diagonal_pairs():
    for speed, together in ((0.7, False), (2.6, True)):
        paws = find_paws(walk_quadruped((Stint(6.0, speed),)))[120:240]
        high = paws[..., 1] > TOE_HEIGHT + 0.01
        left_hind, right_hind, left_front, right_front = high.T
        assert ((left_hind == right_front).mean() > 0.9) == together
        assert ((right_hind == left_front).mean() > 0.9) == together


def test_it_goes_and_turns_as_it_is_told():
    clip = walk_quadruped((Stint(4.0, 0.5, 0.2),))
    way = clip.positions[-1, 0] - clip.positions[0, 0]
    np.testing.assert_allclose(way[[0, 2]], [0.8, 2.0], atol=0.15)
    turned = walk_quadruped((Stint(2.0, turn=0.8),)).rotations[-1, 0]
    assert 2 * np.arctan2(turned[2], turned[0]) == pytest.approx(1.6, abs=0.15)


def test_roles_name_joints_of_the_skeleton():
    assert set(find_roles().values()) <= set(make_skeleton().names)
