"""Writes a clip as an animated GLB with a simple body that opens in any viewer."""

import json
import struct
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.draw.theme import LIGHT, linear
from kinematch.files.gltf_body import BodyMesh, body_mesh
from kinematch.files.gltf_container import BINARY_CHUNK, GENERATOR, JSON_CHUNK, MAGIC
from kinematch.files.gltf_mesh import rigid_matrices
from kinematch.files.gltf_nodes import END_SITE_MARK
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton
from kinematch.writing import write_beside

VERTEX_TARGET, INDEX_TARGET = 34962, 34963  # what a buffer view is for
COMPONENT_CODES = {"f4": 5126, "u4": 5125, "u2": 5123}
ELEMENT_TYPES = {(): "SCALAR", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}


class BinaryChunk:
    """The binary chunk as it grows, with the views and accessors that describe it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: np.ndarray, kind: str = "f4", *, target: int | None = None, bounds: bool = False) -> int:
        """Append an array; its accessor's number."""
        array = np.ascontiguousarray(values, f"<{kind}")
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        self.views.append(view | ({"target": target} if target else {}))
        self.data += array.tobytes() + bytes(-array.nbytes % 4)
        accessor: dict[str, Any] = {"bufferView": len(self.views) - 1, "componentType": COMPONENT_CODES[kind]}
        accessor |= {"count": len(array), "type": ELEMENT_TYPES[array.shape[1:]]}
        if bounds:
            rows = array.reshape(len(array), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def write_glb(
    path: str | Path, clip: Clip, *, body: BodyMesh | None = None, extensions: Mapping[str, Any] | None = None
) -> None:
    """Write the clip; nodes stand in the file's order, the skin lists joints in ours, end sites are marked leaves.

    It wears a body, the drawn figure if none is given. With `extensions` (name -> content) it is an animation by
    itself, without a body.
    """
    rig = clip.skeleton
    buffer = BinaryChunk()
    node_of = np.argsort(rig.file_order)
    nodes = _nodes(rig, node_of)
    extras = {"title": clip.name, "roles": {role: int(node_of[joint]) for role, joint in rig.roles.items()}}
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"{GENERATOR} {version('kinematch')}", "extras": extras},
        "scene": 0,
        "scenes": [{"nodes": [int(node_of[0])]}],
        "nodes": nodes,
        "animations": [_animation(buffer, clip, node_of)],
    }
    if extensions is None:
        _add_body(document, buffer, body_mesh(rig) if body is None else body, node_of)
    else:
        document |= {"extensionsUsed": list(extensions), "extensions": dict(extensions)}
    document |= {
        "buffers": [{"byteLength": len(buffer.data)}],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    }
    write_binary(path, document, bytes(buffer.data))


def write_binary(path: str | Path, document: Mapping[str, Any], data: bytes) -> None:
    """Write a GLB of JSON and one binary chunk, to a temporary file that then replaces the old one."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    chunks += struct.pack("<II", len(data), BINARY_CHUNK) + data
    write_beside(path, MAGIC + struct.pack("<II", 2, 12 + len(chunks)) + chunks)


def _nodes(rig: Skeleton, node_of: np.ndarray) -> list[dict[str, Any]]:
    """The rest pose: joints in the file's order, then end sites."""
    nodes: list[dict[str, Any]] = []
    for joint in rig.file_order:
        q = quaternion.normalize(rig.rotations[joint].astype(np.float64))
        node = {
            "name": rig.names[joint],
            "translation": rig.offsets[joint].tolist(),
            "rotation": q[[1, 2, 3, 0]].tolist(),
        }
        nodes.append(node)
    for joint in range(1, rig.joint_count):
        nodes[node_of[rig.parents[joint]]].setdefault("children", []).append(int(node_of[joint]))
    for joint, offset in zip(rig.end_parents, rig.end_offsets):
        nodes[node_of[joint]].setdefault("children", []).append(len(nodes))
        nodes.append(
            {"name": f"{rig.names[joint]}_end", "translation": offset.tolist(), "extras": {END_SITE_MARK: True}}
        )
    return nodes


def _animation(buffer: BinaryChunk, clip: Clip, node_of: np.ndarray) -> dict[str, Any]:
    """Keys for all frames of what moves, one key for what stands elsewhere than at rest, none for the rest."""
    rig = clip.skeleton
    times = buffer.add(np.arange(clip.frame_count) / clip.frame_rate, bounds=True)
    start = None
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    rotations = quaternion.normalize(clip.rotations.astype(np.float64))
    for path, values, rest in (
        ("translation", clip.positions, rig.offsets),
        ("rotation", rotations[..., [1, 2, 3, 0]], rig.rotations[:, [1, 2, 3, 0]]),
    ):
        for joint in range(rig.joint_count):
            moves = (values[:, joint] != values[0, joint]).any()
            # the first joint's rotation carries the time line, even of a clip that stands still
            if moves or (joint == 0 and path == "rotation"):
                sampler = {"input": times, "output": buffer.add(values[:, joint])}
            elif (values[0, joint] != rest[joint]).any():
                start = buffer.add(np.zeros(1), bounds=True) if start is None else start
                sampler = {"input": start, "output": buffer.add(values[:1, joint])}
            else:
                continue
            samplers.append(sampler)
            target = {"node": int(node_of[joint]), "path": path}
            channels.append({"sampler": len(samplers) - 1, "target": target})
    extras = {"frame_rate": clip.frame_rate}
    return {"name": clip.name, "samplers": samplers, "channels": channels, "extras": extras}


def _add_body(document: dict[str, Any], buffer: BinaryChunk, body: BodyMesh, node_of: np.ndarray) -> None:
    """Mesh, materials and skin. The skin's order is that of the joints, which the reader takes up again."""
    if not len(body.positions):
        return
    inverse = quaternion.inverse(body.bind_rotations)
    binds = rigid_matrices(-quaternion.rotate(inverse, body.bind_positions), inverse)
    joints = np.zeros((len(body.joints), 4))
    joints[:, 0] = body.joints
    attributes = {
        "POSITION": buffer.add(body.positions, target=VERTEX_TARGET, bounds=True),
        "NORMAL": buffer.add(body.normals, target=VERTEX_TARGET),
        "JOINTS_0": buffer.add(joints, "u2", target=VERTEX_TARGET),
        "WEIGHTS_0": buffer.add(np.broadcast_to(np.eye(1, 4), joints.shape), target=VERTEX_TARGET),
    }
    document["materials"] = [
        {
            "name": tint,
            "pbrMetallicRoughness": {
                "baseColorFactor": [*np.round(linear(getattr(LIGHT, tint, tint)), 4).tolist(), 1],
                "metallicFactor": 0,
                "roughnessFactor": 0.7,
            },
        }
        for tint in body.triangles
    ]
    primitives = [
        {
            "attributes": attributes,
            "indices": buffer.add(triangles.reshape(-1), "u4", target=INDEX_TARGET),
            "material": k,
        }
        for k, triangles in enumerate(body.triangles.values())
    ]
    document["meshes"] = [{"name": "Body", "primitives": primitives}]
    skin = {"joints": node_of.tolist(), "skeleton": int(node_of[0])}
    # column by column, as glTF stores matrices
    document["skins"] = [skin | {"inverseBindMatrices": buffer.add(binds.swapaxes(1, 2))}]
    document["scenes"][0]["nodes"].append(len(document["nodes"]))
    document["nodes"].append({"name": "Body", "mesh": 0, "skin": 0})
