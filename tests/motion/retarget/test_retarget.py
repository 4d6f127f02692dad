"""Retargeting keeps what the body does in the world, on rigs of other axes, lengths and joints (thesis 3.20-3.23)."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.clean.root import add_root
from kinematch.motion.clip import Clip
from kinematch.motion.retarget.retarget_clip import retarget as retarget_with
from kinematch.motion.retarget.settings import ROTATIONS_ONLY
from kinematch.motion.skeleton import Skeleton, skeleton

TARGETS = [
    "cmu/02_01.bvh",
    "xsens/JL_mm_tpose.bvh",
    "bandai-namco/dataset-1_walk_normal_001.bvh",
    "amass-z-up/example_2.bvh",
    "rigs/Geno_stance.bvh",
    "rigs/poser_pirouette.bvh",
    "characters/mesh2motion-human-male.glb",
    "characters/vrm0-basic_armature.vrm",
    "characters/vrm1-basic_armature.vrm",
    "characters/100Avatars_003_Jimmy.vrm",
    "characters/CesiumMan.glb",
]


def retarget(clip: Clip, target: Skeleton) -> Clip:
    """Rotations alone (thesis 3.2.3), without corrections."""
    return retarget_with(clip, target, ROTATIONS_ONLY)


def directions(clip: Clip) -> np.ndarray:
    """Directions of the limbs in the world (F, 8, 3)."""
    positions, _ = kinematics.global_pose(clip)
    chains = (("upper_arm", "lower_arm", "hand"), ("upper_leg", "lower_leg", "foot"))
    pairs = [(f"{s}_{a}", f"{s}_{b}") for s in ("left", "right") for c in chains for a, b in zip(c, c[1:])]  # noqa: RUF007
    roles = clip.skeleton.roles
    return np.stack([quaternion.unit(positions[:, roles[b]] - positions[:, roles[a]]) for a, b in pairs], axis=1)


def turn_apart(a: Clip, b: Clip) -> float:
    """The largest angle in degrees between global rotations of two clips on one skeleton."""
    return float(np.degrees(quaternion.angle(kinematics.global_pose(a)[1], kinematics.global_pose(b)[1])).max())


@pytest.fixture(scope="module")
def walk(data) -> Clip:
    return read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh").frames(100, 160)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_to_itself_nothing_changes(humanoid, motion, seed):
    clip = motion(humanoid(seed))
    same = retarget(clip, clip.skeleton)
    np.testing.assert_allclose(same.positions, clip.positions, atol=1e-5)
    assert np.abs(quaternion.angle(same.rotations, clip.rotations)).max() < 1e-4


@pytest.mark.parametrize("file", ["lafan1-simulation-bone/ground2_subject3_turn_filtered.bvh", *TARGETS])
def test_to_itself_nothing_changes_on_real_rigs(data, file):
    clip = read_clip(data / file)
    clip = clip.frames(0, min(30, clip.frame_count))
    same = retarget(clip, clip.skeleton)
    a, b = kinematics.global_pose(same)[0], kinematics.global_pose(clip)[0]
    np.testing.assert_allclose(a, b, atol=1e-4)
    assert np.abs(quaternion.angle(same.rotations, clip.rotations)).max() < 1e-3


@pytest.mark.parametrize(("a", "b"), [(None, 1), (1, None), (2, 3)])
def test_there_and_back_nothing_changes_whatever_the_joint_axes(humanoid, motion, a, b):
    clip = motion(humanoid(a))
    other = retarget(clip, humanoid(b))
    np.testing.assert_allclose(kinematics.global_pose(other)[0], kinematics.global_pose(clip)[0], atol=1e-5)
    assert turn_apart(retarget(other, clip.skeleton), clip) < 0.01


def test_a_t_pose_becomes_a_t_pose(humanoid):
    source, target = humanoid(1), humanoid(2)
    clip = Clip(source, source.offsets[None], np.array(source.tpose)[None], 30)
    result = retarget(clip, target)
    assert np.abs(quaternion.angle(result.rotations[0], target.tpose)).max() < 1e-4


def test_longer_legs_stand_as_firmly_on_the_floor(humanoid, motion):
    source = humanoid(1)
    target = humanoid(2)
    longer = np.array(target.offsets)
    for side in ("left", "right"):
        for part in ("lower_leg", "foot"):
            longer[target.roles[f"{side}_{part}"]] *= 1.3
    target = replace(target, offsets=longer)
    scale = leg_length(target) / leg_length(source)
    assert scale == pytest.approx(1.3, abs=1e-5)
    clip = motion(source)
    result = retarget(clip, target)
    feet = ["left_foot", "right_foot"]  # their middle, since the hips did not grow wider
    before, after = (
        kinematics.global_pose(c)[0][:, [c.skeleton.roles[foot] for foot in feet]].mean(axis=1) for c in (clip, result)
    )
    ankle = 0.06  # both have, over the floor
    assert np.abs((after[:, 1] - ankle) - scale * (before[:, 1] - ankle)).max() < 1e-4
    np.testing.assert_allclose(after[:, [0, 2]], scale * before[:, [0, 2]], atol=1e-4)


def test_a_ground_root_goes_along(humanoid, motion):
    clip = add_root(motion(humanoid(1), frames=60))
    target = add_root(motion(humanoid(2), frames=60)).skeleton
    result = retarget(clip, target)
    np.testing.assert_allclose(result.positions[:, 0], clip.positions[:, 0], atol=1e-5)
    np.testing.assert_allclose(kinematics.global_pose(result)[0], kinematics.global_pose(clip)[0], atol=1e-4)
    without = retarget(clip, humanoid(3))
    np.testing.assert_allclose(kinematics.global_pose(without)[0], kinematics.global_pose(clip)[0][:, 1:], atol=1e-4)


def test_a_short_spine_shares_the_bend_of_a_long_one(humanoid, motion, make_humanoid):
    parts = ["UpLeg", "Leg", "Foot", "Toe", "Shoulder", "Arm", "ForeArm", "Hand"]
    sides = [[f"{side}{part}" for part in parts] for side in ("Left", "Right")]
    long = make_humanoid(["Hips", "S1", "S2", "S3", "S4", "S5", "Neck", "Head"], *sides)
    roles = {"hips": 0, "spine": 1, "chest": 4, "upper_chest": 5, "neck": 6, "head": 7}
    body = ("upper_leg", "lower_leg", "foot", "toes", "shoulder", "upper_arm", "lower_arm", "hand")
    for side, first in (("left", 8), ("right", 16)):
        roles |= {f"{side}_{part}": first + k for k, part in enumerate(body)}
    long = long.with_roles(roles).with_tpose(long.rotations)
    clip = motion(humanoid(1))
    result = retarget(clip, long)
    turns = kinematics.global_pose(result)[1]
    source = quaternion.multiply(
        kinematics.global_pose(clip)[1], quaternion.inverse(kinematics.tpose(clip.skeleton)[1])
    )
    for role in ("hips", "neck", "head", "left_hand"):
        assert np.abs(quaternion.angle(turns[:, roles[role]], source[:, clip.skeleton.roles[role]])).max() < 1e-4
    # the highest joints carry the shoulders and turn alike; those between turn by parts of the way
    top = clip.skeleton.roles["chest"]
    assert np.abs(quaternion.angle(turns[:, 5], source[:, top])).max() < 1e-4
    steps = quaternion.angle(turns[:, 1:6], turns[:, 0:5])
    assert steps.max() < quaternion.angle(source[:, top], source[:, 0]).max() + 0.5
    assert turn_apart(retarget(result, clip.skeleton), clip) < 20


def test_joints_that_only_the_target_has_keep_their_t_pose(humanoid, motion):
    target = humanoid(2)
    names = (*target.names, "Sword")
    hand = target.roles["right_hand"]
    armed = skeleton(
        names,
        [*target.parents, hand],
        np.concatenate([target.offsets, [[0.0, 0.1, 0.0]]]),
        rotations=np.concatenate([target.rotations, [[0.6, 0.8, 0.0, 0.0]]]),
        roles=target.roles,
    )
    armed = armed.with_tpose(armed.rotations)
    result = retarget(motion(humanoid(1)), armed)
    np.testing.assert_allclose(np.abs(result.rotations[:, -1] @ armed.tpose[-1]), 1, atol=1e-6)


def test_skeletons_that_are_not_ready_are_named(humanoid, motion, person):
    clip = motion(humanoid(1))
    with pytest.raises(KinematchError, match="target skeleton: roles missing: hips"):
        retarget(clip, person)
    with pytest.raises(KinematchError, match="target skeleton: it has no reference T-pose"):
        retarget(clip, replace(clip.skeleton, tpose=None))


@pytest.mark.parametrize("file", TARGETS)
def test_real_walking_keeps_its_limbs_on_every_rig(data, walk, file):
    target = read_clip(data / file).skeleton
    result = retarget(walk, target)
    apart = np.degrees(np.arccos(np.clip(np.sum(directions(result) * directions(walk), axis=-1), -1, 1)))
    assert apart.max() < 2
    heights = []
    for clip in (walk, result):
        body, feet = clip.skeleton, [clip.skeleton.roles[f"{side}_foot"] for side in ("left", "right")]
        positions, rotations = kinematics.tpose(body)
        below = [j for j in range(body.joint_count) if not set(feet).isdisjoint(body.chain(j))]
        ends = kinematics.end_positions(body, positions, rotations)[np.isin(body.end_parents, below)]
        sole = np.concatenate([positions[below], ends])[:, 1].min()
        heights.append(kinematics.global_pose(clip)[0][:, feet, 1].min() - (positions[feet, 1].min() - sole))
    assert abs(heights[1] - heights[0]) < 0.04  # ankles are as near to the floor as in the source
    back = retarget(result, walk.skeleton)
    shared = [walk.skeleton.roles[r] for r in walk.skeleton.roles if r in target.roles and "chest" not in r]
    angles = quaternion.angle(kinematics.global_pose(back)[1], kinematics.global_pose(walk)[1])[:, shared]
    assert np.degrees(angles).max() < 3
    np.testing.assert_allclose(back.positions[:, 0], walk.positions[:, 0], atol=0.02)
