"""The meshes of a glTF character, as arrays bound to the joints of its skeleton, ready to be posed and drawn."""

from dataclasses import dataclass

import numpy as np

from kinematch.files.gltf_accessor import CompressedError, read_accessor, read_floats
from kinematch.files.gltf_container import Document
from kinematch.files.gltf_nodes import Joints, NodeTree
from kinematch.files.gltf_schema import Primitive
from kinematch.math import rotation

TRIANGLES, STRIP, FAN = 4, 5, 6


@dataclass(frozen=True, eq=False)
class CharacterSkin:
    joints: np.ndarray  # (K,) int32, joints of the skeleton
    inverse_binds: np.ndarray  # (K, 4, 4) from the mesh's space to that of each joint, scales included


@dataclass(frozen=True, eq=False)
class CharacterMesh:
    name: str
    skin: int  # which of the model's skins it hangs on
    positions: np.ndarray  # (V, 3) in the mesh's space
    normals: np.ndarray | None  # (V, 3)
    triangles: np.ndarray  # (T, 3) int32
    joints: np.ndarray  # (V, n) int32, places in the skin's list
    weights: np.ndarray  # (V, n), each row sums to one


def posed_positions(
    mesh: CharacterMesh, skin: CharacterSkin, global_positions: np.ndarray, global_rotations: np.ndarray
) -> np.ndarray:
    """The mesh's vertices (V, 3) in the world, for one pose of the skeleton (J, 3), (J, 4)."""
    matrices = rigid_matrices(global_positions[skin.joints], global_rotations[skin.joints]) @ skin.inverse_binds
    blended = np.einsum("vn,vnij->vij", mesh.weights, matrices[mesh.joints])
    return np.einsum("vij,vj->vi", blended[:, :3, :3], mesh.positions) + blended[:, :3, 3]


def read_meshes(
    document: Document, tree: NodeTree, joints: Joints, to_ours: np.ndarray, rest: tuple[np.ndarray, np.ndarray]
) -> tuple[tuple[CharacterSkin, ...], tuple[CharacterMesh, ...], tuple[str, ...]]:
    """Skins, meshes, and notes on what was left out.

    `rest` is the skeleton's global rest pose, `to_ours` (3, 3) takes the file's space to ours. A rigid mesh on a joint
    becomes a skin of that one joint. Inverse binds take scales along, since our joints have none.
    """
    gltf = document.gltf
    world = world_matrices(tree)
    world[:, :3] = to_ours @ world[:, :3]
    to_joint = np.linalg.inv(rigid_matrices(*rest))
    joint_of = {node: joint for joint, node in enumerate(joints.nodes)}
    carrier = _carriers(tree, joint_of)
    skins = [_read_skin(document, k, joint_of, world, to_joint) for k in range(len(gltf.skins))]
    meshes: list[CharacterMesh] = []
    notes: list[str] = []
    for k, node in enumerate(gltf.nodes):
        if node.mesh is None:
            continue
        mesh = gltf.meshes[document.check_index(node.mesh, len(gltf.meshes), f"mesh of node {k}: mesh")]
        name = mesh.name or node.name or f"mesh_{node.mesh}"
        if node.skin is not None:
            skin = document.check_index(node.skin, len(skins), f"skin of node {k}: skin")
        elif carrier[k] >= 0:
            skin = len(skins)
            skins.append(CharacterSkin(np.array([carrier[k]], np.int32), (to_joint[carrier[k]] @ world[k])[None]))
        else:
            notes.append(f"mesh {name!r} hangs on no joint and was left out")
            continue
        for primitive in mesh.primitives:
            try:
                found = _read_primitive(document, primitive, name, skin, len(skins[skin].joints), node.skin is not None)
            except CompressedError as problem:
                notes.append(f"mesh {name!r} was left out: {problem.message}")
                continue
            meshes += [found] if found else []
    return tuple(skins), tuple(meshes), tuple(notes)


