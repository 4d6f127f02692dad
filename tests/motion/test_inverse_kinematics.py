"""Two-joint inverse kinematics: laws of the closed form on arms and legs of random poses (digital humans 3.6)."""

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion import kinematics
from kinematch.motion.inverse_kinematics import (
    CLEARLY,
    NARROWEST,
    SOFTNESS,
    bend_limb,
    find_hinge,
    solve_two_joints,
)
from kinematch.motion.limb_kernels import limit_fold
from kinematch.motion.skeleton import Skeleton, skeleton

LIMBS = [("left_upper_arm", "left_lower_arm", "left_hand"), ("right_upper_leg", "right_lower_leg", "right_foot")]
COUNT = 200


def chain_of(body: Skeleton, roles: tuple[str, ...]) -> tuple[int, int, int]:
    upper, middle, end = (body.roles[role] for role in roles)
    return upper, middle, end


def random_poses(body: Skeleton, size: float = 0.6, seed: int = 0) -> np.ndarray:
    """Local rotations (COUNT, J, 4) about the T-pose."""
    turns = np.random.default_rng(seed).normal(scale=size, size=(COUNT, body.joint_count, 3))
    assert body.tpose is not None
    return quaternion.multiply(
        quaternion.normalize(body.tpose.astype(np.float64)), rotation.from_rotation_vector(turns)
    )


def flexed(
    body: Skeleton, roles: tuple[str, ...], local: np.ndarray, *, least: float = 0.3, tilt: float = 0.0
) -> np.ndarray:
    """The same poses with the limb flexed by some angle from the least one on [rad], about its hinge tilted by one."""
    upper, middle, end = chain_of(body, roles)
    local = local.copy()
    angles = np.random.default_rng(7).uniform(least, 2.0, len(local))
    rest = quaternion.inverse(kinematics.tpose(body)[1].astype(np.float64)[middle])
    hinge = quaternion.rotate(rest, quaternion.rotate(kinematics.tpose(body)[1][upper], find_hinge(body, roles[0])))
    hinge = quaternion.rotate(rotation.from_axis_angle(body.offsets[end].astype(np.float64), tilt), hinge)
    assert body.tpose is not None
    local[:, middle] = quaternion.multiply(
        quaternion.normalize(body.tpose[middle].astype(np.float64)),
        rotation.from_axis_angle(np.broadcast_to(hinge, (len(local), 3)), angles),
    )
    return local


