"""Compiled networks and poses: equal to their plain definitions, and for one character what they are for many."""

from itertools import pairwise

import numpy as np
import pytest

from kinematch.database.run_kernels import read_rotation
from kinematch.learned.kernels import Compiled
from kinematch.learned.network import Network, apply_network
from kinematch.learned.scoring import find_joints
from kinematch.learned.source import LearnedSource
from kinematch.math import quaternion
from kinematch.math.rotation import to_rotation_vector


def make_network(rng, widths, skip):
    weights = tuple(rng.normal(size=pair).astype(np.float32) / 4 for pair in pairwise(widths))
    biases = tuple(rng.normal(size=width).astype(np.float32) for width in widths[1:])
    return Network(weights, biases, rng.normal(size=(skip, widths[-1])).astype(np.float32) if skip else None)


@pytest.mark.parametrize("widths", [(3, 1), (5, 32, 7), (59, 40, 33, 70)])
@pytest.mark.parametrize("skip", [0, 2])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 9, 10])
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


def test_outputs_without_axes_give_a_rotation_all_the_same():
    outputs = np.array([0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0], np.float32)  # none, and two that are parallel
    for joint in range(2):
        found = read_rotation(outputs, 6 * np.arange(2) + np.arange(6)[:, None], joint, 2)
        np.testing.assert_array_equal(found, quaternion.IDENTITY)


def test_a_run_shows_what_the_networks_decode_and_its_rates_lead_to_the_next_frame(random_model):
    source = LearnedSource(random_model())
    own, rate = source.create_state(1), source.frame_rate
    found = source.decode_frames(own["frames"][0])
    for name in ("rotations", "places", "roots"):
        np.testing.assert_allclose(own[name][0], found[name], atol=1e-5)
    np.testing.assert_array_equal(own["contacts"][0], found["contacts"] > 0.5)
    positions, _ = find_joints(source, own["frames"][0])
    np.testing.assert_allclose(own["toe_heights"][0], positions[:, source.contact_joints, 1], atol=1e-5)
    now, after = own["rotations"][0].astype(np.float64)
    way = to_rotation_vector(quaternion.multiply(after, quaternion.inverse(now)))
    np.testing.assert_allclose(own["spins"][0, :, 1:], np.tile(way[1:] * rate, (2, 1, 1)), atol=1e-3)
    moves = (own["places"][0, 1] - own["places"][0, 0]) * rate
    np.testing.assert_allclose(own["velocities"][0, 0, source.moving], moves, atol=1e-3)
    np.testing.assert_allclose(own["root_paths"][0, 0, 3:], own["roots"][0, 0] / rate, rtol=1e-6)
