from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.motion import kinematics
from kinematch.motion.clean.mirror import mirror, mirror_pairs
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton

RIGS = [
    "lafan1-clips/walk1_subject1_walk2.bvh",
    "lafan1-simulation-bone/walk1_subject1_walk2_filtered.bvh",
    "cmu/16_35.bvh",
    "bandai-namco/dataset-2_walk-turn-left_normal_001.bvh",
    "xsens/JL_mm_tpose.bvh",
    "rigs/Geno_stance.bvh",
    "rigs/cmu3dsmax_131_01.bvh",
    "rigs/poser_pirouette.bvh",
    "rigs/pybvh_bvh_test1.bvh",
    "rigs/pybvh_bvh_test2.bvh",
    "characters/CesiumMan.glb",
    "characters/RobotExpressive.glb",
    "characters/mesh2motion-human-male.glb",
    "characters/three-vrm-test.vrma",
]


def reflection_error(clip, mirrored):
    """How far mirrored joints lie from the reflections of their counterparts (F, J), in metres."""
    positions, _ = kinematics.global_pose(clip)
    image, _ = kinematics.global_pose(mirrored)
    return np.linalg.norm(image - positions[:, mirror_pairs(clip.skeleton)] * [-1, 1, 1], axis=-1)


def assert_same_motion(a, b, atol=1e-5):
    np.testing.assert_allclose(a.positions, b.positions, atol=atol)
    assert quaternion.angle(a.rotations, b.rotations).max() < atol


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_mirroring_is_a_reflection_whatever_the_joint_axes(humanoid, motion, seed):
    clip = motion(humanoid(seed), seed=seed or 0)
    assert reflection_error(clip, mirror(clip)).max() < 1e-5


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_mirroring_twice_changes_nothing(humanoid, motion, seed):
    clip = motion(humanoid(seed), seed=seed or 0)
    assert_same_motion(mirror(mirror(clip)), clip)


def test_bones_of_a_lopsided_skeleton_keep_their_own_lengths(humanoid, motion):
    body = humanoid(3)
    offsets = np.array(body.offsets)
    offsets[body.roles["left_lower_leg"]] *= 1.1
    clip = motion(replace(body, offsets=offsets))
    image = mirror(clip)
    legs = [body.roles["left_lower_leg"], body.roles["right_lower_leg"]]
    np.testing.assert_allclose(image.positions[:, legs], clip.positions[:, legs], atol=1e-6)
    assert_same_motion(mirror(image), clip)


def test_a_skewed_tpose_does_not_bend_the_reflection(humanoid, motion):
    body = humanoid(4)
    tpose = np.array(body.tpose)
    chest = body.roles["chest"]
    tpose[chest] = quaternion.multiply(tpose[chest], from_rotation_vector([0.1, 0.2, -0.1]))
    clip = motion(body.with_tpose(tpose))
    assert reflection_error(clip, mirror(clip)).max() < 1e-3


def test_pairs_come_from_roles_then_from_names():
    names = ["Root", "mixamorig:LeftHand", "mixamorig:RightHand", "thigh_l", "thigh_r", "foot.L", "foot.R"]
    names += [
        "Bip01 L Toe0",
        "Bip01 R Toe0",
        "lhip",
        "rhip",
        "LThumb",
        "RThumb",
        "lowerback",
        "Left",
        "x",
        "y",
        "左足",
        "右足",
    ]
    body = skeleton(
        names, [-1] + [0] * (len(names) - 1), np.zeros((len(names), 3)), roles={"left_eye": 15, "right_eye": 16}
    )
    expected = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 13, 14, 16, 15, 18, 17]
    assert mirror_pairs(body).tolist() == expected


def test_given_pairs_stand_alone_and_must_not_overlap():
    body = skeleton(["a", "left", "right", "b"], [-1, 0, 0, 0], np.zeros((4, 3)))
    assert mirror_pairs(body, [("a", "b")]).tolist() == [3, 1, 2, 0]
    with pytest.raises(KinematchError, match="'b' stands in two"):
        mirror_pairs(body, [("a", "b"), ("left", "b")])
    with pytest.raises(KinematchError, match="no joint or role 'c'"):
        mirror_pairs(body, [("a", "c")])


