"""Layers that act once more after the feet are planted."""

import numpy as np
import pytest

import kinematch as km

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
