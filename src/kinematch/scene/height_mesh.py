"""A triangle mesh as terrain: the highest surface under a point, found through a grid of cells."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.errors import KinematchError
from kinematch.files.gltf_static import read_triangles_of_scene
from kinematch.scene.terrain import check_points
from kinematch.scene.terrain_kernels import highest_triangles

MOST_A_TRIANGLE = 64  # cells per triangle on average; a mesh that exceeds it gets larger cells
FLAT = 1e-12  # m^2, area seen from above; vertical walls are left out


@dataclass(frozen=True, eq=False)
class HeightMesh:
    """Ground of triangles, with a grid of cells to find them by. Make one with `make_height_mesh`."""

    rows: np.ndarray  # (T, 9), see `highest_triangles`
    face_normals: np.ndarray  # (T, 3), upwards
    starts: np.ndarray  # (cells + 1,) int64 into members
    members: np.ndarray  # triangle indices, cell by cell
    origin: tuple[float, float]
    cell: float  # m
    shape: tuple[int, int]  # cells along x and z
    outside: float  # m, where there is no triangle

    def heights(self, points: np.ndarray) -> np.ndarray:
        found, heights = self._highest(points)
        return np.where(found < 0, self.outside, heights)

    def normals(self, points: np.ndarray) -> np.ndarray:
        found, _ = self._highest(points)
        return np.where(found[:, None] < 0, np.array([0.0, 1.0, 0.0]), self.face_normals[np.maximum(found, 0)])

    def _highest(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return highest_triangles(
            self.rows, self.starts, self.members, self.origin, self.cell, self.shape, check_points(points)
        )


def make_height_mesh(vertices: np.ndarray, triangles: np.ndarray, *, outside: float = 0.0) -> HeightMesh:
    """Ground from vertices (V, 3) m and triangles (T, 3), of either winding; `outside` (m) is the height elsewhere."""
    vertices, triangles = np.asarray(vertices, np.float64), np.asarray(triangles)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3:
        raise KinematchError(f"a mesh of shapes {vertices.shape} and {triangles.shape}, expected (V, 3) and (T, 3)")
    if not np.isfinite(vertices).all():
        raise KinematchError("a mesh has vertices that are not finite")
    if triangles.size and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
        raise KinematchError(f"a mesh has triangles at vertices that do not exist; there are {len(vertices)}")
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = np.abs(normals[:, 1]) > FLAT
    if not flat.any():
        raise KinematchError(f"a mesh of {len(triangles)} triangles has none to stand on")
    corners, normals = np.ascontiguousarray(corners[flat]), normals[flat] * np.sign(normals[flat, 1:2])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    low, high = corners[..., [0, 2]].min(axis=(0, 1)), corners[..., [0, 2]].max(axis=(0, 1))
    cell = float(np.sqrt(np.prod(high - low) / len(corners)))
    while True:
        shape = np.maximum(np.ceil((high - low) / cell), 1).astype(np.int64)
        first, last = (_find_cells(bound, low, cell, shape) for bound in _find_bounds(corners))
        counts = (last - first + 1).prod(axis=-1)
        if counts.sum() <= MOST_A_TRIANGLE * len(corners):
            break
        cell *= 2
    starts, members = _sort_into_cells(first, last, counts, shape)
    origin, cells = (float(low[0]), float(low[1])), (int(shape[0]), int(shape[1]))
    return HeightMesh(_make_rows(corners), normals, starts, members, origin, cell, cells, outside)


def read_height_mesh(path: str | Path, *, outside: float = 0.0) -> HeightMesh:
    """Ground from all meshes of a GLB or glTF file (metres, Y up)."""
    return make_height_mesh(*read_triangles_of_scene(path), outside=outside)


def _make_rows(corners: np.ndarray) -> np.ndarray:
    """Rows (T, 9) of `highest_triangles`, with barycentric coordinates solved once, so that lookups do not divide."""
    first, b, c = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = b[:, 0] * c[:, 2] - b[:, 2] * c[:, 0]
    shares = np.stack([c[:, 2], -c[:, 0], -b[:, 2], b[:, 0]], axis=-1) / area[:, None]
    return np.concatenate([first[:, [0, 2]], shares, first[:, 1:2], b[:, 1:2], c[:, 1:2]], axis=-1)


def _find_bounds(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest x and z (T, 2) of each triangle."""
    flat = corners[..., [0, 2]]
    return flat.min(axis=1), flat.max(axis=1)


def _find_cells(points: np.ndarray, origin: np.ndarray, cell: float, shape: np.ndarray) -> np.ndarray:
    return np.minimum(((points - origin) / cell).astype(np.int64), shape - 1)


def _sort_into_cells(
    first: np.ndarray, last: np.ndarray, counts: np.ndarray, shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Starts (cells + 1,) and triangle indices by cell, of triangles that cover cells `first` to `last` (T, 2)."""
    owners = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = (last - first + 1)[owners, 1]
    cells = (first[owners, 0] + within // rows) * shape[1] + first[owners, 1] + within % rows
    order = np.argsort(cells, kind="stable")
    starts = np.searchsorted(cells[order], np.arange(shape.prod() + 1))
    return starts.astype(np.int64), owners[order]
