"""Humanoids of many makers: each walks, and MuJoCo replays it."""

import numpy as np
import pytest

from kinematch.bench.replay import Replay
from kinematch.math import quaternion
from kinematch.robot.contact_pairs import find_pairs
from kinematch.robot.quality import check_quality
from kinematch.robot.segments import find_anatomy
from kinematch.robot.solids import find_capsules
from kinematch.robot.trial import try_robot

EXACT = ("sphere", "capsule")
OVERLAP = 0.005  # m, beyond the margins of contacts


@pytest.fixture(scope="module")
def walking(animal, walk):
    return try_robot(walk[0].frames(0, 240), animal[0])


def test_a_walk_is_followed_within_limits_without_a_twitch(animal, walking):
    quality = walking[1]
    check_quality(quality)
    assert quality.deviation < 0.06 * quality.leg_length + 0.01
    assert quality.limit_violations == 0
    assert quality.reversal_share == 0
    assert quality.joint_acceleration < 1.001 * 250
    assert quality.speed_share <= 0.02
    assert quality.penetration < 1e-6
    if len(find_capsules(animal[0]).radii):
        assert quality.sole_height < 0.015


def test_mujoco_finds_limbs_apart_and_the_floor_untouched(animal, walking):
    motion, replay = walking[0], Replay(*animal)
    touching, deepest = replay.count_collisions(motion)
    assert deepest < 0.002
    assert touching <= 0.01 * motion.frame_count


def test_the_pairs_that_may_collide_are_mujoco_s(animal):
    """In poses at random: what MuJoCo says collides is a pair of ours, and round limbs that overlap are one of its."""
    model = animal[0]
    replay, rng = Replay(*animal), np.random.default_rng(0)
    capsules = find_capsules(model)
    pairs = find_pairs(model, capsules)
    names = [model.body_names[body] for body in capsules.bodies]
    allowed = list_limbs((names[a], names[b]) for a, b in pairs)
    low, high = np.clip(model.limits, -np.pi, np.pi).T
    for _ in range(10):
        angles, base, turn = rng.uniform(low, high), np.array([0.0, 5.0, 0.0]), quaternion.IDENTITY
        found = [
            (limbs, overlap) for limbs, overlap, fixed in replay.find_contacts(base, turn, angles)
            if (not fixed or replay.base is None) and "world" not in limbs
        ]  # fmt: skip
        assert list_limbs(limbs for limbs, overlap in found if overlap > OVERLAP) <= allowed
        places, turns = model.place_links(base, turn, angles)
        ends = places[capsules.links][:, None] + quaternion.rotate(turns[capsules.links][:, None], capsules.ends)
        theirs = list_limbs(limbs for limbs, _ in found)
        for a, b in pairs:
            if all(model.shapes[capsules.shapes[k]].kind in EXACT for k in (a, b)):
                reach = capsules.radii[a] + capsules.radii[b] - OVERLAP
                halves = sum(np.linalg.norm(ends[k, 1] - ends[k, 0]) / 2 for k in (a, b))
                if np.linalg.norm(ends[a].mean(axis=0) - ends[b].mean(axis=0)) > reach + halves:
                    continue
                if measure_gap(ends[a], ends[b]) < reach:
                    assert (min(names[a], names[b]), max(names[a], names[b])) in theirs


def measure_gap(one, other):
    """The distance of two segments, by many points on each."""
    shares = np.linspace(0, 1, 41)[:, None]
    points = [ends[0] + shares * (ends[1] - ends[0]) for ends in (one, other)]
    return np.linalg.norm(points[0][:, None] - points[1][None], axis=-1).min()


def test_legs_and_arms_hang_on_the_right_sides(animal):
    anatomy = find_anatomy(animal[0])
    for part in ("upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand"):
        if f"left_{part}" in anatomy.centres:
            left, right = (anatomy.centres[f"{side}_{part}"] for side in ("left", "right"))
            hips = anatomy.centres["left_upper_leg"] - anatomy.centres["right_upper_leg"]
            assert (left - right) @ hips > 0
            assert abs(left[1] - right[1]) < 0.05


def test_toes_point_ahead(animal):
    """Feet as long behind the ankle as before it were taken for turned around."""
    anatomy = find_anatomy(animal[0])
    ahead = {}
    for segment in anatomy.segments:
        turn = quaternion.multiply(segment.axes, quaternion.inverse(anatomy.rotations[segment.link]))
        ahead[segment.role] = quaternion.rotate(quaternion.inverse(turn), [0.0, 0.0, 1.0])
        if segment.role.endswith("_foot") and segment.link != anatomy.links[segment.role.replace("foot", "lower_leg")]:
            assert ahead[segment.role] @ ahead["hips"] > 0.5


def list_limbs(pairs):
    """Pairs of names in one order."""
    return {(min(pair), max(pair)) for pair in pairs}
