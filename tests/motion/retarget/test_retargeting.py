"""Live retargeting: prepared once, applied to batches, as the equations of the thesis say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.root import add_root, with_root
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_rotation
from kinematch.motion.retarget import kernels as retarget_kernels
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.retarget.settings import ROTATIONS_ONLY
from kinematch.motion.skeleton import Skeleton, skeleton

TARGETS = [
    "lafan1-clips/walk1_subject1_walk2.bvh",
    "cmu/02_01.bvh",
    "bandai-namco/dataset-1_walk_normal_001.bvh",
    "rigs/poser_pirouette.bvh",
    "characters/mesh2motion-human-male.glb",
    "characters/vrm0-basic_armature.vrm",
    "characters/RobotExpressive.glb",
    "game-characters/KayKit-Knight.glb",
]


@pytest.fixture(scope="module")
def walk(data) -> Clip:
    return add_root(read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh").frames(100, 200))


def loosen(body: Skeleton, role: str) -> Skeleton:
    """A rig made for inverse kinematics: the joint of a role hangs on joint 0 instead of its limb."""
    joint = body.roles[role]
    positions, rotations = kinematics.rest_pose(body)
    parents, offsets, turns = np.array(body.parents), np.array(body.offsets), np.array(body.rotations)
    back = quaternion.inverse(rotations[0])
    parents[joint] = 0
    offsets[joint] = quaternion.rotate(back, positions[joint] - positions[0])
    turns[joint] = quaternion.multiply(back, rotations[joint])
    return replace(body, parents=parents, offsets=offsets, rotations=turns, tpose=turns)


def retarget_rotations(source: Skeleton, target: Skeleton) -> Retargeting:
    """Rotations alone (thesis 3.2.3), without corrections."""
    return Retargeting(source, target, ROTATIONS_ONLY)


def assert_turns(retargeting: Retargeting, positions: np.ndarray, rotations: np.ndarray) -> None:
    """Each joint's world rotation is q^t = q^s q^st (thesis eq. 3.20 and 3.22), by scipy."""
    source, target, plan = retargeting.source, retargeting.target, retargeting.plan
    found = kinematics.forward(target, *retargeting.apply(positions, rotations))[1]
    turns = kinematics.forward(source, positions, rotations)[1]
    rests = [kinematics.tpose(body)[1] for body in (source, target)]
    for joint, (low, high, share) in enumerate(zip(plan.low, plan.high, plan.shares)):
        if low < 0:
            continue
        ends = [
            to_scipy(turns[:, own]) * to_scipy(rests[0][own]).inv() * to_scipy(rests[1][joint]) for own in (low, high)
        ]
        wanted = ends[0] * Rotation.from_rotvec(share * (ends[0].inv() * ends[1]).as_rotvec())
        assert (wanted.inv() * to_scipy(found[:, joint])).magnitude().max(initial=0) < 2e-3


def to_scipy(rotations: np.ndarray) -> Rotation:
    return Rotation.from_quat(rotations.astype(np.float64), scalar_first=True)


def assert_stands(retargeting: Retargeting, positions: np.ndarray, rotations: np.ndarray) -> None:
    """The middle between the hip joints is the source's, scaled and raised; loose joints lie where their limb ends."""
    source, target, plan = retargeting.source, retargeting.target, retargeting.plan
    places, turns = kinematics.forward(target, *retargeting.apply(positions, rotations))
    own = kinematics.forward(source, positions, rotations)[0]
    middle = plan.scale * own[:, plan.source_legs].mean(axis=1) + plan.lift * [0.0, 1.0, 0.0]
    np.testing.assert_allclose(places[:, plan.target_legs].mean(axis=1), middle, atol=1e-4)
    for (joint, carrier), offset in zip(plan.loose, plan.loose_offsets):
        end = places[:, carrier] + to_scipy(turns[:, carrier]).apply(np.broadcast_to(offset, (len(turns), 3)))
        np.testing.assert_allclose(places[:, joint], end, atol=1e-4)


@pytest.mark.parametrize("file", TARGETS)
@pytest.mark.parametrize("rooted", [False, True])
def test_joints_turn_and_hips_stand_as_the_equations_say_on_real_rigs(data, walk, file, rooted):
    target = read_clip(data / file).skeleton
    retargeting = retarget_rotations(walk.skeleton, with_root(target) if rooted else target)
    assert_turns(retargeting, walk.positions, walk.rotations)
    assert_stands(retargeting, walk.positions, walk.rotations)


