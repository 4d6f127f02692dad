"""Laws of terrain: every kind agrees with the formula it was made from, and normals stand on the slope of heights."""

import json
import struct

import numpy as np
import pytest
from PIL import Image

from kinematch.errors import FileError, KinematchError
from kinematch.scene.height_mesh import make_height_mesh, read_height_mesh
from kinematch.scene.made_terrain import make_slopes, make_stairs, uneven_ground
from kinematch.scene.terrain import HeightFunction, HeightGrid, centre_grid, read_height_image


def plane(x, z):
    return 0.3 * x - 0.2 * z + 1.0


def waves(x, z):
    return 0.4 * np.sin(1.3 * x) * np.cos(0.9 * z)


def grid_of(function, cell: float = 0.1, half: float = 5.0) -> HeightGrid:
    along = np.arange(-half, half + cell / 2, cell)
    return HeightGrid(function(*np.meshgrid(along, along, indexing="ij")), cell, (-half, -half))


def mesh_of(function, count: int = 60, half: float = 5.0):
    along = np.linspace(-half, half, count)
    x, z = (axis.ravel() for axis in np.meshgrid(along, along, indexing="ij"))
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(count - 1), np.arange(count - 1), indexing="ij"))
    a = i * count + j
    triangles = np.concatenate([np.stack([a, a + 1, a + count]), np.stack([a + 1, a + count + 1, a + count])], axis=1).T
    return make_height_mesh(np.stack([x, function(x, z), z], axis=-1), triangles, outside=-1.0)


KINDS = [HeightFunction, grid_of, mesh_of]
POINTS = np.random.default_rng(0).uniform(-4.9, 4.9, (500, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_a_plane_is_a_plane_in_every_kind(kind):
    ground = kind(plane)
    np.testing.assert_allclose(ground.heights(POINTS), plane(*POINTS.T), atol=1e-6)
    normal = np.array([-0.3, 1.0, 0.2]) / np.linalg.norm([0.3, 1.0, 0.2])
    np.testing.assert_allclose(ground.normals(POINTS), np.tile(normal, (500, 1)), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_waves_are_met_closely(kind):
    np.testing.assert_allclose(kind(waves).heights(POINTS), waves(*POINTS.T), atol=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_normals_are_unit_and_stand_on_the_slope(kind):
    ground, h = kind(waves), 1e-4
    normals = ground.normals(POINTS)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), 1.0, atol=1e-9)
    for axis in range(2):
        step = h * np.eye(2)[axis]
        slope = (ground.heights(POINTS + step) - ground.heights(POINTS - step)) / (2 * h)
        along = np.array([np.eye(2)[axis][0] + 0 * slope, slope, np.eye(2)[axis][1] + 0 * slope]).T
        across = np.abs((along * normals).sum(axis=-1))
        assert np.quantile(across, 0.97) < 5e-3  # a difference may reach over the edge of a cell or triangle


def test_a_grid_goes_through_its_posts_and_on_beyond_its_edge():
    values = np.random.default_rng(1).normal(size=(4, 6)).astype(np.float32)
    ground = HeightGrid(values, 0.5, (1.0, -2.0))
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(4), np.arange(6), indexing="ij"))
    np.testing.assert_allclose(
        ground.heights(np.stack([1.0 + 0.5 * i, -2.0 + 0.5 * j], axis=-1)), values.ravel(), atol=1e-6
    )
    far = np.array([[-50.0, -50.0], [1e9, 1e9], [1.0, 99.0]])
    np.testing.assert_allclose(ground.heights(far), [values[0, 0], values[-1, -1], values[0, -1]])
    np.testing.assert_array_equal(ground.normals(far[:2]), [[0, 1, 0]] * 2)


ENDLESS = [make_slopes, make_stairs, lambda: uneven_ground(np.random.default_rng(3), size=12.0, cell=0.1, repeats=True)]


