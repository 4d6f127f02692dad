"""Whatever a rig's rest pose and motion, its reference T-pose has arms sideways, legs down and faces +Z."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle, from_matrix
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton, skeleton
from kinematch.motion.tpose import (
    BONES,
    body_axes,
    find_tpose_frame,
    is_tpose,
    limb_deviations,
    reference_tpose,
    with_reference_tpose,
)
from kinematch.motion.tpose_neutral import neutral_posture

X, Y, Z = np.eye(3)


def still(body: Skeleton, rotations: np.ndarray | None = None) -> Clip:
    """One frame, or several, of a pose."""
    rotations = body.rotations if rotations is None else rotations
    rotations = rotations.reshape(-1, body.joint_count, 4)
    return Clip(body, np.broadcast_to(body.offsets, (len(rotations), body.joint_count, 3)), rotations, 30, name="still")


def posed(body: Skeleton, **turns: tuple[np.ndarray, float]) -> np.ndarray:
    """Local rotations in which roles are turned, in the world, about an axis by degrees from the T-pose."""
    tpose = kinematics.forward(body, body.offsets, body.tpose)[1]
    above = np.concatenate([[quaternion.IDENTITY], tpose[body.parents[1:]]])
    local = np.array(body.tpose, np.float64)
    for role, (axis, degrees) in turns.items():
        j = body.roles[role]
        own = quaternion.rotate(quaternion.inverse(above[j]), axis)
        local[j] = quaternion.multiply(from_axis_angle(own, np.radians(degrees)), local[j])
    return local


def arms_down(body: Skeleton, degrees: float, bend: float = 0.0) -> np.ndarray:
    return posed(
        body,
        left_upper_arm=(Z, -degrees),
        right_upper_arm=(Z, degrees),
        left_lower_arm=(Y, -bend),
        right_lower_arm=(Y, bend),
    )


def assert_tpose(body: Skeleton, tolerance: float = 1.0) -> None:
    """Connected limbs along their directions to a degree, facing +Z to five, feet straight ahead."""
    positions, _ = kinematics.tpose(body)
    for start, (stop, direction) in BONES.items():
        if body.roles[start] in body.chain(body.roles[stop]):
            bone = quaternion.unit(positions[body.roles[stop]] - positions[body.roles[start]])
            assert np.degrees(np.arccos(np.clip(bone @ np.array(direction), -1, 1))) < tolerance, start
    axes = body_axes(body, positions)
    assert axes[0, 0] > np.cos(np.radians(5))
    assert axes[2, 2] > np.cos(np.radians(12))  # trunks lean a little, as their makers drew them
    for side in ("left", "right"):
        if f"{side}_toes" in body.roles:
            ahead = positions[body.roles[f"{side}_toes"]] - positions[body.roles[f"{side}_foot"]]
            assert abs(np.degrees(np.arctan2(ahead[0], ahead[2]))) < 1


@given(seed=st.integers(0, 1000), degrees=st.floats(0, 85), facing=st.floats(-180, 180))
@settings(max_examples=40, deadline=None)
def test_arms_come_up_from_any_rest_pose_without_twist(humanoid, seed, degrees, facing):
    body = humanoid(seed)
    rest = arms_down(body, degrees)
    rest[0] = quaternion.multiply(from_axis_angle(Y, np.radians(facing)), rest[0])
    found = reference_tpose(still(replace(body, rotations=rest, tpose=None)))
    wanted = kinematics.forward(body, body.offsets, body.tpose)[1]
    result = kinematics.forward(body, body.offsets, found.rotations)[1]
    assert np.degrees(quaternion.angle(result, wanted)).max() < 1.5  # its legs are not quite straight
    assert found.method == ("rest" if degrees < 24.9 else "constructed") or 24.9 < degrees < 25.1


def test_an_a_pose_is_no_t_pose_and_is_corrected(humanoid):
    body = humanoid(1)
    rest = arms_down(body, 45)
    clip = still(replace(body, rotations=rest, tpose=None))
    assert not is_tpose(clip.skeleton, kinematics.rest_pose(clip.skeleton)[0])
    found = reference_tpose(clip)
    assert found.method == "constructed"
    assert "swung by up to 45 degrees" in found.reason
    assert_tpose(clip.skeleton.with_tpose(found.rotations))


def test_a_head_that_does_not_hang_on_the_hips_is_borne(humanoid):
    rig = humanoid()
    parents = np.concatenate([[-1], rig.parents + 1])
    parents[1 + rig.joint("neck")] = 0
    offsets = np.concatenate([np.zeros((1, 3)), rig.offsets])
    offsets[1 + rig.joint("neck")] = kinematics.rest_pose(rig)[0][rig.joint("neck")]
    body = skeleton(["Root", *rig.names], parents, offsets, roles={role: 1 + k for role, k in rig.roles.items()})
    clip = still(body, np.stack([body.rotations] * 3))
    positions, rotations = kinematics.forward(body, clip.positions, clip.rotations)
    assert np.isfinite(neutral_posture(body, positions, rotations, calm=np.arange(3), hinges={})).all()


def test_a_t_pose_frame_is_found_among_others(humanoid):
    body = humanoid(2)
    frames = np.array([arms_down(body, 80), arms_down(body, 50), arms_down(body, 8), arms_down(body, 30)])
    clip = still(replace(body, rotations=frames[0], tpose=None), frames)
    assert find_tpose_frame(clip) == 2
    found = reference_tpose(clip)
    assert (found.method, found.frame) == ("frame", 2)
    assert_tpose(body.with_tpose(found.rotations))
    assert find_tpose_frame(clip.frames(0, 2)) is None


def test_someone_lying_with_arms_spread_is_no_reference(humanoid):
    body = humanoid(3)
    lying = np.array(body.tpose, np.float64)
    lying[0] = quaternion.multiply(from_axis_angle(X, np.pi / 2), lying[0])
    assert find_tpose_frame(still(body, lying)) is None


def test_a_given_t_pose_is_taken_and_another_rig_refused(humanoid, person):
    body = humanoid(4)
    clip = still(replace(body, rotations=arms_down(body, 80), tpose=None))
    found = reference_tpose(clip, still(body))
    assert found.method == "given"
    assert np.degrees(quaternion.angle(found.rotations, body.tpose)).max() < 3  # straightened legs
    with pytest.raises(KinematchError, match="another rig"):
        reference_tpose(clip, still(person))


def test_a_rig_without_roles_has_no_t_pose(person):
    with pytest.raises(KinematchError, match="roles missing: hips"):
        with_reference_tpose(still(person))


def zeroed(body: Skeleton) -> Skeleton:
    """The same person with every bone along its joint's own X axis and hinges on Z, at rest all in one line."""
    positions, _ = kinematics.rest_pose(body)
    axes = np.empty((body.joint_count, 4))
    for role, j in body.roles.items():
        side = -1 if role.startswith("right") else 1
        x, z = Y, X  # trunk: bones up, own Z to the left
        if role.endswith(("shoulder", "_arm", "hand")):
            x, z = side * X, side * Y
        elif role.endswith(("_leg", "foot", "toes")):
            x, z = (-Y, -X) if role.endswith("_leg") else (Z, -X)
        axes[j] = from_matrix(np.stack([x, np.cross(z, x), z], axis=-1))
    above = np.concatenate([[quaternion.IDENTITY], axes[body.parents[1:]]])
    offsets = np.diff([positions[body.parents], positions], axis=0)[0]
    offsets[0] = positions[0]
    offsets = quaternion.rotate(quaternion.inverse(above), offsets)
    tpose = quaternion.multiply(quaternion.inverse(above), axes)
    flat = skeleton(body.names, body.parents, offsets, roles=body.roles)
    return replace(flat, tpose=tpose)


