"""Limbs by topology and reach: pairs of chains that mirror each other, of which the lowest are legs."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion
from kinematch.motion.role_names import SIDES
from kinematch.robot.model import RobotModel
from kinematch.robot.solids import FloorPoints, find_floor_points

MIRROR_TOLERANCE = 0.15  # of a limb's length, by which hinges may miss the mirror image of the other limb's
MIN_HINGES = 2  # of a limb: one above and one at its knee or elbow
ALONG_BONE = 0.75  # cosine from which a hinge turns a bone about itself and bends nothing
# of the lower bone's length within which hinges belong to one ankle or wrist
JOINT_SHARES = {"leg": 0.2, "arm": 0.35}
SOLE_SHARE = 0.05  # of a leg's length above its lowest point, within which a link touches the floor
MIN_FOOT_SHARE = 0.03  # of a leg's length by which both feet must point ahead to say where that is
PARTS = {"leg": ("upper_leg", "lower_leg", "foot"), "arm": ("upper_arm", "lower_arm", "hand")}


@dataclass(frozen=True, eq=False)
class Limb:
    """A chain that hangs on the trunk."""

    links: tuple[int, ...]  # from the trunk outwards, up to where fingers begin
    points: np.ndarray  # (K + 1, 3) m: where hinges lie at angles zero, and the end
    axes: np.ndarray  # (K, 3) of hinges, in the world
    outline: np.ndarray  # (P, 3) m, points of its shapes in the world
    owners: np.ndarray  # (P,) int32, the number in the chain of the link of each

    @property
    def middle(self) -> np.ndarray:
        """(3,) m, the mean of its hinges; the first ones of both sides may lie in the middle of the trunk."""
        return self.points[:-1].mean(axis=0)

    @property
    def length(self) -> float:
        """Along the chain in metres."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())


def find_limb_roles(model: RobotModel) -> dict[str, int]:
    """Roles of legs and arms by the shape of the tree alone; parts that are not found are left out."""
    pairs = _find_mirrored_pairs(model)
    if not pairs:
        return {}
    lowest = [min(float(limb.points[:, 1].min()) for limb in pair) for pair in pairs]
    legs = pairs[int(np.argmin(lowest))]
    hips = float(legs[0].points[0, 1])
    others = [pair for pair in pairs if pair is not legs and pair[0].points[0, 1] > hips]
    ahead = _find_forward(legs)
    roles = _name_parts(_left_first(legs, ahead), "leg")
    if others:
        roles |= _name_parts(_left_first(max(others, key=lambda pair: pair[0].length), ahead), "arm")
    return roles


def _find_forward(legs: tuple[Limb, Limb]) -> np.ndarray:
    """Where feet point, (3,) level and at right angles to the line between the legs; ahead where they do not say."""
    apart = (legs[0].middle - legs[1].middle) * [1, 0, 1]
    across = apart / np.linalg.norm(apart)
    feet = np.zeros(3)
    for limb in legs:
        foot = limb.owners > _find_middle(limb)
        if foot.any():
            feet += limb.outline[foot].mean(axis=0) - limb.points[limb.owners[foot].min()]
    feet[1] = 0.0
    feet = feet - (feet @ across) * across
    size = float(np.linalg.norm(feet))
    return feet / size if size > MIN_FOOT_SHARE * legs[0].length else np.array([0.0, 0.0, 1.0])


def _left_first(pair: tuple[Limb, Limb], ahead: np.ndarray) -> tuple[Limb, Limb]:
    left = np.cross([0.0, 1.0, 0.0], ahead)
    return pair if float((pair[0].middle - pair[1].middle) @ left) > 0 else (pair[1], pair[0])


def _find_mirrored_pairs(model: RobotModel) -> list[tuple[Limb, Limb]]:
    """Chains of equal length that begin at one link and mirror each other, in any order."""
    positions, rotations = model.place_links(np.zeros(3), model.standing, np.zeros(model.hinge_count))
    children: list[list[int]] = [[] for _ in model.parents]
    for link in range(1, len(model.parents)):
        children[model.parents[link]].append(link)
    limbs: dict[int, Limb] = {}
    outline = find_floor_points(model)  # once: it reads meshes
    outer = quaternion.rotate(rotations[outline.links], outline.points) + positions[outline.links]
    for siblings in children:
        for link in siblings if len(siblings) > 1 else []:
            chain = [link]
            while len(children[chain[-1]]) == 1:
                chain.append(children[chain[-1]][0])
            end = _find_end(model, outline, _below(children, chain[-1]), positions, rotations)
            axes = quaternion.rotate(rotations[chain], model.axes[chain])
            own = np.isin(outline.links, chain)
            owners = np.array([chain.index(carrier) for carrier in outline.links[own]], np.int32)
            points = np.concatenate([positions[chain], end[None]])
            limbs[link] = Limb(tuple(chain), points, axes, outer[own], owners)
    return [
        (one, other)
        for a, one in limbs.items()
        for b, other in limbs.items()
        if a < b and model.parents[a] == model.parents[b] and len(one.links) >= MIN_HINGES and _mirror(one, other)
    ]


