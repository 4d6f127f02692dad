"""Layers that act once more after the feet are planted."""

import numpy as np
import pytest

import kinematch as km
from kinematch.character import layer_kernels as kernels

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
    return km.load("built-in")


@pytest.mark.parametrize("compiled", [True, False])
def test_what_a_layer_does_after_the_feet_is_shown(database, compiled):
    layer = Straight(database.skeleton.roles["left_lower_leg"])
    crowd = km.Crowd(database, layers=[layer], compiled=compiled)
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
def test_after_a_layer_bones_have_their_length_and_rotations_theirs(broken):
    """Where it left anything else, it is found out."""
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
    before = positions.copy(), rotations.copy()
    found = kernels.settle(positions, rotations, rest, moving, changed, good)
    assert found == {None: kernels.SOUND, "outside": kernels.OUTSIDE}.get(broken, kernels.BROKEN)
    if broken:
        return
    free = [0, 1, 6]  # the root, and joints that move
    np.testing.assert_array_equal(positions[:, free], before[0][:, free])
    np.testing.assert_array_equal(np.delete(positions, free, axis=1), np.tile(np.delete(rest, free, axis=0), (5, 1, 1)))
    sizes = np.linalg.norm(rotations, axis=-1)
    np.testing.assert_allclose(sizes[good][:, changed], 1.0, atol=1e-6)
    np.testing.assert_allclose(
        rotations * np.linalg.norm(before[1], axis=-1)[..., None], before[1] * sizes[..., None], atol=1e-5
    )
    others = np.ones((5, 9), bool)
    others[np.ix_(good, changed)] = False
    np.testing.assert_array_equal(rotations[others], before[1][others])


def test_characters_that_are_not_finite_are_found():
    positions, rotations = np.zeros((4, 5, 3), np.float32), np.zeros((4, 5, 4), np.float32)
    positions[1, 2, 0], rotations[3, 4, 3] = np.inf, np.nan
    good = np.empty(4, bool)
    kernels.find_finite(positions, rotations, good)
    assert good.tolist() == [True, False, True, False]
