import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.motion import kinematics
from kinematch.motion.clean.resample import resample
from kinematch.motion.clean.root import add_root, body_forward, has_ground_root, replace_root
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_direction
from kinematch.motion.skeleton import skeleton

Z = np.array([0.0, 0, 1])


def root_forward(clip: Clip):
    return quaternion.rotate(clip.rotations[:, 0].astype(float), Z)


def degrees_between(a, b):
    return np.degrees(2 * np.arcsin(np.clip(np.linalg.norm(a - b, axis=-1) / 2, 0, 1)))


def assert_body_unmoved(before: Clip, after: Clip, atol=1e-5):
    """Every joint from the hips on keeps its place in the world."""
    added = after.skeleton.joint_count - before.skeleton.joint_count
    over = set(after.skeleton.chain(after.skeleton.roles["hips"])[:-1])
    body = np.array([j for j in range(after.skeleton.joint_count) if j not in over])
    (p0, r0), (p1, r1) = kinematics.global_pose(before), kinematics.global_pose(after)
    np.testing.assert_allclose(p1[:, body], p0[:, body - added], atol=atol)
    assert quaternion.angle(r1[:, body], r0[:, body - added]).max() < atol


def assert_on_the_ground(clip: Clip):
    assert clip.skeleton.roles["root"] == 0
    np.testing.assert_array_equal(clip.positions[:, 0, 1], 0)
    np.testing.assert_allclose(clip.rotations[:, 0, [1, 3]], 0, atol=1e-7)


def with_static_root(clip: Clip, *, turn=(0.0, 0.0, 0.0), middle=False) -> Clip:
    """The clip under one or two joints that never move, the first standing on end if turned, as Unreal's do."""
    body, extra = clip.skeleton, 2 if middle else 1
    stand = from_rotation_vector(np.array(turn))
    p, r = np.array(clip.positions, float), np.array(clip.rotations, float)
    p[:, 0] = quaternion.rotate(quaternion.inverse(stand), p[:, 0])
    r[:, 0] = quaternion.multiply(quaternion.inverse(stand), r[:, 0])
    still = np.zeros((len(p), extra, 3)), np.tile([1.0, 0, 0, 0], (len(p), extra, 1))
    still[1][:, 0] = stand
    offsets = np.concatenate([np.zeros((extra, 3)), body.offsets])
    offsets[extra] = p[0, 0]
    taller = skeleton(
        ["armature", "root"][:extra] + list(body.names),
        list(range(-1, extra - 1)) + [int(q) + extra for q in body.parents],
        offsets,
        roles={role: j + extra for role, j in body.roles.items()},
    )
    tpose = np.concatenate([still[1][0], np.array(body.tpose)])
    tpose[extra] = quaternion.multiply(quaternion.inverse(stand), tpose[extra])
    rotations = np.concatenate([still[1], r], axis=1)
    return Clip(taller.with_tpose(tpose), np.concatenate([still[0], p], axis=1), rotations, clip.frame_rate)


@pytest.mark.parametrize("method", ["hips", "spine"])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_new_root_moves_no_joint_of_the_body(humanoid, motion, method, seed):
    clip = motion(humanoid(seed), seed=seed or 0)
    rooted = add_root(clip, method)
    assert rooted.skeleton.names[:2] == ("Root", "Hips")
    assert_on_the_ground(rooted)
    assert_body_unmoved(clip, rooted)


@pytest.mark.parametrize("middle", [False, True])
@pytest.mark.parametrize("turn", [(0, 0, 0), (-np.pi / 2, 0, 0)])
def test_a_static_root_is_given_the_motion(humanoid, motion, turn, middle):
    clip = with_static_root(motion(humanoid(1)), turn=turn, middle=middle)
    assert not has_ground_root(clip)
    rooted = add_root(clip)
    assert rooted.skeleton.names == clip.skeleton.names
    assert_on_the_ground(rooted)
    assert_body_unmoved(clip, rooted)
    new = add_root(motion(humanoid(1)))
    np.testing.assert_allclose(rooted.positions[:, 0], new.positions[:, 0], atol=1e-5)
    assert quaternion.angle(rooted.rotations[:, 0], new.rotations[:, 0]).max() < 1e-5
    if middle:  # what lies between root and hips goes along without moving
        assert np.ptp(rooted.positions[:, 1], axis=0).max() < 1e-6


