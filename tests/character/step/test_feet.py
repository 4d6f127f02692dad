"""Feet: why toes are held and freed, that they go to their places without a jerk, and what the ground does."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from kinematch.character import Crowd, Settings
from kinematch.character import constants as c
from kinematch.character.step.feet import find_step_over, lower_pelvis, plan_toes, stand_on_ground
from kinematch.character.step.pose import find_global_pose, make_here, show_root
from kinematch.character.step.springs import make_springs
from kinematch.character.step.toes import hold_toe, lift_toe, measure_velocity, shift_ankle, soften_spring
from kinematch.control.command import move
from kinematch.math.vectors import Vector
from kinematch.scene.terrain import HeightFunction

from ..states import open_stages

DT = 1 / 60
NOWHERE = Vector(0.0, 0.0, 0.0)


@pytest.fixture
def stage(database):
    crowd = Crowd(database, 2, compiled=False)
    data, scratch = open_stages(crowd)
    work = data.work
    work.toe_contacts[:], work.toe_stays[:], work.toe_refusals[:] = True, True, False
    work.toe_reaches[:] = data.settings.unlock_distance
    data.feet.headings[:] = [0.0, 1.0]
    return data, scratch


def hold(data, *, toe=NOWHERE, foot=(0.0, 0.0, 0.1), velocity=NOWHERE, place=NOWHERE, rest=NOWHERE, shortfall=0.0):
    return hold_toe(data, 0, 1, toe, Vector(*foot), velocity, place, rest, shortfall)


CAUGHT, FREED, HELD, LOOSE = (True, False, True), (False, True, False), (False, False, True), (False, False, False)


@pytest.mark.parametrize(
    ("changes", "given", "expected"),
    [
        ({}, {}, CAUGHT),
        ({"toe_contacts": False}, {}, LOOSE),
        ({"toe_stays": False}, {}, LOOSE),
        ({"toe_refusals": True}, {}, LOOSE),
        ({}, {"rest": Vector(0.4, 0.0, 0.0)}, LOOSE),  # it would come to rest too far away
        ({"locked": True}, {}, HELD),
        ({"locked": True, "toe_stays": False}, {}, HELD),
        ({"locked": True, "toe_contacts": False}, {}, FREED),
        ({"locked": True}, {"toe": Vector(0.2, 9.0, 0.3)}, FREED),
        ({"locked": True}, {"velocity": Vector(8.0, 0.0, -7.0)}, FREED),
        ({"locked": True}, {"foot": (0.0, 0.0, -0.1)}, FREED),
        ({"locked": True}, {"shortfall": c.LETS_GO + 0.001}, FREED),
    ],
)
def test_a_toe_is_held_and_freed_for_its_reasons(stage, changes, given, expected):
    data, _ = stage
    for name, value in changes.items():
        getattr(data.feet if name == "locked" else data.work, name)[:] = value
    assert tuple(map(bool, hold(data, **given))) == expected
    assert data.feet.locked[0, 1] == expected[2]
    in_contact = changes.get("toe_contacts", True)
    assert data.feet.refused[0, 1] == (in_contact and (expected == FREED or changes.get("toe_refusals", False)))
    assert not data.feet.locked[1].any() or "locked" in changes


def test_a_caught_foot_is_remembered_by_where_it_points(stage):
    data, _ = stage
    hold(data, foot=(0.3, -0.2, 0.4))
    np.testing.assert_allclose(data.feet.headings[0, 1], [0.6, 0.8], atol=1e-6)
    np.testing.assert_array_equal(data.feet.headings[0, 0], [0.0, 1.0])


def test_the_velocity_of_a_toe_is_that_along_the_ground_and_none_before_the_first_step():
    assert measure_velocity(Vector(0.1, 0.5, 0.2), NOWHERE, 0.1) == pytest.approx((1.0, 0.0, 2.0))
    assert measure_velocity(Vector(0.1, 0.5, 0.2), Vector(*[np.nan] * 3), 0.1) == (0.0, 0.0, 0.0)
    assert measure_velocity(Vector(0.1, 0.5, 0.2), NOWHERE, 0.0) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("far", "speed"), [(0.01, 0.1), (0.3, 0.0), (0.3, 2.0)])
def test_a_freed_toe_is_drawn_back_within_the_hardest_pull(database, far, speed):
    """But with no less than its softest spring."""
    settings = Crowd(database, compiled=False).runner.data.settings
    by = make_springs(settings, 0.01)
    spring = soften_spring(Vector(far, 0.0, 0.0), Vector(-speed, 0.0, 0.0), False, by)
    pull = spring.w * (spring.w * far + 2 * speed)
    assert c.SOFTEST_SPRING * by.unlock.w - 1e-9 <= spring.w <= by.unlock.w
    assert pull <= c.HARDEST_PULL * 1.001 or spring.w == pytest.approx(c.SOFTEST_SPRING * by.unlock.w)
    assert spring.e == pytest.approx(np.exp(-spring.w * 0.01), abs=1e-6)
    assert soften_spring(Vector(far, 0.0, 0.0), NOWHERE, True, by)[:3] == by.lock[:3]


@pytest.mark.parametrize("lean", [(0.0, 0.0), (0.3, -0.2)])
def test_the_toe_is_in_place_once_ankle_and_foot_have_moved(database, lean):
    """And a foot at the ground lies along the slope, a raised one as animated."""
    crowd = Crowd(database, 1, terrain=HeightFunction(lambda x, z: 0 * x), compiled=False)
    crowd.step(move(np.zeros((1, 3))), DT)
    data, _ = crowd.runner.data, crowd.runner.scratch[0]
    data.feet.slopes[0, 0, :2] = lean
    ankle, foot = np.array([0.2, 0.1, 0.3]), np.array([0.01, -0.08, 0.15])
    for height in (0.0, 0.06, 0.5):
        place = np.array([0.25, data.feet.grounds[0, 1, 0] + height, 0.4])
        shift, slope = shift_ankle(data, 0, 0, Vector(*ankle + foot), Vector(*foot), Vector(*place))
        turn = Rotation.from_quat(slope, scalar_first=True)
        np.testing.assert_allclose(ankle + np.array(shift) + turn.apply(foot), place, atol=1e-6)
        normal = np.array([-lean[0], 1.0, -lean[1]])
        angle = np.arccos(1 / np.linalg.norm(normal))
        expected = np.clip(1 - height / c.TILT_HEIGHT, 0, 1) * angle
        assert turn.magnitude() == pytest.approx(expected, abs=0.01)
        if height == 0.0:
            np.testing.assert_allclose(turn.apply([0, 1, 0]), normal / np.linalg.norm(normal), atol=0.01)


def test_the_pelvis_sinks_to_its_depth_and_takes_all_but_the_root_along(stage):
    data, scratch = stage
    joints, legs = len(data.rig.parents), len(data.rig.legs)
    here = make_here(scratch.room, joints, legs)
    data.pose.rotations[:] = [1.0, 0.0, 0.0, 0.0]
    show_root(data, 0)
    find_global_pose(data, here, 0)
    before, local = data.pose.global_positions[0].copy(), data.pose.positions[0].copy()
    w, depth = make_springs(data.settings, DT).pelvis.w, 0.1
    expected = expm(np.array([[0, 1], [-w * w, -2 * w]]) * DT) @ [-depth, 0.0]
    found = lower_pelvis(data, here, 0, depth, make_springs(data.settings, DT))
    assert found == pytest.approx(depth + expected[0], abs=1e-6)
    lowered = np.where(np.arange(joints) > 0, found, 0.0)[:, None] * [0, 1, 0]
    np.testing.assert_allclose(data.pose.global_positions[0], before - lowered, atol=1e-6)
    hips = np.asarray(data.rig.parents) == 0
    np.testing.assert_allclose(data.pose.positions[0], local - lowered * hips[:, None], atol=1e-6)
    for _ in range(100):
        found = lower_pelvis(data, here, 0, depth, make_springs(data.settings, DT))
    assert found == pytest.approx(depth, abs=1e-4)


def test_root_and_toes_follow_the_ground_by_springs_in_any_steps(database):
    results = []
    for steps in ([0.1], [0.03, 0.07], [0.01] * 10):
        crowd = Crowd(database, 1, compiled=False)
        data, _ = open_stages(crowd)
        heights, normals = np.array([[0.2, 0.25, 0.1]]), np.tile([-0.3, 1.0, 0.1], (1, 2, 1))
        data = data._replace(work=data.work._replace(heights=heights, normals=normals))
        for dt in steps:
            stand_on_ground(data, 0, make_springs(data.settings, dt))
        assert crowd.root_positions[0, 1] == pytest.approx(data.pose.displacements[0, 1])
        results.append(np.concatenate([crowd.state.feet.grounds.ravel(), crowd.state.feet.slopes.ravel()]))
    np.testing.assert_allclose(results[1:], [results[0]] * 2, atol=1e-9)
    w = make_springs(data.settings, 0.1).ground.w
    exact = 0.2 + (expm(np.array([[0, 1], [-w * w, -2 * w]]) * 0.1) @ [-0.2, 0.0])[0]
    assert results[0][0] == pytest.approx(exact)
    for _ in range(100):
        stand_on_ground(data, 0, make_springs(data.settings, 0.05))
    np.testing.assert_allclose(crowd.state.feet.grounds[0, :, 0], heights[0], atol=1e-6)
    np.testing.assert_allclose(crowd.state.feet.slopes[0, :, :2], [[0.3, -0.1]] * 2, atol=1e-6)


def test_toes_are_planned_from_the_clip_the_ground_and_the_last_step(stage, database):
    """At frames: heights as in the clip above where toes stand, contacts a moment ahead."""
    data, _ = stage
    table, work = data.sources[0], data.work
    heights = np.asarray(table.toe_heights)
    for frame in (30, 700, 705, 712, 720):
        data.playing.frames[0], data.playing.fractions[0], data.playing.positions[0, 1] = frame, 0.0, 0.4
        plan_toes(data, table, 0, c.CONTACT_LEAD)
        np.testing.assert_allclose(work.toe_rests[0], 0.4 + data.rig.toe_rests, atol=1e-6)
        above = heights[frame] - table.toe_rests
        np.testing.assert_allclose(work.toe_heights[0], work.toe_rests[0] + above, atol=1e-6)
        np.testing.assert_array_equal(work.toe_contacts[0], database.poses.contacts[frame])
        stays = np.asarray(table.contact_left)[frame] >= c.SHORTEST_STANCE
        np.testing.assert_array_equal(work.toe_stays[0], stays)
    assert not work.toe_rises[0].any()
    lead = int(np.flatnonzero(database.poses.contacts[:-1, 0] & ~database.poses.contacts[1:, 0])[1])
    data.playing.frames[0], data.playing.fractions[0] = lead, 0.9
    plan_toes(data, table, 0, 0.0)
    assert not work.toe_contacts[0, 0]  # it ends at the next frame


def test_an_idle_toe_that_was_refused_is_held_again_once_it_has_stepped_over(stage):
    data, _ = stage
    feet, work = data.feet, data.work
    feet.refused[0] = True
    for idle, offset, shortfall, refused in (
        (False, 0.0, 0.0, True), (True, 0.0, 0.0, False), (True, 2 * c.ARRIVED, 0.0, True), (True, 0.0, 0.1, True)
    ):  # fmt: skip
        data.schedule.idle[0], feet.offsets[0, :, 2], feet.shortfalls[0, :, 0] = idle, offset, shortfall
        plan_toes(data, data.sources[0], 0, DT)
        assert (work.toe_refusals[0] == refused).all()
    feet.refused[0] = False
    plan_toes(data, data.sources[0], 0, DT)
    assert not work.toe_refusals[0].any()


def test_a_toe_that_moves_is_raised_to_its_clearance_and_a_held_one_is_not(stage):
    data, _ = stage
    data.work.toe_rests[:] = 0.05
    clearance, by = data.settings.clearance, make_springs(data.settings, DT)
    for height, speed, locked, lift in (
        (0.05, 9.0, False, clearance), (0.05, 0.5 * c.BRISK, False, 0.5 * clearance), (0.05, 9.0, True, 0.0),
        (0.05 + clearance, 9.0, False, 0.0), (0.05 + 0.5 * clearance, c.BRISK, False, 0.5 * clearance),
        (0.05, 0.0, False, 0.0),
    ):  # fmt: skip
        data.feet.lifts[:] = 0.0
        velocity = Vector(0.6 * speed, 7.0, -0.8 * speed)
        lifts = [lift_toe(data, 0, 1, height, velocity, locked, by) for _ in range(100)]
        assert lifts[-1] == pytest.approx(lift, abs=1e-4)
        assert 0 <= lifts[0] <= 0.3 * clearance  # not at once
    assert not data.feet.lifts[0, 0].any()


def test_of_idle_toes_the_farthest_steps_over_unless_one_is_on_its_way(stage):
    data, _ = stage
    feet = data.feet
    feet.locked[:], feet.offsets[:], feet.toes[:] = True, 0.0, 0.0
    feet.places[0, :, 0] = 0.1, -0.2
    assert find_step_over(feet, 0) == 1
    feet.places[0, 0, 2] = 0.3
    assert find_step_over(feet, 0) == 0
    feet.offsets[0, 1, 0] = 2 * c.ARRIVED
    assert find_step_over(feet, 0) == -1
    feet.offsets[0, 1, 0], feet.locked[0, 0] = 0.0, False
    assert find_step_over(feet, 0) == -1


def test_toes_that_are_caught_and_freed_do_not_jerk(database):
    """The shown toe's velocity changes no faster at a lock or release than its springs may."""
    rate, settings = 240, Settings(search_interval=2.0, velocity_change=10, facing_change=4)
    crowd = Crowd(database, 4, settings=settings)
    angles = np.linspace(-0.5, 0.5, 4)
    command = move(1.3 * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1))
    poses = [crowd.step(command, 1 / rate) for _ in range(4 * rate)]
    toes = np.array([pose.global_positions[:, crowd.rig.legs[:, 3]] for pose in poses], np.float64)[..., [0, 2]]
    locked = np.array([pose.locked for pose in poses])
    changes = np.linalg.norm(np.diff(toes, n=2, axis=0), axis=-1) * rate  # m/s from step to step
    switched = (locked[1:] != locked[:-1])[1:]
    jumped = np.array([pose.jumped for pose in poses])[2:, :, None]
    assert switched.sum() > 20
    assert np.quantile(changes[switched & ~jumped], 0.95) < 2 * c.HARDEST_PULL / rate
    slides = np.linalg.norm(np.diff(toes, axis=0), axis=-1)[locked[1:] & locked[:-1]] * rate
    assert np.median(slides) < 0.03  # m/s: held toes come to rest
