"""What a robot looks like: its own meshes where the file has them, else its capsules and boxes, on its skeleton."""

from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.files.gltf_body import BodyMesh
from kinematch.math import quaternion
from kinematch.robot.meshes import read_mesh
from kinematch.robot.model import RobotModel, Shape

CAPSULE_SIDES, CAP_RINGS = 16, 6  # corners around a capsule, and rings of each cap
MAX_TRIANGLES = 2_000_000


def make_looks(model: RobotModel) -> BodyMesh | None:
    """Vertices bound to the links at angles zero, a colour for each part; None for a robot without shapes."""
    positions, rotations = model.place_links(np.zeros(3), quaternion.IDENTITY, np.zeros(model.hinge_count))
    points, normals, joints = [], [], []
    by_color: dict[str, list[np.ndarray]] = {}
    count, triangle_count = 0, 0
    for shape in _choose_shapes(model):
        made = _make_surface(model, shape)
        if made is None:
            continue
        vertices, triangles = made
        triangle_count += len(triangles)
        if triangle_count > MAX_TRIANGLES:
            raise FileError(model.path, f"its meshes have more than {MAX_TRIANGLES} triangles")
        vertices, around, triangles = shade(vertices, triangles)
        body, link = shape.body, int(model.body_links[shape.body])
        turn = quaternion.multiply(model.body_rotations[body], shape.rotation)
        place = model.body_offsets[body] + quaternion.rotate(model.body_rotations[body], shape.position)
        turn, place = (
            quaternion.multiply(rotations[link], turn),
            positions[link] + quaternion.rotate(rotations[link], place),
        )
        points.append(quaternion.rotate(turn, vertices) + place)
        normals.append(quaternion.rotate(turn, around))
        joints.append(np.full(len(vertices), link))
        color = "#" + "".join(f"{round(255 * value):02x}" for value in shape.color)
        by_color.setdefault(color, []).append(triangles + count)
        count += len(vertices)
    if not points:
        return None
    triangles_of = {color: np.concatenate(parts) for color, parts in by_color.items()}
    return BodyMesh(
        np.concatenate(points), np.concatenate(normals), np.concatenate(joints), triangles_of, positions, rotations
    )


def _choose_shapes(model: RobotModel) -> list[Shape]:
    """The visual geometry of each body, if it can be drawn; else its collision geometry."""
    chosen = []
    for body in range(len(model.body_names)):
        own = [shape for shape in model.shapes if shape.body == body and (shape.kind != "mesh" or shape.mesh)]
        seen = [shape for shape in own if not shape.collides]
        chosen += seen or own
    return chosen


def _make_surface(model: RobotModel, shape: Shape) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices (V, 3) in the shape's space and triangles (T, 3)."""
    if shape.kind == "mesh":
        try:
            vertices, triangles = read_mesh(Path(model.path).parent / shape.mesh)
        except FileError:  # a kind that is not read; the rest of the robot still shows
            return None
        return vertices * shape.scale, triangles if np.prod(shape.scale) > 0 else triangles[:, ::-1]
    latitude = np.repeat(np.linspace(-np.pi / 2, np.pi / 2, 2 * CAP_RINGS), CAPSULE_SIDES)
    around = np.tile(np.arange(CAPSULE_SIDES) * 2 * np.pi / CAPSULE_SIDES, 2 * CAP_RINGS)
    ball = np.stack([np.cos(latitude) * np.cos(around), np.sin(latitude), np.cos(latitude) * np.sin(around)], axis=-1)
    size = shape.size
    if shape.kind == "box":
        corners = np.array(list(np.ndindex(2, 2, 2))) * 2.0 - 1.0
        faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
        return corners * size, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))], np.int32)
    upper = np.sign(latitude)[:, None] * [0.0, 1.0, 0.0]
    if shape.kind == "cylinder":
        flat = ball / np.maximum(np.hypot(ball[:, 0], ball[:, 2]), 1e-9)[:, None] * [size[0], 0, size[0]]
        rim = np.abs(latitude) < np.pi / 2 - 1e-9
        vertices = np.where(rim[:, None], flat, 0.0) + upper * size[1]
    elif shape.kind == "ellipsoid":
        vertices = ball * size
    else:
        vertices = ball * size[0] + upper * (size[1] if shape.kind == "capsule" else 0.0)
    rings = np.arange(2 * CAP_RINGS - 1)[:, None] * CAPSULE_SIDES
    side, after = np.arange(CAPSULE_SIDES), (np.arange(CAPSULE_SIDES) + 1) % CAPSULE_SIDES
    low, low_next, high, high_next = (
        rings + side,
        rings + after,
        rings + CAPSULE_SIDES + side,
        rings + CAPSULE_SIDES + after,
    )
    quads = [np.stack([low, high, high_next], -1), np.stack([low, high_next, low_next], -1)]
    return vertices, np.concatenate([q.reshape(-1, 3) for q in quads]).astype(np.int32)


def shade(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, normals and triangles with edges kept sharp.

    A vertex is split by the axis that the faces around it look along most, so that the corners of machined parts stay
    corners, and shared otherwise.
    """
    corners = vertices[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    main = np.argmax(np.abs(faces), axis=1)
    looks = 2 * main + (np.take_along_axis(faces, main[:, None], axis=1)[:, 0] > 0)
    keys = triangles.astype(np.int64) * 6 + looks[:, None]
    kept, renumbered = np.unique(keys, return_inverse=True)
    renumbered = renumbered.reshape(-1, 3)
    normals = np.zeros((len(kept), 3))
    for k in range(3):
        np.add.at(normals, renumbered[:, k], faces)
    return vertices[kept // 6], quaternion.unit(normals, [0.0, 1.0, 0.0]), renumbered.astype(np.int32)
