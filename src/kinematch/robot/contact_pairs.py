"""Which parts of a robot may collide with each other, by MuJoCo's rules."""

import numpy as np

from kinematch.robot.model import RobotModel, Shape
from kinematch.robot.solids import Capsules


def find_pairs(model: RobotModel, capsules: Capsules) -> np.ndarray:
    """Pairs (Q, 2) int32 of capsules that may collide: those that the file names, and those whose bits meet.

    Of the latter not those on one link, on a link and the one that carries it, and those that the file excludes.
    """
    carriers = find_carriers(model)
    pairs = []
    for a in range(len(capsules.radii)):
        for b in range(a + 1, len(capsules.radii)):
            shapes = int(capsules.shapes[a]), int(capsules.shapes[b])
            if shapes[0] == shapes[1]:
                continue
            if (min(shapes), max(shapes)) in model.contact_pairs:
                pairs.append((a, b))
                continue
            links = int(capsules.links[a]), int(capsules.links[b])
            bodies = sorted((int(capsules.bodies[a]), int(capsules.bodies[b])))
            near = links[0] == links[1] or links[0] == carriers[links[1]] or links[1] == carriers[links[0]]
            excluded = (bodies[0], bodies[1]) in model.excluded
            if not near and not excluded and share_bits(model.shapes[shapes[0]], model.shapes[shapes[1]]):
                pairs.append((a, b))
    return np.array(pairs, np.int32).reshape(-1, 2)


def find_carriers(model: RobotModel) -> np.ndarray:
    """For each link (L,) int32 that of the body above; links between hinges of one body carry nothing. -1 for none."""
    carriers = np.full(len(model.parents), -1, np.int32)
    for body in range(len(model.body_names) - 1, 0, -1):
        above = model.body_links[model.body_parents[body]]
        if above != model.body_links[body]:
            carriers[model.body_links[body]] = above
    return carriers


def share_bits(one: Shape, other: Shape) -> bool:
    """Whether the masks of two shapes let them collide."""
    return bool(one.masks[0] & other.masks[1] or other.masks[0] & one.masks[1])
