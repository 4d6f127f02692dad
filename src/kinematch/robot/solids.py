"""What collides of a robot: capsules for its own limbs, and points that must stay above the floor."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.math import quaternion
from kinematch.robot.meshes import read_mesh
from kinematch.robot.model import RobotModel, Shape

RIM_POINTS = 8  # points around the rim of a cylinder
MAX_BARS = 3  # capsules side by side that stand for a flat box or disc
EDGE_SHARE = 0.25  # of the smallest half extent of a thick box: the radius of the bars along its edges
RIM_SHARE = 0.5  # of the radius by which a bar ends before a flat end, so that its rim is out by less than the margin


@dataclass(frozen=True, eq=False)
class Capsules:
    """Round bars on links."""

    shapes: np.ndarray  # (C,) int32, the number of the shape that each stands for
    bodies: np.ndarray  # (C,) int32
    links: np.ndarray  # (C,) int32
    ends: np.ndarray  # (C, 2, 3) m, in the link's space
    radii: np.ndarray  # (C,) m


@dataclass(frozen=True, eq=False)
class FloorPoints:
    """Balls on links that have the same lowest points as the robot."""

    links: np.ndarray  # (P,) int32
    points: np.ndarray  # (P, 3) m, in the link's space
    radii: np.ndarray  # (P,) m


def find_capsules(model: RobotModel) -> Capsules:
    """The capsules of each shape that collides."""
    numbers, ends, radii = [], [], []
    for number, shape in enumerate(model.shapes):
        if not shape.collides or not _has_extent(shape):
            continue
        for tips, radius in _fill_with_capsules(model, shape):
            ends.append(_to_link(model, shape, tips))
            radii.append(radius)
            numbers.append(number)
    bodies = np.array([model.shapes[number].body for number in numbers], np.int32)
    return Capsules(
        np.array(numbers, np.int32), bodies, model.body_links[bodies], np.array(ends).reshape(-1, 2, 3), np.array(radii)
    )


def _fill_with_capsules(model: RobotModel, shape: Shape) -> list[tuple[np.ndarray, float]]:
    """Ends (2, 3) and radii: exact for round shapes; flat boxes and meshes get several bars side by side."""
    centre, half = _extent(model, shape)
    if shape.kind == "sphere":
        return [(np.zeros((2, 3)), float(shape.size[0]))]
    if shape.kind == "capsule":
        return [(np.outer([-1.0, 1.0], [0.0, shape.size[1], 0.0]), float(shape.size[0]))]
    thin, broad, long = (int(axis) for axis in np.argsort(half, kind="stable"))
    count, radius = 1, float((half[thin] + half[broad]) / 2)
    if shape.kind != "ellipsoid" and half[thin] > 0:
        count = int(np.clip(round(float(half[broad] / half[thin])), 1, MAX_BARS))
        radius = radius if count == 1 else float(half[thin])
    rounding = 1.0 if shape.kind == "ellipsoid" else RIM_SHARE
    tip = np.eye(3)[long] * max(float(half[long]) - rounding * radius, 0.0)
    beside = np.eye(3)[broad] * max(float(half[broad]) - radius, 0.0)
    shares = np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros(1)
    bars = [(np.stack([centre + share * beside - tip, centre + share * beside + tip]), radius) for share in shares]
    if shape.kind == "box" and count == 1:  # and one along each edge
        radius = EDGE_SHARE * float(half[thin])
        inner = np.maximum(half - radius, 0.0)
        for k in range(4):
            corner = np.zeros(3)
            corner[[thin, broad]] = inner[[thin, broad]] * [1 - 2 * (k % 2), 1 - 2 * (k // 2)]
            tip = np.eye(3)[long] * inner[long]
            bars.append((np.stack([centre + corner - tip, centre + corner + tip]), radius))
    return bars


def find_floor_points(model: RobotModel) -> FloorPoints:
    """The points of all shapes that stand on a floor."""
    links, points, radii = [], [], []
    for shape in _solid(model):
        own, radius = _outline(model, shape)
        links += [int(model.body_links[shape.body])] * len(own)
        points.append(_to_link(model, shape, own))
        radii += [radius] * len(own)
    return FloorPoints(np.array(links, np.int32), np.concatenate([np.zeros((0, 3)), *points]), np.array(radii))


def _solid(model: RobotModel) -> list[Shape]:
    """Shapes that a floor stops: those that collide.

    A file that names all of its contacts in pairs, or has none at all, stops with every simple shape.
    """
    if any(shape.collides and any(shape.masks) for shape in model.shapes):
        return [shape for shape in model.shapes if shape.collides and _has_extent(shape)]
    simple = [shape for shape in model.shapes if shape.kind != "mesh"]
    return simple or [shape for shape in model.shapes if _has_extent(shape)]


def _has_extent(shape: Shape) -> bool:
    return shape.kind != "mesh" or bool(shape.mesh)


def _outline(model: RobotModel, shape: Shape) -> tuple[np.ndarray, float]:
    """Points (P, 3) in the shape's space, and the radius of the balls around them."""
    size = shape.size
    if shape.kind == "sphere":
        return np.zeros((1, 3)), float(size[0])
    if shape.kind == "capsule":
        return np.array([[0, -size[1], 0], [0, size[1], 0]]), float(size[0])
    if shape.kind == "cylinder":
        around = np.arange(RIM_POINTS) * 2 * np.pi / RIM_POINTS
        rim = np.stack([size[0] * np.cos(around), np.zeros(RIM_POINTS), size[0] * np.sin(around)], axis=-1)
        return np.concatenate([rim - [0, size[1], 0], rim + [0, size[1], 0]]), 0.0
    if shape.kind == "mesh":
        vertices = _vertices(model, shape)
        directions = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)]) - 1.0
        return vertices[np.unique(np.argmax(vertices @ directions.T, axis=0))], 0.0
    centre, half = _extent(model, shape)
    return centre + half * (np.array(list(np.ndindex(2, 2, 2))) * 2.0 - 1.0), 0.0


def _extent(model: RobotModel, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Centre and half extents of a shape along its own axes."""
    size = shape.size
    if shape.kind == "mesh":
        vertices = _vertices(model, shape)
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        return (low + high) / 2, (high - low) / 2
    if shape.kind == "sphere":
        return np.zeros(3), np.full(3, size[0])
    if shape.kind in ("capsule", "cylinder"):
        return np.zeros(3), np.array([size[0], size[1] + (size[0] if shape.kind == "capsule" else 0), size[0]])
    return np.zeros(3), np.asarray(size)


def _vertices(model: RobotModel, shape: Shape) -> np.ndarray:
    try:
        return read_mesh(Path(model.path).parent / shape.mesh)[0] * shape.scale
    except FileError:  # a kind of mesh that is not read: the body has no extent that we know of
        return np.zeros((1, 3))


def _to_link(model: RobotModel, shape: Shape, points: np.ndarray) -> np.ndarray:
    """Points of a shape's space in the space of the link that carries it."""
    in_body = quaternion.rotate(shape.rotation, points) + shape.position
    return quaternion.rotate(model.body_rotations[shape.body], in_body) + model.body_offsets[shape.body]
