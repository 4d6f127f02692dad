"""Legs: an ankle gets where it is aimed if the leg reaches, knees bend forwards, and bones keep their length."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematch.character import Crowd
from kinematch.character import constants as c
from kinematch.character.step.legs import (
    aim_leg,
    bend_leg,
    find_knee_axis,
    measure_leg,
    measure_shortfall,
    unfold,
)
from kinematch.character.step.pose import find_global_pose, make_here, show_root
from kinematch.control.command import move
from kinematch.math.spring_kernels import make_spring
from kinematch.math.vectors import Quaternion, Vector

from ..rigs import RIGS, make_database
from ..states import open_stages, scatter
from .test_pose import find_globals

COUNT = 12
LEGGED = [name for name in RIGS if "leg" in name and name != "no legs"]


@pytest.fixture(params=[*LEGGED, "walker"])
def posed(request, database):
    """A crowd in animated poses, and the stages' records of it."""
    own = database if request.param == "walker" else make_database(RIGS[request.param]())
    crowd = Crowd(own, COUNT, compiled=False)
    scatter(crowd, 0)
    _, scratch = open_stages(crowd)
    crowd.step(move(np.zeros((COUNT, 3))), 0.0)
    return crowd.runner.data, scratch


def measure(posed, n):
    data, scratch = posed
    here = make_here(scratch.room, len(data.rig.parents), len(data.rig.legs))
    show_root(data, n)
    find_global_pose(data, here, n)
    for k in range(len(data.rig.legs)):
        here.wanted[k], _, _ = measure_leg(data.rig, data.settings, here, k)
        here.shifts[k], here.slopes[k] = Vector(0.0, 0.0, 0.0), Quaternion(1.0, 0.0, 0.0, 0.0)
    return here


def test_an_ankle_gets_where_it_is_aimed_and_nothing_else_breaks(posed):
    """Bones keep their length, the knee bends the way that it does, the foot is turned as asked and what is local fits
    what is global."""
    data, _ = posed
    rng, pose, own = np.random.default_rng(2), data.pose, data.rig
    lengths = np.linalg.norm(own.rest, axis=-1)
    for n in range(COUNT):
        here = measure(posed, n)
        feet = [Rotation.from_quat(here.rotations[leg[2]], scalar_first=True) for leg in own.legs]
        aims, slopes = [], Rotation.from_rotvec(rng.normal(size=(len(own.legs), 3)) * 0.2)
        for k in range(len(own.legs)):
            reach = rng.uniform(here.shortest[k] + 0.1, here.longest[k])
            aim = np.array(here.wanted[k]) + rng.normal(size=3) * 0.15
            aims.append(aim * reach / np.linalg.norm(aim))
            here.wanted[k], here.distances[k] = (
                Vector(*aims[k] * 3.0),
                reach,
            )  # of what is wanted only the direction counts
            here.slopes[k], here.moved[k] = Quaternion(*slopes[k].as_quat(scalar_first=True)), 1.0
            bend_leg(data, here, n, k)
        places, turns = find_globals(own.parents, pose.positions[n], pose.rotations[n])
        np.testing.assert_allclose(places, pose.global_positions[n], atol=2e-5)
        for k, (upper, lower, foot, _) in enumerate(own.legs):
            np.testing.assert_allclose(places[foot] - places[upper], aims[k], atol=2e-4)
            found = [np.linalg.norm(places[j] - places[own.parents[j]]) for j in (lower, foot)]
            np.testing.assert_allclose(found, lengths[[lower, foot]], atol=1e-5)
            assert (turns[foot] * (slopes[k] * feet[k]).inv()).magnitude() < 1e-4
            bend = np.cross(places[lower] - places[upper], places[foot] - places[lower])
            assert bend @ turns[upper].apply(own.hinges[k]) > -1e-6


def test_a_leg_that_is_not_moved_keeps_its_pose_to_the_bit(posed):
    data, _ = posed
    for n in range(COUNT):
        here = measure(posed, n)
        before = [array[n].copy() for array in (data.pose.rotations, data.pose.global_rotations)]
        for k in range(len(data.rig.legs)):
            here.distances[k], here.moved[k] = here.lengths[k], 0.0
            bend_leg(data, here, n, k)
        np.testing.assert_array_equal(data.pose.rotations[n], before[0])
        np.testing.assert_allclose(data.pose.global_rotations[n], before[1], atol=1e-6)


