"""Actions on robots: jumps, steps up and seats are entered, and leave the robot where their targets are."""

import numpy as np
import pytest

import kinematch as km
from kinematch.robot.reference.robot_frames import retarget_database
from kinematch.robot.reference.robot_reference import RobotReference


@pytest.fixture(scope="module")
def acting(acts, biped):
    return acts, retarget_database(acts, biped)


def perform(acting, biped, before, request, *, seconds=4.0, held=False):
    """Bases (F, 3) and whether the robot acts (F,): a second of something before, then the request once."""
    reference, bases, busy = RobotReference(biped, acting, horizon=0.0), [], []
    reference.reset(frames=np.zeros(1, int))
    for step in range(round(seconds * 50)):
        shown = reference.step(before if step < 50 or (any(busy) and not held) else request)
        bases.append(shown.base_positions[0, 0])
        busy.append(bool(reference.crowd.state.acting.stretches[0] >= 0))
    return np.array(bases), np.array(busy)


def test_a_robot_jumps_to_its_target(acting, biped):
    run = km.move([0.0, 0.0, 2.5])
    bases, busy = perform(acting, biped, run, km.jump(run, target=[0.0, 0.0, 6.0]), seconds=5.0)
    assert busy.any()
    assert not busy[-1]
    assert bases[busy, 2].max() > bases[:50, 2].max() + 0.02
    assert np.abs(np.diff(bases, axis=0)).max() < 0.2


def test_a_robot_that_stepped_up_stands_higher_by_the_step_in_its_own_metres(acting, biped):
    walk, height = km.move([0.0, 0.0, 1.0]), 0.4 * acting[1].scale
    bases, busy = perform(acting, biped, walk, km.act("step_up", walk, target=[0.0, height, 3.0]), seconds=6.0)
    assert busy.any()
    assert not busy[-1]
    raised = np.median(bases[-25:, 2]) - np.median(bases[25:50, 2])
    assert abs(raised - height) < 0.05


def test_a_robot_sits_for_as_long_as_it_is_asked_to(acting, biped):
    bases, busy = perform(acting, biped, km.move([0.0, 0.0, 0.0]), km.sit(), held=True)
    assert busy[-1]
    assert bases[-1, 2] < 0.85 * bases[0, 2]
