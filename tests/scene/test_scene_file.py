"""Scenes from GLB and glTF files: nodes called after a kind of thing are things where their meshes are."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from kinematch.errors import FileError
from kinematch.scene.scene_file import read_scene

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (0, 1) for z in (-1, 1)], np.float32)  # 1 x 1 x 2 m


def write_gltf(path: Path, nodes: list[dict]) -> Path:
    """A glTF file in which every node has the mesh of one box."""
    data = base64.b64encode(CORNERS.tobytes()).decode()
    accessor = {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"}
    accessor |= {"min": CORNERS.min(axis=0).tolist(), "max": CORNERS.max(axis=0).tolist()}
    content = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": CORNERS.nbytes, "uri": f"data:application/octet-stream;base64,{data}"}],
        "bufferViews": [{"buffer": 0, "byteLength": CORNERS.nbytes}],
        "accessors": [accessor],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}],
        "nodes": [{"mesh": 0, **node} for node in nodes],
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "scene": 0,
    }
    path.write_text(json.dumps(content))
    return path


def test_nodes_called_after_a_kind_are_things_as_large_as_their_meshes(tmp_path):
    turned = [0, float(np.sin(np.pi / 8)), 0, float(np.cos(np.pi / 8))]  # 45 degrees about +Y
    nodes = [
        {"name": "box.001", "translation": [2, 0, 3], "rotation": turned},
        {"name": "Seat bench", "scale": [2, 1, 1]},
        *({"name": name} for name in ("floor", ".", "_", " ", "")),
    ]
    box, seat = read_scene(write_gltf(tmp_path / "room.gltf", nodes)).things
    assert (box.kind, seat.kind) == ("box", "seat")
    np.testing.assert_allclose(box.place, [2, 0, 3], atol=1e-6)
    np.testing.assert_allclose(box.size, [1, 1, 2], atol=1e-6)
    assert box.yaw == pytest.approx(np.pi / 4)
    np.testing.assert_allclose(seat.size, [2, 1, 2], atol=1e-6)


def test_a_file_with_too_many_things_or_none_is_refused(tmp_path):
    with pytest.raises(FileError, match="no node is called after a kind"):
        read_scene(write_gltf(tmp_path / "none.gltf", [{"name": "floor"}]))
    with pytest.raises(FileError, match="expected at most 4096"):
        read_scene(write_gltf(tmp_path / "many.gltf", [{"name": "box"}] * 4097))


def test_a_thing_too_far_away_is_named(tmp_path):
    with pytest.raises(FileError, match=r"far\.gltf: node 'box far'"):
        read_scene(write_gltf(tmp_path / "far.gltf", [{"name": "box far", "translation": [1e7, 0, 0]}]))