@pytest.mark.parametrize("seeds", [(1, 2), (None, 3), (2, 2)])
@pytest.mark.parametrize("count", [1, 7])
def test_joints_turn_and_hips_stand_as_the_equations_say_in_any_pose(humanoid, seeds, count):
    source, target = humanoid(seeds[0]), loosen(humanoid(seeds[1]), "left_foot")
    random = np.random.default_rng(count)
    rotations = quaternion.normalize(random.normal(size=(count, source.joint_count, 4))).astype(np.float32)
    positions = random.normal(size=(count, source.joint_count, 3)).astype(np.float32)
    for retargeting in (retarget_rotations(source, target), retarget_rotations(target, source)):
        assert_turns(retargeting, positions, rotations)
        assert_stands(retargeting, positions, rotations)


def test_no_poses_give_no_poses(humanoid):
    retargeting = retarget_rotations(humanoid(1), humanoid(2))
    joints = retargeting.source.joint_count
    assert retargeting.apply(np.zeros((0, joints, 3)), np.zeros((0, joints, 4)))[0].shape == (0, joints, 3)


def lengthen_trunk(body: Skeleton, more: int) -> Skeleton:
    """The humanoid with more joints between its spine (joint 1) and its chest."""
    shift = np.where(np.arange(body.joint_count) > 1, more, 0)
    parents = [int(p + shift[p]) if p >= 0 else -1 for p in body.parents]
    parents = [*parents[:2], *range(1, 1 + more), *(1 + more if p == 1 else p for p in parents[2:])]
    spread = [0, 1, *[1] * more, *range(2, body.joint_count)]
    rotations = np.array(body.rotations)[spread]
    rotations[2 : 2 + more] = quaternion.IDENTITY
    names = [*body.names[:2], *(f"Extra{k}" for k in range(more)), *body.names[2:]]
    roles = {role: int(joint + shift[joint]) for role, joint in body.roles.items()}
    return skeleton(names, parents, body.offsets[spread], rotations=rotations, roles=roles).with_tpose(rotations)


@pytest.mark.parametrize("more", [1, 2])
def test_trunks_are_interpolated_as_the_equations_say(humanoid, more):
    """Opposite signs of quaternions, equal rotations and large ones."""
    source = humanoid(1)
    retargeting = retarget_rotations(source, lengthen_trunk(humanoid(2), more))
    assert (retargeting.plan.shares > 0).sum() == 2
    rng = np.random.default_rng(0)
    rotations = quaternion.normalize(rng.normal(size=(500, source.joint_count, 4)))
    rotations[:100] = quaternion.IDENTITY
    rotations[100:200] *= -1
    rotations[200:300, 1:3] = quaternion.normalize([1, 1e-5, 0, 0])
    positions = np.broadcast_to(source.offsets, (500, source.joint_count, 3))
    assert_turns(retargeting, positions.astype(np.float32), rotations.astype(np.float32))


def test_a_long_trunk_bends_by_the_fraction_of_the_way(humanoid):
    source, target = humanoid(), lengthen_trunk(humanoid(), 1)  # hips, spine, chest onto hips, spine, extra, chest
    bent = quaternion.identity((1, source.joint_count))
    bent[0, source.roles["chest"]] = from_axis_angle([1.0, 0.0, 0.0], 0.9)
    _, rotations = retarget_rotations(source, target).apply(source.offsets[None], bent)
    np.testing.assert_allclose(quaternion.angle(rotations[0, :4]), [0, 0, 0.3, 0.6], atol=1e-5)


def test_no_input_makes_the_kernel_compile_again(walk):
    retargeting = Retargeting(walk.skeleton, walk.skeleton)
    p, q = np.array(walk.positions), np.array(walk.rotations)
    expected = retargeting.apply(p, q)
    kernel = retarget_kernels.retarget_poses
    before = len(kernel.signatures)
    room = np.zeros(q.nbytes + 1, np.uint8)
    unaligned = room[1:].view(np.float32).reshape(q.shape)
    unaligned[:] = q
    frozen = p.view()
    frozen.flags.writeable = False
    out = tuple(np.empty_like(a) for a in expected)
    cases = [
        (walk.positions, walk.rotations),
        (frozen, q),
        (p.astype(np.float64), q.astype(">f4")),
        (np.asfortranarray(p), q[::-1][::-1]),
        (p, unaligned),
    ]
    for positions, rotations in cases:
        for result in (retargeting.apply(positions, rotations), retargeting.apply(positions, rotations, out)):
            np.testing.assert_array_equal(result[0], expected[0])
            np.testing.assert_array_equal(result[1], expected[1])
    Retargeting(with_root(walk.skeleton), walk.skeleton).apply(p, q)
    assert len(kernel.signatures) == before == 1


