"""A robot as round cones, for contact sheets: its capsules, left and right in different colours."""

import numpy as np

from kinematch.draw.body import BodyPart, BodyShape, bind
from kinematch.math import quaternion
from kinematch.robot.model import RobotModel
from kinematch.robot.parts import find_side
from kinematch.robot.solids import find_capsules

MIN_BONE_RADIUS = 0.012  # m of a bone between two hinges, so that links without a solid still show


def make_figure(model: RobotModel) -> BodyShape:
    """Its solids, and a thin bone from each link to the next."""
    places, turns = model.place_links(np.zeros(3), quaternion.IDENTITY, np.zeros(model.hinge_count))
    capsules, names = find_capsules(model), model.link_names()
    tints = [find_side(name) or "body" for name in names]
    parts = [
        BodyPart((parent, link), (places[parent], places[link]), (MIN_BONE_RADIUS, MIN_BONE_RADIUS), tint="joints")
        for link, parent in enumerate(model.parents.tolist())
        if parent >= 0 and np.linalg.norm(places[link] - places[parent]) > MIN_BONE_RADIUS
    ]
    for link, ends, radius in zip(capsules.links.tolist(), capsules.ends, capsules.radii.tolist()):
        low, high = places[link] + quaternion.rotate(turns[link], ends)
        parts.append(BodyPart((link, link), (low, high), (radius, radius), tint=tints[link]))
    return bind(parts, places, turns)