def test_a_degenerate_rest_pose_is_overcome_by_how_knees_and_elbows_bend(humanoid):
    body = zeroed(humanoid())
    frames = []
    for t in np.linspace(0, 6, 90):
        wave = np.sin(2 * t)
        local = posed(
            body,
            left_upper_arm=(Z, -75),
            right_upper_arm=(Z, 75),
            left_lower_arm=(Y, -30 - 20 * wave),
            right_lower_arm=(Y, 30 - 20 * wave),
            left_lower_leg=(X, 15 + 14 * wave),
            right_lower_leg=(X, 15 - 14 * wave),
            head=(Y, 40 * wave + 20),
        )
        local[0] = quaternion.multiply(from_axis_angle(Y, t), local[0])
        frames.append(local)
    clip = still(replace(body, tpose=None), np.array(frames))
    found = reference_tpose(clip)
    assert found.method == "constructed"
    assert_tpose(body.with_tpose(found.rotations))
    result = kinematics.forward(body, body.offsets, found.rotations)[1]
    wanted = kinematics.forward(body, body.offsets, body.tpose)[1]
    apart = dict(zip(body.names, np.degrees(quaternion.angle(result, wanted))))
    assert max(angle for name, angle in apart.items() if "Foot" not in name and "Toe" not in name) < 2
    assert max(apart.values()) < 10  # these feet swing along with the shins and stand flat but in passing


