"""VRMA and AMASS: a humanoid's motion comes back by role, and files that are no such thing are refused by name."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.errors import FileError, KinematchError
from kinematch.files import read_clip, write_clip
from kinematch.files.amass import neutral_skeleton
from kinematch.math import quaternion, rotation
from kinematch.motion.clean.root import add_root
from kinematch.motion.clip import Clip
from kinematch.motion.humanoid import reduce_to_humanoid
from kinematch.motion.kinematics import global_pose
from kinematch.synth import walk_along


@pytest.fixture(scope="module", params=["plain", "turned axes", "ground root", "fingers"])
def clip(request, humanoid):
    """Motion on rigs whose joint axes lie as they may."""
    if request.param == "ground root":
        return add_root(walk_along([(0, 0), (1, 2)])).frames(0, 50)
    rig = {"plain": humanoid(), "turned axes": humanoid(4), "fingers": neutral_skeleton()}[request.param]
    rng = np.random.default_rng(3)
    turns = rotation.from_rotation_vector(0.3 * rng.normal(size=(20, rig.joint_count, 3)))
    positions = np.repeat(rig.offsets[None], 20, axis=0)
    positions[:, 0] += rng.normal(size=(20, 3))
    return Clip(rig, positions, quaternion.multiply(rig.tpose, turns), 30.0, "a walk")


def by_role(clip, which=0):
    values = global_pose(clip)[which]
    return {role: values[:, joint] for role, joint in clip.skeleton.roles.items() if role != "root"}


def since_tpose(clip):
    """Global rotations counted from the T-pose, by role: what formats for humanoids carry."""
    bare = reduce_to_humanoid(clip)
    return by_role(bare, 1)


def test_the_bare_humanoid_stands_where_the_rig_does(clip):
    bare = reduce_to_humanoid(clip)
    before, after = by_role(clip), by_role(bare)
    assert set(after) == set(before)
    for role, places in before.items():
        np.testing.assert_allclose(after[role], places, atol=2e-5)
    np.testing.assert_array_equal(bare.skeleton.rotations, quaternion.identity((bare.skeleton.joint_count,)))


def test_vrma_comes_back_the_same(clip, tmp_path):
    path = tmp_path / "walk.vrma"
    write_clip(path, clip)
    back = read_clip(path)
    assert back.source.format == "vrma"
    assert (back.frame_rate, back.frame_count) == (clip.frame_rate, clip.frame_count)
    before, after = by_role(clip), by_role(back)
    assert set(after) == set(before)
    for role, places in before.items():
        np.testing.assert_allclose(after[role], places, atol=3e-5)


def test_vrma_keeps_the_rules_of_its_format(clip, tmp_path):
    path = tmp_path / "walk.vrma"
    write_clip(path, clip)
    content = path.read_bytes()
    document = json.loads(content[20 : 20 + struct.unpack_from("<I", content, 12)[0]])
    bones = document["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    assert document["extensionsUsed"] == ["VRMC_vrm_animation"]
    assert {"hips", "spine", "head", "leftUpperLeg", "rightLowerArm"} <= set(bones)
    if "left_thumb_proximal" in clip.skeleton.roles:
        assert document["nodes"][bones["leftThumbMetacarpal"]["node"]]["name"] == "leftThumbMetacarpal"
    moved = {c["target"]["node"] for c in document["animations"][0]["channels"] if c["target"]["path"] == "translation"}
    assert moved == {bones["hips"]["node"]}  # nothing but the hips changes place
    assert "meshes" not in document
    assert 0.5 < document["nodes"][bones["hips"]["node"]]["translation"][1] < 1.2  # the height that players scale by


def test_amass_comes_back_as_the_same_angles_on_the_neutral_skeleton(clip, tmp_path):
    path = tmp_path / "walk.npz"
    write_clip(path, clip)
    back = read_clip(path)
    assert "approximate" in back.source.notes[0]
    assert back.frame_rate == clip.frame_rate
    before, after = since_tpose(clip), since_tpose(back)
    for role in before:
        assert quaternion.angle(before[role], after[role]).max() < 1e-3, role
    np.testing.assert_allclose(by_role(back)["hips"], by_role(clip)["hips"], atol=1e-5)
    with np.load(path, allow_pickle=False) as content:
        assert content["poses"].shape == (clip.frame_count, 156)
        assert str(content["gender"]) == "neutral"
    write_clip(tmp_path / "again.npz", back)
    with np.load(path) as one, np.load(tmp_path / "again.npz") as two:
        np.testing.assert_allclose(one["trans"], two["trans"], atol=1e-6)
        np.testing.assert_allclose(one["poses"], two["poses"], atol=2e-3)  # float32 between


def test_amass_has_z_up_and_any_of_its_layouts(tmp_path):
    upright = rotation.to_rotation_vector(rotation.from_axis_angle([1.0, 0, 0], np.pi / 2))
    for columns in (66, 72, 156, 165):
        poses = np.zeros((3, columns))
        poses[:, :3] = upright
        poses[:, 4 * 3 : 5 * 3] = [0.7, 0, 0]  # the left knee, in every layout
        np.savez(
            tmp_path / "a.npz", poses=poses, trans=[[0, 0, 0.9], [0, -0.1, 0.9], [0, -0.2, 0.9]], mocap_frame_rate=60
        )
        clip = read_clip(tmp_path / "a.npz")
        places = by_role(clip)
        assert (places["head"][:, 1] > 1.2).all()
        np.testing.assert_allclose(places["hips"][-1], [0, 0.9, 0.2], atol=1e-6)  # -Y of the file is forward
        assert places["left_foot"][0, 2] < places["right_foot"][0, 2] - 0.1  # a bent knee takes the foot back
        assert clip.frame_rate == 60


def archive(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


def bomb():
    """An array that says it is larger than memory."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 156)})
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        made.writestr("poses.npy", header.getvalue())
        for name in ("trans", "mocap_framerate"):
            made.writestr(f"{name}.npy", header.getvalue())
    return content.getvalue()


