"""A clip written as GLB comes back the same, and the file keeps glTF's own rules."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import FileError
from kinematch.files.gltf_body import body_mesh
from kinematch.files.gltf_mesh import posed_positions
from kinematch.files.gltf_read import read_gltf
from kinematch.files.gltf_write import write_glb
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose, rest_pose
from kinematch.motion.skeleton import Skeleton


def random_clip(rng, joints=8, frames=12, rate=30.0, **fields):
    parents = [-1] + [int(rng.integers(k)) for k in range(1, joints)]
    ends = int(rng.integers(0, 4))
    rig = Skeleton(
        names=tuple(f"joint {k} «é»" for k in range(joints)),
        parents=np.array(parents),
        offsets=rng.normal(size=(joints, 3)),
        rotations=quaternion.normalize(rng.normal(size=(joints, 4))),
        end_parents=rng.integers(0, joints, ends),
        end_offsets=rng.normal(size=(ends, 3)) * rng.integers(0, 2, (ends, 1)),
        file_order=rng.permutation(joints),
        **fields,
    )
    positions = np.repeat(rig.offsets[None], frames, axis=0)
    moving = rng.random(joints) < 0.5
    positions[:, moving] += rng.normal(size=(frames, int(moving.sum()), 3))
    rotations = quaternion.normalize(rng.normal(size=(frames, joints, 4)))
    still = rng.random(joints) < 0.3
    rotations[:, still] = rotations[:1, still]
    at_rest = rng.random(joints) < 0.3
    rotations[:, at_rest], positions[:, at_rest] = rig.rotations[at_rest], rig.offsets[at_rest]
    return Clip(rig, positions, rotations, rate, name="a walk")


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 20),
    st.integers(1, 30),
    st.one_of(st.sampled_from([30.0, 59.94, 5.0, 120.0]), st.floats(0.5, 500)),
    st.integers(0, 2**32 - 1),
)
def test_a_clip_comes_back_the_same(tmp_path_factory, joints, frames, rate, seed):
    clip = random_clip(np.random.default_rng(seed), joints, frames, rate)
    path = tmp_path_factory.mktemp("w") / "clip.glb"
    write_glb(path, clip)
    (back,) = read_gltf(path).clips
    one, two = clip.skeleton, back.skeleton
    assert one.names == two.names
    assert (back.name, back.frame_rate, back.frame_count) == (clip.name, clip.frame_rate, clip.frame_count)
    np.testing.assert_array_equal(one.parents, two.parents)
    np.testing.assert_array_equal(one.file_order, two.file_order)
    np.testing.assert_array_equal(one.end_parents, two.end_parents)
    np.testing.assert_allclose(one.end_offsets, two.end_offsets, atol=1e-6)
    np.testing.assert_allclose(one.offsets, two.offsets, atol=1e-6)
    np.testing.assert_allclose(quaternion.nearest(two.rotations, one.rotations), one.rotations, atol=1e-6)
    np.testing.assert_allclose(clip.positions, back.positions, atol=1e-6)
    np.testing.assert_allclose(quaternion.nearest(back.rotations, clip.rotations), clip.rotations, atol=1e-6)


def test_a_long_clip_comes_back_at_its_frames(tmp_path):
    """Float32 key times are coarse after an hour; frames must still be keys, not mixtures of two."""
    rng = np.random.default_rng(5)
    clip = random_clip(rng, 2, 120 * 600, 120.0)
    write_glb(tmp_path / "long.glb", clip)
    (back,) = read_gltf(tmp_path / "long.glb").clips
    np.testing.assert_allclose(clip.positions, back.positions, atol=1e-6)


def test_roles_come_back_whatever_the_names(tmp_path):
    clip = random_clip(np.random.default_rng(1), 8, roles={"root": 0, "hips": 1, "left_hand": 5})
    write_glb(tmp_path / "clip.glb", clip)
    assert dict(read_gltf(tmp_path / "clip.glb").skeleton.roles) == {"root": 0, "hips": 1, "left_hand": 5}


def walking_figure():
    """A humanoid that our figure fits, in a T-pose, bent at some joints."""
    bones = [("hips", -1, [0, 0.9, 0]), ("spine", 0, [0, 0.2, 0]), ("neck", 1, [0, 0.3, 0]), ("head", 2, [0, 0.1, 0])]
    for side, x in (("left", 1), ("right", -1)):
        start = len(bones)
        bones += [
            (f"{side}_upper_leg", 0, [0.1 * x, 0, 0]),
            (f"{side}_lower_leg", start, [0, -0.42, 0]),
            (f"{side}_foot", start + 1, [0, -0.4, 0]),
            (f"{side}_upper_arm", 1, [0.18 * x, 0.25, 0]),
            (f"{side}_lower_arm", start + 3, [0.28 * x, 0, 0]),
            (f"{side}_hand", start + 4, [0.26 * x, 0, 0]),
        ]
    count = len(bones)
    rig = Skeleton(
        names=tuple(name.title().replace("_", "") for name, _, _ in bones),
        parents=np.array([parent for _, parent, _ in bones]),
        offsets=np.array([offset for *_, offset in bones]),
        rotations=quaternion.identity((count,)),
        end_parents=np.array([3]),
        end_offsets=np.array([[0, 0.2, 0]]),
        file_order=np.arange(count),
        roles={name: k for k, (name, _, _) in enumerate(bones)},
    )
    rotations = np.array(quaternion.identity((2, count)))
    rotations[1] = quaternion.normalize(rotations[1] + 0.2 * np.random.default_rng(0).normal(size=(count, 4)))
    return Clip(rig, np.repeat(rig.offsets[None], 2, axis=0), rotations, 30.0, "bend")


def test_the_body_stays_around_its_bones_in_every_pose(tmp_path):
    clip = walking_figure()
    write_glb(tmp_path / "body.glb", clip)
    model = read_gltf(tmp_path / "body.glb")
    positions, rotations = global_pose(model.clips[0])
    assert {mesh.name for mesh in model.meshes} == {"Body"}
    assert len(model.meshes) > 2  # at least the sides differ in colour from the rest
    for frame in range(2):
        cloud = np.concatenate(
            [posed_positions(m, model.skins[m.skin], positions[frame], rotations[frame]) for m in model.meshes]
        )
        nearest = np.linalg.norm(positions[frame][:, None] - cloud, axis=-1).min(axis=1)
        assert nearest.max() < 0.12  # every joint has skin around it
        assert cloud.min() > -1.2
        assert cloud.max() < 1.9


def test_triangles_look_outwards():
    mesh = body_mesh(walking_figure().skeleton)
    for triangles in mesh.triangles.values():
        a, b, c = (mesh.positions[triangles[:, k]] for k in range(3))
        area = np.cross(b - a, c - a)
        # rings of a ball's seam coincide; their triangles have no area and face nowhere
        real = np.linalg.norm(area, axis=-1) > 1e-12
        normals = mesh.normals[triangles].mean(axis=1)
        assert (np.sum(area * normals, axis=-1)[real] > 0).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=-1), 1, atol=1e-9)


def test_the_bind_pose_is_where_the_vertices_were_made(tmp_path):
    clip = walking_figure()
    write_glb(tmp_path / "body.glb", clip)
    model = read_gltf(tmp_path / "body.glb")
    rest = rest_pose(model.skeleton)
    for mesh in model.meshes:
        np.testing.assert_allclose(posed_positions(mesh, model.skins[mesh.skin], *rest), mesh.positions, atol=1e-5)


def test_the_file_keeps_the_rules_of_gltf(tmp_path):
    """What a validator would find: alignment, bounds, targets, references, chunk padding."""
    write_glb(tmp_path / "a.glb", walking_figure())
    raw = (tmp_path / "a.glb").read_bytes()
    magic, version, length, size, kind = struct.unpack_from("<4sIIII", raw)
    assert (magic, version, length, kind) == (b"glTF", 2, len(raw), 0x4E4F534A)
    document = json.loads(raw[20 : 20 + size])
    binary_size, binary_kind = struct.unpack_from("<II", raw, 20 + size)
    binary = raw[28 + size :]
    assert (binary_kind, binary_size, size % 4, binary_size % 4) == (0x004E4942, len(binary), 0, 0)
    assert document["buffers"] == [{"byteLength": len(binary)}]
    widths = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
    for accessor in document["accessors"]:
        view = document["bufferViews"][accessor["bufferView"]]
        dtype = {5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor["componentType"]]
        values = np.frombuffer(binary, dtype, accessor["count"] * widths[accessor["type"]], view["byteOffset"])
        assert values.nbytes == view["byteLength"]
        assert view["byteOffset"] % 4 == 0
        if "min" in accessor:
            rows = values.reshape(accessor["count"], -1)
            assert rows.min(axis=0).tolist() == accessor["min"]
            assert rows.max(axis=0).tolist() == accessor["max"]
    used = {k for a in document["animations"] for s in a["samplers"] for k in (s["input"], s["output"])}
    used |= {k for m in document["meshes"] for p in m["primitives"] for k in (*p["attributes"].values(), p["indices"])}
    used |= {document["skins"][0]["inverseBindMatrices"]}
    assert used == set(range(len(document["accessors"])))
    assert all("min" in document["accessors"][s["input"]] for a in document["animations"] for s in a["samplers"])
    targets = [(c["target"]["node"], c["target"]["path"]) for c in document["animations"][0]["channels"]]
    assert len(set(targets)) == len(targets)
    children = [child for node in document["nodes"] for child in node.get("children", [])]
    assert sorted(children + document["scenes"][0]["nodes"]) == list(range(len(document["nodes"])))
    for node in document["nodes"]:
        assert abs(np.linalg.norm(node.get("rotation", [0, 0, 0, 1])) - 1) < 1e-6


def test_a_clip_that_cannot_be_written_leaves_the_old_file(tmp_path):
    clip = random_clip(np.random.default_rng(0))
    path = tmp_path / "clip.glb"
    write_glb(path, clip)
    before = path.read_bytes()
    with pytest.raises(FileError, match="cannot be written"):
        write_glb(path / "clip.glb", clip)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["clip.glb"]
    with pytest.raises(FileError, match="cannot be written"):
        write_glb(tmp_path / "nowhere" / "clip.glb", clip)
