"""Resetting: a lost character begins as a new one where it was, and nobody else changes."""

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.character.step.reset import reset
from kinematch.control.body import WORLD_RADIUS
from kinematch.control.command import move

from ..rigs import RIGS, make_database
from ..states import HILLS, open_stages, scatter

HERE, BODY = np.array([3.0, 0.5, -2.0]), np.array([4.0, 0.0, 1.0])


@pytest.mark.parametrize("rig", RIGS)
@pytest.mark.parametrize(
    ("root", "body", "place"),
    [
        (HERE, BODY, HERE), (HERE * np.nan, BODY, BODY), (np.array([0, 0, 2 * WORLD_RADIUS]), BODY, BODY),
        (np.array([np.inf, 0, 0]), np.array([0, np.nan, 0]), np.zeros(3)),
    ],
)  # fmt: skip
def test_a_lost_character_begins_as_a_new_one_where_it_was(rig, root, body, place):
    database = make_database(RIGS[rig]())
    crowd, new = Crowd(database, 3, compiled=False), Crowd(database, 1, positions=place[None], compiled=False)
    data, scratch = open_stages(crowd)
    scatter(crowd, 0)
    crowd.root_yaws[1] = crowd.body.yaws[1] = 0.0
    crowd.root_positions[1], crowd.body.positions[1] = root, body
    before = crowd.state.copy().arrays()
    data.pose.displacements[:], data.pose.turns[:] = 1.0, 1.0
    reset(data, 1, scratch)
    expected = new.state.arrays()
    for name, array in crowd.state.arrays().items():
        np.testing.assert_array_equal(array[1], expected[name][0], err_msg=name)
        np.testing.assert_array_equal(array[[0, 2]], before[name][[0, 2]], err_msg=name)
    assert data.pose.restarted.tolist() == [False, True, False]
    assert data.pose.turns.tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("terrain", [None, HILLS], ids=["flat", "hills"])
@pytest.mark.parametrize("compiled", [True, False])
def test_in_a_step_those_who_are_lost_are_shown_as_new_and_the_others_as_if_nobody_were(database, terrain, compiled):
    count, lost = 70, [3, 64, 69]  # of two blocks
    crowd, whole = (Crowd(database, count, terrain=terrain, compiled=compiled) for _ in range(2))
    walk = move(np.tile([0.3, 0, 1.3], (count, 1)))
    for one in (crowd, whole):
        one.step(walk, 1 / 60)
    crowd.body.velocities[lost] = np.nan
    crowd.state.offsets.rotations[lost] = np.nan
    pose, expected = crowd.step(walk, 1 / 60), whole.step(walk, 1 / 60)
    others = np.delete(np.arange(count), lost)
    assert np.flatnonzero(pose.restarted).tolist() == lost
    assert crowd.restarts == 3
    assert np.isfinite(pose.global_positions).all()
    for name, one, other in zip(pose._fields, pose, expected):
        np.testing.assert_array_equal(one[others], other[others], err_msg=name)
    assert not pose.displacements[lost].any()
    assert (abs(crowd.root_positions[lost] - whole.root_positions[lost]) < 0.2).all()
    beginning = Crowd(database, 1)
    assert (crowd.frames[lost] == beginning.frames).all()