@pytest.mark.parametrize("make", ENDLESS)
def test_ground_that_repeats_has_no_end_and_no_seam(make):
    ground = make()
    size = (np.array(ground.values.shape) - 1) * ground.cell
    tiles = np.random.default_rng(2).integers(-40, 40, (500, 2)) * size
    np.testing.assert_allclose(ground.heights(POINTS + tiles), ground.heights(POINTS), atol=1e-5)
    np.testing.assert_allclose(ground.normals(POINTS + tiles), ground.normals(POINTS), atol=1e-4)
    assert np.ptp(ground.heights(POINTS)) > 0.3
    seam = np.stack([np.linspace(-5, 5, 50), np.full(50, ground.origin[1])], axis=-1)
    near = [0.0, 1e-7]
    np.testing.assert_allclose(ground.heights(seam - near), ground.heights(seam + near), atol=1e-5)
    assert ground.heights(np.zeros((1, 2)))[0] == pytest.approx(0, abs=1e-6)


def test_stairs_are_as_high_and_deep_as_asked():
    ground = make_stairs(rise=0.2, tread=0.4, steps=5, landing=2.0)
    along = np.linspace(0, 2 * (2.0 + 4 * 0.4), 2000, endpoint=False)
    heights = ground.heights(np.stack([0 * along, along], axis=-1))
    treads = np.unique(heights.round(3), return_counts=True)
    common = treads[0][treads[1] > 20]
    np.testing.assert_allclose(common, 0.2 * np.arange(6), atol=1e-6)


def test_a_grid_agrees_with_plain_interpolation():
    ground = grid_of(waves)
    along = (POINTS + 5.0) / 0.1
    low = np.floor(along).astype(int)
    u, v = (along - low).T
    a, b, c, d = (ground.values[low[:, 0] + p, low[:, 1] + q].astype(float) for p in (0, 1) for q in (0, 1))
    expected = a * (1 - u) * (1 - v) + b * (1 - u) * v + c * u * (1 - v) + d * u * v
    np.testing.assert_allclose(ground.heights(POINTS), expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_a_mesh_finds_the_highest_of_all_its_triangles(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(90, 3)) * [3, 1, 3]
    triangles = np.concatenate([rng.integers(0, 90, (60, 3)), np.arange(90).reshape(-1, 3)])
    triangles = triangles[(np.diff(np.sort(triangles, axis=1), axis=1) > 0).all(axis=1)]
    ground = make_height_mesh(vertices, triangles, outside=-9.0)
    points = rng.normal(size=(300, 2)) * 3
    expected = np.full(300, -9.0)
    for triangle in vertices[triangles]:
        matrix = np.stack([triangle[:, 0], triangle[:, 2], np.ones(3)])
        shares = np.linalg.solve(matrix, np.stack([*points.T, np.ones(300)]))
        inside = (shares >= 0).all(axis=0)
        expected = np.where(inside, np.maximum(expected, triangle[:, 1] @ shares), expected)
    np.testing.assert_allclose(ground.heights(points), expected, atol=1e-6)


def test_no_point_falls_between_the_triangles_of_a_mesh():
    ground = mesh_of(plane, count=11)
    along = np.linspace(-5, 5, 41)  # posts, edges and diagonals
    points = np.stack([axis.ravel() for axis in np.meshgrid(along, along)], axis=-1)
    np.testing.assert_allclose(ground.heights(points), plane(*points.T), atol=1e-9)


def test_walls_and_both_ways_round_do_no_harm():
    vertices = np.array([[0, 0, 0], [2, 0, 0], [0, 0, 2], [0, 5.0, 0]])
    for order in ([0, 1, 2], [0, 2, 1]):
        ground = make_height_mesh(vertices, [order, [0, 1, 3]])
        np.testing.assert_allclose(ground.normals(np.array([[0.5, 0.5]])), [[0, 1, 0]])
        assert ground.heights(np.array([[0.5, 0.5]])) == 0


def glb(path, vertices, triangles, **node):
    """A GLB with one mesh under an empty node that has no skeleton."""
    blob = np.asarray(vertices, "<f4").tobytes() + np.asarray(triangles, "<u2").tobytes()
    blob += bytes(-len(blob) % 4)
    middle = 12 * len(vertices)
    document = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "empty"}, {"mesh": 0, **node}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(blob)}],
        "bufferViews": [
            {"buffer": 0, "byteLength": middle},
            {"buffer": 0, "byteOffset": middle, "byteLength": 6 * len(triangles)},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(triangles), "type": "SCALAR"},
        ],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


