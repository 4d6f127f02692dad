"""A person's motion on hinges: exact decomposition, laws of targets, feet and equations, limits, feet, and no jumps."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.robot.kernels import decompose, feet, refine, system, targets
from kinematch.robot.model import TO_FILE
from kinematch.robot.motion import RobotMotion
from kinematch.robot.quality import measure_quality
from kinematch.robot.retargeting import RobotRetargeting, make_state, make_work
from kinematch.robot.tasks import CHEST, ELBOWS, FEET, HANDS, RobotSettings
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


def aim(retargeting, positions, rotations):
    """Targets (T, 3) and wanted rotations (S, 4) for one pose of the person."""
    plan, work = retargeting.plan, make_work(retargeting.plan)
    targets.place_source(plan.source_parents, positions, rotations, work.source_places, work.source_turns)
    targets.find_targets(plan, work.source_places, work.source_turns, work.targets, work.wanted)
    return work


@pytest.mark.parametrize("frame", [0, 20, 49])
def test_targets_move_and_turn_with_the_person(on_g1, walk, frame):
    retargeting, clip = on_g1[0], walk[0]
    positions, rotations = clip.positions[frame].astype(float), clip.rotations[frame].astype(float)
    before = aim(retargeting, positions, rotations)
    turn, way = rotation.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.7), np.array([0.3, 0.0, -1.1])
    moved, turned = positions.copy(), rotations.copy()
    moved[0] = quaternion.rotate(turn, positions[0]) + way
    turned[0] = quaternion.multiply(turn, rotations[0])
    after = aim(retargeting, moved, turned)
    expected = quaternion.rotate(turn, before.targets) + retargeting.plan.scales[0] * way
    assert np.allclose(after.targets, expected, atol=1e-9)
    assert quaternion.angle(after.wanted, quaternion.multiply(turn, before.wanted)).max() < 1e-7


@pytest.mark.parametrize("frame", [0, 20, 49])
def test_targets_lie_in_the_person_s_directions_at_the_robot_s_lengths(on_g1, walk, frame):
    retargeting, clip = on_g1[0], walk[0]
    plan, work = retargeting.plan, aim(on_g1[0], clip.positions[frame], clip.rotations[frame])
    scale, _, widening, _, _, upper, lower, _ = plan.scales
    person = work.source_places[plan.landmarks].reshape(6, 2, 3)  # hips, knees, ankles, shoulders, elbows, wrists
    for k in range(2):
        shoulder = work.targets[ELBOWS + k] - upper * unit(person[4, k] - person[3, k])
        assert np.allclose(
            work.targets[HANDS + k] - work.targets[ELBOWS + k], lower * unit(person[5, k] - person[4, k])
        )
        assert np.isclose(np.linalg.norm(shoulder - work.targets[CHEST]), np.linalg.norm(plan.shoulder_vectors[k]))
    feet_apart = work.targets[FEET] - work.targets[FEET + 1] - scale * (person[2, 0] - person[2, 1])
    across = person[0, 0] - person[0, 1]
    assert np.allclose(feet_apart, 2 * widening * unit(across * [1, 0, 1]), atol=1e-9)


def unit(vector):
    return vector / np.linalg.norm(vector)


class Stepper:
    """Feet of a person who stands at one place, planted or not; the robot's tips and lowest points of its soles."""

    def __init__(self, retargeting, pose):
        self.plan, self.state = retargeting.plan, make_state(len(retargeting.plan.limits))
        self.start = aim(retargeting, *pose)

    def step(self, down, dt, away=(0.0, 0.0, 0.0)):
        targets, wanted = self.start.targets.copy(), self.start.wanted.copy()
        targets[FEET : FEET + 2] += away
        feet.plant_feet(self.plan, self.state, np.array([down, down]), dt, targets, wanted)
        tips, lowest = targets[FEET : FEET + 2], []
        for k in range(2):
            turn = wanted[self.plan.task_segments[FEET + k]]
            ankle = tips[k] - quaternion.rotate(turn, self.plan.tips[k])
            points = ankle + quaternion.rotate(turn, self.plan.soles[k])
            lowest.append((points[:, 1] - self.plan.sole_radii[k]).min())
        return tips.copy(), np.array(lowest), wanted


@pytest.fixture
def stepper(on_g1, walk):
    clip = walk[0]
    return Stepper(on_g1[0], (clip.positions[30], clip.rotations[30]))


def test_a_planted_foot_stays_where_it_was_planted_comes_to_the_floor_and_stands_level(stepper):
    first, _, _ = stepper.step(True, 1 / 60)
    for frame in range(120):
        tips, lowest, wanted = stepper.step(True, 1 / 60, away=(0.002 * frame, 0.001 * frame, -0.001 * frame))
        assert np.allclose(tips[:, [0, 2]], first[:, [0, 2]], atol=1e-12)
        assert lowest.min() > -1e-12
    assert lowest.max() < 1e-6
    for k in range(2):
        turn = wanted[stepper.plan.task_segments[FEET + k]]
        across = quaternion.rotate(
            quaternion.multiply(turn, quaternion.inverse(stepper.plan.foot_axes[k])), [1.0, 0, 0]
        )
        assert abs(across[1]) < 1e-5


