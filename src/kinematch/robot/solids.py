"""What collides of a robot: capsules for its own limbs, and points that must stay above the floor."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.math import quaternion
from kinematch.robot.meshes import read_mesh
from kinematch.robot.model import RobotModel, Shape

RIM_POINTS = 8  # points around the rim of a cylinder


@dataclass(frozen=True, eq=False)
class Capsules:
    """Round bars on links."""

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
    """A capsule for each shape that collides; boxes, ellipsoids and meshes become the capsule along their length.

    Its radius is the mean of the other two half extents: exact for round shapes, an approximation for others.
    """
    bodies, ends, radii = [], [], []
    for shape in _colliding(model):
        centre, half = _extent(model, shape)
        along = int(np.argmax(half))
        radius = float(np.delete(half, along).mean())
        if shape.kind == "sphere":
            reach, radius = 0.0, float(shape.size[0])
        elif shape.kind == "capsule":
            reach, radius, along = float(shape.size[1]), float(shape.size[0]), 1
        else:
            reach = max(float(half[along]) - radius, 0.0)
        tip = np.eye(3)[along] * reach
        ends.append(_to_link(model, shape, np.stack([centre - tip, centre + tip])))
        bodies.append(shape.body)
        radii.append(radius)
    numbers = np.array(bodies, np.int32)
    return Capsules(numbers, model.body_links[numbers], np.array(ends).reshape(-1, 2, 3), np.array(radii))


def find_pairs(model: RobotModel, capsules: Capsules) -> np.ndarray:
    """Pairs (Q, 2) int32 of capsules that may collide, by MuJoCo's rules.

    Not on one link, not on a link and its parent, and not those that the file excludes.
    """
    pairs = []
    for a in range(len(capsules.radii)):
        for b in range(a + 1, len(capsules.radii)):
            links = int(capsules.links[a]), int(capsules.links[b])
            bodies = sorted((int(capsules.bodies[a]), int(capsules.bodies[b])))
            near = links[0] == links[1] or links[0] == model.parents[links[1]] or links[1] == model.parents[links[0]]
            if not near and (bodies[0], bodies[1]) not in model.excluded:
                pairs.append((a, b))
    return np.array(pairs, np.int32).reshape(-1, 2)


def find_floor_points(model: RobotModel) -> FloorPoints:
    """The points of all shapes that collide."""
    links, points, radii = [], [], []
    for shape in _colliding(model):
        own, radius = _outline(model, shape)
        links += [int(model.body_links[shape.body])] * len(own)
        points.append(_to_link(model, shape, own))
        radii += [radius] * len(own)
    return FloorPoints(np.array(links, np.int32), np.concatenate([np.zeros((0, 3)), *points]), np.array(radii))


def _colliding(model: RobotModel) -> list[Shape]:
    """Shapes that collide; of a link that has none, all of its shapes."""
    links = {int(model.body_links[shape.body]) for shape in model.shapes if shape.collides}
    anything = bool(links)
    return [s for s in model.shapes if (s.collides if anything else True) and (s.kind != "mesh" or s.mesh)]


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
