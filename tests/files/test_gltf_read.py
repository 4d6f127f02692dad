"""Skeletons read from glTF stand where the file's own matrices put them, whatever scales and axes lie between."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import FileError
from kinematch.files import read_clip
from kinematch.files.gltf_mesh import posed_positions
from kinematch.files.gltf_read import read_gltf
from kinematch.math import quaternion, rotation
from kinematch.motion.kinematics import end_positions, global_pose, rest_pose

TURN = [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]  # x y z w, a quarter about +Y: takes +Z to +X


def read(gltf, folder, **told):
    return read_gltf(gltf.write(folder / "model.glb"), **told)


def skin(gltf, *joints, **fields):
    return gltf.add("skins", {"joints": list(joints), **fields})


def person(gltf, turn=(0, 0, 0, 1), **top):
    """A humanoid by its names, facing +Z unless it is turned; its first joint hangs on a node that is turned."""
    armature = gltf.node("Armature", rotation=list(turn), **top)
    hips = gltf.node("Hips", armature, translation=[0, 1, 0])
    joints = [hips]
    spine = gltf.node("Spine", hips, translation=[0, 0.3, 0])
    neck = gltf.node("Neck", spine, translation=[0, 0.3, 0])
    joints += [spine, neck, gltf.node("Head", neck, translation=[0, 0.1, 0])]
    for side, x in (("Left", 1), ("Right", -1)):
        for start, bones in (
            (spine, (("Arm", [0.2 * x, 0.2, 0]), ("ForeArm", [0.3 * x, 0, 0]), ("Hand", [0.3 * x, 0, 0]))),
            (
                hips,
                (("UpLeg", [0.1 * x, 0, 0]), ("Leg", [0, -0.45, 0]), ("Foot", [0, -0.45, 0]), ("Toe", [0, -0.1, 0.1])),
            ),
        ):
            for name, offset in bones:
                start = gltf.node(side + name, start, translation=offset)
                joints.append(start)
    skin(gltf, *joints)
    return armature


def test_json_and_binary_files_give_the_same(gltf, new_gltf, tmp_path):
    person(gltf)
    gltf.animation((3, "rotation", [0.0, 1.0], [[0, 0, 0, 1], TURN], "LINEAR"))
    one = read_gltf(gltf.write(tmp_path / "a.glb"))
    del gltf.json["buffers"]
    two = read_gltf(gltf.write(tmp_path / "a.gltf"))
    assert one.skeleton.names == two.skeleton.names
    assert one.clips[0].frame_count == 31
    np.testing.assert_array_equal(one.clips[0].rotations, two.clips[0].rotations)
    assert (one.clips[0].source.format, two.clips[0].source.format) == ("glb", "gltf")


@pytest.mark.parametrize(
    ("turn", "facing"),
    [((0, 0, 0, 1), "Z"), (TURN, "X"), ((0, 1, 0, 0), "-Z"), ((0, -np.sqrt(0.5), 0, np.sqrt(0.5)), "-X")],
)
def test_characters_are_turned_to_face_ahead(gltf, tmp_path, turn, facing):
    person(gltf, turn, translation=[1, 0, 2])
    model = read(gltf, tmp_path)
    assert model.clips[0].source.facing == facing
    positions, _ = rest_pose(model.skeleton)
    left, right = (positions[model.skeleton.joint(f"{side}_hand")] for side in ("left", "right"))
    np.testing.assert_allclose(left - right, [1.6, 0, 0], atol=1e-6)
    toe = positions[model.skeleton.joint("left_toes")] - positions[model.skeleton.joint("left_foot")]
    np.testing.assert_allclose(toe, [0, -0.1, 0.1], atol=1e-6)


def test_what_is_told_overrules(gltf, tmp_path):
    person(gltf)
    model = read(gltf, tmp_path, facing="X", unit="cm", roles={"left_toes": ""})
    positions, _ = rest_pose(model.skeleton)
    np.testing.assert_allclose(positions[model.skeleton.joint("LeftHand")], [0, 0.015, 0.008], atol=1e-7)
    assert "left_toes" not in model.skeleton.roles
    assert model.clips[0].source.facing_reason == model.clips[0].source.unit_reason == "given"


def test_a_file_that_is_z_up_after_all_can_be_put_upright(gltf, tmp_path):
    person(gltf, (np.sqrt(0.5), 0, 0, np.sqrt(0.5)))  # +Y goes to +Z
    model = read(gltf, tmp_path, up="Z")
    positions, _ = rest_pose(model.skeleton)
    np.testing.assert_allclose(positions[model.skeleton.joint("Head")], [0, 1.7, 0], atol=1e-6)
    assert positions[model.skeleton.joint("LeftToe"), 2] > 0.05
    with pytest.raises(FileError, match="along the up axis"):
        read(gltf, tmp_path, up="Z", facing="Z")


def test_what_is_told_reaches_the_reader_through_read_clip(gltf, tmp_path):
    person(gltf, (np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
    clip = read_clip(gltf.write(tmp_path / "model.glb"), up="Z", unit="cm")
    assert (clip.source.up, clip.source.up_reason, clip.source.unit) == ("Z", "given", 0.01)
    np.testing.assert_allclose(global_pose(clip)[0][0, clip.skeleton.joint("Head")], [0, 0.017, 0], atol=1e-6)
    assert clip.skeleton.tpose is not None


def test_a_z_up_matrix_over_the_skeleton_is_taken_into_the_first_joint(gltf, tmp_path):
    top = gltf.node("Z_UP", matrix=[1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1])
    first = gltf.node("first", top, translation=[0, 0, 2])
    second = gltf.node("second", first, translation=[0, 1, 3])
    skin(gltf, first, second)
    rig = read(gltf, tmp_path).skeleton
    assert rig.names == ("first", "second")
    np.testing.assert_allclose(rest_pose(rig)[0], [[0, 2, 0], [0, 5, -1]], atol=1e-6)


def node_matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    m = np.eye(4)
    q = np.array(node.get("rotation", [0, 0, 0, 1.0]))[[3, 0, 1, 2]]
    m[:3, :3] = rotation.to_matrix(q) * np.array(node.get("scale", [1.0, 1, 1]))
    m[:3, 3] = node.get("translation", [0, 0, 0])
    return m


def world_matrices(nodes):
    parent = {child: k for k, node in enumerate(nodes) for child in node.get("children", [])}
    world = {}
    for k, node in enumerate(nodes):  # the trees built here have parents first
        world[k] = world[parent[k]] @ node_matrix(node) if k in parent else node_matrix(node)
    return world


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.sampled_from(["none", "uniform", "any"]), st.integers(0, 2**32 - 1))
def test_joints_meshes_and_end_sites_stand_where_matrices_put_them(new_gltf, tmp_path_factory, count, scales, seed):
    rng, gltf = np.random.default_rng(seed), new_gltf()
    for k in range(count):
        q = quaternion.normalize(rng.normal(size=4))
        scale = {
            "none": np.ones(3),
            "uniform": np.ones(3) * rng.choice([-1, 0.01, 0.5, 2, 100]),
            "any": rng.uniform(0.5, 2, 3),
        }
        fields = {"translation": rng.normal(size=3).tolist(), "rotation": q[[1, 2, 3, 0]].tolist()}
        gltf.node(f"j{k}", rng.integers(k) if k else None, **fields, scale=scale[scales].tolist())
        if rng.random() < 0.3:
            node = gltf.json["nodes"][-1]
            children = node.pop("children", None)
            gltf.json["nodes"][-1] = {"name": f"j{k}", "matrix": node_matrix(node).T.reshape(-1).tolist()}
            assert children is None
    gltf.node("tip", count - 1, translation=[0.1, 0.2, 0.3], extras={"end_site": True})
    chosen = sorted(rng.choice(count, rng.integers(1, count + 1), replace=False).tolist())
    vertices = rng.normal(size=(6, 3))
    attributes = {
        "POSITION": gltf.accessor(vertices),
        "JOINTS_0": gltf.accessor(carriers := rng.integers(0, len(chosen), (6, 4)), dtype="u1"),
        "WEIGHTS_0": gltf.accessor(weights := rng.dirichlet(np.ones(4), 6)),
    }
    mesh = gltf.add("meshes", {"primitives": [{"attributes": attributes}]})
    binds = rng.normal(size=(len(chosen), 4, 4))
    binds[:, 3] = [0, 0, 0, 1]
    skin(gltf, *chosen, inverseBindMatrices=gltf.accessor(binds))
    gltf.node("body", mesh=mesh, skin=0)
    rigid = gltf.node("hat", chosen[-1], mesh=mesh, translation=[1, 2, 3])
    world = world_matrices(gltf.json["nodes"])
    model = read(gltf, tmp_path_factory.mktemp("m"), facing="Z")
    rig = model.skeleton
    positions, rotations = (a.astype(np.float64) for a in rest_pose(rig))
    size = max(np.abs(m).max() for m in world.values())
    for joint, name in enumerate(rig.names):
        np.testing.assert_allclose(positions[joint], world[int(name[1:])][:3, 3], atol=1e-5 * size)
    if f"j{count - 1}" in rig.names:
        np.testing.assert_allclose(end_positions(rig, positions, rotations)[-1], world[count][:3, 3], atol=1e-5 * size)
    bones = np.array([world[node] for node in chosen]) @ binds
    at = np.concatenate([vertices, np.ones((6, 1))], axis=1)
    skinned = np.einsum("vn,vnij,vj->vi", weights, bones[carriers], at)[:, :3]
    found = {m.name: posed_positions(m, model.skins[m.skin], positions, rotations) for m in model.meshes}
    np.testing.assert_allclose(found["body"], skinned, atol=2e-5 * size * np.abs(binds).max())
    np.testing.assert_allclose(found["hat"], (at @ world[rigid].T)[:, :3], atol=2e-5 * size)
    assert all(scales == "any" and "scale" in note for note in model.notes)


def test_an_animated_scale_moves_the_joints_below_and_is_noted(gltf, tmp_path):
    first = gltf.node("first", scale=[2, 2, 2])
    second = gltf.node("second", first, translation=[0, 1, 0])
    gltf.animation((first, "scale", [0.0, 1.0], [[2, 2, 2], [4, 4, 4]], "LINEAR"))
    skin(gltf, first, second)
    model = read(gltf, tmp_path)
    np.testing.assert_allclose(global_pose(model.clips[0])[0][:, 1, 1], np.linspace(2, 4, 31), atol=1e-6)
    assert "scales" in model.notes[0]


def test_names_are_made_unique(gltf, tmp_path):
    top = gltf.node("a")
    for name in ("a", "a_2", "a", "", ""):
        gltf.node(name, top)
    skin(gltf, *range(6))
    assert read(gltf, tmp_path).skeleton.names == ("a", "a_3", "a_2", "a_4", "node_4", "node_5")


def test_two_trees_get_a_common_first_joint(gltf, tmp_path):
    gltf.node("left", translation=[1, 0, 0])
    gltf.node("right", translation=[-1, 0, 0])
    skin(gltf, 1, 0)
    rig = read(gltf, tmp_path).skeleton
    assert rig.names == ("Root", "right", "left")
    assert rig.file_order.tolist() == [0, 2, 1]
    assert rig.parents.tolist() == [-1, 0, 0]
    np.testing.assert_allclose(rest_pose(rig)[0], [[0, 0, 0], [-1, 0, 0], [1, 0, 0]])


def test_nodes_between_joints_are_joints_and_nodes_beside_are_not(gltf, tmp_path):
    scene = gltf.node("scene")
    camera = gltf.node("camera", scene, camera=0)
    hips = gltf.node("hips", scene)
    helper = gltf.node("helper", hips, translation=[0, 1, 0])
    head = gltf.node("head", helper, translation=[0, 1, 0])
    gltf.node("prop", scene, mesh=0)
    gltf.add("meshes", {"primitives": []})
    gltf.animation((camera, "translation", [0.0, 1.0], np.ones((2, 3)), "LINEAR"))
    skin(gltf, hips, head)
    model = read(gltf, tmp_path)
    assert model.skeleton.names == ("hips", "helper", "head")
    assert "nothing to do with the skeleton" in model.notes[0]


def test_bare_leaves_are_end_sites(gltf, tmp_path):
    hips = gltf.node("hips", scale=[2, 2, 2])
    head = gltf.node("head", hips, translation=[0, 1, 0])
    gltf.node("head_end", head, translation=[0, 0.5, 0])
    gltf.node("hat", head, translation=[0, 0.5, 0], mesh=0)
    gltf.node("here", head)
    gltf.add("meshes", {"primitives": []})
    skin(gltf, hips, head)
    rig = read(gltf, tmp_path).skeleton
    assert rig.names == ("hips", "head")
    assert rig.end_parents.tolist() == [1]
    assert rig.end_offsets.tolist() == [[0, 1, 0]]


def test_joints_stand_parents_first_and_the_files_order_is_kept(gltf, tmp_path):
    for name in ("hand", "arm", "body"):
        gltf.node(name)
    gltf.json["nodes"][1]["children"] = [0]
    gltf.json["nodes"][2]["children"] = [1]
    skin(gltf, 0, 1, 2)
    rig = read(gltf, tmp_path).skeleton
    assert rig.names == ("body", "arm", "hand")
    assert [rig.names[k] for k in rig.file_order] == ["hand", "arm", "body"]


def test_a_file_without_skin_or_animation_gives_its_nodes(gltf, tmp_path):
    gltf.node("leaf", gltf.node("root"), translation=[0, 1, 0])
    model = read(gltf, tmp_path)
    assert model.skeleton.names == ("root", "leaf")
    assert model.clips[0].frame_count == 1
    assert model.clips[0].name == model.title == "model"


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([{"children": [0]}], "circle"),
        ([{"children": [1]}, {"children": [0]}], "circle"),
        ([{"children": [2]}, {"children": [2]}, {}], "two parents"),
        ([{"children": [1, 1]}, {}], "two parents"),
        ([{"children": [3]}], "does not exist"),
        ([{"scale": [1e200, 1, 1]}], "thousand million"),
    ],
)
def test_trees_that_are_none_are_refused(gltf, tmp_path, nodes, words):
    gltf.json["nodes"] = nodes
    with pytest.raises(FileError, match=words):
        read(gltf, tmp_path)


def test_a_very_deep_tree_is_read(gltf, tmp_path):
    gltf.json["nodes"] = [{"children": [k + 1]} for k in range(3000)] + [{}]
    skin(gltf, 3000)
    assert read(gltf, tmp_path, facing="Z").skeleton.joint_count == 1


def test_a_scene_of_countless_joints_is_refused(gltf, tmp_path):
    gltf.json["nodes"] = [{"children": list(range(1, 6000))}, *({} for _ in range(5999))]
    skin(gltf, *range(6000))
    with pytest.raises(FileError, match="6000 joints"):
        read(gltf, tmp_path)


def test_scales_that_multiply_beyond_all_bounds_are_refused(gltf, tmp_path):
    gltf.json["nodes"] = [{"children": [k + 1], "scale": [1e8] * 3, "translation": [1, 0, 0]} for k in range(60)] + [{}]
    skin(gltf, *range(61))
    with pytest.raises(FileError, match="too large"):
        read(gltf, tmp_path)


@pytest.mark.parametrize("joints", [[7], [-1], ["x"]])
def test_skins_of_nodes_that_do_not_exist_are_refused(gltf, tmp_path, joints):
    gltf.node("only")
    skin(gltf, *joints)
    with pytest.raises(FileError):
        read(gltf, tmp_path)


def meshed(gltf, **change):
    node = gltf.node("joint", mesh=0, skin=0)
    gltf.node("other")
    skin(gltf, node)
    attributes = {
        "POSITION": gltf.accessor(np.eye(3)),
        "NORMAL": gltf.accessor(np.eye(3)),
        "JOINTS_0": gltf.accessor(np.zeros((3, 4)), dtype="u2"),
        "WEIGHTS_0": gltf.accessor(np.full((3, 4), 0.25)),
    }
    gltf.add(
        "meshes", {"primitives": [{"attributes": attributes, "indices": gltf.accessor([2, 1, 0], dtype="u1")} | change]}
    )
    return gltf.json["meshes"][0]["primitives"][0]["attributes"]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [(4, [[0, 1, 2]]), (5, [[0, 1, 2], [1, 3, 2], [2, 3, 4]]), (6, [[1, 2, 0], [2, 3, 0], [3, 4, 0]])],
)
def test_strips_and_fans_become_triangles(gltf, tmp_path, mode, expected):
    attributes = meshed(gltf, mode=mode)
    del gltf.json["meshes"][0]["primitives"][0]["indices"], attributes["JOINTS_0"], attributes["NORMAL"]
    attributes["POSITION"] = gltf.accessor(np.ones((5, 3)))
    assert read(gltf, tmp_path).meshes[0].triangles.tolist() == expected


def test_compressed_meshes_are_left_out_with_a_note_and_the_rest_is_read(gltf, tmp_path):
    meshed(gltf, extensions={"KHR_draco_mesh_compression": {}})
    gltf.json["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    model = read(gltf, tmp_path)
    assert not model.meshes
    assert "KHR_draco_mesh_compression" in model.notes[0]


def test_compressed_motion_is_refused(gltf, tmp_path):
    gltf.animation((gltf.node("joint"), "translation", [0.0], np.ones((1, 3)), "LINEAR"))
    gltf.json["bufferViews"][1]["extensions"] = {"EXT_meshopt_compression": {}}
    with pytest.raises(FileError, match="compressed"):
        read(gltf, tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"NORMAL": (np.ones((2, 3)), "f4")},
        {"JOINTS_0": (np.ones((3, 4)), "u2")},
        {"JOINTS_0": (np.zeros((3, 4)), "f4")},
        {"JOINTS_0": (np.zeros((2, 4)), "u1")},
        {"WEIGHTS_0": (np.full((3, 4), -1), "f4")},
        {"WEIGHTS_0": (np.full((3, 4), np.nan), "f4")},
        {"POSITION": (np.ones((2, 3)), "f4")},
        {"POSITION": (np.full((3, 3), np.inf), "f4")},
    ],
)
def test_broken_meshes_are_refused_but_their_motion_can_be_read(gltf, tmp_path, change):
    attributes = meshed(gltf)
    attributes |= {name: gltf.accessor(values, dtype=dtype) for name, (values, dtype) in change.items()}
    with pytest.raises(FileError, match=r"model\.glb"):
        read(gltf, tmp_path)
    assert read(gltf, tmp_path, meshes=False).clips
