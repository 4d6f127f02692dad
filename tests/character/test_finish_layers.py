"""Layers that act once more after the feet are planted."""

import numpy as np
import pytest

import kinematch as km
from kinematch.character.kernels import layers as kernels
from kinematch.character.layers import settle_plainly

DT = 1 / 60


class Straight:
    """A layer that straightens the left knee after the feet are planted."""

    def __init__(self, joint):
        self.joint, self.seen = joint, []

    def apply(self, pose, dt):
        self.seen.append("apply")
        return []

    def finish(self, pose, dt):
        self.seen.append("finish")
        pose.rotations[:, self.joint] = [1.0, 0.0, 0.0, 0.0]
        return [self.joint]


@pytest.fixture(scope="module")
def database():
    return km.dance_card()


@pytest.mark.parametrize("kind", [km.Crowd, km.PlainCrowd])
def test_what_a_layer_does_after_the_feet_is_shown(database, kind):
    layer = Straight(database.skeleton.roles["left_lower_leg"])
    crowd = kind(database, layers=[layer])
    pose = crowd.step(km.move([0.0, 0.0, 1.0]), DT)
    assert layer.seen == ["apply", "finish"]
    assert np.allclose(pose.rotations[0, layer.joint], [1, 0, 0, 0])
    parent = crowd.skeleton.parents[layer.joint]
    assert np.allclose(pose.global_rotations[0, layer.joint], pose.global_rotations[0, parent], atol=1e-6)


def test_a_broken_finish_is_reported_by_the_name_of_its_layer(database):
    layer = Straight(database.skeleton.joint_count)
    layer.finish = lambda pose, dt: [layer.joint]
    with pytest.raises(km.KinematchError, match="Straight"):
        km.Crowd(database, layers=[layer]).step(km.move([0.0, 0.0, 1.0]), DT)


@pytest.mark.parametrize("broken", [None, "position", "rotation", "short", "outside"])
def test_what_a_layer_left_is_settled_as_defined(broken):
    rng = np.random.default_rng(4)
    positions, rotations = (rng.normal(size=(5, 9, size)).astype(np.float32) for size in (3, 4))
    rest, moving = rng.normal(size=(9, 3)).astype(np.float32), np.array([1, 6], np.int32)
    good, changed = np.array([True, False, True, True, True]), np.array([8, 1, 3, 6])
    positions[1], rotations[1, 3] = np.nan, 0.0
    if broken == "position":
        positions[2, 6, 1] = np.inf
    elif broken in ("rotation", "short"):
        rotations[4, 8] = np.nan if broken == "rotation" else 1e-3
    elif broken == "outside":
        changed[2] = 9
    pairs = [(positions.copy(), rotations.copy()) for _ in range(2)]
    results = [
        settle(*pair, rest, moving, changed, good) for settle, pair in zip((kernels.settle, settle_plainly), pairs)
    ]
    assert results[0] == results[1] == (2 if broken in ("position", "rotation", "short") else broken == "outside")
    if not broken:
        for found, expected in zip(*pairs):
            np.testing.assert_allclose(found, expected, atol=1e-6)


def test_characters_that_are_not_finite_are_found():
    positions, rotations = np.zeros((4, 5, 3), np.float32), np.zeros((4, 5, 4), np.float32)
    positions[1, 2, 0], rotations[3, 4, 3] = np.inf, np.nan
    good = np.empty(4, bool)
    kernels.find_finite(positions, rotations, good)
    assert good.tolist() == [True, False, True, False]
