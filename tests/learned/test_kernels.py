"""Compiled networks and poses: equal to their plain definitions, and for one character what they are for many."""

from itertools import pairwise

import numpy as np
import pytest

from kinematch.learned.kernels import Compiled
from kinematch.learned.network import Network, apply_network
from kinematch.learned.pose_kernels import blend_poses, read_poses
from kinematch.learned.scoring import find_joints
from kinematch.learned.source import LearnedSource
from kinematch.math import quaternion
from kinematch.math.rotation import from_two_axis, to_rotation_vector


def make_network(rng, widths, skip):
    weights = tuple(rng.normal(size=pair).astype(np.float32) / 4 for pair in pairwise(widths))
    biases = tuple(rng.normal(size=width).astype(np.float32) for width in widths[1:])
    return Network(weights, biases, rng.normal(size=(skip, widths[-1])).astype(np.float32) if skip else None)


@pytest.mark.parametrize("widths", [(3, 1), (5, 32, 7), (59, 40, 33, 70)])
@pytest.mark.parametrize("skip", [0, 2])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
def test_a_compiled_network_is_the_plain_one(widths, skip, count):
    rng = np.random.default_rng(len(widths))
    network = make_network(rng, widths, skip)
    inputs = rng.normal(size=(count, widths[0])).astype(np.float32)
    np.testing.assert_allclose(Compiled(network).apply(inputs), apply_network(network, inputs), rtol=1e-5, atol=1e-5)


def test_one_character_gets_the_bits_that_many_get():
    rng = np.random.default_rng(2)
    compiled = Compiled(make_network(rng, (20, 50, 50, 20), 20))
    inputs = rng.normal(size=(203, 20)).astype(np.float32)  # enough for several threads
    together = compiled.apply(inputs)
    for row in (0, 1, 63, 64, 130, 200, 202):
        np.testing.assert_array_equal(compiled.apply(inputs[row : row + 1])[0], together[row])


def test_decoded_rotations_and_heights_are_those_of_plain_functions(random_model):
    source = LearnedSource(random_model())
    frames = np.random.default_rng(0).normal(size=(6, len(source.lowest))).astype(np.float32)
    outputs = source.decompressor.apply(frames)
    columns, joints = source.model.columns, source.skeleton.joint_count
    positions, found = find_joints(source, frames)
    expected = from_two_axis(outputs[:, columns.rotations].reshape(6, joints - 1, 6).astype(np.float64))
    assert np.degrees(quaternion.angle(found["rotations"][:, 1:], expected)).max() < 1e-2
    np.testing.assert_allclose(found["toe_heights"], positions[:, source.contact_joints, 1], atol=1e-5)
    np.testing.assert_array_equal(found["places"].reshape(6, -1), outputs[:, columns.places])


def test_outputs_without_axes_give_a_rotation_all_the_same():
    rotations, places, heights = np.zeros((1, 3, 4), np.float32), np.zeros((1, 0, 3), np.float32), np.zeros((1, 0))
    outputs = np.zeros((1, 12), np.float32)
    outputs[0, 6:] = [1, 0, 0, 2, 0, 0]  # the second joint's axes are parallel
    nothing = np.zeros((0, 0), np.int32)
    read_poses(outputs, nothing, np.zeros((3, 3)), np.zeros(0, np.int32), rotations, places, heights.astype(np.float32))
    np.testing.assert_allclose(np.linalg.norm(rotations, axis=-1), 1, atol=1e-6)


def test_blending_goes_the_shorter_way_and_its_rate_leads_to_the_next_frame():
    rng = np.random.default_rng(3)
    pair = quaternion.normalize(rng.normal(size=(2, 2, 4, 4))).astype(np.float32)
    pair[:, 1] = quaternion.normalize(pair[:, 0] + 0.1 * pair[:, 1])
    pair[1, 1] *= -1
    places, rest, moving = rng.normal(size=(2, 2, 1, 3)).astype(np.float32), rng.normal(size=(4, 3)), np.array([1])
    characters, rate = np.array([0, 1]), 60.0
    positions, velocities, spins = np.empty((3, 2, 4, 3))
    for fraction in (0.0, 0.5, 1.0):
        rotations = np.empty((2, 4, 4))
        blend_poses(
            characters, np.full(2, fraction), rate, rest, moving, pair, places, positions, rotations, velocities, spins
        )
        way = quaternion.multiply(pair[:, 1], quaternion.inverse(pair[:, 0]))
        np.testing.assert_allclose(spins, to_rotation_vector(way) * rate, atol=1e-3)
        np.testing.assert_allclose(np.linalg.norm(rotations, axis=-1), 1, atol=1e-6)
        np.testing.assert_allclose(velocities[:, 1], (places[:, 1, 0] - places[:, 0, 0]) * rate, rtol=1e-5)
        np.testing.assert_allclose(positions[:, 0], rest[0][None].repeat(2, axis=0))
    assert quaternion.angle(rotations, pair[:, 1]).max() < 1e-3
