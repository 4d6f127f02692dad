"""Clips for engines: the same joints under other names, travel where it is asked for, unfit files refused."""

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.files import read_clip, write_clip
from kinematch.files.amass import neutral_skeleton
from kinematch.files.engines import ENGINES, prepare_clip
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose, rest_pose, tpose
from kinematch.motion.roles import ROLES
from kinematch.synth import walk_along

NAMES = {  # each engine's own word for some roles, as its manual has them
    "unreal": {"hips": "pelvis", "left_upper_leg": "thigh_l", "right_toes": "ball_r", "left_shoulder": "clavicle_l"},
    "unity": {"hips": "Hips", "left_upper_leg": "LeftUpperLeg", "left_thumb_proximal": "LeftThumbProximal"},
    "godot": {"hips": "Hips", "left_upper_leg": "LeftUpperLeg", "left_thumb_proximal": "LeftThumbMetacarpal"},
    "blender": {"hips": "hips", "left_upper_leg": "upper_leg.L", "right_index_distal": "index_distal.R"},
    "three": {"hips": "pelvis", "left_upper_leg": "left_hip"},
}


@pytest.fixture(scope="module")
def walk():
    return walk_along([(0, 0), (0, 2), (1, 3)])


@pytest.mark.parametrize("name", ENGINES)
def test_bones_have_the_engines_names_and_no_two_are_alike(name):
    rig = neutral_skeleton()
    clip = prepare_clip(Clip(rig, rig.offsets[None], rig.rotations[None], 30.0), name, root_motion="hips")
    found = {role: clip.skeleton.names[joint] for role, joint in clip.skeleton.roles.items()}
    assert found.items() >= NAMES[name].items()
    if ENGINES[name].name_bone is not None:
        assert len({ENGINES[name].name_bone(role) for role in ROLES}) == len(ROLES)


@pytest.mark.parametrize("name", ENGINES)
def test_the_rest_pose_is_the_t_pose_and_joints_stay_where_they_were(name, walk):
    clip = prepare_clip(walk, name, rate=False)
    rest, wanted = rest_pose(clip.skeleton)[0], tpose(clip.skeleton)[0]
    np.testing.assert_allclose(rest - rest[-1], wanted - wanted[-1], atol=1e-6)
    before, after = global_pose(walk)[0], global_pose(clip)[0]
    for role, joint in walk.skeleton.roles.items():
        np.testing.assert_allclose(after[:, clip.skeleton.roles[role]], before[:, joint], atol=1e-4)
    has_root = "root" in clip.skeleton.roles
    assert has_root == (ENGINES[name].root_motion == "root")
    if has_root:
        assert clip.skeleton.names[0] == ENGINES[name].root_name
        assert np.ptp(clip.positions[:, 0], axis=0)[2] > 1.5
        assert np.ptp(clip.positions[:, clip.skeleton.roles["hips"], 2]) < 0.5


def test_in_place_keeps_the_body_and_drops_the_travel(walk):
    moving, still = (prepare_clip(walk, "unreal", root_motion=how) for how in ("root", "in-place"))
    assert moving.frame_rate == still.frame_rate == 30
    np.testing.assert_array_equal(moving.rotations[:, 1:], still.rotations[:, 1:])
    assert (still.positions[:, 0] == 0).all()
    assert np.ptp(global_pose(still)[0][:, still.skeleton.roles["hips"]], axis=0).max() < 0.5


def test_convert_writes_for_an_engine_and_reading_gives_the_same_joints(walk, tmp_path, capsys):
    source = tmp_path / "walk.bvh"
    write_clip(source, walk)
    expected = global_pose(read_clip(source))[0]
    hips = walk.skeleton.roles["hips"]
    for name, ending in (("unreal", ".glb"), ("unity", ".vrma"), ("blender", ".bvh"), ("three", ".glb")):
        target = tmp_path / f"{name}{ending}"
        assert main(["convert", str(source), str(target), "--for", name, "--frame-rate", "60"]) == 0
        back = read_clip(target)
        found = global_pose(back)[0][:, back.skeleton.roles["hips"]]
        np.testing.assert_allclose(found, expected[:, hips], atol=1e-4)
    assert read_clip(tmp_path / "blender.bvh").source.unit == 1.0
    capsys.readouterr()
    for arguments, words in (
        (["walk.fbx", "--for", "unreal"], "expected"),
        (["other.bvh", "--for", "unity"], "Unity reads no .bvh files; choose from: .glb .vrma"),
        (["walk.glb", "--root-motion", "hips"], "--for"),
    ):
        assert main(["convert", str(source), str(tmp_path / arguments[0]), *arguments[1:]]) == 2
        assert words in capsys.readouterr().err
