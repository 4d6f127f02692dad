"""Every real character comes out upright, in its own size, facing +Z, with its clips and roles."""

from typing import NamedTuple

import numpy as np
import pytest

from kinematch.files.gltf_mesh import posed_positions
from kinematch.files.gltf_read import read_gltf
from kinematch.files.gltf_write import write_glb
from kinematch.math import quaternion
from kinematch.motion.kinematics import global_pose, rest_pose
from kinematch.motion.roles import REQUIRED_ROLES


class Expected(NamedTuple):
    joints: int
    roles: int  # at least
    clips: int
    rate: float
    head: float  # m, height of the head joint at rest
    hips: float
    vrm: str | None
    facing: str = "Z"
    title: str = ""
    vertices: int = 0


CHARACTERS = {
    "100Avatars_003_Jimmy.vrm": Expected(65, 52, 1, 30, 1.268, 0.747, "0", "-Z", "Jimmy", 3017),
    "CesiumMan.glb": Expected(19, 15, 1, 24, 1.19, 0.679, None, vertices=3273),
    "RiggedFigure.glb": Expected(19, 15, 1, 24, 1.193, 0.686, None, vertices=370),
    "RobotExpressive.glb": Expected(43, 15, 14, 24, 2.97, 1.372, None, vertices=7214),
    "chatvrm-idle_loop.vrma": Expected(28, 22, 1, 24, 1.541, 0.906, "animation"),
    "mesh2motion-human-male.glb": Expected(66, 52, 1, 30, 1.568, 0.917, None, vertices=7399),
    "mesh2motion-rig-human.glb": Expected(66, 52, 1, 30, 1.568, 0.917, None),
    "three-vrm-test.vrma": Expected(51, 51, 1, 30, 1.558, 0.85, "animation"),
    "vrm0-basic_armature.vrm": Expected(53, 53, 1, 30, 1.558, 0.85, "0", "-Z"),
    "vrm1-basic_armature.vrm": Expected(53, 53, 1, 30, 1.558, 0.85, "1"),
    "vrm1-debug_robot.vrm": Expected(53, 53, 1, 30, 1.562, 0.75, "1", title="VRM Animation Debug Robot", vertices=1512),
}
CLIPS = ["Dance", "Death", "Idle", "Jump", "No", "Punch", "Running", "Sitting", "Standing", "ThumbsUp", "Walking"]


@pytest.fixture(params=CHARACTERS)
def character(request, data):
    return read_gltf(data / "characters" / request.param), CHARACTERS[request.param]


def test_none_is_forgotten(data):
    assert sorted(path.name for path in (data / "characters").iterdir()) == sorted(CHARACTERS)


def test_joints_clips_and_titles(character):
    model, expected = character
    assert model.skeleton.joint_count == expected.joints
    assert len(model.clips) == expected.clips
    assert {clip.frame_rate for clip in model.clips} == {expected.rate}
    assert (model.vrm.version if model.vrm else None) == expected.vrm
    assert not expected.title or model.title == expected.title
    assert sum(len(mesh.positions) for mesh in model.meshes) == expected.vertices
    assert all(clip.source.facing == expected.facing for clip in model.clips)


def test_it_is_a_humanoid_that_stands_upright_facing_ahead(character):
    model, expected = character
    rig = model.skeleton
    assert len(rig.roles) >= expected.roles
    assert all(role in rig.roles for role in REQUIRED_ROLES)
    at = {role: rest_pose(rig)[0][joint] for role, joint in rig.roles.items()}
    assert at["head"][1] == pytest.approx(expected.head, abs=2e-3)
    assert at["hips"][1] == pytest.approx(expected.hips, abs=2e-3)
    for part in ("hand", "upper_arm", "upper_leg", "foot"):
        assert at[f"left_{part}"][0] > 0 > at[f"right_{part}"][0]
    for side in ("left", "right"):
        assert -0.02 < at[f"{side}_foot"][1] < 0.11 * expected.head
        if f"{side}_toes" in at:
            assert at[f"{side}_toes"][2] > at[f"{side}_foot"][2] + 0.02


def test_feet_stay_near_the_floor_and_the_head_above_the_hips(character):
    model, expected = character
    rig = model.skeleton
    for clip in model.clips:
        positions, rotations = global_pose(clip)
        feet = positions[:, [rig.roles["left_foot"], rig.roles["right_foot"]], 1]
        assert -0.05 * expected.head < feet.min() < 0.1 * expected.head
        rise = positions[:, rig.roles["head"], 1] - positions[:, rig.roles["hips"], 1]
        assert (rise > 0.25 * expected.head).all() or clip.name == "Death"
        np.testing.assert_allclose(np.linalg.norm(rotations, axis=-1), 1, atol=1e-5)


def test_meshes_lie_around_the_skeleton(character):
    model, _ = character
    if not model.meshes:
        return
    rest = rest_pose(model.skeleton)
    cloud = np.concatenate([posed_positions(mesh, model.skins[mesh.skin], *rest) for mesh in model.meshes])
    assert np.abs(cloud.min(axis=0) - rest[0].min(axis=0)).max() < 0.6 * np.ptp(rest[0][:, 1])
    assert np.abs(cloud.max(axis=0) - rest[0].max(axis=0)).max() < 0.6 * np.ptp(rest[0][:, 1])
    assert all(mesh.triangles.max() < len(mesh.positions) for mesh in model.meshes)


def test_clips_survive_being_written(character, tmp_path):
    model, _ = character
    clip = model.clips[-1]
    write_glb(tmp_path / "again.glb", clip)
    (back,) = read_gltf(tmp_path / "again.glb").clips
    assert back.skeleton.difference(clip.skeleton, tolerance=1e-6) is None
    assert dict(back.skeleton.roles) == dict(clip.skeleton.roles)
    np.testing.assert_array_equal(back.skeleton.file_order, clip.skeleton.file_order)
    np.testing.assert_allclose(back.positions, clip.positions, atol=1e-6)
    np.testing.assert_allclose(quaternion.nearest(back.rotations, clip.rotations), clip.rotations, atol=1e-6)


def test_the_robot_keeps_its_moves_and_its_joints_of_one_name(data):
    model = read_gltf(data / "characters" / "RobotExpressive.glb")
    assert [clip.name for clip in model.clips][: len(CLIPS)] == CLIPS
    assert model.clips[10].frame_count == 24
    assert model.skeleton.names[0] == "Bone"
    assert len(model.skeleton.end_parents) == 15
    foot = global_pose(model.clips[10])[0][:, model.skeleton.joint("Foot.L")]
    assert np.ptp(foot[:, 2]) > 0.5  # it walks along the axis it faces, not across
    assert np.ptp(foot[:, 0]) < 0.3


def test_cesium_man_walks_without_turning_aside(data):
    clip = read_gltf(data / "characters" / "CesiumMan.glb").clips[0]
    assert clip.frame_count == 48
    feet = global_pose(clip)[0][:, [clip.skeleton.joint(f"{side}_foot") for side in ("left", "right")]]
    assert np.ptp(feet[..., 2], axis=0).min() > 2.5 * np.ptp(feet[..., 0], axis=0).max()