def test_each_pose_stands_alone(humanoid, motion):
    clip = motion(humanoid(1))
    retargeting = Retargeting(clip.skeleton, humanoid(2))
    whole = retargeting.apply(clip.positions, clip.rotations)
    for n in (0, 7):
        one = retargeting.apply(clip.positions[n : n + 1], clip.rotations[n : n + 1])
        np.testing.assert_array_equal(one[0][0], whole[0][n])
        np.testing.assert_array_equal(one[1][0], whole[1][n])
    spoilt = np.array(clip.rotations)
    spoilt[3] = np.nan
    result = retargeting.apply(clip.positions, spoilt)
    others = np.arange(len(spoilt)) != 3
    np.testing.assert_array_equal(result[1][others], whole[1][others])


def test_moving_the_ground_root_moves_the_targets_scaled_and_nothing_else(walk, data):
    target = with_root(read_clip(data / "characters/vrm1-basic_armature.vrm").skeleton)
    retargeting = Retargeting(walk.skeleton, target)
    turn = yaw_rotation(np.array([0.6, 0.0, -0.8]))
    shift = np.array([3.0, 0.5, -7.0])
    positions, rotations = np.array(walk.positions), np.array(walk.rotations)
    positions[:, 0] = quaternion.rotate(turn, positions[:, 0]) + shift
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    here, there = retargeting.apply(walk.positions, walk.rotations), retargeting.apply(positions, rotations)
    np.testing.assert_allclose(there[0][:, 0], retargeting.scale * positions[:, 0], atol=1e-5)
    np.testing.assert_allclose(here[0][:, 0], retargeting.scale * walk.positions[:, 0], atol=1e-5)
    np.testing.assert_allclose(there[0][:, 1:], here[0][:, 1:], atol=1e-5)
    # limbs that are nearly straight magnify the rounding of places
    assert quaternion.angle(there[1][:, 1:], here[1][:, 1:]).max() < 3e-4


def test_precision_does_not_suffer_far_from_the_origin(walk, data):
    target = with_root(read_clip(data / "cmu/02_01.bvh").skeleton)
    retargeting = Retargeting(walk.skeleton, target)
    far = np.array(walk.positions)
    far[:, 0] += [30_000, 0, -50_000]
    near = retargeting.apply(walk.positions, walk.rotations)[0]
    np.testing.assert_allclose(retargeting.apply(far, walk.rotations)[0][:, 1:], near[:, 1:], atol=1e-6)


@pytest.mark.parametrize("role", ["left_foot", "right_hand", "left_lower_leg"])
def test_a_loose_hand_or_foot_goes_along_with_its_limb(humanoid, motion, role):
    whole = humanoid(2)
    clip = motion(humanoid(1))
    body = loosen(whole, role)
    retargeting = Retargeting(clip.skeleton, body)
    assert any(repr(body.names[body.roles[role]]) in problem for problem in retargeting.problems)
    expected = kinematics.global_pose(retarget(clip, whole, ROTATIONS_ONLY))
    found = kinematics.global_pose(retarget(clip, body, ROTATIONS_ONLY))
    np.testing.assert_allclose(found[0], expected[0], atol=1e-5)
    assert quaternion.angle(found[1], expected[1]).max() < 1e-5


@pytest.mark.parametrize("which", ["source", "target"])
def test_a_static_root_below_the_soles_lifts_nobody(humanoid, motion, which):
    """Files of Bandai Namco and games have a joint on the floor that is no part of the body."""
    source, target = humanoid(1), humanoid(2)
    clip = motion(source)
    expected = kinematics.global_pose(retarget(clip, target))[0]

    def stand_on_static_root(body: Skeleton) -> Skeleton:
        offsets = np.concatenate([[[0, -0.2, 0]], body.offsets])
        offsets[1, 1] += 0.2
        rotations = np.concatenate([[quaternion.IDENTITY], body.rotations])
        roles = {role: joint + 1 for role, joint in body.roles.items()}
        return skeleton(
            ["Static", *body.names], [-1, *(body.parents + 1)], offsets, rotations=rotations, roles=roles
        ).with_tpose(rotations)

    if which == "target":
        found = retarget(clip, stand_on_static_root(target))
        np.testing.assert_allclose(kinematics.global_pose(found)[0][:, 1:], expected, atol=1e-5)
        return
    positions = np.insert(clip.positions, 0, [0, -0.2, 0], axis=1)
    positions[:, 1, 1] += 0.2
    still = np.insert(clip.rotations, 0, quaternion.IDENTITY, axis=1)
    found = retarget(Clip(stand_on_static_root(source), positions, still, clip.frame_rate), target)
    np.testing.assert_allclose(kinematics.global_pose(found)[0], expected, atol=1e-5)


