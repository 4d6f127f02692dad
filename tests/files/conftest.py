"""A builder of small glTF files with known contents, for variants of which there is no real sample."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class GltfFile:
    """A document under construction; `json` may be changed at will before writing."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}}
        self.data = bytearray()

    def add(self, table: str, item: dict[str, Any]) -> int:
        self.json.setdefault(table, []).append(item)
        return len(self.json[table]) - 1

    def node(self, name: str, parent: int | None = None, **fields: Any) -> int:
        node = self.add("nodes", {"name": name, **fields})
        if parent is not None:
            self.json["nodes"][parent].setdefault("children", []).append(node)
        return node

    def view(self, content: bytes, **fields: Any) -> int:
        self.data += bytes(-len(self.data) % 4)
        offset = len(self.data)
        self.data += content
        return self.add("bufferViews", {"buffer": 0, "byteOffset": offset, "byteLength": len(content), **fields})

    def accessor(self, values: Any, type: str = "", dtype: str = "f4", **fields: Any) -> int:
        array = np.asarray(values, f"<{dtype}")
        type = type or {1: "SCALAR", 2: f"VEC{array.shape[-1]}", 3: f"MAT{array.shape[-1]}"}[array.ndim]
        stored = array.swapaxes(1, 2) if array.ndim == 3 else array
        view = self.view(stored.tobytes())
        item = {"bufferView": view, "componentType": CODES[dtype], "count": len(array), "type": type}
        return self.add("accessors", item | fields)

    def animation(self, *channels: tuple[int, str, Any, Any, str], name: str = "") -> int:
        """Channels of (node, path, times, values, interpolation)."""
        samplers = [
            {"input": self.accessor(times), "output": self.accessor(values), "interpolation": mode}
            for _, _, times, values, mode in channels
        ]
        targets = [
            {"sampler": k, "target": {"node": node, "path": path}} for k, (node, path, *_) in enumerate(channels)
        ]
        return self.add("animations", {"channels": targets, "samplers": samplers} | ({"name": name} if name else {}))

    def bytes(self) -> bytes:
        if self.data:
            self.json.setdefault("buffers", [{"byteLength": len(self.data)}])
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        binary = bytes(self.data) + bytes(-len(self.data) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        if binary:
            chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
        return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks

    def write(self, path: Path) -> Path:
        """A .gltf carries its buffer as a data URI, all else is binary."""
        if path.suffix == ".gltf":
            uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.data)).decode()
            if self.data:
                self.json.setdefault("buffers", [{"byteLength": len(self.data), "uri": uri}])
            path.write_text(json.dumps(self.json))
        else:
            path.write_bytes(self.bytes())
        return path


@pytest.fixture
def gltf() -> GltfFile:
    return GltfFile()


@pytest.fixture(scope="session")
def new_gltf() -> type[GltfFile]:
    """The builder itself, for properties that need a fresh one in every example."""
    return GltfFile