def test_a_mesh_is_read_from_a_file_where_its_node_stands(tmp_path):
    square = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]
    path = glb(tmp_path / "ground.glb", square, [[0, 1, 2], [0, 2, 3]], translation=[5, 1, 0], scale=[4, 1, 4])
    ground = read_height_mesh(path, outside=-2.0)
    np.testing.assert_allclose(ground.heights(np.array([[7.0, 2.0], [8.9, 3.9], [2.0, 2.0]])), [1, 1, -2])


@pytest.mark.parametrize(("mode", "top"), [("L", 255), ("I;16", 65535)])
def test_an_image_is_seen_from_above(tmp_path, mode, top):
    pixels = np.zeros((5, 9), np.uint8 if top == 255 else np.uint16)
    pixels[0, 0] = top  # upper left: far along +Z, and +X
    Image.fromarray(pixels).save(tmp_path / "ground.png")
    ground = read_height_image(tmp_path / "ground.png", cell=0.5, height=2.0)
    corners = np.array([[2.0, 1.0], [-2.0, 1.0], [2.0, -1.0]])
    np.testing.assert_allclose(ground.heights(corners), [2, 0, 0], atol=1e-6)


def test_uneven_ground_comes_from_its_seed_and_is_flat_in_the_middle():
    one, same, other = (uneven_ground(np.random.default_rng(seed), size=20) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.values, same.values)
    assert np.abs(one.values - other.values).max() > 0.1
    near = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    np.testing.assert_array_equal(one.heights(near), 0)
    assert 0.3 < np.ptp(one.values) < 1.2
    steep = np.abs(np.diff(one.values, axis=0)).max()
    assert 0.05 < steep < 0.3


def test_files_that_are_no_terrain_are_refused(tmp_path):
    (tmp_path / "note.png").write_text("hello")
    for path in (tmp_path / "note.png", tmp_path / "none.png"):
        with pytest.raises(FileError, match=path.name):
            read_height_image(path, cell=1.0, height=1.0)
    with pytest.raises(FileError, match="not glTF"):
        read_height_mesh(tmp_path / "note.png")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HeightGrid(np.zeros(5), 0.1), "shape"),
        (lambda: HeightGrid(np.zeros((5, 1)), 0.1), "2 or more"),
        (lambda: HeightGrid(np.full((3, 3), np.nan), 0.1), "finite"),
        (lambda: HeightGrid(np.zeros((3, 3)), 0.0), "cells of 0"),
        (lambda: HeightGrid(np.eye(3), 0.1, repeats=True), "last row"),
        (lambda: make_stairs(steps=0), "0 steps"),
        (lambda: make_slopes(steepest=np.nan), "slopes of nan"),
        (lambda: make_height_mesh(np.zeros((3, 3)), [[0, 1, 2]]), "to stand on"),
        (lambda: make_height_mesh(np.zeros((3, 3)), [[0, 1, 3]]), "do not exist"),
        (lambda: centre_grid(np.zeros((3, 3)), 1.0).heights(np.array([[0, np.nan]])), "finite"),
        (lambda: HeightFunction(lambda x, z: np.zeros(3)).heights(np.zeros((2, 2))), r"gave shape \(3,\)"),
        (lambda: uneven_ground(np.random.default_rng(0), cell=0.0), "cells"),
    ],
)
def test_ground_that_makes_no_sense_is_refused(make, message):
    with pytest.raises(KinematchError, match=message):
        make()
