"""Which links of a robot are its thighs, shins, feet and arms, and how each lies when a person stands in T-pose."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion.role_names import SIDES
from kinematch.motion.tpose_neutral import HINGE_AXES
from kinematch.robot.model import RobotModel
from kinematch.robot.parts import chain_to, find_links
from kinematch.robot.solids import FloorPoints, find_floor_points

REQUIRED_SEGMENTS = tuple(f"{side}_{part}" for side in SIDES for part in ("upper_leg", "lower_leg"))
MAX_JOINT_HINGES = 3  # that turn about one point; of more, as in a clavicle and an arm, the last
MIN_AHEAD = 0.5  # cosine between a foot and the way ahead, from which that says where its toes are
# along which the left limb points in T-pose
BONE_DIRECTIONS = {"upper_arm": (1.0, 0.0, 0.0), "upper_leg": (0.0, -1.0, 0.0)}


@dataclass(frozen=True, eq=False)
class Segment:
    """A part of the body that both person and robot have."""

    role: str
    link: int
    chain: tuple[int, ...]  # links with the hinges between it and the segment above, first to last
    axes: np.ndarray  # (4,) the link's world rotation in T-pose, facing +Z


@dataclass(frozen=True, eq=False)
class Anatomy:
    """The segments of a robot, parents first, and where its joints lie at angles zero, base at the origin."""

    segments: tuple[Segment, ...]
    links: dict[str, int]  # role -> link
    centres: dict[str, np.ndarray]  # left_upper_leg: the hip joint, and so on (3,) m
    soles: dict[str, FloorPoints]  # left, right: points of the foot in its link's space
    positions: np.ndarray  # (L, 3) m, of links at angles zero
    rotations: np.ndarray  # (L, 4)


def find_anatomy(model: RobotModel, roles: Mapping[str, str] | None = None) -> Anatomy:
    """Roles by the names of hinges and bodies; `roles` names a hinge or body where those mislead."""
    positions, rotations = model.place_links(np.zeros(3), model.standing, np.zeros(model.hinge_count))
    links = find_links(model, roles or {})
    missing = [role for role in REQUIRED_SEGMENTS if role not in links]
    if missing:
        names = ", ".join(model.hinge_names[:12])
        raise KinematchError(
            f"robot {model.name!r}: found no {', '.join(missing)}, neither by names nor by the shape of its limbs "
            f"(hinges: {names} ...); name them: kinematch convert ... --roles FILE writes a template"
        )
    for side in SIDES:  # a foot without a hinge of its own is part of the shin
        links.setdefault(f"{side}_foot", links[f"{side}_lower_leg"])
    links["hips"] = _meeting(model, [links[f"{side}_upper_leg"] for side in SIDES])
    arms = [links[f"{side}_upper_arm"] for side in SIDES if f"{side}_upper_arm" in links]
    if len(arms) == 2:
        links["chest"] = _meeting(model, arms)
        if links["chest"] == links["hips"]:
            del links["chest"]
    centres = _find_centres(model, links, positions, rotations)
    soles = {side: _find_sole(model, links[f"{side}_foot"]) for side in SIDES}
    turns = _find_turns(model, links, centres, positions, rotations, soles)
    ordered = sorted(turns, key=lambda role: (links[role], role != "hips"))
    if links[ordered[0]] != 0:  # hinges between the base and all segments stay at zero
        links[ordered[0]] = 0
        turns[ordered[0]] = quaternion.multiply(turns[ordered[0]], quaternion.inverse(rotations[links[ordered[0]]]))
    carriers = {links[role] for role in ordered}
    segments = [Segment(role, links[role], _chain(model, links[role], carriers), turns[role]) for role in ordered]
    return Anatomy(tuple(segments), links, centres, soles, positions, rotations)


def _meeting(model: RobotModel, links: list[int]) -> int:
    """The last link that carries all of these."""
    return max(set(chain_to(model, links[0])[:-1]).intersection(*(chain_to(model, k)[:-1] for k in links[1:])))


def _chain(model: RobotModel, link: int, carriers: set[int]) -> tuple[int, ...]:
    """Links below the next carrier above, down to this one."""
    chain: list[int] = []
    while link != 0 and (not chain or link not in carriers):
        chain.append(link)
        link = int(model.parents[link])
    return tuple(chain[::-1])


def _find_centres(
    model: RobotModel, links: dict[str, int], positions: np.ndarray, rotations: np.ndarray
) -> dict[str, np.ndarray]:
    """Where the anatomical joint of each limb segment lies at angles zero: nearest to the axes of its hinges."""
    centres = {}
    carriers = set(links.values())
    for role, link in links.items():
        if role in ("hips", "chest"):
            continue
        chain = _chain(model, link, carriers)[-MAX_JOINT_HINGES:]
        if role.endswith("_foot") and link == links[role.replace("foot", "lower_leg")]:
            continue
        axes = quaternion.rotate(rotations[list(chain)], model.axes[list(chain)])
        centres[role] = _nearest_to_lines(positions[list(chain)], axes)
    for side in SIDES:
        points = _find_sole(model, links[f"{side}_foot"]).points
        link = links[f"{side}_foot"]
        if f"{side}_foot" not in centres:  # the end of the shin, above the foot
            end = points.mean(axis=0) if len(points) else np.zeros(3)
            centres[f"{side}_foot"] = positions[link] + quaternion.rotate(rotations[link], end)
        low = links.get(f"{side}_lower_arm")
        if low is not None and f"{side}_hand" not in centres:
            everything = find_floor_points(model)
            own = everything.points[everything.links == low]
            end = max(own, key=lambda p: float(p @ p), default=np.zeros(3))
            centres[f"{side}_hand"] = positions[low] + quaternion.rotate(rotations[low], end)
    return centres


def _nearest_to_lines(points: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The point nearest to lines; along what they leave open, near the middle of their points."""
    middle = points.mean(axis=0)
    matrix, right = 1e-3 * np.eye(3), 1e-3 * middle
    for point, axis in zip(points, axes):
        across = np.eye(3) - np.outer(axis, axis)
        matrix, right = matrix + across, right + across @ point
    return np.linalg.solve(matrix, right)


