"""Forward kinematics of the shown body, on odd rigs too: products of scipy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematch.character import Crowd
from kinematch.character.step.pose import find_global_pose, make_here, recall_global_pose, show_root

from ..rigs import RIGS, make_database
from ..states import open_stages, scatter

COUNT = 4


def find_globals(parents, positions, rotations):
    """Global places (J, 3) and rotations of local ones, joint by joint."""
    places, turns = [], []
    for j, parent in enumerate(parents):
        turn = Rotation.from_quat(rotations[j], scalar_first=True)
        places.append(positions[j] if parent < 0 else places[parent] + turns[parent].apply(positions[j]))
        turns.append(turn if parent < 0 else turns[parent] * turn)
    return np.array(places), Rotation.concatenate(turns)


@pytest.mark.parametrize("rig", RIGS)
def test_global_poses_are_chains_of_local_ones(rig):
    crowd = Crowd(make_database(RIGS[rig]()), COUNT, compiled=False)
    scatter(crowd, 0)
    data, scratch = open_stages(crowd)
    pose, own = data.pose, data.rig
    joints, legs = len(own.parents), len(own.legs)
    rng = np.random.default_rng(1)
    pose.rotations[:] = Rotation.random(COUNT * joints, rng=rng).as_quat(scalar_first=True).reshape(COUNT, joints, 4)
    pose.positions[:] = own.rest
    pose.positions[:, own.moving] += rng.normal(size=(COUNT, len(own.moving), 3))
    for n in range(COUNT):
        here = make_here(scratch.room, joints, legs)
        show_root(data, n)
        find_global_pose(data, here, n)
        np.testing.assert_allclose(pose.positions[n, 0], crowd.root_positions[n], atol=1e-6)
        places, turns = find_globals(own.parents, pose.positions[n], pose.rotations[n])
        np.testing.assert_allclose(turns[0].as_rotvec(), [0, crowd.root_yaws[n], 0], atol=1e-6)
        np.testing.assert_allclose(pose.global_positions[n], places, atol=1e-5)
        found = Rotation.from_quat(pose.global_rotations[n], scalar_first=True)
        assert (found * turns.inv()).magnitude().max() < 1e-5
        again = make_here(scratch.room, joints, legs)
        recall_global_pose(data, again, n)
        np.testing.assert_array_equal(again.positions, here.positions)
        np.testing.assert_array_equal(again.rotations, here.rotations)