def test_a_leg_aims_at_what_it_reaches_and_falls_short_of_the_rest(posed):
    data, _ = posed
    by, feet = make_spring(0.1, 1 / 60), data.feet
    data.work.toe_rises[:] = 0.0
    for n in range(COUNT):
        for share in (0.85, 0.95, 1.5, 4.0):
            here, k = measure(posed, n), 0
            feet.shortfalls[n] = 0.0
            wanted = share * here.longest[k]
            size = np.linalg.norm(here.wanted[k])
            here.wanted[k] = here.wanted[k] * (wanted / size)
            with np.errstate(over="ignore"):
                aim_leg(data, here, n, k, 0.0, by)
            reached = here.distances[k]
            assert here.shortest[k] <= reached <= here.longest[k] + 1e-6
            assert feet.shortfalls[n, k, 0] == pytest.approx(max(wanted - reached, 0.0), abs=5e-3)
            if share < c.RESISTS and wanted > c.FOLDS * here.lengths[k] * 1.5:
                assert reached == pytest.approx(wanted, abs=1e-6)
                assert here.moved[k] == 1.0


def test_a_shortfall_rises_at_once_and_decays_smoothly(posed):
    data, _ = posed
    here, by = measure(posed, 0), make_spring(0.1, 1 / 60)
    leg, far = here.wanted[0], []
    data.feet.shortfalls[0] = 0.0
    for step in range(40):
        here.wanted[0] = leg * (2.0 if step == 0 else 0.9)
        aim_leg(data, here, 0, 0, 0.0, by)
        far.append(data.feet.shortfalls[0, 0, 0])
    assert far[0] > 0.3 * here.whole[0]
    steps = np.diff([0.0, *far])
    assert (steps[1:] < steps[0]).all()  # it rises on a little, at the rate at which it rose
    assert (steps[6:] < 0).all()
    assert far[-1] < 0.02 * max(far)


def test_a_leg_reaches_a_share_of_its_length_and_farther_the_straighter_it_is(posed):
    data, _ = posed
    for extension in (0.9, 0.99):
        settings = data.settings._replace(extension=extension)
        for n in range(COUNT):
            here = measure(posed, n)
            for k, (upper, lower, foot, _) in enumerate(data.rig.legs):
                measure_leg(data.rig, settings, here, k)
                places = [np.array(here.positions[j]) for j in (upper, lower, foot)]
                thigh, shin = (np.linalg.norm(b - a) for a, b in pairwise(places))
                assert here.whole[k] == pytest.approx(thigh + shin, abs=1e-5)
                assert here.shortest[k] == pytest.approx(abs(thigh - shin) + c.FOLDED, abs=1e-5)
                assert here.lengths[k] == pytest.approx(np.linalg.norm(places[2] - places[0]), abs=1e-5)
                lacking = here.whole[k] - here.longest[k]
                least = min(here.whole[k] - here.lengths[k], (1 - extension) * here.whole[k])
                assert 0.5 * least - 1e-5 <= lacking <= least + 1e-5


def test_a_knee_bends_about_its_own_bend_where_that_is_clear_and_about_its_hinge_elsewhere():
    hinge, thigh = np.array([1.0, 0.0, 0.0]), Vector(0.0, -0.4, 0.0)
    tilted = np.array([np.cos(0.3), np.sin(0.3), 0.0])  # a bend that is not quite about the hinge

    def find(angle):
        shin = Rotation.from_rotvec(angle * tilted).apply([0, -0.4, 0])
        return np.array(find_knee_axis(thigh, Vector(*shin), Vector(*hinge)))

    clear = np.cross(np.array(thigh), Rotation.from_rotvec(1.2 * tilted).apply([0, -0.4, 0]))
    np.testing.assert_allclose(find(1.2), clear / np.linalg.norm(clear), atol=1e-6)
    for angle in (0.0, -0.2, -1.0):  # straight, or bent backwards
        np.testing.assert_allclose(find(angle), hinge, atol=1e-6)
    axes = np.array([find(angle) for angle in np.linspace(-1, 1.2, 400)])
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1.0, atol=1e-6)
    assert np.linalg.norm(np.diff(axes, axis=0), axis=1).max() < 0.01  # it never flips


def test_near_its_longest_reach_a_leg_resists_without_a_kink():
    longest, own = 0.9, 0.6
    wanted = np.linspace(0.5, 3.0, 2000)
    short = np.array([measure_shortfall(Vector(0.0, -size, 0.0), own, longest) for size in wanted])
    assert (short[wanted < c.RESISTS * longest] == 0).all()
    assert (wanted - short).max() <= longest
    slopes = np.diff(short) / np.diff(wanted)
    assert (slopes >= -1e-9).all()
    assert (slopes <= 1 + 1e-9).all()
    assert np.abs(np.diff(slopes)).max() < 0.05


def test_legs_are_not_folded_far_below_their_animated_length_and_give_way_smoothly():
    wanted = np.linspace(0, 1.2, 601)
    shown = np.array([unfold(one, 0.9) for one in wanted])
    free = wanted >= 0.9 * (c.FOLDS + c.EASES)
    np.testing.assert_allclose(shown[free], wanted[free], atol=1e-12)
    assert shown.min() >= 0.9 * c.FOLDS
    slopes = np.diff(shown) / np.diff(wanted)
    assert slopes.min() > -1e-9
    assert np.abs(np.diff(slopes)).max() < 0.01  # no kink