def with_header(text):
    """An array whose header is that text."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        for name in ("poses", "trans", "mocap_framerate"):
            made.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
    return content.getvalue()


GOOD = {"poses": np.zeros((2, 156)), "trans": np.zeros((2, 3)), "mocap_framerate": np.array(30.0)}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (archive(positions=np.zeros(3)), "no array 'poses', found positions"),
        (archive(**GOOD | {"poses": np.zeros((2, 150))}), r"poses has shape \(2, 150\)"),
        (archive(**GOOD | {"trans": np.zeros((3, 3))}), "trans has shape"),
        (archive(**GOOD | {"trans": np.full((2, 3), np.nan)}), "trans is not finite at frame 0"),
        (archive(**GOOD | {"mocap_framerate": np.array(0.0)}), "mocap_framerate is"),
        (archive(**GOOD | {"poses": np.array([{}], object)}), "expected numbers"),
        (archive(**GOOD)[:-40], "damaged archive"),
        (bomb(), "expected numbers"),
        (b"PK\x03\x04 nothing", "damaged archive"),
        (with_header("{'descr': (\n"), "expected numbers"),  # numpy's reader has an error of its own for each of these
        (with_header("{\n}\n  x\n y\n"), "expected numbers"),
        (with_header("(" * 5000), "expected numbers"),
        (with_header("-" * 9000 + "1"), "expected numbers"),
    ],
)
def test_archives_that_are_no_amass_are_refused_by_name(content, words, tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(FileError, match=words):
        read_clip(path)


def test_what_is_no_humanoid_is_not_written(tmp_path, humanoid):
    rig = humanoid().with_roles({"hips": 0})
    clip = Clip(rig, rig.offsets[None], rig.rotations[None], 30.0, "a table")
    for ending in (".vrma", ".npz"):
        with pytest.raises(KinematchError, match="no humanoid"):
            write_clip(tmp_path / f"x{ending}", clip)
    assert not list(tmp_path.iterdir())


def test_convert_takes_both(tmp_path, capsys):
    write_clip(tmp_path / "a.bvh", walk_along([(0, 0), (0, 1)]))
    for one, other in (("a.bvh", "b.vrma"), ("b.vrma", "c.npz"), ("c.npz", "d.glb")):
        assert main(["convert", str(tmp_path / one), str(tmp_path / other)]) == 0
    np.testing.assert_allclose(
        by_role(read_clip(tmp_path / "d.glb"))["hips"], by_role(read_clip(tmp_path / "a.bvh"))["hips"], atol=1e-4
    )