def pose(body: Skeleton, local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return kinematics.forward(body, body.offsets.astype(np.float64), local)


def solve(body: Skeleton, local: np.ndarray, roles: tuple[str, ...], targets: np.ndarray, **more) -> np.ndarray:
    """The whole poses after solving one limb."""
    chain = chain_of(body, roles)
    more = {"hinge": find_hinge(body, roles[0]), **more}
    result = local.copy()
    result[:, list(chain)] = solve_two_joints(*pose(body, local), body.parents, chain=chain, targets=targets, **more)
    return result


def reachable(body: Skeleton, local: np.ndarray, roles: tuple[str, ...], seed: int = 1) -> np.ndarray:
    """Targets all around the upper joint, from nearly folded to where the limb begins to resist."""
    positions, _ = pose(body, local)
    upper, middle, end = (positions[:, joint] for joint in chain_of(body, roles))
    a, b = np.linalg.norm(middle - upper, axis=-1), np.linalg.norm(end - middle, axis=-1)
    random = np.random.default_rng(seed)
    directions = quaternion.unit(random.normal(size=(len(local), 3)))
    distances = np.abs(a - b) + random.uniform(0.05, 1 - 2 * SOFTNESS, len(local)) * (a + b - np.abs(a - b))
    return upper + directions * distances[:, None]


@pytest.fixture(params=LIMBS, ids=["arm", "leg"])
def roles(request) -> tuple[str, ...]:
    return request.param


@pytest.mark.parametrize("least", [0.0, 0.3])
def test_the_end_reaches_targets_within_reach(humanoid, roles, least):
    body = humanoid(1)
    local = flexed(body, roles, random_poses(body), least=least)
    targets = reachable(body, local, roles)
    positions, _ = pose(body, solve(body, local, roles, targets))
    assert np.abs(positions[:, body.roles[roles[2]]] - targets).max() < 1e-6


def test_the_end_reaches_its_target_however_the_pose_bends(humanoid, roles):
    body = humanoid(1)
    local = random_poses(body, size=1.5)  # elbows bent sideways and backwards as well
    targets = reachable(body, local, roles)
    positions, _ = pose(body, solve(body, local, roles, targets))
    assert np.abs(positions[:, body.roles[roles[2]]] - targets).max() < 1e-6


def test_nothing_but_the_limb_changes_and_bones_keep_their_length(humanoid, roles):
    body = humanoid(1)
    local = random_poses(body)
    before, turns_before = pose(body, local)
    after, turns_after = pose(body, solve(body, local, roles, reachable(body, local, roles)))
    upper = body.roles[roles[0]]
    rest = [j for j in range(body.joint_count) if upper not in body.chain(j)]
    np.testing.assert_array_equal(after[:, rest], before[:, rest])
    np.testing.assert_array_equal(turns_after[:, rest], turns_before[:, rest])
    bones = after[:, 1:] - after[:, body.parents[1:]]
    np.testing.assert_allclose(
        np.linalg.norm(bones, axis=-1),
        np.broadcast_to(np.linalg.norm(body.offsets[1:], axis=-1), bones.shape[:2]),
        atol=1e-6,
    )


def test_a_target_where_the_end_already_is_changes_nothing(humanoid, roles):
    body = humanoid(2)
    local = flexed(body, roles, random_poses(body), least=1.0, tilt=0.3)  # bent clearly, so that the pose says how
    targets = pose(body, local)[0][:, body.roles[roles[2]]]
    after = solve(body, local, roles, targets)
    assert quaternion.angle(after, local).max() < 1e-6


def test_weight_zero_changes_nothing_and_weights_lead_there_steadily(humanoid, roles):
    body = humanoid(1)
    local = random_poses(body)
    targets = reachable(body, local, roles)
    none = solve(body, local, roles, targets, weights=np.zeros(COUNT))
    assert quaternion.angle(none, local).max() < 1e-6
    whole = solve(body, local, roles, targets)
    half = solve(body, local, roles, targets, weights=0.5)
    chain = list(chain_of(body, roles))
    np.testing.assert_allclose(
        quaternion.angle(half, local)[:, chain], quaternion.angle(whole, local)[:, chain] / 2, atol=1e-6
    )
    mixed = solve(body, local, roles, targets, weights=np.arange(COUNT) % 2)
    np.testing.assert_array_equal(mixed[1::2], whole[1::2])
    assert quaternion.angle(mixed[::2], local[::2]).max() < 1e-6


def test_the_bend_direction_and_the_twist_of_the_pose_are_kept(humanoid, roles):
    """The upper joint swings without twist: about an axis at right angles to the limb before and after."""
    body = humanoid(1)
    local = flexed(body, roles, random_poses(body), least=1.0, tilt=0.3)
    upper, middle, end = chain_of(body, roles)
    before, turns_before = pose(body, local)
    after, turns_after = pose(body, solve(body, local, roles, reachable(body, local, roles)))
    swing = quaternion.multiply(turns_after[:, upper], quaternion.inverse(turns_before[:, upper]))
    axis = quaternion.unit(rotation.to_rotation_vector(swing))
    limb = quaternion.unit(after[:, end] - after[:, upper])
    assert np.abs(np.sum(axis * limb, axis=-1)).max() < 1e-6
    # in the upper joint's own space the middle joint bends about the same axis as before
    bends = []
    for positions, turns in ((before, turns_before), (after, turns_after)):
        normal = np.cross(positions[:, middle] - positions[:, upper], positions[:, end] - positions[:, middle])
        bends.append(quaternion.unit(quaternion.rotate(quaternion.inverse(turns[:, upper]), normal)))
    assert np.sum(bends[0] * bends[1], axis=-1).min() > 1 - 1e-9


def test_a_limb_bent_backwards_comes_to_bend_about_its_hinge(humanoid, roles):
    body = humanoid(1)
    local = flexed(body, roles, random_poses(body), least=0.5)
    upper, middle, end = chain_of(body, roles)
    assert body.tpose is not None
    flex = quaternion.multiply(quaternion.inverse(body.tpose[middle]), local[:, middle])
    local[:, middle] = quaternion.multiply(body.tpose[middle], quaternion.inverse(flex))
    positions, turns = pose(body, solve(body, local, roles, reachable(body, local, roles)))
    bend = np.cross(positions[:, middle] - positions[:, upper], positions[:, end] - positions[:, middle])
    hinge = quaternion.rotate(turns[:, upper], find_hinge(body, roles[0]))
    assert np.sum(bend * hinge, axis=-1).min() > 0


def test_a_straight_limb_bends_about_its_hinge(humanoid, roles):
    body = humanoid(1)
    local = np.broadcast_to(np.array(body.tpose, np.float64), (COUNT, body.joint_count, 4)).copy()
    upper, middle, end = chain_of(body, roles)
    positions, turns = pose(body, solve(body, local, roles, reachable(body, local, roles)))
    bend = np.cross(positions[:, middle] - positions[:, upper], positions[:, end] - positions[:, middle])
    hinge = quaternion.rotate(turns[:, upper], find_hinge(body, roles[0]))
    assert np.sum(quaternion.unit(bend) * hinge, axis=-1).min() > 0.99  # knees of this body are bent a little at rest


def test_a_limb_bent_a_little_bends_about_an_axis_between_its_own_and_the_hinge():
    """The share of the pose's own axis grows with the sine of the bend, as the legs of the run time have it."""
    u, v = np.array([0.0, -0.4, 0.0]), rotation.from_axis_angle(np.array([0.8, 0.0, 0.6]), 0.3)
    points = np.stack([np.zeros(3), u, u + quaternion.rotate(v, u)])[None]
    bent = bend_limb(points, quaternion.identity((1, 3)), np.array([[0.0, -0.6, 0.2]]), hinge=np.array([1.0, 0, 0]))
    flex = quaternion.multiply(quaternion.inverse(bent[:, 0]), bent[:, 1])
    share = 0.8 * np.sin(0.3) / CLEARLY
    expected = quaternion.unit(share * np.array([0.8, 0, 0.6]) + (1 - share) * np.array([1.0, 0, 0]))
    np.testing.assert_allclose(quaternion.unit(rotation.to_rotation_vector(flex))[0], expected, atol=1e-9)


def test_hinges_bring_hands_forward_and_feet_back(humanoid):
    body = humanoid(3)
    positions, turns = kinematics.tpose(body)
    for roles, ahead in ((LIMBS[0], 1), (LIMBS[1], -1), (tuple(r.replace("left", "right") for r in LIMBS[0]), 1)):
        upper, middle, end = chain_of(body, roles)
        hinge = quaternion.rotate(turns[upper], find_hinge(body, roles[0]))
        away = quaternion.rotate(rotation.from_axis_angle(hinge, 1.0), positions[end] - positions[middle])
        assert ahead * away[2] > 0.1


def test_rigid_motion_of_pose_and_target_changes_no_local_rotation(humanoid, roles):
    body = humanoid(1)
    local = random_poses(body)
    targets = reachable(body, local, roles)
    turn = quaternion.normalize(np.random.default_rng(3).normal(size=(COUNT, 4)))
    shift = np.random.default_rng(4).normal(scale=10, size=(COUNT, 3))
    positions, turns = pose(body, local)
    options = {"chain": chain_of(body, roles), "hinge": find_hinge(body, roles[0])}
    here = solve_two_joints(positions, turns, body.parents, targets=targets, **options)
    there = solve_two_joints(
        quaternion.rotate(turn[:, None], positions) + shift[:, None],
        quaternion.multiply(turn[:, None], turns),
        body.parents,
        targets=quaternion.rotate(turn, targets) + shift,
        **options,
    )
    assert quaternion.angle(here, there).max() < 1e-6


def test_mirrored_input_gives_mirrored_output(humanoid, roles):
    body = humanoid(1)
    local = random_poses(body)
    targets = reachable(body, local, roles)
    positions, turns = pose(body, local)
    joints = list(chain_of(body, roles))
    hinge = find_hinge(body, roles[0])
    vector, axial = np.array([-1, 1, 1]), np.array([1, -1, -1])  # a reflection turns axes of turns the other way
    bent = bend_limb(positions[:, joints], turns[:, joints], targets, hinge=hinge)
    mirrored = bend_limb(
        positions[:, joints] * vector, turns[:, joints] * [1, *axial], targets * vector, hinge=hinge * axial
    )
    assert quaternion.angle(mirrored, bent * [1, *axial]).max() < 1e-6


def test_a_target_rotation_is_the_end_joints_rotation_in_the_world(humanoid, roles):
    body = humanoid(1)
    local = random_poses(body)
    wanted = quaternion.normalize(np.random.default_rng(5).normal(size=(COUNT, 4)))
    end = body.roles[roles[2]]
    after = solve(body, local, roles, reachable(body, local, roles), target_rotations=wanted)
    assert quaternion.angle(pose(body, after)[1][:, end], wanted).max() < 1e-6
    free = solve(body, local, roles, reachable(body, local, roles))
    assert quaternion.angle(free[:, end], local[:, end]).max() < 1e-6


def test_targets_out_of_reach_are_pointed_at(humanoid, roles):
    body = humanoid(1)
    local = random_poses(body)
    upper, _, end = chain_of(body, roles)
    start = pose(body, local)[0][:, upper]
    directions = quaternion.unit(np.random.default_rng(6).normal(size=(COUNT, 3)))
    for far in (2.0, 1e6, 1e30):
        positions, _ = pose(body, solve(body, local, roles, start + far * directions))
        assert np.abs(quaternion.unit(positions[:, end] - positions[:, upper]) - directions).max() < 1e-5


@pytest.mark.parametrize("odd", [0.0, np.nan, np.inf, -np.inf, 1e300, 1e-300])
def test_no_target_makes_a_rotation_that_is_not_one(humanoid, roles, odd):
    body = humanoid(1)
    local = random_poses(body)
    start = pose(body, local)[0][:, body.roles[roles[0]]]
    targets = start + odd  # at 0, the shoulder itself
    after = solve(body, local, roles, targets)
    np.testing.assert_allclose(np.linalg.norm(after, axis=-1), 1, atol=1e-6)
    if not np.isfinite(odd):
        assert quaternion.angle(after, local).max() < 1e-6
    after = solve(body, local, roles, reachable(body, local, roles), weights=np.full(COUNT, odd))
    np.testing.assert_allclose(np.linalg.norm(after, axis=-1), 1, atol=1e-6)


def test_a_target_straight_behind_the_limb_is_reached_all_the_same(humanoid, roles):
    body = humanoid(1)
    local = flexed(body, roles, random_poses(body))
    positions, _ = pose(body, local)
    upper, _, end = chain_of(body, roles)
    targets = 2 * positions[:, upper] - positions[:, end]
    result, _ = pose(body, solve(body, local, roles, targets, softness=0.0))
    assert np.abs(result[:, end] - targets).max() < 1e-5


def test_bones_without_length_do_no_harm():
    points = np.zeros((4, 3, 3))
    points[1, 1:] = [0, 1, 0]  # no forearm
    points[2, 2] = [0, 1, 0]  # no upper arm
    points[3, 1] = [0, 1, 0]  # folded shut
    turns = quaternion.identity((4, 3))
    bent = bend_limb(points, turns, np.full((4, 3), 0.3), hinge=np.array([1.0, 0, 0]))
    np.testing.assert_allclose(np.linalg.norm(bent, axis=-1), 1, atol=1e-12)
    assert quaternion.angle(bent[1, 0], bent[1, 1]) < 1e-9  # an elbow that moves nothing is not bent
    tip = quaternion.rotate(bent[1, 0], [0, 1, 0])
    np.testing.assert_allclose(tip, quaternion.unit(np.full(3, 0.3)), atol=1e-9)


def test_an_elbow_does_not_snap_at_full_stretch():
    """A hand pulled outwards at even speed: how fast the elbow opens per millimetre, with and without softness."""
    count = 1001
    points = np.array([[0, 0, 0], [0.3, 0, 0], [0.3, 0, 0.3]])[None].repeat(count, axis=0)
    targets = np.linspace([0.5, 0, 0], [0.7, 0, 0], count)  # 0.2 mm apart, past the reach of 0.6 m
    turns = quaternion.identity((count, 3))
    speeds = []
    for softness in (SOFTNESS, 0.0):
        bent = bend_limb(points, turns, targets, hinge=np.array([0.0, -1, 0]), softness=softness)
        elbow = quaternion.angle(bent[:, 0], bent[:, 1])
        speeds.append(np.degrees(np.abs(np.diff(elbow)).max()))
        assert np.diff(elbow).min() > -1e-9  # opens all the way, never back
    assert speeds[0] < 0.3 < speeds[1]


def test_twist_bones_between_keep_their_rotation():
    names = ["chest", "upper", "twist", "lower", "lower_twist", "hand"]
    offsets = np.array([[0, 1.4, 0], [0.2, 0, 0], [0.15, 0, 0], [0.15, 0, 0], [0.1, 0, 0], [0.15, 0, 0]])
    body = skeleton(names, [-1, 0, 1, 2, 3, 4], offsets)
    local = quaternion.normalize(
        quaternion.identity((COUNT, 6)) + np.random.default_rng(0).normal(scale=0.2, size=(COUNT, 6, 4))
    )
    positions, turns = pose(body, local)
    targets = positions[:, 1] + np.random.default_rng(1).uniform(-0.25, 0.25, (COUNT, 3)) + [0, 0.1, 0.1]
    result = local.copy()
    result[:, [1, 3, 5]] = solve_two_joints(
        positions, turns, body.parents, chain=(1, 3, 5), targets=targets, hinge=np.array([0.0, -1, 0])
    )
    assert np.linalg.norm(pose(body, result)[0][:, 5] - targets, axis=-1).max() < 1e-6


def test_chains_that_are_none_are_named(humanoid):
    body = humanoid(1)
    positions, turns = pose(body, random_poses(body))
    for chain, message in (((0, 1, 99), "do not exist"), ((5, 4, 6), "not below"), ((5, 5, 6), "not below")):
        with pytest.raises(KinematchError, match=message):
            solve_two_joints(
                positions, turns, body.parents, chain=chain, targets=np.zeros(3), hinge=np.array([1.0, 0, 0])
            )
    with pytest.raises(KinematchError, match="no upper limb 'left_arm'"):
        find_hinge(body, "left_arm")


def test_targets_too_near_are_moved_until_a_limb_need_not_fold():
    limb = np.array([[[0.0, 1.0, 0.0], [0.0, 0.6, 0.1], [0.0, 0.1, 0.0]]])
    a, b = (np.linalg.norm(limb[0, k + 1] - limb[0, k]) for k in (0, 1))
    nearest = np.sqrt(a * a + b * b - 2 * a * b * np.cos(NARROWEST))
    target = np.array([[0.02, 0.9, -0.05]])
    for upwards in (1.0, 0.0):
        moved = np.array([limit_fold(*limb[0], target[0], upwards)])
        assert np.linalg.norm(moved - limb[:, 0]) == pytest.approx(nearest)
        assert np.cross(moved - limb[:, 0], target - limb[:, 0])[0, 1] == pytest.approx(
            0
        )  # the same way, seen from above
        np.testing.assert_allclose(limit_fold(*limb[0], limb[0, 2], upwards), limb[0, 2], atol=1e-12)
    assert moved[0, 1] == target[0, 1]
    folded = limb.copy()
    folded[:, 2] = target
    np.testing.assert_allclose(limit_fold(*folded[0], target[0], 1.0), target[0])