@pytest.mark.parametrize("facing", [0.0, 0.5 * np.pi, 1.0])
def test_an_animal_without_a_tpose_is_mirrored_by_its_rest_pose(facing):
    turn = from_rotation_vector([0, facing, 0])
    places = np.array(
        [[0, 0.5, 0], [0, 0.6, 0.4], [0.1, 0.4, 0.3], [-0.1, 0.4, 0.3], [0.1, 0.1, 0.3], [-0.1, 0.1, 0.3]]
    )
    parents = [-1, 0, 0, 0, 2, 3]
    offsets = quaternion.rotate(turn, places - np.where(np.array(parents)[:, None] >= 0, places[parents], 0))
    dog = skeleton(["pelvis", "neck", "armA", "armB", "pawA", "pawB"], parents, offsets)
    random = np.random.default_rng(5)
    rotations = from_rotation_vector(0.5 * random.normal(size=(4, 6, 3)))
    positions = np.broadcast_to(offsets, (4, 6, 3)).copy()
    positions[:, 0] += random.normal(size=(4, 3))
    clip = Clip(dog, positions, rotations, 30)
    pairs = [("armA", "armB"), ("pawA", "pawB")]
    image = mirror(clip, pairs)
    before, after = kinematics.global_pose(clip)[0], kinematics.global_pose(image)[0]
    np.testing.assert_allclose(after, before[:, mirror_pairs(dog, pairs)] * [-1, 1, 1], atol=1e-5)
    assert_same_motion(mirror(image, pairs), clip)


@pytest.mark.parametrize("name", RIGS)
def test_mirroring_twice_changes_nothing_on_real_rigs(data, name):
    clip = read_clip(data / name)
    clip = clip.frames(0, min(clip.frame_count, 200))
    image = mirror(clip)
    assert_same_motion(mirror(image), clip)
    # what is left is the rig's own lopsidedness: bones differ by up to two centimetres from left to right
    if "Robot" not in name:
        assert reflection_error(clip, image).mean() < 0.012


@pytest.mark.parametrize("name", RIGS[:2] + RIGS[3:4])
def test_on_symmetric_rigs_the_reflection_is_exact(data, name):
    clip = read_clip(data / name)
    assert reflection_error(clip, mirror(clip)).max() < 1e-4


def ground_fit(points, onto):
    """points moved along and turned about the up axis to lie as near as can be, and the angle in degrees."""
    a, b = (p[..., 0] + 1j * p[..., 2] for p in (points.astype(float), onto.astype(float)))
    turn = np.vdot(a - a.mean(), b - b.mean())
    turn /= abs(turn)
    moved = (a - a.mean()) * turn + b.mean()
    return np.stack([moved.real, points[..., 1], moved.imag], axis=-1), np.degrees(np.angle(turn))


@pytest.mark.parametrize("name", ["fightAndSports1_subject4_backward", "walk1_subject1_walk2"])
def test_our_mirror_image_is_the_one_others_made(data, tmp_path, name):
    """They reflect z instead of x, which is ours after half a turn.

    Their files declare the joints' channels X Y Z, while the numbers stand as Z Y X: read as declared, arms point at
    the sky. With the header put right the two agree to a hundredth of a millimetre.
    """
    text = (data / "lafan1-clips" / f"{name}_mirror.bvh").read_text()
    fixed = tmp_path / "fixed.bvh"
    fixed.write_text(text.replace("Xrotation Yrotation Zrotation", "Zrotation Yrotation Xrotation"))
    theirs = kinematics.global_pose(read_clip(fixed))[0]
    ours = kinematics.global_pose(mirror(read_clip(data / "lafan1-clips" / f"{name}.bvh")))[0]
    moved, angle = ground_fit(ours, theirs)
    assert abs(angle) == pytest.approx(180, abs=0.01)
    assert np.linalg.norm(moved - theirs, axis=-1).max() < 2e-5


def test_the_up_sampled_mirrored_clip_of_digital_humans_is_ours(data):
    theirs = read_clip(data / "lafan1-simulation-bone" / "walk1_subject1_walk2_mirror_filtered.bvh")
    ours = resample(mirror(read_clip(data / "lafan1-clips" / "walk1_subject1_walk2.bvh")), 60)
    onto = kinematics.global_pose(theirs)[0][:, 1:]
    moved, _ = ground_fit(kinematics.global_pose(ours)[0], onto)
    assert np.linalg.norm(moved - onto, axis=-1).max() < 5e-5
