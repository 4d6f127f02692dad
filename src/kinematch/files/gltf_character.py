"""Writes a motion into a copy of a user's own GLB or VRM: meshes, materials and skins stay, an animation is added."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.errors import FileError
from kinematch.files.gltf_animation import sample_joints
from kinematch.files.gltf_container import MAGIC, open_document, split_binary
from kinematch.files.gltf_nodes import Joints, NodeTree, choose_joints, read_node_tree
from kinematch.files.gltf_read import read_gltf
from kinematch.files.gltf_skeleton import stretch_nodes
from kinematch.files.gltf_write import BinaryChunk, write_binary
from kinematch.files.reading import BYTE_ORDER_MARK, opened
from kinematch.files.vrm import read_vrm
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import forward

STATIC_TOLERANCE = 1e-6  # of a file's unit or a quaternion's component, within which a node stays as the file has it


def has_meshes(path: str | Path) -> bool:
    """Whether a file is a GLB or VRM with something to draw."""
    path = Path(path)
    if path.suffix.lower() not in (".glb", ".vrm"):
        return False
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return False
    return any(node.mesh is not None for node in open_document(path).gltf.nodes)


def write_character(path: str | Path, clip: Clip, character: str | Path) -> None:
    """The character's file with the clip as its first animation; the clip is on its skeleton, as read_clip gives it."""
    character = Path(character)
    document = open_document(character)
    tree = read_node_tree(document)
    joints = choose_joints(document, tree, read_vrm(document))
    model = read_gltf(character, meshes=False)
    if clip.skeleton.names != model.skeleton.names:
        raise FileError(character, f"is not the character that clip {clip.name!r} is on: its joints differ")
    unit = model.clips[0].source.unit
    nodes = _find_node_motion(clip, joints, tree, turn=model.turn, unit=unit)
    structure, binary = _read_parts(character)
    buffer = BinaryChunk()
    animation = _make_animation(buffer, clip, nodes, tree)
    _free_matrices(structure, tree, {channel["target"]["node"] for channel in animation["channels"]})
    first = len(structure.get("accessors", []))
    animation["samplers"] = [{name: first + number for name, number in one.items()} for one in animation["samplers"]]
    data = _append(structure, buffer, binary, character)
    structure["animations"] = [animation, *structure.get("animations", [])]
    write_binary(path, structure, data)


def _find_node_motion(
    clip: Clip, joints: Joints, tree: NodeTree, *, turn: np.ndarray, unit: float
) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Translations (F, 3) and rotations (F, 4) of each node of the file that is a joint: gltf_skeleton undone."""
    above = len(joints.above)
    parents = [*range(-1, above - 1), above - 1, *(above + p for p in joints.parents[1:])]
    positions, rotations, scales = sample_joints(tree, joints, {}, np.zeros(1))
    places, stretches = stretch_nodes(parents, positions, rotations, scales)
    local, turns = clip.positions.astype(np.float64) / unit, clip.rotations.astype(np.float64)
    back = quaternion.inverse(turn)
    motion = {}
    for joint, node in enumerate(joints.nodes):
        place, rotation = local[:, joint], turns[:, joint]
        if (
            joints.nodes[0] < 0 and joints.parents[joint] == 0
        ):  # the first joint stands in no file: its motion goes here
            place, rotation = (found[:, joint] for found in forward(clip.skeleton, local, turns))
        if joint == 0 or (joints.nodes[0] < 0 and joints.parents[joint] == 0):
            place, rotation = quaternion.rotate(back, place), quaternion.multiply(back, rotation)
            for k in range(above):
                outer = quaternion.inverse(rotations[0, k])
                place, rotation = quaternion.rotate(outer, place - places[0, k]), quaternion.multiply(outer, rotation)
        if node >= 0:
            parent = parents[above + joint]
            inverse = np.linalg.inv(stretches[parent]) if parent >= 0 else np.eye(3)
            motion[node] = place @ inverse.T, quaternion.unroll(quaternion.normalize(rotation))
    return motion


def _make_animation(
    buffer: BinaryChunk, clip: Clip, nodes: dict[int, tuple[np.ndarray, np.ndarray]], tree: NodeTree
) -> dict[str, Any]:
    """Keys of what moves, or stands elsewhere than in the file."""
    times = buffer.add(np.arange(clip.frame_count) / clip.frame_rate, bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for node, (places, turns) in nodes.items():
        near = quaternion.nearest(turns, tree.rotations[node])
        for path, values, moved in (
            ("translation", places, np.abs(places - tree.translations[node]).max()),
            ("rotation", turns[:, [1, 2, 3, 0]], np.abs(near - tree.rotations[node]).max()),
        ):
            size = max(float(np.abs(tree.translations[node]).max()), 1.0) if path == "translation" else 1.0
            if moved > STATIC_TOLERANCE * size or (path == "rotation" and not channels):
                samplers.append({"input": times, "output": buffer.add(values)})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
    extras = {"frame_rate": clip.frame_rate}
    return {"name": clip.name, "samplers": samplers, "channels": channels, "extras": extras}


def _read_parts(path: Path) -> tuple[dict[str, Any], bytes]:
    """A GLB's JSON as it stands, with all that we do not know, and its binary chunk."""
    with opened(path) as (file, _):
        text, binary = split_binary(path, file.read())
    structure = json.loads(bytes(text).removeprefix(BYTE_ORDER_MARK).rstrip(b"\x00 "))
    return structure, b"" if binary is None else bytes(binary)


def _free_matrices(structure: dict[str, Any], tree: NodeTree, moved: set[int]) -> None:
    """Animated nodes may not have a matrix: write translation, rotation and scale instead."""
    for node in moved:
        if structure["nodes"][node].pop("matrix", None) is not None:
            structure["nodes"][node] |= {
                "translation": tree.translations[node].tolist(),
                "rotation": tree.rotations[node][[1, 2, 3, 0]].tolist(),
                "scale": tree.scales[node].tolist(),
            }


def _append(structure: dict[str, Any], buffer: BinaryChunk, binary: bytes, path: Path) -> bytes:
    """Add our keys behind what the file's first buffer holds; the whole binary chunk."""
    buffers = structure.setdefault("buffers", [])
    if buffers and "uri" in buffers[0]:
        raise FileError(path, "keeps its data in other files; export it as one GLB")
    if not buffers:
        buffers.append({"byteLength": 0})
    start = len(binary) + -len(binary) % 4
    views, accessors = structure.setdefault("bufferViews", []), structure.setdefault("accessors", [])
    first_view = len(views)
    views += [{**view, "byteOffset": start + view["byteOffset"]} for view in buffer.views]
    accessors += [{**one, "bufferView": first_view + one["bufferView"]} for one in buffer.accessors]
    data = binary + bytes(start - len(binary)) + bytes(buffer.data)
    buffers[0]["byteLength"] = len(data)
    return data