def _mirror(one: Limb, other: Limb) -> bool:
    """Whether two limbs are mirror images in an upright plane halfway between them."""
    if len(one.links) != len(other.links):
        return False
    apart = (one.middle - other.middle) * [1, 0, 1]
    size, length = float(np.linalg.norm(apart)), min(one.length, other.length)
    if size == 0:
        return False
    across = apart / size
    middle = (one.middle + other.middle) / 2
    away = one.points[:-1] - middle
    image = away - 2 * (away @ across)[:, None] * across
    miss = image - (other.points[:-1] - middle)
    return bool(np.linalg.norm(miss, axis=1).max() < MIRROR_TOLERANCE * length)


def _find_end(
    model: RobotModel, outline: FloorPoints, links: list[int], positions: np.ndarray, rotations: np.ndarray
) -> np.ndarray:
    """The point of some links that lies farthest from the first: of shapes, sites or, without any, of masses."""
    first = positions[links[0]]
    own = np.isin(outline.links, links)
    found = [(outline.links[own], outline.points[own])]
    shapes = [shape for shape in model.shapes if model.body_links[shape.body] in links and shape.kind != "mesh"]
    for part in (shapes, [site for site in model.sites if model.body_links[site.body] in links]):
        owners = np.array([one.body for one in part], np.int32)
        at = quaternion.rotate(model.body_rotations[owners], np.array([one.position for one in part]).reshape(-1, 3))
        found.append((model.body_links[owners], at + model.body_offsets[owners]))
    bodies = np.flatnonzero(np.isin(model.body_links, links) & np.isfinite(model.body_centres[:, 0]))
    found.append((model.body_links[bodies], model.body_centres[bodies]))
    carriers, points = (np.concatenate([part[k] for part in found]) for k in range(2))
    world = quaternion.rotate(rotations[carriers], points) + positions[carriers]
    return max((*world, first), key=lambda point: float(np.sum((point - first) ** 2)))


def _below(children: list[list[int]], link: int) -> list[int]:
    found = [link]
    for one in found:
        found += children[one]
    return found


def _name_parts(pair: tuple[Limb, Limb], kind: str) -> dict[str, int]:
    roles = {}
    for side, limb in zip(SIDES, pair):
        upper, lower, end = (f"{side}_{part}" for part in PARTS[kind])
        middle = _find_middle(limb)
        if not middle:
            continue
        roles[upper], roles[lower] = limb.links[middle - 1], limb.links[middle]
        last = _find_sole_link(limb, middle) if kind == "leg" else 0
        last = last or _find_end_joint(limb, middle, kind)
        if last:
            roles[end] = limb.links[last]
    return roles


def _find_sole_link(limb: Limb, knee: int) -> int:
    """The number of the first link below the knee that comes as low as the sole; toes follow. 0 for none."""
    after = limb.owners > knee
    if not after.any():
        return 0
    low = limb.outline[after, 1].min() + SOLE_SHARE * limb.length
    return int(limb.owners[after][limb.outline[after, 1] <= low].min())


def _find_end_joint(limb: Limb, middle: int, kind: str) -> int:
    """The number of the last hinge of the ankle or wrist: of what bends beyond the knee or elbow, round one point.

    Toes and fingers lie further out; a forearm turns about itself before its wrist. 0 for none.
    """
    after = range(middle + 1, len(limb.links))
    bending = [k for k in after if kind == "leg" or not _turns_bone(limb, k, middle)]
    if not bending:
        return 0
    first = limb.points[bending[0]]
    near = JOINT_SHARES[kind] * np.linalg.norm(first - limb.points[middle])
    return [k for k in bending if np.linalg.norm(limb.points[k] - first) <= near][-1]


def _find_middle(limb: Limb) -> int:
    """The number of the knee or elbow: it bends, and lies far from both ends of its limb. 0 for none."""
    best, found = 0.0, 0
    for k in range(1, len(limb.links)):
        upper, lower = limb.points[k] - limb.points[0], limb.points[-1] - limb.points[k]
        reach = min(float(np.linalg.norm(upper)), float(np.linalg.norm(lower)))
        if reach > best * 1.05 and not _turns_bone(limb, k, k):
            best, found = reach, k
    return found


def _turns_bone(limb: Limb, hinge: int, start: int) -> bool:
    """Whether a hinge turns about the bone from another hinge to the end of the limb."""
    bone = limb.points[-1] - limb.points[start]
    size = float(np.linalg.norm(bone))
    return size > 0 and abs(float(limb.axes[hinge] @ bone)) > ALONG_BONE * size
