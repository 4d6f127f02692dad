"""Exported characters stand on the ground of a program as a crowd stands on a terrain."""

import numpy as np
import pytest

import kinematch as km
from kinematch.export.native.kinematch_native import Characters, NativeError
from kinematch.scene.made_terrain import make_slopes
from kinematch.scene.terrain import HeightFunction

ALIKE = 1e-5  # m, by which fused multiply-add may move a joint


def test_a_grid_of_heights_is_stood_on_as_a_terrain(walker, walker_data, library, stick):
    grid = make_slopes(steepest=0.3)
    own, crowd = Characters(library, walker_data, 2), km.Crowd(walker, 2, terrain=grid)
    own.stand(grid.values, grid.cell, grid.origin, grid.repeats)
    pairs, highest = stick[:, None] * np.array([[1.0], [0.6]]), 0.0
    own.teleport((0.0, grid.heights(np.array([[0.0, -7.0]]))[0], -7.0), n=1)  # on a slope
    crowd.teleport([0.0, grid.heights(np.array([[0.0, -7.0]]))[0], -7.0], 0.0, [1])
    for k, velocities in enumerate(pairs):
        dt = 1 / 60 if k % 50 else 0.05  # now and then a step that is made in pieces
        for n in range(2):
            own.command(velocities[n], velocities[n], n)
        own.step(dt)
        pose = crowd.step(km.move(velocities, velocities), dt)
        highest = max(highest, float(np.abs(pose.global_positions[:, 0, 1]).max()))
    assert np.array_equal(own.array("pose.frames"), pose.frames)
    assert np.abs(own.array("pose.global_positions") - pose.global_positions).max() < ALIKE
    assert highest > 0.02  # m


def test_ground_that_is_asked_for_is_stood_on_as_a_terrain(walker, walker_data, library, stick):
    hills = HeightFunction(lambda x, z: 0.2 * np.sin(x) + 0.1 * np.sin(2 * z))
    own, crowd = Characters(library, walker_data), km.Crowd(walker, terrain=hills)
    for velocity in stick:
        own.command(velocity, velocity)
        own.step_on(1 / 60, lambda points: 0.2 * np.sin(points[..., 0]) + 0.1 * np.sin(2 * points[..., 1]))
        pose = crowd.step(km.move(velocity, velocity), 1 / 60)
    assert np.array_equal(own.array("pose.frames"), pose.frames)
    assert np.abs(own.array("pose.global_positions") - pose.global_positions).max() < ALIKE


def test_ground_that_makes_no_sense_is_refused(walker_data, library):
    own = Characters(library, walker_data)
    with pytest.raises(NativeError, match="range"):
        own.stand(np.zeros((1, 5)))
    with pytest.raises(NativeError, match="finite"):
        own.stand(np.full((3, 3), np.nan))
    with pytest.raises(NativeError, match="finite"):
        own.stand(np.zeros((3, 3)), cell=0.0)
    own.step_on(1 / 60, lambda points: np.full(points.shape[:-1], 1e12))
    assert np.isfinite(own.array("pose.global_positions")).all()
    with pytest.raises(NativeError, match="begin and finish"):
        own.step(1 / 60)
    own.stand(None)
    own.step(1 / 60)