def test_a_released_foot_leaves_without_a_jump_and_returns_to_the_person_s(stepper):
    free, _, _ = stepper.step(False, 1 / 60)
    for frame in range(60):
        planted, _, _ = stepper.step(True, 1 / 60, away=(0.002 * frame, 0.0, 0.0))
    last = (0.002 * 59, 0.0, 0.0)
    released, _, _ = stepper.step(False, 1e-5, away=last)
    assert np.abs(released - planted).max() < 1e-4
    for _ in range(240):
        released, lowest, _ = stepper.step(False, 1 / 60, away=last)
        assert lowest.min() > -1e-12
    assert np.abs(released - free - last).max() < 1e-3


def test_one_long_step_of_a_free_foot_is_two_short_ones(on_g1, walk):
    clip, made = walk[0], []
    for steps in ([0.04], [0.02, 0.02]):
        one = Stepper(on_g1[0], (clip.positions[30], clip.rotations[30]))
        for frame in range(30):
            one.step(True, 1 / 60, away=(0.003 * frame, 0.0, 0.0))
        for dt in steps:
            tips, _, _ = one.step(False, dt, away=(0.09, 0.0, 0.0))
        made.append(tips)
    assert np.allclose(*made, atol=1e-9)


class Equations:
    """The kernel's cost, matrix and right side at a random pose of the robot, and at poses near it."""

    def __init__(self, retargeting, seed):
        self.plan, self.rng = retargeting.plan, np.random.default_rng(seed)
        self.state, self.work = make_state(len(self.plan.limits)), make_work(self.plan)
        self.base, self.turn = self.rng.normal(size=3), quaternion.normalize(self.rng.normal(size=4))
        self.angles = self.rng.uniform(*self.plan.limits.T)
        self.state.shares[:], self.work.pace[:] = [0.3, 0.9], 1.7
        self.place(np.zeros(6 + len(self.angles)))
        for t, link in enumerate(self.plan.task_links):  # every task is met
            point = quaternion.rotate(self.work.turns[link], self.plan.task_points[t])
            self.work.targets[t] = self.work.places[link] + point
            self.work.wanted[self.plan.task_segments[t]] = self.work.turns[link]
        self.state.references[:], self.work.ahead[:] = self.angles, self.angles
        self.work.ahead_base[:] = self.base

    def place(self, step):
        turn = quaternion.multiply(rotation.from_rotation_vector(step[3:6]), self.turn)
        self.state.base[:], self.state.turn[:] = self.base + step[:3], turn
        self.state.angles[:] = self.angles + step[6:]
        state, work = self.state, self.work
        system.place_links(self.plan, state.base, state.turn, state.angles, work.places, work.turns, work.spins)

    def find_cost(self, step):
        self.place(step)
        return system.build_system(self.plan, self.work, self.state, self.work.targets, self.work.wanted, 1e-3)


@pytest.fixture
def equations(g1, walk):
    return Equations(RobotRetargeting(walk[0].skeleton, g1, RobotSettings(collision=0.0, floor=0.0)), 2)


@pytest.fixture
def equations_at_the_floor(g1, walk):
    return Equations(RobotRetargeting(walk[0].skeleton, g1, RobotSettings(collision=0.0)), 2)


def test_where_all_tasks_are_met_the_cost_is_zero_and_grows_as_the_matrix_says(equations):
    size = len(equations.work.right)
    assert equations.find_cost(np.zeros(size)) < 1e-20
    assert np.allclose(equations.work.right, 0, atol=1e-9)
    matrix = np.tril(equations.work.matrix) + np.tril(equations.work.matrix, -1).T - 1e-3 * np.eye(size)
    assert np.linalg.eigvalsh(matrix).min() > 0
    for _ in range(3 * size):
        step = 1e-5 * equations.rng.normal(size=size)
        both = equations.find_cost(step) + equations.find_cost(-step)
        assert both / 2 == pytest.approx(step @ matrix @ step, rel=1e-6)


def test_the_right_side_is_half_of_the_cost_s_descent(equations_at_the_floor):
    equations = equations_at_the_floor
    rng, work, plan = equations.rng, equations.work, equations.plan
    equations.find_cost(np.zeros(len(work.right)))
    links = plan.floor_links
    assert (work.places[links] + quaternion.rotate(work.turns[links], plan.floor_points))[:, 1].min() < -0.1
    work.pace[1], work.easy[:] = 1.0, equations.angles[:, None] + [0.1, 0.3]
    work.targets[:] += rng.normal(size=work.targets.shape)
    equations.state.references[:], work.ahead[:] = rng.normal(size=(2, len(equations.angles)))
    work.ahead_base[:] = rng.normal(size=3)
    # large errors of feet turn their roll axis as well, which the equations leave out
    sizes = np.ones(len(work.wanted))
    sizes[plan.task_segments[FEET : FEET + 2]] = 1e-4
    work.wanted[:] = quaternion.multiply(
        rotation.from_rotation_vector(sizes[:, None] * rng.normal(size=(len(sizes), 3)) * 0.5), work.wanted
    )
    size = len(work.right)
    equations.find_cost(np.zeros(size))
    right = work.right.copy()
    steps = 1e-6 * np.eye(size)
    slopes = [(equations.find_cost(step) - equations.find_cost(-step)) / 2e-6 for step in steps]
    assert np.allclose(slopes, -2 * right, atol=1e-5 * np.abs(right).max())


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
    """mink, given the same targets and left to converge, ends where we do: feet within millimetres, hands near."""
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