def test_without_windows_the_root_is_the_projected_hips(humanoid, motion):
    clip = motion(humanoid())
    rooted = add_root(clip, "hips", position_window=0, direction_window=0)
    positions, rotations = kinematics.global_pose(clip)
    np.testing.assert_allclose(rooted.positions[:, 0], positions[:, 0] * [1, 0, 1], atol=1e-6)  # thesis 3.4
    forward = quaternion.unit(quaternion.rotate(rotations[:, 0].astype(float), Z) * [1, 0, 1])
    assert degrees_between(root_forward(rooted), forward).max() < 1e-3  # thesis 3.5-3.6


@pytest.mark.parametrize("seed", [None, 3])
def test_the_root_faces_where_the_body_faces_whatever_the_hip_axes(humanoid, seed):
    body = humanoid(seed)
    yaw = 0.8 * np.arange(90) / 30
    rotations = np.broadcast_to(body.tpose, (90, *body.tpose.shape)).astype(float)
    rotations[:, 0] = quaternion.multiply(from_rotation_vector(yaw[:, None] * [0, 1, 0]), rotations[:, 0])
    clip = Clip(body, np.broadcast_to(body.offsets, (90, *body.offsets.shape)), rotations, 30)
    assert degrees_between(root_forward(add_root(clip)), yaw_direction(yaw)).max() < 0.1
    assert degrees_between(body_forward(clip), yaw_direction(yaw)).max() < 0.1


def test_the_rooted_skeleton_stands_over_the_origin_in_its_tpose(humanoid, motion):
    for clip in (motion(humanoid(1)), with_static_root(motion(humanoid(1)), turn=(-np.pi / 2, 0, 0))):
        body = add_root(clip).skeleton
        np.testing.assert_array_equal(body.offsets[0], 0)
        np.testing.assert_allclose(body.tpose[0], [1, 0, 0, 0], atol=1e-7)
        positions, _ = kinematics.forward(body, body.offsets, body.tpose)
        before, _ = kinematics.tpose(clip.skeleton)
        before = before[list(clip.skeleton.roles.values())]
        before[:, 1] -= before[:, 1].min()
        np.testing.assert_allclose(positions[[body.roles[role] for role in clip.skeleton.roles]], before, atol=1e-5)


def test_end_sites_and_file_order_come_along(humanoid):
    names = ["Root", "a"]
    body = skeleton(names, [-1, 0], [[0, 1, 0], [0, 1, 0]], ends=[(1, (0, 0.1, 0))], roles={"hips": 0})
    clip = Clip(body, np.zeros((4, 2, 3)) + body.offsets, np.tile([1.0, 0, 0, 0], (4, 2, 1)), 30)
    rooted = add_root(clip, "hips").skeleton
    assert rooted.names == ("Root_", "Root", "a")
    assert rooted.end_parents.tolist() == [2]
    assert rooted.file_order.tolist() == [0, 1, 2]


def test_rooting_twice_changes_nothing(humanoid, motion):
    rooted = add_root(motion(humanoid(1)))
    assert add_root(rooted) is rooted
    forgotten = rooted.with_(
        skeleton=rooted.skeleton.with_roles({r: j for r, j in rooted.skeleton.roles.items() if r != "root"})
    )
    assert has_ground_root(forgotten)
    again = add_root(forgotten)
    np.testing.assert_allclose(again.positions, rooted.positions, atol=1e-5)
    assert quaternion.angle(again.rotations, rooted.rotations).max() < 1e-5


def test_half_the_rate_gives_the_same_root(humanoid, motion):
    clip = motion(humanoid(1), frames=181, frame_rate=60)
    half = clip.with_(positions=clip.positions[::2], rotations=clip.rotations[::2], frame_rate=30)
    a, b = add_root(clip), add_root(half)
    np.testing.assert_allclose(a.positions[::2, 0], b.positions[:, 0], atol=0.005)
    assert degrees_between(root_forward(a)[::2], root_forward(b)).max() < 2


def test_a_joint_can_be_named_where_there_are_no_roles():
    dog = skeleton(["armature", "pelvis", "neck"], [-1, 0, 1], [[0, 0, 0], [0, 0.5, 0], [0, 0.1, 0.4]])
    positions = np.broadcast_to(dog.offsets, (60, 3, 3)).copy()
    positions[:, 1, 2] += np.linspace(0, 2, 60)
    clip = Clip(dog, positions, np.tile([1.0, 0, 0, 0], (60, 3, 1)), 30)
    rooted = add_root(clip, "hips", joint="pelvis")
    assert rooted.skeleton.names == dog.names
    np.testing.assert_allclose(rooted.positions[:, 0, 2], np.linspace(0, 2, 60), atol=1e-5)


