"""A user's own character with a motion inside: all that its file holds is kept, and the motion is the one given."""

import json

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.errors import FileError
from kinematch.files import read_clip, read_clips
from kinematch.files.gltf_character import _read_parts, has_meshes, write_character
from kinematch.files.gltf_read import read_gltf
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose
from kinematch.motion.retarget.retarget_clip import retarget

CHARACTERS = [
    "characters/100Avatars_003_Jimmy.vrm",
    "characters/CesiumMan.glb",
    "characters/RobotExpressive.glb",
    "characters/vrm1-debug_robot.vrm",
]


@pytest.fixture(scope="module")
def walk(data) -> Clip:
    clip = read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh").frames(100, 120)
    return clip.with_(name="my walk")


@pytest.mark.parametrize("file", CHARACTERS)
def test_the_motion_comes_back_and_nothing_else_changes(data, walk, file, tmp_path):
    hero = data / file
    motion = retarget(walk, read_clip(hero).skeleton)
    made = tmp_path / hero.name
    write_character(made, motion, hero)
    back = read_clips(made)[0]
    assert back.name == "my walk"
    assert back.frame_rate == walk.frame_rate
    expected, found = global_pose(motion), global_pose(back)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-5)
    assert quaternion.angle(found[1].astype(float), expected[1].astype(float)).max() < 1e-5
    before, after = _read_parts(hero), _read_parts(made)
    assert after[1][: len(before[1])] == before[1]
    for key, value in before[0].items():
        if key in ("buffers", "nodes"):
            continue
        kept = after[0][key]
        assert (
            kept[-len(value) :] if key == "animations" else kept[: len(value)] if isinstance(value, list) else kept
        ) == value
    one, other = read_gltf(hero), read_gltf(made)
    assert [len(mesh.positions) for mesh in one.meshes] == [len(mesh.positions) for mesh in other.meshes]
    for a, b in zip(one.skins, other.skins):
        np.testing.assert_allclose(a.inverse_binds, b.inverse_binds, atol=1e-5)


def test_convert_keeps_the_character(data, tmp_path):
    walk, hero = data / "lafan1-clips/walk1_subject1_walk2.bvh", data / "characters/CesiumMan.glb"
    made = tmp_path / "hero.glb"
    onto = ["convert", str(walk), str(made), "--retarget", str(hero), "--stop", "1"]
    for more in ([], ["--for", "unreal"]):
        assert main([*onto, *more]) == 0
        assert has_meshes(made)
        assert json.dumps(_read_parts(made)[0]["materials"]) == json.dumps(_read_parts(hero)[0]["materials"])
    assert main([*onto, "--for", "unreal", "--root-motion", "root"]) == 2
    assert main(["convert", str(walk), str(made), "--hands", "world"]) == 2


def test_a_clip_of_another_body_is_refused(data, walk, tmp_path):
    with pytest.raises(FileError, match="its joints differ"):
        write_character(tmp_path / "out.glb", walk, data / "characters/CesiumMan.glb")
    assert not list(tmp_path.iterdir())
