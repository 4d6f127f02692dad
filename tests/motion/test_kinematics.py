import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.skeleton import skeleton


@pytest.mark.parametrize("seed", range(3))
def test_local_pose_undoes_forward(humanoid, motion, seed):
    clip = motion(humanoid(seed), seed=seed)
    positions, rotations = kinematics.local_pose(clip.skeleton, *kinematics.global_pose(clip))
    np.testing.assert_allclose(positions, clip.positions, atol=1e-6)
    assert quaternion.angle(rotations, clip.rotations).max() < 1e-6


def test_forward_multiplies_transforms_down_the_chain(humanoid, motion):
    clip = motion(humanoid(1), frames=3)
    positions, _ = kinematics.global_pose(clip)
    hand = clip.skeleton.roles["left_hand"]
    point = np.zeros(3)
    for joint in reversed(clip.skeleton.chain(hand)):  # scipy as the oracle; it puts w last
        turn = Rotation.from_quat(np.roll(clip.rotations[2, joint], -1))
        point = turn.apply(point) + clip.positions[2, joint]
    np.testing.assert_allclose(positions[2, hand], point, atol=1e-6)


def test_forward_takes_any_leading_shape_and_shares_positions(humanoid):
    body = humanoid(2)
    one, _ = kinematics.forward(body, body.offsets, body.tpose)
    many, _ = kinematics.forward(body, body.offsets, np.broadcast_to(body.tpose, (2, 5, *body.tpose.shape)))
    assert many.shape == (2, 5, *one.shape)
    np.testing.assert_allclose(many[1, 4], one)


def test_end_sites_ride_on_their_joints():
    body = skeleton(["a", "b"], [-1, 0], [[0, 1, 0], [0, 1, 0]], ends=[(1, (1, 0, 0))])
    quarter = np.array([[np.sqrt(0.5), 0, 0, np.sqrt(0.5)], [1, 0, 0, 0]])  # about +Z
    pose = kinematics.forward(body, body.offsets, quarter)
    np.testing.assert_allclose(kinematics.end_positions(body, *pose), [[-1, 2, 0]], atol=1e-7)


def test_the_tpose_stands_on_the_floor_over_the_origin(humanoid):
    positions, _ = kinematics.tpose(humanoid(3))
    assert positions[:, 1].min() == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(positions[0, [0, 2]], 0, atol=1e-7)
