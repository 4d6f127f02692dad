"""The triangles of a glTF scene at rest: ground and props, with everything that has no skeleton."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.files.gltf_accessor import read_floats
from kinematch.files.gltf_container import Document, open_document
from kinematch.files.gltf_mesh import FAN, STRIP, TRIANGLES, read_triangles, world_matrices
from kinematch.files.gltf_nodes import read_node_tree


def read_triangles_of_scene(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) in metres and triangles (T, 3) of all meshes of a file, skins and animations aside."""
    document = open_document(path)
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            parts = _parts(document)
    except FloatingPointError:
        raise FileError(path, "its transforms lead to numbers that are too large") from None
    if not parts:
        raise FileError(path, "it has no mesh of triangles")
    firsts = np.cumsum([0, *(len(vertices) for vertices, _ in parts[:-1])])
    return (
        np.concatenate([vertices for vertices, _ in parts]),
        np.concatenate([triangles + first for (_, triangles), first in zip(parts, firsts)]),
    )


def read_named_meshes(path: str | Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, np.ndarray, float]]:
    """Nodes with a mesh whose name is wanted: name, vertices (V, 3) in the world in metres, and yaw in rad."""
    document = open_document(path)
    world = world_matrices(read_node_tree(document))
    for k, node in enumerate(document.gltf.nodes):
        if node.mesh is None:
            continue
        mesh = document.gltf.meshes[
            document.check_index(node.mesh, len(document.gltf.meshes), f"mesh of node {k}: mesh")
        ]
        name = node.name or mesh.name or ""
        parts = [one.attributes["POSITION"] for one in mesh.primitives if "POSITION" in one.attributes]
        if not parts or not wanted(name):
            continue
        own = np.concatenate([read_floats(document, part, "VEC3").astype(np.float64) for part in parts])
        if len(own):
            yaw = float(np.arctan2(world[k, 0, 2], world[k, 2, 2]))
            yield name, own @ world[k, :3, :3].T + world[k, :3, 3], yaw


def _parts(document: Document) -> list[tuple[np.ndarray, np.ndarray]]:
    gltf = document.gltf
    world = world_matrices(read_node_tree(document))
    parts = []
    for k, node in enumerate(gltf.nodes):
        if node.mesh is None:
            continue
        mesh = gltf.meshes[document.check_index(node.mesh, len(gltf.meshes), f"mesh of node {k}: mesh")]
        name = mesh.name or node.name or f"mesh_{node.mesh}"
        for primitive in mesh.primitives:
            if primitive.mode not in (TRIANGLES, STRIP, FAN) or "POSITION" not in primitive.attributes:
                continue
            if "KHR_draco_mesh_compression" in primitive.extensions:
                raise document.error(f"mesh {name!r} is compressed (KHR_draco_mesh_compression); export without it")
            vertices = read_floats(document, primitive.attributes["POSITION"], "VEC3").astype(np.float64)
            triangles = read_triangles(document, primitive, name, len(vertices))
            parts.append((vertices @ world[k, :3, :3].T + world[k, :3, 3], triangles.astype(np.int64)))
    return parts
