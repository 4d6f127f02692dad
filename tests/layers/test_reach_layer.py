"""Laws of reaching: a hand gets to where it can get, lets go smoothly, and nothing but its arm changes."""

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.layers.reach_layer import ReachLayer
from kinematch.scene.terrain import HeightFunction

DT = 1 / 60
NEAR = np.array([0.3, 1.2, 0.3])  # m from the root: well within the reach of the left arm


def follow_root(crowd: Crowd, time: float) -> np.ndarray:
    """A target that floats along beside the left shoulder, in the world."""
    return crowd.root_positions + NEAR + [0.05 * np.sin(3 * time), 0.05 * np.cos(2 * time), 0]


def walk(crowd: Crowd, steps: int, layer: ReachLayer | None = None, target=follow_root, dt: float = DT):
    """Poses of characters that walk and stop, and the targets of each step."""
    poses, targets = [], []
    for step in range(steps):
        if layer is not None:
            layer.targets = target(crowd, step * dt)
            targets.append(np.array(layer.targets))
        poses.append(crowd.step(move(np.tile([0, 0, 1.35 if step < 0.6 * steps else 0], (crowd.count, 1))), dt))
    return poses, np.array(targets)


def find_gaps(poses, targets, layer) -> np.ndarray:
    """Distances (S, N) between hands and targets."""
    hands = np.stack([pose.global_positions[:, layer.chain[2]] for pose in poses])
    return np.linalg.norm(hands - targets, axis=-1)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("hand", ["left_hand", "right_hand"])
def test_a_hand_stays_within_a_centimetre_of_a_moving_target(database, hand, compiled):
    layer = ReachLayer(database.skeleton, hand)
    side = [1, 1, 1] if hand == "left_hand" else [-1, 1, 1]
    crowd = Crowd(database, layers=[layer], compiled=compiled)
    poses, targets = walk(crowd, 240, layer, lambda crowd, time: crowd.root_positions + side * NEAR)
    assert find_gaps(poses, targets, layer)[90:].max() < 0.01


def test_on_hills_too(database):
    layer = ReachLayer(database.skeleton)
    crowd = Crowd(database, layers=[layer], terrain=HeightFunction(lambda x, z: 0.1 * np.sin(2 * z)))
    assert find_gaps(*walk(crowd, 240, layer), layer)[90:].max() < 0.01


def test_everything_but_the_arm_is_as_without_the_layer(database):
    layer = ReachLayer(database.skeleton)
    with_, _ = walk(Crowd(database, layers=[layer]), 200, layer)
    without, _ = walk(Crowd(database), 200)
    below = [
        joint for joint in range(database.skeleton.joint_count) if layer.chain[0] in database.skeleton.chain(joint)
    ]
    others = np.setdiff1d(np.arange(database.skeleton.joint_count), below)
    for a, b in zip(with_, without):
        np.testing.assert_allclose(a.global_positions[:, others], b.global_positions[:, others], atol=1e-6)
        np.testing.assert_array_equal(a.locked, b.locked)


def test_a_weight_of_zero_changes_nothing(database):
    layer = ReachLayer(database.skeleton, weights=0.0)
    with_, _ = walk(Crowd(database, layers=[layer]), 60, layer)
    without, _ = walk(Crowd(database), 60)
    for a, b in zip(with_, without):
        np.testing.assert_allclose(a.rotations, b.rotations, atol=1e-6)


@pytest.mark.parametrize("place", [np.nan, np.inf, 1e30, 50.0, 0.0])
def test_targets_that_no_hand_can_reach_leave_every_pose_finite(database, place):
    layer = ReachLayer(database.skeleton)
    crowd = Crowd(database, layers=[layer])
    walk(crowd, 60, layer)
    poses, _ = walk(crowd, 60, layer, lambda crowd, time: np.full(3, place))
    assert all(np.isfinite(pose.global_positions).all() for pose in poses)
    assert crowd.restarts == 0


def measure_steps(poses, layer) -> np.ndarray:
    """How far (S,) hands move in a step, in the root's axes as good as."""
    hands = np.stack([pose.global_positions[:, layer.chain[2]] - pose.global_positions[:, 0] for pose in poses])
    return np.linalg.norm(np.diff(hands, axis=0), axis=-1).max(axis=-1)


@pytest.mark.parametrize(
    "other",
    [
        lambda crowd, time: np.full(3, np.nan),
        lambda crowd, time: crowd.root_positions + np.array([0, 1.2, 30.0]),
        lambda crowd, time: crowd.root_positions + np.array([0.25, 1.2, -0.3]),
        lambda crowd, time: crowd.root_positions + np.array([0.1, 1.6, 0.3]),
    ],
    ids=["disappears", "goes far", "goes behind", "jumps"],
)
def test_the_hand_never_snaps(database, other):
    layer = ReachLayer(database.skeleton)
    crowd = Crowd(database, layers=[layer])
    poses = []
    for target in (follow_root, other, follow_root):
        poses += walk(crowd, 90, layer, target)[0]
    # at the default half-life an arm's length takes about half a second
    assert measure_steps(poses, layer).max() < 5.0 * DT


def test_a_hand_that_lets_go_is_back_in_the_animation(database):
    layer = ReachLayer(database.skeleton)
    crowd, plain = Crowd(database, layers=[layer]), Crowd(database)
    walk(crowd, 60, layer)
    walk(plain, 60)
    a, b = (walk(one, 120, layer, lambda crowd, time: np.full(3, np.nan))[0][-1] for one in (crowd, plain))
    np.testing.assert_allclose(a.rotations, b.rotations, atol=1e-6)


def test_each_character_has_its_own_target(database):
    layer = ReachLayer(database.skeleton, weights=[1.0, 0.0, 1.0])
    crowd = Crowd(database, 3, layers=[layer], positions=np.array([[0.0, 0, 0], [2.0, 0, 0], [4.0, 0, 0]]))
    gaps = find_gaps(*walk(crowd, 120, layer), layer)
    assert gaps[-1, 0] < 0.01
    assert gaps[-1, 1] > 0.1
    assert gaps[-1, 2] < 0.01


def test_the_easing_does_not_depend_on_the_step_rate(database):
    shares = []
    for rate in (30, 120):
        layer = ReachLayer(database.skeleton)
        walk(Crowd(database, layers=[layer]), round(0.2 * rate), layer, dt=1 / rate)
        shares.append(layer._hands.weights[0, 0])
    assert 0.2 < shares[0] < 0.9
    assert shares[0] == pytest.approx(shares[1], abs=1e-6)


def test_what_cannot_be_is_refused(database):
    with pytest.raises(KinematchError, match="did you mean 'left_hand'"):
        ReachLayer(database.skeleton, "left_hnd")
    handless = {role: joint for role, joint in database.skeleton.roles.items() if role != "left_hand"}
    with pytest.raises(KinematchError, match="no left_hand"):
        ReachLayer(database.skeleton.with_roles(handless))
    layer = ReachLayer(database.skeleton, targets=np.zeros((5, 3)))
    with pytest.raises(KinematchError, match=r"targets of shape \(5, 3\), expected \(2, 3\)"):
        Crowd(database, 2, layers=[layer]).step(move(np.zeros((2, 3))), DT)
