"""VRM files bring their own humanoid map; version 0 faces the other way."""

import numpy as np
import pytest

from kinematch.errors import FileError
from kinematch.files.gltf_read import read_gltf
from kinematch.motion.kinematics import rest_pose

BONES = {
    "hips": ("", [0, 1, 0]),
    "spine": ("hips", [0, 0.2, 0]),
    "head": ("spine", [0, 0.4, 0]),
    "leftUpperLeg": ("hips", [0.1, 0, 0]),
    "rightUpperLeg": ("hips", [-0.1, 0, 0]),
    "leftFoot": ("leftUpperLeg", [0, -0.9, 0]),
    "leftHand": ("spine", [0.7, 0.3, 0]),
    "leftThumbMetacarpal": ("leftHand", [0, 0, 0.02]),
    "leftThumbProximal": ("leftThumbMetacarpal", [0.02, 0, 0.02]),
    "leftThumbDistal": ("leftThumbProximal", [0.02, 0, 0.02]),
    "leftLittleProximal": ("leftHand", [0.08, 0, -0.02]),
}


def humanoid(gltf, names=lambda bone: bone, sign=1):
    """Nodes of BONES; a sign of -1 faces -Z."""
    nodes = {}
    for bone, (parent, offset) in BONES.items():
        place = [sign * offset[0], offset[1], sign * offset[2]]
        nodes[bone] = gltf.node(f"node of {bone}", nodes.get(parent), translation=place)
    return {names(bone): node for bone, node in nodes.items()}


def thumbs_of_version_0(bone):
    return {"leftThumbMetacarpal": "leftThumbProximal", "leftThumbProximal": "leftThumbIntermediate"}.get(bone, bone)


def check(model):
    rig = model.skeleton
    assert {role: rig.names[joint] for role, joint in rig.roles.items()} == {
        "hips": "node of hips",
        "spine": "node of spine",
        "head": "node of head",
        "left_upper_leg": "node of leftUpperLeg",
        "right_upper_leg": "node of rightUpperLeg",
        "left_foot": "node of leftFoot",
        "left_hand": "node of leftHand",
        "left_thumb_proximal": "node of leftThumbMetacarpal",
        "left_thumb_intermediate": "node of leftThumbProximal",
        "left_thumb_distal": "node of leftThumbDistal",
        "left_little_proximal": "node of leftLittleProximal",
    }
    positions, _ = rest_pose(rig)
    np.testing.assert_allclose(positions[rig.joint("left_hand")], [0.7, 1.5, 0], atol=1e-6)
    np.testing.assert_allclose(positions[rig.joint("left_thumb_proximal")], [0.7, 1.5, 0.02], atol=1e-6)


def test_version_0_is_turned_about(gltf, tmp_path):
    bones = humanoid(gltf, thumbs_of_version_0, sign=-1)
    listed = [{"bone": bone, "node": node} for bone, node in bones.items()] + [{"bone": "jaw", "node": -1}]
    gltf.json["extensions"] = {"VRM": {"meta": {"title": "Ann"}, "humanoid": {"humanBones": listed}}}
    model = read_gltf(gltf.write(tmp_path / "a.vrm"))
    check(model)
    assert (model.vrm.version, model.title, model.clips[0].source.format) == ("0", "Ann", "vrm")
    assert model.clips[0].source.facing == "-Z"


def test_version_1_calls_thumbs_by_their_anatomy(gltf, tmp_path):
    bones = {bone: {"node": node} for bone, node in humanoid(gltf).items()}
    gltf.json["extensions"] = {"VRMC_vrm": {"meta": {"name": "Bob"}, "humanoid": {"humanBones": bones}}}
    model = read_gltf(gltf.write(tmp_path / "b.vrm"))
    check(model)
    assert (model.vrm.version, model.title, model.clips[0].source.facing) == ("1", "Bob", "Z")


@pytest.mark.parametrize(("version", "turned"), [("0", True), ("1", False)])
def test_where_geometry_cannot_tell_the_version_does(gltf, tmp_path, version, turned):
    gltf.node("hips", translation=[1, 1, 2])
    extension = {"VRM": [{"bone": "hips", "node": 0}], "VRMC_vrm": {"hips": {"node": 0}}}
    name = "VRM" if version == "0" else "VRMC_vrm"
    gltf.json["extensions"] = {name: {"humanoid": {"humanBones": extension[name]}}}
    model = read_gltf(gltf.write(tmp_path / "c.vrm"))
    np.testing.assert_allclose(model.skeleton.offsets[0], [-1, 1, -2] if turned else [1, 1, 2], atol=1e-6)


def test_faces_and_gaze_of_an_animation_are_no_joints(gltf, tmp_path):
    bones = {bone: {"node": node} for bone, node in humanoid(gltf).items()}
    face, gaze = gltf.node("happy"), gltf.node("lookAt")
    gltf.json["extensions"] = {
        "VRMC_vrm_animation": {
            "specVersion": "1.0",
            "humanoid": {"humanBones": bones},
            "expressions": {"preset": {"happy": {"node": face}}},
            "lookAt": {"node": gaze},
        }
    }
    values = np.ones((2, 3))
    gltf.animation(*((node, "translation", [0.0, 1.0], values, "LINEAR") for node in (0, face, gaze)))
    model = read_gltf(gltf.write(tmp_path / "d.vrma"))
    assert model.skeleton.joint_count == len(BONES)
    assert model.vrm.version == "animation"
    assert model.clips[0].source.format == "vrma"
    assert not model.notes


@pytest.mark.parametrize(
    "extension",
    [
        {"VRM": 5},
        {"VRM": {"humanoid": {"humanBones": {"hips": {"node": 0}}}}},
        {"VRM": {"humanoid": {"humanBones": [{"bone": "hips", "node": 7}]}}},
        {"VRMC_vrm": {"humanoid": {"humanBones": [1]}}},
        {"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {}}}}},
        {"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": -2}}}}},
        {"VRMC_vrm_animation": {"lookAt": {"node": "x"}}},
    ],
)
def test_a_broken_map_is_refused(gltf, tmp_path, extension):
    gltf.node("hips")
    gltf.json["extensions"] = extension
    with pytest.raises(FileError, match=r"a\.vrm"):
        read_gltf(gltf.write(tmp_path / "a.vrm"))
