"""Variety: jumps, repetition, use of the database, and bodies that hang."""

import numpy as np
import pytest

from kinematch.evaluate.variety import frozen, looping, pose_motion, stuck, variety

RATE = 60.0


def test_transitions_and_use_are_counted(make_take):
    jumped = np.zeros(600, bool)
    jumped[[100, 300]] = True
    take = make_take(np.zeros((600, 3)), jumped=jumped, frames=np.arange(600) % 200)
    admitted, targets = np.ones(1000, bool), np.ones(1000, bool)
    targets[900:] = False
    found = variety([take], admitted, targets, 60.0)
    assert found.transitions == pytest.approx(0.2)
    assert (found.distinct, found.used) == (200, 0.2)
    assert found.dead == pytest.approx(700 / 900)


def test_frames_between_two_steps_are_played_too_but_none_are_in_a_jump(make_take):
    jumped = np.zeros(20, bool)
    jumped[10] = True
    frames = 3 * np.arange(20)
    frames[10:] += 100
    take = make_take(np.zeros((20, 3)), jumped=jumped, frames=frames)
    assert variety([take], np.ones(1000, bool), np.ones(1000, bool), 60.0).distinct == 28 + 28


def test_going_back_to_what_was_just_played_is_a_repetition(make_take):
    frames, jumped = np.arange(400), np.zeros(400, bool)
    jumped[[100, 250]] = True
    frames[100:250] = 80 + np.arange(150)  # back by a third of a second
    frames[250:] = 5000 + np.arange(150)
    take = make_take(np.zeros((400, 3)), jumped=jumped, frames=frames)
    assert variety([take], np.ones(6000, bool), np.ones(6000, bool), 60.0).repetition == 0.5


def test_the_third_round_of_a_short_stretch_is_a_loop(make_take):
    frames = np.concatenate([np.arange(100), 500 + np.arange(120) % 20, 900 + np.arange(80)])
    jumped = np.concatenate([[False], np.diff(frames) != 1])
    take = make_take(np.zeros((300, 3)), jumped=jumped, frames=frames)
    assert np.array_equal(np.flatnonzero(looping(take, 60.0)), np.arange(140, 220))
    slow = np.concatenate([np.arange(100), 500 + np.arange(200) % 80])  # a stride is no short stretch
    jumped = np.concatenate([[False], np.diff(slow) != 1])
    assert not looping(make_take(np.zeros((300, 3)), jumped=jumped, frames=slow), 60.0).any()


def test_a_body_that_should_move_and_does_not_is_stuck_after_a_while(make_take):
    velocities = np.tile([0.0, 0.0, 1.3], (300, 1))
    hanging = make_take(np.zeros((300, 3)), velocities=velocities)
    assert stuck(hanging).sum() == 300 - 90
    roots = np.zeros((300, 3))
    roots[:, 2] = 1.3 * np.arange(300) / RATE
    assert not stuck(make_take(roots, velocities=velocities)).any()


def test_a_facing_that_is_not_taken_up_is_stuck_too(make_take):
    facings = np.tile([0.0, 0.0, -1.0], (300, 1))
    assert stuck(make_take(np.zeros((300, 3)), facings=facings)).any()
    assert not stuck(make_take(np.zeros((300, 3)), np.full(300, np.pi), facings=facings)).any()


def test_a_gliding_statue_is_frozen_and_a_swinging_body_is_not(make_take):
    roots = np.zeros((300, 3))
    roots[:, 2] = 1.3 * np.arange(300) / RATE
    velocities = np.tile([0.0, 0.0, 1.3], (300, 1))
    statue = make_take(roots, velocities=velocities)
    assert frozen(statue, usual=0.05).sum() == 300 - 90
    swinging = statue.global_positions.copy()
    swinging[:, 2:, 2] += 0.2 * np.sin(2 * np.pi * np.arange(300) / RATE)[:, None] * [1, -1]
    assert not frozen(make_take(roots, velocities=velocities, global_positions=swinging), usual=0.05).any()


def test_turning_and_gliding_are_no_motion_of_the_pose():
    angles, p = np.linspace(0, 6, 200), np.random.default_rng(0).normal(size=(5, 3))
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    turned = np.stack([c * p[:, 0] + s * p[:, 2], p[:, 1] + 0 * c, c * p[:, 2] - s * p[:, 0]], axis=-1)
    turned += np.linspace(0, 9, 200)[:, None, None] * [1, 0, 2]
    assert pose_motion(turned, angles, RATE).max() < 1e-6


def test_poses_that_are_no_frames_are_not_counted(make_take):
    jumped = np.zeros(300, bool)
    jumped[::10] = True
    take = make_take(np.zeros((300, 3)), jumped=jumped, frames=np.full(300, -1))
    found = variety([take], np.ones(100, bool), np.ones(100, bool), 60.0)
    assert found.transitions == pytest.approx(6.0)
    assert np.isnan([found.repetition, found.distinct, found.used, found.dead]).all()
    assert not looping(take, 60.0).any()
