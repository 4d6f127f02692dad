"""A person's motion on hinges: exact decomposition, kernels against definitions, limits, feet, and no jumps."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.robot import plain_feet, plain_refine, plain_targets
from kinematch.robot.kernels import decompose, feet, refine, system, targets
from kinematch.robot.model import TO_FILE
from kinematch.robot.motion import RobotMotion
from kinematch.robot.quality import measure_quality
from kinematch.robot.retargeting import RobotRetargeting, make_state, make_work
from kinematch.robot.tasks import FEET, RobotSettings
from kinematch.robot.trial import try_robot


@pytest.fixture(scope="module")
def on_g1(g1, walk):
    clip, contacts = walk
    retargeting = RobotRetargeting(clip.skeleton, g1)
    made = retargeting.step(clip.positions, clip.rotations, contacts, clip.dt)
    return retargeting, RobotMotion(g1, *made, clip.frame_rate, clip.name)


def turn_of_chain(plan, chain, angles):
    turn = quaternion.IDENTITY
    for link in chain:
        half = angles[link - 1] / 2
        own = np.concatenate([[np.cos(half)], np.sin(half) * plan.axes[link]])
        turn = quaternion.multiply(quaternion.multiply(turn, plan.turns[link]), own)
    return turn


@pytest.mark.parametrize("robot", ["g1", "biped"])
def test_angles_of_any_chain_are_found_again_from_its_rotation(robot, request, humanoid):
    model = request.getfixturevalue(robot)
    plan = RobotRetargeting(humanoid(), model).plan
    rng = np.random.default_rng(0)
    for row in plan.chains:
        chain = row[row >= 0]
        if not len(chain):
            continue
        for _ in range(20):
            true = plan.limits.mean(axis=1) + 0.95 * np.ptp(plan.limits, axis=1) * rng.uniform(
                -0.5, 0.5, len(plan.limits)
            )
            wanted = turn_of_chain(plan, chain, true)
            found = np.clip(true + rng.normal(0, 0.1, len(true)), *plan.limits.T)
            decompose.decompose_chain(plan, row, tuple(wanted.tolist()), found)
            assert quaternion.angle(turn_of_chain(plan, chain, found), wanted) < 1e-6
            assert (found >= plan.limits[:, 0]).all()
            assert (found <= plan.limits[:, 1]).all()


def test_what_limits_forbid_is_approached_as_near_as_they_allow(biped, humanoid):
    from scipy.optimize import minimize

    plan = RobotRetargeting(humanoid(), biped).plan
    rng = np.random.default_rng(1)
    row = next(r for r in plan.chains if (r >= 0).sum() == 3)
    chain, bounds = row[row >= 0], plan.limits[row[row >= 0] - 1]

    def miss(values, wanted):
        angles = np.zeros(len(plan.limits))
        angles[chain - 1] = values
        return 1 - quaternion.dot(turn_of_chain(plan, chain, angles), wanted) ** 2

    for _ in range(20):
        wanted = quaternion.normalize(rng.normal(size=4))
        found = np.zeros(len(plan.limits))
        decompose.decompose_chain(plan, row, tuple(wanted.tolist()), found)
        here = miss(found[chain - 1], wanted)
        better = minimize(miss, found[chain - 1], args=(wanted,), bounds=bounds, method="L-BFGS-B")
        assert here <= better.fun + 0.02  # coordinate by coordinate, so a narrow valley may keep a little


def test_the_kernel_finds_the_targets_of_the_definition(on_g1, walk):
    retargeting, _ = on_g1
    plan, clip = retargeting.plan, walk[0]
    work = make_work(plan)
    expected, turns = plain_targets.find_targets(plan, clip.positions[:50], clip.rotations[:50])
    for f in (0, 20, 49):
        targets.place_source(
            plan.source_parents, clip.positions[f], clip.rotations[f], work.source_places, work.source_turns
        )
        targets.find_targets(plan, work.source_places, work.source_turns, work.targets, work.wanted)
        assert np.allclose(work.targets, expected[f], atol=1e-9)
        assert np.allclose(work.wanted, turns[f], atol=1e-9)


def test_the_kernel_plants_feet_as_the_definition_does(on_g1, walk):
    retargeting, _ = on_g1
    plan, (clip, contacts) = retargeting.plan, walk
    aims, turns = plain_targets.find_targets(plan, clip.positions[:90], clip.rotations[:90])
    state, soles = make_state(len(plan.limits)), [plain_feet.Foot(), plain_feet.Foot()]
    assert contacts[:90].any(axis=0).all()
    assert not contacts[:90].all(axis=0).any()
    for f in range(90):
        places, wanted = aims[f].copy(), turns[f].copy()
        feet.plant_feet(plan, state, contacts[f], clip.dt, places, wanted)
        for k in range(2):
            segment = plan.task_segments[FEET + k]
            tip, turn = plain_feet.plant_foot(
                plan, k, soles[k], ankle=aims[f, FEET + k], raw=turns[f, segment], down=bool(contacts[f, k]), dt=clip.dt
            )
            assert np.allclose(places[FEET + k], tip, atol=1e-9)
            assert quaternion.angle(wanted[segment], turn) < 1e-7


def test_the_kernel_builds_the_equations_of_the_definition(g1, walk):
    """Also the gradient is that of the cost, by finite differences."""
    clip, _ = walk
    retargeting = RobotRetargeting(clip.skeleton, g1, RobotSettings(collision=0.0))
    plan, rng = retargeting.plan, np.random.default_rng(2)
    state, work = make_state(g1.hinge_count), make_work(plan)
    state.angles[:] = rng.uniform(*plan.limits.T)
    state.references[:], work.ahead[:] = rng.normal(size=(2, g1.hinge_count))
    work.ahead_base[:], work.pace[:] = rng.normal(size=3), 1.7
    state.base[:], state.shares[:] = rng.normal(size=3), [0.3, 0.9]
    state.turn[:] = quaternion.normalize(rng.normal(size=4))
    work.targets[:] = rng.normal(size=work.targets.shape)
    work.wanted[:] = quaternion.normalize(rng.normal(size=work.wanted.shape))

    def build():
        system.place_links(plan, state.base, state.turn, state.angles, work.places, work.turns, work.spins)
        return system.build_system(plan, work, state, work.targets, work.wanted, 1e-3)

    cost = build()
    places, turns = g1.place_links(state.base, state.turn, state.angles)
    assert np.allclose(work.places, places)
    matrix, right, expected = plain_refine.build_system(
        plan, (places, turns), work.spins, angles=state.angles, targets=work.targets, wanted=work.wanted,
        references=state.references, ahead=(work.ahead_base, work.ahead),
        pace=1.7, shares=state.shares, damping=1e-3,
    )  # fmt: skip
    assert np.isclose(cost, expected)
    assert np.allclose(np.tril(work.matrix), np.tril(matrix))
    assert np.allclose(work.right, right)


def test_steps_within_bounds_are_optimal_there(on_g1):
    """Held hinges pull outwards, free ones not at all: the conditions of Karush, Kuhn and Tucker."""
    plan = on_g1[0].plan
    rng = np.random.default_rng(4)
    state, work = make_state(len(plan.limits)), make_work(plan)
    size = len(work.right)
    factor = rng.normal(size=(size, size))
    work.matrix[:] = factor @ factor.T + np.eye(size)
    work.right[:] = rng.normal(size=size) * 10
    work.bounds[:] = np.sort(rng.normal(size=(size - 6, 2)), axis=1)
    state.angles[:] = work.bounds.mean(axis=1)
    refine.solve_within(plan, work, state)
    step = work.step[6:] + state.angles
    assert (step >= work.bounds[:, 0] - 1e-12).all()
    assert (step <= work.bounds[:, 1] + 1e-12).all()
    work.bounds[:] = [-100, 100]
    refine.solve_within(plan, work, state)
    assert np.allclose(work.matrix @ work.step, work.right)


def test_live_and_offline_agree(on_g1, walk):
    _retargeting, motion = on_g1
    clip, contacts = walk
    live = RobotRetargeting(clip.skeleton, motion.model)
    for f in range(60):
        base, turn, angles = live.step(
            clip.positions[f : f + 1], clip.rotations[f : f + 1], contacts[f : f + 1], clip.dt
        )
        assert np.array_equal(angles[0], motion.angles[f])
        assert np.array_equal(base[0], motion.base_positions[f])
        assert np.array_equal(turn[0], motion.base_rotations[f])


def test_limits_hold_feet_stand_and_nothing_jumps(on_g1, walk):
    retargeting, motion = on_g1
    clip, contacts = walk
    found = measure_quality(motion, clip, contacts, retargeting.plan)
    assert found.limit_violations == 0
    assert found.joint_speed <= 12
    assert found.penetration < 1e-9
    assert found.sole_height < 0.002
    assert found.slip_ratio < 1
    assert found.collision_share == 0
    assert found.deviation < 0.03
    jerks = np.diff(motion.base_positions, 2, axis=0)
    assert np.abs(jerks).max() < 0.02  # m from frame to frame at 30 fps


def test_the_first_frame_is_soon_forgotten(on_g1, walk):
    _, motion = on_g1
    clip, contacts = walk
    later = RobotRetargeting(clip.skeleton, motion.model)
    _, _, angles = later.step(clip.positions[100:], clip.rotations[100:], contacts[100:], clip.dt)
    apart = np.abs(angles - motion.angles[100:]).max(axis=1)
    assert apart[90:].max() < 0.01  # rad, three seconds on: every foot has left the floor and come back


def test_mujoco_has_the_bodies_where_we_say_and_sees_no_collision(on_g1, g1_path, need_extra):
    need_extra("mujoco", "test")
    import mujoco

    _, motion = on_g1
    reference = mujoco.MjModel.from_xml_path(str(g1_path))
    data = mujoco.MjData(reference)
    places, _ = motion.model.place_bodies(*motion.place_links())
    for f in range(0, motion.frame_count, 5):
        turn = motion.base_rotations[f]
        data.qpos[:3], data.qpos[3], data.qpos[4:7] = motion.base_positions[f, TO_FILE], turn[0], turn[1:][TO_FILE]
        data.qpos[7:] = motion.angles[f]
        mujoco.mj_forward(reference, data)
        assert np.abs(data.xpos[1:] - places[f][:, TO_FILE]).max() < 1e-6  # m
        assert data.ncon == 0


def test_a_solver_of_others_finds_no_better_pose(on_g1, walk, g1_path, need_extra):
    """mink, told the same targets and left to converge, ends where we do: feet within millimetres, hands near."""
    need_extra("mink", "test")
    import mink
    import mujoco

    retargeting, motion = on_g1
    clip, contacts = walk
    plan = retargeting.plan
    reference = mujoco.MjModel.from_xml_path(str(g1_path))
    live = RobotRetargeting(clip.skeleton, motion.model)
    names = motion.model.link_names()
    for f in range(40):
        live.step(clip.positions[f : f + 1], clip.rotations[f : f + 1], contacts[f : f + 1], clip.dt)
    wanted, aims = live.work.wanted, live.work.targets
    places, turns = motion.model.place_links(live.state.base, live.state.turn, live.state.angles)
    configuration = mink.Configuration(reference)
    start = np.concatenate([
        live.state.base[TO_FILE], live.state.turn[:1], live.state.turn[1:][TO_FILE], live.state.angles + 0.05
    ])  # fmt: skip
    configuration.update(start)
    tasks, ours = [], 0.0
    for t, link in enumerate(plan.task_links):
        turn = wanted[plan.task_segments[t]]
        place = aims[t] - quaternion.rotate(turn, plan.task_points[t])
        cost, turn_cost = plan.costs[t] if t in (0, 4, 5) else (0.0, 0.0)
        if cost == 0:
            continue
        task = mink.FrameTask(names[link], "body", position_cost=cost, orientation_cost=turn_cost, lm_damping=1e-3)
        q = np.concatenate([turn[:1], turn[1:][TO_FILE]])
        task.set_target(mink.SE3.from_rotation_and_translation(mink.SO3(q), place[TO_FILE]))
        tasks.append(task)
        ours += cost**2 * float(np.sum((places[link] - place) ** 2))
        ours += turn_cost**2 * float(quaternion.angle(turns[link], turn) ** 2)
    limits = [mink.ConfigurationLimit(reference)]
    for _ in range(60):
        velocity = mink.solve_ik(configuration, tasks, 0.1, "daqp", damping=1e-3, limits=limits)
        configuration.integrate_inplace(velocity, 0.1)
    errors = [task.compute_error(configuration) for task in tasks]
    theirs = sum(float(np.sum((task.cost * error) ** 2)) for task, error in zip(tasks, errors))
    # of the feet and hips alone, theirs may be lower: ours also weighs the other tasks. The cost is that of 2 cm.
    assert ours <= theirs + 0.02**2 * plan.costs[0, 0] ** 2 + 0.05


def test_the_biped_walks_with_fewer_hinges(biped, walk):
    clip, _ = walk
    motion, found = try_robot(clip, biped)
    assert found.limit_violations == 0
    assert found.penetration < 1e-9
    assert found.deviation < 0.06
    knees = motion.angles[:, [biped.hinge_names.index(f"{side}_knee") for side in ("left", "right")]]
    assert np.degrees(knees).min() >= 20
    assert np.degrees(knees).max() > 60


def test_poses_that_cannot_be_used_are_refused(g1, humanoid, walk):
    clip, contacts = walk
    retargeting = RobotRetargeting(clip.skeleton, g1)
    with pytest.raises(KinematchError, match="not finite"):
        retargeting.step(np.full_like(clip.positions[:1], np.nan), clip.rotations[:1], contacts[:1], 1 / 30)
    with pytest.raises(KinematchError, match="contacts have shape"):
        retargeting.step(clip.positions[:1], clip.rotations[:1], contacts[:1, :1], 1 / 30)
    with pytest.raises(KinematchError, match="no reference T-pose"):
        RobotRetargeting(replace(humanoid(), tpose=None), g1)
    with pytest.raises(KinematchError, match="no hinge or body 'left_hip'"):
        RobotRetargeting(clip.skeleton, g1, RobotSettings(roles={"left_foot": "left_hip"}))
