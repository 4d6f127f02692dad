"""What a set usually does is measured by speed, and legs as capsules: far, low and crossed frames are counted."""

import numpy as np
import pytest

from kinematch.evaluate.legs import MAX_OVERLAP, measure_distances, measure_overlap_share, measure_overlaps
from kinematch.evaluate.usual import find_usual, has_hand_up, is_far, is_low
from kinematch.motion.clean.root import add_root
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import forward
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def walk():
    """Skeleton, global positions and facings of a walk on a line."""
    clip = add_root(walk_along([(0.0, 0.0), (0.0, 8.0)]))
    return clip.skeleton, forward(clip.skeleton, clip.positions, clip.rotations)[0], yaw_of(clip.rotations[:, 0])


def test_a_set_is_as_it_usually_is(walk):
    skeleton, positions, yaws = walk
    usual = find_usual(skeleton, [positions], [yaws], 60.0)
    assert is_far(usual, skeleton, positions, yaws, 60.0).mean() < 0.011
    assert not is_low(usual, positions, 60.0).any()
    assert not has_hand_up(skeleton, positions).any()
    names = {skeleton.names[joint] for joint in usual.joints}
    assert {"Head", "LeftHand", "RightForeArm"} <= names
    assert not any("Leg" in name or "Foot" in name or "Toe" in name for name in names)


def test_hands_overhead_are_far_and_up_and_a_body_in_the_floor_is_low(walk):
    skeleton, positions, yaws = walk
    usual = find_usual(skeleton, [positions], [yaws], 60.0)
    raised = positions.copy()
    hand = skeleton.roles["left_hand"]
    raised[:, hand] = raised[:, skeleton.roles["head"]] + [0.2, 0.4, 0.0]
    far = is_far(usual, skeleton, raised, yaws, 60.0)
    assert far[:, usual.joints == hand].all()
    assert has_hand_up(skeleton, raised).all()
    sunk = positions.copy()
    sunk[:, 1:, 1] -= 0.8
    assert is_low(usual, sunk, 60.0).all()


def test_distances_of_segments_agree_with_the_nearest_of_many_points():
    random = np.random.default_rng(0)
    a, b, c, d = random.normal(size=(4, 50, 3))
    t = np.linspace(0, 1, 201)[:, None, None]
    one, other = a + t * (b - a), c + t * (d - c)
    nearest = np.min(np.linalg.norm(one[:, None] - other[None], axis=-1), axis=(0, 1))
    found = measure_distances(a, b, c, d)
    assert (found <= nearest + 1e-9).all()
    np.testing.assert_allclose(found, nearest, atol=0.03)
    same = measure_distances(a, b, a, b + (b - a))  # parallel
    np.testing.assert_allclose(same, 0.0, atol=1e-6)


def test_legs_of_a_walk_are_apart_and_a_leg_drawn_into_the_other_overlaps(walk):
    skeleton, positions, _ = walk
    assert measure_overlap_share(skeleton, [positions]) == 0.0
    crossed = positions.copy()
    for role in ("lower_leg", "foot", "toes"):
        crossed[:, skeleton.roles[f"left_{role}"]] = crossed[:, skeleton.roles[f"right_{role}"]] + [0.03, 0.0, 0.0]
    assert (measure_overlaps(skeleton, crossed) > MAX_OVERLAP).all()