def _find_sole(model: RobotModel, link: int) -> FloorPoints:
    """Points of the bodies on a foot's link; where shin and foot are one, of the foot's body alone."""
    points = find_floor_points(model)
    mine = points.links == link
    return FloorPoints(points.links[mine], points.points[mine], points.radii[mine])


def _find_turns(
    model: RobotModel,
    links: dict[str, int],
    centres: dict[str, np.ndarray],
    positions: np.ndarray,
    rotations: np.ndarray,
    soles: dict[str, FloorPoints],
) -> dict[str, np.ndarray]:
    """World rotation of each segment's link in T-pose: its bone and the axis about which it bends decide."""
    turns = {}
    trunk = np.mean([centres[f"{side}_upper_leg"] for side in SIDES], axis=0)
    arms = all(f"{side}_upper_arm" in centres for side in SIDES)
    top = np.mean([centres[f"{side}_upper_arm"] for side in SIDES], axis=0) if arms else trunk + [0, 1, 0]
    for role, part in (("hips", "upper_leg"), ("chest", "upper_arm"), ("head", "upper_arm")):
        if role in links:
            pair = part if arms else "upper_leg"
            left = centres[f"left_{pair}"] - centres[f"right_{pair}"]
            frame = _frame(top - trunk, left)
            wanted = _frame(np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
            turns[role] = _turn(frame, wanted, rotations[links[role]])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for upper, lower, end in (("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand")):
            names = [f"{side}_{part}" for part in (upper, lower, end)]
            if names[0] not in links or names[1] not in links:
                continue
            bones = [centres[names[1]] - centres[names[0]], centres[names[2]] - centres[names[1]]]
            hinge = _flexing_axis(model, links[names[1]], rotations, *bones)
            direction = np.array(BONE_DIRECTIONS[upper]) * (sign if upper == "upper_arm" else 1.0)
            wanted = _frame(direction, HINGE_AXES[names[0]])
            turns[names[0]] = _turn(_frame(bones[0], hinge), wanted, rotations[links[names[0]]])
            turns[names[1]] = _turn(_frame(bones[1], hinge), wanted, rotations[links[names[1]]])
            if end == "hand" and names[2] in links:  # wrists are neutral at zero
                turns[names[2]] = _turn(_frame(bones[1], hinge), wanted, rotations[links[names[2]]])
        foot = f"{side}_foot"
        if links[foot] != links[f"{side}_lower_leg"]:
            shin = centres[f"{side}_lower_leg"] - centres[foot]
            ahead = np.cross(centres["left_upper_leg"] - centres["right_upper_leg"], top - trunk)
            away = positions[links[foot]] - centres[foot]
            frame = _foot_frame(soles[side], rotations[links[foot]], away, shin, ahead)
            wanted = _frame(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))
            turns[foot] = _turn(frame, wanted, rotations[links[foot]])
    return turns


def _frame(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Columns: the first direction, the second at right angles to it, and their product."""
    x = quaternion.unit(first)
    y = quaternion.unit(second - x * (x @ second), np.array([1.0, 0.0, 0.0]))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _turn(frame: np.ndarray, wanted: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """The rotation of a link in T-pose, from that at zero, such that its frame lies as wanted."""
    return quaternion.multiply(rotation.from_matrix(wanted @ frame.T), zero)


def _flexing_axis(
    model: RobotModel, link: int, rotations: np.ndarray, upper: np.ndarray, lower: np.ndarray
) -> np.ndarray:
    """The axis of a knee or elbow at zero, such that positive turns flex: to where its limits leave more room."""
    axis = quaternion.rotate(rotations[link], model.axes[link])
    u, v = upper - axis * (axis @ upper), lower - axis * (axis @ lower)
    straight = np.arctan2(axis @ np.cross(v, u), v @ u)
    low, high = np.clip(model.limits[link - 1], -np.pi, np.pi)
    return axis if high - straight >= straight - low else -axis


def _foot_frame(sole: FloorPoints, turn: np.ndarray, at: np.ndarray, shin: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """Forward and up of a foot at angles zero: along its length, and across its sole, towards the shin.

    Of the two ways along it the one ahead, or that of its longer end where the leg is turned out.
    """
    points = quaternion.rotate(turn, sole.points) + at  # from the ankle
    spread = points - points.mean(axis=0) if len(points) else np.zeros((1, 3))
    _, sizes, axes = np.linalg.svd(spread, full_matrices=True)
    if len(sole.points) < 3 or not sizes[1] > 1e-4:  # one bar or ball: as the zero pose stands
        return _frame(np.array([0.0, 0.0, 1.0]), shin)
    up = axes[2] * np.sign(axes[2] @ shin or 1.0)
    length = points @ axes[0]
    along = float(axes[0] @ quaternion.unit(ahead))
    sure = abs(along) > MIN_AHEAD
    forward = axes[0] * (1.0 if (along if sure else length.max() + length.min()) >= 0 else -1.0)
    return _frame(forward, up)