def rigid_matrices(positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """(..., 4, 4) that turn, then move."""
    matrices = np.zeros((*positions.shape[:-1], 4, 4))
    matrices[..., :3, :3] = rotation.to_matrix(rotations)
    matrices[..., :3, 3] = positions
    matrices[..., 3, 3] = 1
    return matrices


def world_matrices(tree: NodeTree) -> np.ndarray:
    """The file's own global matrices (N, 4, 4) at rest."""
    world = rigid_matrices(tree.translations, tree.rotations)
    world[:, :3, :3] *= tree.scales[:, None, :]
    for k in tree.order:
        if tree.parents[k] >= 0:
            world[k] = world[tree.parents[k]] @ world[k]
    return world


def _carriers(tree: NodeTree, joint_of: dict[int, int]) -> list[int]:
    """The joint that each node hangs on, -1 for none."""
    carrier = [-1] * len(tree.parents)
    for k in tree.order:
        carrier[k] = joint_of.get(k, carrier[tree.parents[k]] if tree.parents[k] >= 0 else -1)
    return carrier


def _read_skin(
    document: Document, index: int, joint_of: dict[int, int], world: np.ndarray, to_joint: np.ndarray
) -> CharacterSkin:
    skin = document.gltf.skins[index]
    binds = np.broadcast_to(np.eye(4), (len(skin.joints), 4, 4))
    if skin.inverse_bind_matrices is not None:
        binds = read_floats(document, skin.inverse_bind_matrices, "MAT4").astype(np.float64)
        if len(binds) < len(skin.joints):
            raise document.error(f"skin {index} has {len(binds)} inverse bind matrices for {len(skin.joints)} joints")
    numbers = np.array([joint_of[node] for node in skin.joints], np.int32)
    return CharacterSkin(numbers, to_joint[numbers] @ world[skin.joints] @ binds[: len(skin.joints)])


def _read_primitive(
    document: Document, primitive: Primitive, name: str, skin: int, joint_count: int, skinned: bool
) -> CharacterMesh | None:
    """One part of a mesh; None for points and lines."""
    if "KHR_draco_mesh_compression" in primitive.extensions:
        raise CompressedError(document.path, "it is compressed (KHR_draco_mesh_compression); export without it")
    attributes = primitive.attributes
    if primitive.mode not in (TRIANGLES, STRIP, FAN) or "POSITION" not in attributes:
        return None
    positions = read_floats(document, attributes["POSITION"], "VEC3")
    count = len(positions)
    normals = read_floats(document, attributes["NORMAL"], "VEC3") if "NORMAL" in attributes else None
    if normals is not None and len(normals) != count:
        raise document.error(f"mesh {name!r} has {len(normals)} normals for {count} vertices")
    joints, weights = np.zeros((count, 1), np.int32), np.ones((count, 1), np.float32)
    if skinned and "JOINTS_0" in attributes and "WEIGHTS_0" in attributes:
        joints, weights = _read_weights(document, attributes, name, count, joint_count)
    return CharacterMesh(
        name, skin, positions, normals, read_triangles(document, primitive, name, count), joints, weights
    )


def _read_weights(
    document: Document, attributes: dict[str, int], name: str, count: int, joint_count: int
) -> tuple[np.ndarray, np.ndarray]:
    sets = [k for k in range(8) if f"JOINTS_{k}" in attributes and f"WEIGHTS_{k}" in attributes]
    all_joints = [read_accessor(document, attributes[f"JOINTS_{k}"], "VEC4") for k in sets]
    all_weights = [read_floats(document, attributes[f"WEIGHTS_{k}"], "VEC4") for k in sets]
    if any(len(part) != count for part in (*all_joints, *all_weights)):
        raise document.error(f"mesh {name!r} has joints or weights for another number of vertices than its {count}")
    joints, weights = np.concatenate(all_joints, axis=1), np.concatenate(all_weights, axis=1)
    if joints.dtype.kind == "f":
        raise document.error(f"mesh {name!r} has joints that are not whole numbers")
    if (weights < 0).any():
        raise document.error(f"mesh {name!r} has a negative weight")
    if count and (joints[weights > 0]).max(initial=0) >= joint_count:
        raise document.error(f"mesh {name!r} hangs on joint {joints.max()} of a skin of {joint_count}")
    joints = np.where(weights > 0, joints, 0).astype(np.int32)
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0, weights / np.where(total > 0, total, 1), np.eye(1, weights.shape[1]))
    return joints, weights.astype(np.float32)


def read_triangles(document: Document, primitive: Primitive, name: str, count: int) -> np.ndarray:
    order = np.arange(count, dtype=np.int32)
    if primitive.indices is not None:
        given = read_accessor(document, primitive.indices, "SCALAR")
        if given.dtype.kind != "u":
            raise document.error(f"mesh {name!r} has indices that are not unsigned integers")
        if given.max(initial=0) >= max(count, 1):
            raise document.error(f"mesh {name!r} has a triangle at vertex {given.max()} of {count}")
        order = given.astype(np.int32)
    if primitive.mode == TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    k = np.arange(max(len(order) - 2, 0))
    if primitive.mode == FAN:
        return order[np.stack([k + 1, k + 2, np.zeros_like(k)], axis=-1)]
    odd = k % 2  # every second triangle of a strip is turned around
    return order[np.stack([k, k + 1 + odd, k + 2 - odd], axis=-1)]
