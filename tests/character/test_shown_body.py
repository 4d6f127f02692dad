"""A crowd shown on another skeleton: poses are retargeted live, and layers and feet work on the body that is shown."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.motion.clean.root import with_root
from kinematch.scene.terrain import HeightFunction

DT = 1 / 60


@pytest.fixture(scope="module")
def small(humanoid):
    """A body of other names, axes and proportions."""
    body = humanoid(3)
    return with_root(body)


def walk(crowd: Crowd, steps: int, speed: float = 1.2):
    poses = []
    for step in range(steps):
        angle = 0.0 if step < steps // 2 else 1.0
        poses.append(crowd.step(move(speed * np.tile([np.sin(angle), 0, np.cos(angle)], (crowd.count, 1))), DT))
    return poses


@pytest.mark.parametrize("transition", ["spring", "quintic", "dead"])
@pytest.mark.parametrize("terrain", [None, HeightFunction(lambda x, z: 0.05 * np.sin(x) + 0.03 * z)])
def test_another_body_is_shown_alike_uncompiled(database, small, terrain, transition):
    settings = Settings(transition=transition)
    fast, slow = (
        Crowd(database, 2, skeleton=small, terrain=terrain, settings=settings, compiled=compiled)
        for compiled in (True, False)
    )
    for step in range(80):
        command = move(np.tile([0.4, 0, 1.1], (2, 1)) * (step > 5))
        a, b = fast.step(command, DT), slow.step(command, DT)
        # limbs that are nearly straight magnify the rounding of single precision
        np.testing.assert_allclose(a.global_positions, b.global_positions, atol=3e-4)
        np.testing.assert_array_equal(a.frames, b.frames)
        np.testing.assert_array_equal(a.locked, b.locked)


def test_feet_of_the_shown_body_stand_on_the_floor_and_do_not_slide(database, small):
    crowd = Crowd(database, 2, skeleton=small)
    assert crowd.skeleton.names == small.names
    poses = walk(crowd, 300)
    toes = np.array([pose.global_positions[:, crowd.rig.legs[:, 3]] for pose in poses[60:]])
    locked = np.array([pose.locked for pose in poses[60:]])
    both = locked[1:] & locked[:-1]
    slides = np.linalg.norm(np.diff(toes[..., [0, 2]], axis=0), axis=-1) / DT
    assert both.mean() > 0.3
    assert slides[both].mean() < 0.06  # m/s
    heights = toes[..., 1] - crowd.rig.toe_rests
    assert heights.min() > -0.03
    assert abs(np.median(heights[locked])) < 0.02
    assert (crowd.root_positions[:, 2] > 1.5).all()


def test_bones_of_the_shown_body_keep_their_length(database, small):
    lengths = np.linalg.norm(small.offsets, axis=-1)
    for pose in walk(Crowd(database, 1, skeleton=small), 120):
        bones = pose.global_positions[0] - pose.global_positions[0][np.maximum(small.parents, 0)]
        found = np.linalg.norm(bones, axis=-1)
        np.testing.assert_allclose(found[3:], lengths[3:], atol=1e-4)


def test_a_body_of_half_the_size_told_half_the_speed_asks_the_same_and_goes_half_as_far(database):
    full = database.poses.skeleton
    half = replace(full, offsets=0.5 * full.offsets, end_offsets=0.5 * full.end_offsets)
    settings = Settings(clamp_distance=0.0, foot_lock=False, pelvis=False, velocity_change=10, search_interval=0.3)
    large, small = Crowd(database, settings=settings), Crowd(database, skeleton=half, settings=settings)
    assert small.rig.scale == pytest.approx(0.5, rel=1e-3)
    for _ in range(40):
        a, b = large.step(move([[0.0, 0, 1.2]]), DT), small.step(move([[0.0, 0, 0.6]]), DT)
        np.testing.assert_array_equal(a.frames, b.frames)
        np.testing.assert_allclose(large.state.schedule.queries, small.state.schedule.queries, atol=0.02)
        np.testing.assert_allclose(0.5 * a.global_positions, b.global_positions, atol=2e-3)


def test_a_body_that_is_none_is_refused(database):
    with pytest.raises(KinematchError, match="expected a Skeleton"):
        Crowd(database, skeleton="hero.glb")
