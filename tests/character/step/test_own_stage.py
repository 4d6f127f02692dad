"""A stage in one file: written like those of the step, it runs in Python, and compiled for one character and eight."""

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.character.step.data import open_data
from kinematch.character.step.step import END, FEET, SCHEDULE, SHOW
from kinematch.compile.indexing import lane_count, take
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import root, single, smaller
from kinematch.math.series import from_rotation_vector, rotate_about_y
from kinematch.math.vectors import Vector, quaternion, vector

from ..states import walk_about

DT = 1 / 60
LEAN = 0.06  # rad per m/s^2
MOST = 0.3  # rad


@inner
def lean(data, n):
    """Lean the hips into the acceleration of the simulated body."""
    push, yaw = vector(data.body.accelerations[n]), data.playing.yaws[n]
    x, z = rotate_about_y(push.x, push.z, -yaw)
    size = root(x * x + z * z)
    share = LEAN * smaller(MOST / LEAN / (size + 1e-9), 1.0)
    turn = from_rotation_vector(Vector(single(z * share), 0.0 * single(x), single(-x * share)))
    data.pose.rotations[n][1] = turn * quaternion(data.pose.rotations[n][1])


@kernel(fastmath={"contract"}, counting=False)
def lean_ones(handle, characters):
    data = open_data(handle)
    for m in range(characters.shape[0]):
        lean(data, characters[m])


@kernel(fastmath={"contract"}, counting=False)
def lean_lanes(handle, characters):
    data = open_data(handle)
    for m in range(0, characters.shape[0], lane_count()):
        lean(data, take(characters, m, characters.shape[0]))


def lean_plainly(data, characters):
    for n in characters:
        lean(data, n)


@pytest.mark.parametrize("way", [lean_plainly, lean_ones, lean_lanes])
def test_a_stage_of_ones_own_runs_between_the_others(database, way):
    """Hips lean by the angle of its definition, and the feet are planted all the same."""
    count, compiled = 11, way is not lean_plainly
    own, plain = (Crowd(database, count, compiled=one) for one in (compiled, True))
    largest = 0.0
    for command in walk_about(count, 20):
        expected = plain.step(command, DT)
        pose = own.prepare_pose()
        own.step(command, 0.0, out=pose)  # takes the command
        runner = own.runner
        runner.run(DT, SCHEDULE, FEET)
        before = pose.rotations[:, 1].copy()
        way(runner.handle if compiled else runner.data, own.characters)
        runner.run(0.0, SHOW, FEET)
        runner.run(DT, FEET, END)
        push = np.linalg.norm(own.body.accelerations[:, [0, 2]], axis=1)
        cosines = abs((before.astype(float) * pose.rotations[:, 1]).sum(axis=-1))
        angles = 2 * np.arccos(np.minimum(cosines, 1.0))
        np.testing.assert_allclose(angles, np.minimum(LEAN * push, MOST), atol=2e-3)
        largest = max(largest, angles.max())
        toes = own.rig.legs[:, 3]
        same = pose.locked & expected.locked
        heights = pose.global_positions[:, toes, 1] - expected.global_positions[:, toes, 1]
        assert abs(heights[same]).max(initial=0) < 0.03
    assert largest > 0.1
