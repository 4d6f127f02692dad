"""From the bodies and joints of a model file to links: what both readers share."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from kinematch.errors import FileError, KinematchError
from kinematch.math import quaternion, rotation
from kinematch.robot.model import TO_OURS, RobotModel, Shape, Site

MAX_LINKS = 512  # a humanoid with hands of twenty hinges each has a hundred


@dataclass(frozen=True, eq=False)
class Hinge:
    """A hinge as a file has it: axes and points in the file's letters."""

    name: str
    anchor: np.ndarray  # (3,) m, in the body's space
    axis: np.ndarray  # (3,) of any length
    limits: tuple[float, float] = (-np.inf, np.inf)  # rad
    speed: float = np.inf  # rad/s
    reference: float = 0.0  # rad, the angle at which the body stands as the file places it


@dataclass(eq=False)
class TreeBody:
    """A body as a file has it, with the place of its frame in its parent's."""

    name: str
    parent: int
    position: np.ndarray
    rotation: np.ndarray
    hinges: list[Hinge] = field(default_factory=list)
    centre: np.ndarray | None = None  # (3,) m, of its mass, where the file says so


def make_model(
    path: Path,
    name: str,
    bodies: list[TreeBody],
    *,
    shapes: list[Shape],
    sites: list[Site],
    excluded: set[tuple[str, str]] = frozenset(),  # type: ignore[assignment]
    contact_pairs: set[tuple[str, str]] = frozenset(),  # type: ignore[assignment]
    notes: list[str],
) -> RobotModel:
    """Bodies stand parents first, the base first of all; everything is turned to our axes here."""
    parents, offsets, rotations, axes = [-1], [np.zeros(3)], [quaternion.IDENTITY], [np.zeros(3)]
    hinges: list[Hinge] = []
    links = np.zeros(len(bodies), np.int32)
    places, turns = np.zeros((len(bodies), 3)), np.tile(quaternion.IDENTITY, (len(bodies), 1))
    for b, body in enumerate(bodies):
        if b == 0:
            continue  # the base's own place is where the robot stands, and its hinges would be the world's
        at = places[body.parent] + quaternion.rotate(turns[body.parent], body.position)
        turn = quaternion.multiply(turns[body.parent], body.rotation)
        link = int(links[body.parent])
        for hinge in body.hinges:
            length = float(np.linalg.norm(hinge.axis))
            if not length > 1e-9:
                raise FileError(path, f"hinge {hinge.name!r} has an axis of length zero")
            axis = hinge.axis / length
            parents.append(link)
            offsets.append(at + quaternion.rotate(turn, hinge.anchor))
            rotations.append(quaternion.multiply(turn, rotation.from_axis_angle(axis, -hinge.reference)))
            axes.append(axis)
            hinges.append(hinge)
            link, at, turn = len(parents) - 1, -hinge.anchor, quaternion.IDENTITY
        links[b], places[b], turns[b] = link, at, turn
        if len(parents) > MAX_LINKS:
            raise FileError(path, f"more than {MAX_LINKS} hinges")
    names = [body.name for body in bodies]
    pairs = [(names.index(a), names.index(b)) for a, b in excluded if a in names and b in names]
    shapes, met = _find_contact_pairs(shapes, contact_pairs)
    try:
        return RobotModel(
            name=name,
            path=str(path),
            hinge_names=tuple(hinge.name for hinge in hinges),
            parents=np.array(parents, np.int32),
            offsets=np.array(offsets)[:, TO_OURS],
            rotations=turn_to_ours(np.array(rotations)),
            axes=np.array(axes)[:, TO_OURS],
            limits=np.array([hinge.limits for hinge in hinges]).reshape(-1, 2),
            speeds=np.array([hinge.speed for hinge in hinges]),
            body_names=tuple(names),
            body_parents=np.array([body.parent for body in bodies], np.int32),
            body_links=links,
            body_offsets=places[:, TO_OURS],
            body_rotations=turn_to_ours(turns),
            body_centres=_find_mass_centres(bodies, places, turns)[:, TO_OURS],
            standing=turn_to_ours(bodies[0].rotation),
            shapes=tuple(_shape_to_ours(shape) for shape in shapes),
            sites=tuple(replace(site, position=site.position[TO_OURS]) for site in sites),
            excluded=frozenset((min(pair), max(pair)) for pair in pairs),
            contact_pairs=met,
            notes=tuple(notes),
        )
    except KinematchError as error:
        raise FileError(path, str(error)) from None


def _find_mass_centres(bodies: list[TreeBody], places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Centres of mass (B, 3) m in the links' spaces; NaN where a file does not say."""
    found = np.full((len(bodies), 3), np.nan)
    for b, body in enumerate(bodies):
        if body.centre is not None:
            found[b] = places[b] + quaternion.rotate(turns[b], body.centre)
    return found


def _find_contact_pairs(
    shapes: list[Shape], pairs: set[tuple[str, str]]
) -> tuple[list[Shape], frozenset[tuple[int, int]]]:
    """Shapes, of which those collide that a pair names, even with a geom of the world, and pairs of their numbers."""
    numbers = {shape.name: k for k, shape in enumerate(shapes) if shape.name}
    named = {name for pair in pairs for name in pair}
    shapes = [replace(shape, collides=shape.collides or shape.name in named) for shape in shapes]
    met = [sorted((numbers[a], numbers[b])) for a, b in pairs if a in numbers and b in numbers]
    return shapes, frozenset((low, high) for low, high in met)


def turn_to_ours(q: np.ndarray) -> np.ndarray:
    """Rotations with their axes in our letters."""
    return np.concatenate([q[..., :1], q[..., 1:][..., TO_OURS]], axis=-1)


def _shape_to_ours(shape: Shape) -> Shape:
    size = shape.size[TO_OURS] if shape.kind in ("box", "ellipsoid") else shape.size
    return replace(
        shape, position=shape.position[TO_OURS], rotation=turn_to_ours(shape.rotation), size=size,
        scale=shape.scale[TO_OURS],
    )  # fmt: skip


def keep_subtree(bodies: list[TreeBody], base: int) -> tuple[list[TreeBody], dict[int, int]]:
    """The bodies below one, renumbered, and the map from old numbers to new."""
    numbers = {base: 0}
    kept = [replace_parent(bodies[base], -1)]
    for b, body in enumerate(bodies):
        if b != base and body.parent in numbers:
            numbers[b] = len(kept)
            kept.append(replace_parent(body, numbers[body.parent]))
    return kept, numbers


def replace_parent(body: TreeBody, parent: int) -> TreeBody:
    return replace(body, parent=parent)
