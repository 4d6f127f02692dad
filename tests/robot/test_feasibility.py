"""Forces that motion needs, against laws of mechanics and MuJoCo's own forward dynamics."""

import numpy as np
import pytest

from kinematch.robot.motion import RobotMotion
from kinematch.robot.retargeting import RobotRetargeting


@pytest.fixture(scope="module")
def opened(need_extra, biped):
    need_extra("mujoco", "gym")
    from kinematch.robot.simulation.simulated_robot import open_in_mujoco

    return open_in_mujoco(biped)


@pytest.fixture(scope="module")
def walking(biped, walk):
    """The biped's walk of four seconds, its contacts and the plan."""
    clip, contacts = walk
    retargeting = RobotRetargeting(clip.skeleton, biped)
    rows = slice(0, 120)
    base, turns, angles = retargeting.step(clip.positions[rows], clip.rotations[rows], contacts[rows], clip.dt)
    return RobotMotion(biped, base, turns, angles, clip.frame_rate), contacts[rows], retargeting.plan


def stand_still(biped, *, height=0.9, frames=5):
    angles = np.zeros((frames, biped.hinge_count))
    for side in ("left", "right"):  # straight legs and level feet: see the file
        angles[:, biped.hinge_names.index(f"{side}_knee")] = np.radians(20)
        angles[:, biped.hinge_names.index(f"{side}_ankle_pitch")] = -np.radians(20)
    turns = np.tile([1.0, 0, 0, 0], (frames, 1))
    return RobotMotion(biped, np.tile([0.0, height, 0.0], (frames, 1)), turns, angles, 60.0)


def test_a_robot_that_falls_freely_needs_nothing(opened, biped):
    from kinematch.robot.simulation.feasibility import find_needed_forces

    still = stand_still(biped, frames=9)
    times = np.arange(9) / 60
    still.base_positions[:, 1] += 0.5 * opened.model.opt.gravity[2] * times**2
    needed = find_needed_forces(opened, still, [[] for _ in times])
    assert np.abs(needed.floor[1:-1]).max() < 1e-6
    assert np.abs(needed.torques[1:-1]).max() < 1e-6
    assert np.isnan(needed.moment_points[1:-1]).all()


def test_the_floor_carries_a_robot_that_stands_below_its_centre_of_mass(opened, biped):
    import mujoco

    from kinematch.robot.simulation.feasibility import find_needed_forces

    still = stand_still(biped)
    needed = find_needed_forces(opened, still, [[] for _ in range(5)])
    weight = opened.mass * -opened.model.opt.gravity[2]
    assert np.allclose(needed.floor[2, :3], [0, 0, weight], atol=1e-6)
    data = mujoco.MjData(opened.model)
    zero = np.zeros(3)
    opened.write_state(data, still.angles[0], 0 * still.angles[0], np.array([0, 0, 0.9]), np.eye(4)[0], zero, zero)
    mujoco.mj_forward(opened.model, data)
    assert np.allclose(needed.moment_points[2], data.subtree_com[opened.base, :2], atol=1e-9)


def test_mujoco_moves_as_the_motion_does_when_it_is_given_the_forces(opened, walking):
    import mujoco

    from kinematch.robot.simulation.feasibility import _find_coordinates, find_needed_forces
    from kinematch.robot.simulation.support import find_soles, share_force

    motion, contacts, plan = walking
    soles = find_soles(motion, contacts, plan)
    needed = find_needed_forces(opened, motion, soles)
    positions, speeds, accelerations = _find_coordinates(opened, motion)
    data = mujoco.MjData(opened.model)
    flags = opened.model.opt.disableflags
    for name in ("mjDSBL_CONTACT", "mjDSBL_LIMIT", "mjDSBL_ACTUATION"):  # nothing but the given forces
        opened.model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, name))
    checked = [f for f in range(1, 119, 13) if soles[f]]
    for f in checked:
        mujoco.mj_resetData(opened.model, data)
        data.qpos[:], data.qvel[:] = positions[f], speeds[f]
        mujoco.mj_kinematics(opened.model, data)
        mujoco.mj_comPos(opened.model, data)
        data.qfrc_applied[opened.velocities] = needed.torques[f]
        force, moment = needed.floor[f, :3], needed.floor[f, 3:]
        for sole, share in zip(soles[f], share_force(needed.moment_points[f], soles[f])):
            middle, body = sole.points.mean(axis=0), opened.link_bodies[sole.link]
            given = data.qfrc_applied.copy()
            mujoco.mj_applyFT(
                opened.model, data, share * force, share * (moment - np.cross(middle, force)), middle, body, given
            )  # fmt: skip
            data.qfrc_applied[:] = given
        mujoco.mj_forward(opened.model, data)
        assert np.allclose(data.qacc, accelerations[f], atol=1e-5 * max(1, np.abs(accelerations[f]).max()))
    assert len(checked) > 5
    opened.model.opt.disableflags = flags


def test_a_walk_is_often_balanced_and_a_lean_never(walking, biped, opened):
    from kinematch.robot.simulation.feasibility import measure_feasibility

    motion, contacts, plan = walking
    walked = measure_feasibility(opened, motion, contacts, plan)
    assert 0.25 < walked.support_share < 1.0
    assert walked.weak_share is None  # the file names no torques
    still = stand_still(biped, frames=20)
    both = np.ones((20, 2), bool)
    assert measure_feasibility(opened, still, both, plan).support_share == 1.0
    leaning = RobotMotion(
        biped, still.base_positions, np.tile([np.cos(0.3), np.sin(0.3), 0, 0], (20, 1)), still.angles, 60.0
    )
    assert measure_feasibility(opened, leaning, both, plan).support_share == 0.0


def test_the_hull_is_that_of_scipy():
    from scipy.spatial import ConvexHull, Delaunay

    from kinematch.robot.simulation.support import find_distance, find_hull

    rng = np.random.default_rng(0)
    for _ in range(20):
        points, asked = rng.normal(size=(8, 2)), rng.normal(size=2)
        hull = find_hull(points)
        assert np.allclose(sorted(map(tuple, hull)), sorted(map(tuple, points[ConvexHull(points).vertices])))
        assert (find_distance(asked, points) == 0) == (Delaunay(points).find_simplex(asked) >= 0)
    assert find_distance(np.array([0.0, 1.0]), np.array([[-1.0, 0.0], [1.0, 0.0]])) == 1.0
    assert find_distance(np.array([3.0, 4.0]), np.zeros((3, 2))) == 5.0
