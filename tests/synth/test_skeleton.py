"""The walker's body."""

import numpy as np
import pytest

from kinematch import synth
from kinematch.motion.kinematics import end_positions, rest_pose, tpose
from kinematch.motion.roles import REQUIRED_ROLES, find_roles


def test_it_has_ordinary_proportions():
    figure = synth.skeleton()
    positions, rotations = rest_pose(figure)
    ends = end_positions(figure, positions, rotations)
    assert 22 <= figure.joint_count <= 24
    assert ends[:, 1].max() == pytest.approx(1.75, abs=0.02)
    assert positions[figure.joint("left_upper_leg"), 1] == pytest.approx(0.91, abs=0.02)
    assert positions[:, 1].min() > 0
    span = ends[:, 0].max() - ends[:, 0].min()
    assert span == pytest.approx(1.75, rel=0.05)  # arm span is about stature


def test_it_stands_in_a_t_pose_that_faces_z_with_its_left_along_x():
    figure = synth.skeleton()
    positions, rotations = tpose(figure)
    np.testing.assert_array_equal(rotations, np.tile([1, 0, 0, 0], (figure.joint_count, 1)))
    assert positions[figure.joint("left_hand"), 0] > 0.5 > -0.5 > positions[figure.joint("right_hand"), 0]
    assert positions[figure.joint("left_toes"), 2] > positions[figure.joint("left_foot"), 2]
    arm = [positions[figure.joint(f"left_{part}"), 1] for part in ("upper_arm", "lower_arm", "hand")]
    np.testing.assert_allclose(arm, arm[0], atol=1e-6)


def test_left_and_right_are_mirror_images():
    figure = synth.skeleton()
    for name, joint in zip(figure.names, range(figure.joint_count)):
        if name.startswith("Left"):
            other = figure.joint(name.replace("Left", "Right"))
            np.testing.assert_array_equal(figure.offsets[joint], figure.offsets[other] * [-1, 1, 1])


def test_its_roles_are_those_that_its_names_tell():
    figure = synth.skeleton()
    assert set(REQUIRED_ROLES) <= set(figure.roles)
    assert dict(find_roles(figure.with_roles({})).roles) == dict(figure.roles)