@pytest.mark.parametrize("file", ["bandai-namco/dataset-1_walk_normal_001.bvh", "game-characters/KayKit-Knight.glb"])
def test_feet_on_the_floor_stay_there(data, walk, file):
    """The median height of the lowest point of a planted foot, on rigs with a static root."""
    planted = find_contacts(walk)
    heights = []
    for clip in (walk, retarget(walk, read_clip(data / file).skeleton)):
        body = clip.skeleton
        positions, rotations = kinematics.global_pose(clip)
        ends = kinematics.end_positions(body, positions, rotations)
        for side, flags in zip(("left", "right"), planted.T):
            foot = body.roles[f"{side}_foot"]
            joints = [j for j in range(body.joint_count) if foot in body.chain(j)]
            points = np.concatenate([positions[:, joints], ends[:, np.isin(body.end_parents, joints)]], axis=1)
            heights.append(np.median(points[flags, :, 1].min(axis=-1)))
    assert np.abs(np.array(heights[2:]) - heights[:2]).max() < 0.015


def test_a_ground_root_comes_before_the_files_own_joints(data):
    for file in TARGETS:
        body = read_clip(data / file).skeleton
        rooted = with_root(body)
        assert rooted.names[1:] == body.names
        assert rooted.roles["root"] == 0
        np.testing.assert_array_equal(rooted.parents[1:], body.parents + 1)
        np.testing.assert_array_equal(rooted.offsets[2:], body.offsets[1:])
        np.testing.assert_allclose(kinematics.tpose(rooted)[0][1:], kinematics.tpose(body)[0], atol=1e-5)
        positions, _ = kinematics.forward(rooted, rooted.offsets, rooted.tpose)
        np.testing.assert_allclose(positions[rooted.roles["hips"], [0, 2]], 0, atol=1e-5)
        assert with_root(rooted) is rooted


def test_a_body_on_a_ground_root_moves_as_without_one(data, walk):
    for file in TARGETS:
        body = read_clip(data / file).skeleton
        plain, rooted = retarget(walk, body), retarget(walk, with_root(body))
        expected, found = kinematics.global_pose(plain), kinematics.global_pose(rooted)
        below = [j for j in range(body.joint_count) if body.roles["hips"] in body.chain(j)]
        np.testing.assert_allclose(found[0][:, 1:][:, below], expected[0][:, below], atol=2e-5)
        assert quaternion.angle(found[1][:, 1:][:, below], expected[1][:, below]).max() < 1e-4


def test_it_says_what_follows_what_and_what_does_not(humanoid, data, walk):
    target = read_clip(data / "characters/vrm1-basic_armature.vrm").skeleton
    retargeting = Retargeting(walk.skeleton, target)
    left_arm = target.names[target.roles["left_upper_arm"]]
    assert retargeting.joints[left_arm] == walk.skeleton.names[walk.skeleton.roles["left_upper_arm"]]
    thumb = target.names[target.roles["left_thumb_distal"]]
    assert thumb not in retargeting.joints
    assert any("keep their T-pose" in problem for problem in retargeting.problems)
    assert retargeting.problems[0] == "the target has no joint for: root"
    assert Retargeting(humanoid(1), humanoid(2)).problems == ()
    assert set(Retargeting(humanoid(1), humanoid(2)).joints.items()) == {(n, n) for n in humanoid(1).names}


def test_the_scale_is_that_of_the_legs(humanoid):
    small = humanoid(1)
    large = replace(small, offsets=small.offsets * 1.5)
    assert Retargeting(small, large).scale == pytest.approx(1.5)


def test_arrays_that_do_not_fit_are_refused(humanoid, motion):
    clip = motion(humanoid(1))
    retargeting = Retargeting(clip.skeleton, humanoid(2))
    p, q = np.array(clip.positions), np.array(clip.rotations)
    for positions, rotations, message in [
        (p[0], q, r"positions have shape \(21, 3\)"),
        (p[:, 1:], q, r"positions have shape \(20, 20, 3\), expected \(N, 21, 3\)"),
        (p, p, r"rotations have shape"),
        (p[1:], q, "19 poses by their positions, 20 by their rotations"),
    ]:
        with pytest.raises(KinematchError, match=message):
            retargeting.apply(positions, rotations)
    other_p, other_q = np.empty_like(p), np.empty_like(q)
    frozen = other_p.view()
    frozen.flags.writeable = False
    for out in [
        (other_p[1:], other_q),
        (other_p.astype(np.float64), other_q),
        (np.asfortranarray(other_p), other_q),
        (frozen, other_q),
        (None, other_q),
        (p, other_q),
        (other_p, q),
    ]:
        with pytest.raises(KinematchError, match="out "):
            retargeting.apply(p, q, out)


def test_skeletons_that_are_not_ready_are_named(humanoid):
    body = humanoid(1)
    flat = replace(body, offsets=np.zeros_like(body.offsets))
    with pytest.raises(KinematchError, match="target skeleton: its legs have no length"):
        Retargeting(body, flat)
    with pytest.raises(KinematchError, match="source skeleton: it has no reference T-pose"):
        Retargeting(replace(body, tpose=None), body)
