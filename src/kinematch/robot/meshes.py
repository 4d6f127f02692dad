"""Reads the triangles of STL and OBJ files, in our axes."""

import itertools
import struct
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.files.reading import opened
from kinematch.robot.model import TO_OURS

MAX_FILE_BYTES = 64 << 20  # bytes of one file
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_mesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and triangles (T, 3) int32 of a file, its letters exchanged for ours."""
    with opened(path, "a mesh (STL or OBJ)") as (file, size):
        if size > MAX_FILE_BYTES:
            raise FileError(path, f"is {size / 1e6:.0f} MB long, expected at most {MAX_FILE_BYTES / 1e6:.0f} MB")
        content = file.read(MAX_FILE_BYTES + 1)
    suffix = path.suffix.lower()
    if suffix == ".stl":
        vertices, triangles = _read_stl(path, content)
    elif suffix == ".obj":
        vertices, triangles = _read_obj(path, content)
    else:
        raise FileError(path, f"is a mesh of kind {suffix!r}, expected .stl or .obj")
    if not len(triangles) or not np.isfinite(vertices).all():
        raise FileError(path, "has no triangles" if not len(triangles) else "has vertices that are not numbers")
    return vertices[:, TO_OURS].astype(np.float64), triangles


def _read_stl(path: Path, content: bytes) -> tuple[np.ndarray, np.ndarray]:
    if len(content) < 84:
        raise FileError(path, f"is {len(content)} bytes long, expected a binary STL of at least 84")
    (count,) = struct.unpack_from("<I", content, 80)
    if len(content) < 84 + count * RECORD.itemsize:
        if content[:5] == b"solid" and b"facet" in content[:1000]:
            return _read_text_stl(path, content)
        raise FileError(path, f"says it has {count} triangles, but is too short for them", kind="damaged")
    corners = np.frombuffer(content, RECORD, count, 84)["corners"].reshape(-1, 3)
    vertices, triangles = np.unique(corners, axis=0, return_inverse=True)
    return vertices, triangles.reshape(-1, 3).astype(np.int32)


def _read_text_stl(path: Path, content: bytes) -> tuple[np.ndarray, np.ndarray]:
    words = [line.split()[1:4] for line in content.split(b"\n") if line.strip().startswith(b"vertex")]
    try:
        corners = np.array(words, np.float64).reshape(-1, 3)
    except ValueError:
        raise FileError(path, "a vertex is not three numbers") from None
    if len(corners) % 3:
        raise FileError(path, f"{len(corners)} vertices, which make no whole triangles")
    return corners, np.arange(len(corners), dtype=np.int32).reshape(-1, 3)


def _read_obj(path: Path, content: bytes) -> tuple[np.ndarray, np.ndarray]:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(content.split(b"\n"), 1):
        words = line.split()
        try:
            if words[:1] == [b"v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == [b"f"]:
                corners = [int(word.split(b"/")[0]) for word in words[1:]]
                ring = [c - 1 if c > 0 else len(vertices) + c for c in corners]
                triangles += [(ring[0], b, c) for b, c in itertools.pairwise(ring[1:])]
        except (ValueError, IndexError):
            raise FileError(path, "is neither three numbers nor a face", line=number) from None
    points, faces = np.array(vertices, np.float64).reshape(-1, 3), np.array(triangles, np.int64).reshape(-1, 3)
    if len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
        raise FileError(path, f"a face names a vertex that does not exist; there are {len(points)}")
    return points, faces.astype(np.int32)