def test_mistakes_are_told(humanoid, motion):
    clip = motion(humanoid())
    with pytest.raises(KinematchError, match="did you mean 'spine'"):
        add_root(clip, "spin")
    with pytest.raises(KinematchError, match="no root to replace"):
        replace_root(clip)
    bare = clip.with_(skeleton=clip.skeleton.with_roles({"hips": 0}))
    with pytest.raises(KinematchError, match="use the hips"):
        add_root(bare, "spine")


RIGS = [
    "lafan1-clips/walk1_subject1_walk2.bvh",
    "cmu/16_35.bvh",
    "bandai-namco/dataset-2_walk-turn-left_normal_001.bvh",
    "xsens/JL_mm_run.bvh",
    "rigs/cmu3dsmax_131_01.bvh",
    "rigs/pybvh_bvh_test1.bvh",
    "rigs/pybvh_bvh_test2.bvh",
    "amass-z-up/example_2.bvh",
    "characters/CesiumMan.glb",
    "characters/mesh2motion-human-male.glb",
    "characters/three-vrm-test.vrma",
]


@pytest.mark.parametrize("name", RIGS)
def test_real_bodies_stay_where_they_are_and_face_their_root(data, name):
    clip = read_clip(data / name)
    clip = clip.frames(min(5, clip.frame_count - 1), min(clip.frame_count, 1500))  # CMU begins with a T-pose elsewhere
    rooted = add_root(clip)
    assert_on_the_ground(rooted)
    assert_body_unmoved(clip, rooted)
    assert degrees_between(root_forward(rooted), body_forward(clip)).mean() < 10


def test_falls_and_spins_never_turn_the_root_against_the_body(data):
    for name in ("lafan1-takes/fallAndGetUp3_subject1.bvh", "rigs/poser_pirouette.bvh"):
        clip = read_clip(data / name)
        clip = clip.frames(3, clip.frame_count)
        assert degrees_between(root_forward(add_root(clip)), body_forward(clip)).max() < 60


def test_real_ground_roots_are_told_from_static_ones(data):
    bandai = data / "bandai-namco"
    moving = {"dash_normal_001", "run_normal_001", "walk-back_normal_001"}  # looped clips travel on their joint_Root
    for path in sorted(bandai.glob("*.bvh")):
        assert has_ground_root(read_clip(path)) == (path.stem.removeprefix("dataset-1_") in moving), path.name
    for path in sorted((data / "lafan1-simulation-bone").glob("*.bvh")):
        assert has_ground_root(read_clip(path)), path.name
    assert not has_ground_root(read_clip(data / "lafan1-clips" / "walk1_subject1_walk2.bvh"))
    assert not has_ground_root(read_clip(data / "characters" / "mesh2motion-human-male.glb"))


SEVEN = [
    "fallAndGetUp1_subject1_sprint",
    "fallAndGetUp1_subject5_sidesteps",
    "fight1_subject3_backward",
    "ground2_subject3_turn",
    "run2_subject4_run2",
    "walk1_subject1_walk2",
    "walk1_subject1_walk2_mirror",
]


@pytest.mark.parametrize("name", SEVEN)
def test_our_root_is_the_simulation_bone_of_digital_humans(data, name):
    """From the source clip up-sampled by us; of the two without a sound source in the data, from their own body.

    Their bone runs along its +X, which keeping it turns to +Z. What remains is the rounding of their files: less than a
    hundredth of a millimetre and of a degree.
    """
    theirs = read_clip(data / "lafan1-simulation-bone" / f"{name}_filtered.bvh")
    source = data / "lafan1-clips" / f"{name}.bvh"
    if source.exists() and "mirror" not in name:
        ours = add_root(resample(read_clip(source), 60))
    else:
        ours = replace_root(theirs)
    theirs = add_root(theirs)
    assert ours.frame_count == theirs.frame_count
    assert np.linalg.norm(ours.positions[:, 0] - theirs.positions[:, 0], axis=-1).max() < 1e-5
    assert degrees_between(root_forward(ours), root_forward(theirs)).max() < 0.05
    body, other = kinematics.global_pose(ours)[0][:, 1:], kinematics.global_pose(theirs)[0][:, 1:]
    assert np.linalg.norm(body - other, axis=-1).max() < 1e-4