def test_every_real_humanoid_gets_a_t_pose(data, humanoid_files):
    for file in humanoid_files:
        body = read_clip(data / file).skeleton
        assert body.tpose is not None, file
        assert_tpose(body)


def test_where_nobody_stands_upright_the_t_pose_does_and_says_so(data):
    clip = read_clip(data / "bandai-namco/dataset-1_dash_normal_001.bvh")
    assert "no frame of this clip stands upright" in reference_tpose(clip).reason
    assert_tpose(clip.skeleton)


def test_performers_t_poses_and_files_of_them_are_found(data):
    assert find_tpose_frame(read_clip(data / "cmu/02_01.bvh")) == 0
    assert find_tpose_frame(read_clip(data / "rigs/Geno_stance.bvh")) == 0
    found = find_tpose_frame(read_clip(data / "lafan1-takes/obstacles1_subject5.bvh"))
    assert found is not None
    assert found < 80
    assert find_tpose_frame(read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh")) is None


def test_the_t_pose_of_lafan1_hardly_depends_on_the_clip(data):
    poses = []
    names = "walk1_subject1_walk2 run2_subject4_run2 ground1_subject4_backward obstacles3_subject3_walk"
    names += " pushAndStumble1_subject3_backward fallAndGetUp1_subject5_sidesteps dance1_subject3_walk"
    for name in names.split():
        body = read_clip(data / f"lafan1-clips/{name}.bvh").skeleton
        poses.append(kinematics.tpose(body)[1])
    apart = np.degrees(quaternion.angle(np.array(poses)[:, None], np.array(poses)[None])).max(axis=(0, 1))
    for role, joint in body.roles.items():
        limb = role.partition("_")[2] in ("upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "shoulder")
        assert apart[joint] < (1 if limb or role == "head" else 15), role


def test_the_constructed_t_pose_of_lafan1_is_like_its_performers_own(data):
    clip = read_clip(data / "lafan1-takes/obstacles1_subject5.bvh")
    own = kinematics.tpose(clip.skeleton)[1]
    walk = kinematics.tpose(read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh").skeleton)[1]
    apart = np.degrees(quaternion.angle(own, walk))
    hands = [clip.skeleton.roles[f"{side}_hand"] for side in ("left", "right")]
    assert np.delete(apart, hands).max() < 20
    assert np.median(apart) < 6


def test_deviations_do_not_depend_on_where_the_body_faces(humanoid):
    body = humanoid(5)
    positions, _ = kinematics.forward(body, body.offsets, arms_down(body, 30))
    turned = quaternion.rotate(from_axis_angle(np.array([1.0, 2.0, 3.0]), 1.0), positions)
    np.testing.assert_allclose(limb_deviations(body, positions), limb_deviations(body, turned), atol=1e-6)
