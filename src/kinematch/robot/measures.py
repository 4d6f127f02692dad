"""Measures of a robot's body that retargeting needs: lengths against the person's, soles, and points of tasks."""

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.role_names import SIDES
from kinematch.motion.skeleton import Skeleton
from kinematch.robot.segments import Anatomy, Segment
from kinematch.robot.tasks import CHEST, ELBOWS, FEET, HANDS, HIPS, KNEES, TASK_NAMES, RobotSettings


def measure_scales(
    source: Skeleton,
    standing: np.ndarray,
    joints: dict[str, int],
    anatomy: Anatomy,
    settings: RobotSettings,
    *,
    arms: bool,
) -> np.ndarray:
    """See RobotPlan.scales; lengths of the robot at angles zero, of the person in T-pose."""

    def robot(a: str, b: str) -> float:
        return float(np.mean([np.linalg.norm(anatomy.centres[f"{s}_{a}"] - anatomy.centres[f"{s}_{b}"])
                              for s in SIDES]))  # fmt: skip

    def middle(values: dict[str, np.ndarray], part: str) -> np.ndarray:
        return np.mean([values[f"{side}_{part}"] for side in SIDES], axis=0)

    person = {role: standing[joint] for role, joint in joints.items()}
    thigh, shin = robot("upper_leg", "lower_leg"), robot("lower_leg", "foot")
    leg = leg_length(source)
    if not leg > 0:
        raise KinematchError("cannot retarget to a robot: the source's legs have no length")
    scale = (thigh + shin) / leg if settings.scale is None else settings.scale
    height = float(np.mean([_ankle_height(anatomy, side) for side in SIDES]))
    crouch = settings.crouch * (thigh + shin)
    lift = height - scale * float(middle(person, "foot")[1]) - crouch
    wide = [np.linalg.norm(np.subtract(*(values[f"{side}_upper_leg"] for side in SIDES))) / 2
            for values in (anatomy.centres, person)]  # fmt: skip
    widening = float(wide[0] - scale * wide[1])
    trunk, upper, lower = 1.0, 0.0, 0.0
    if arms:
        lengths = [np.linalg.norm(middle(v, "upper_arm") - middle(v, "upper_leg")) for v in (anatomy.centres, person)]
        trunk, upper, lower = (
            float(lengths[0] / lengths[1]),
            robot("upper_arm", "lower_arm"),
            robot("lower_arm", "hand"),
        )
    return np.array([scale, lift, widening, trunk, thigh, upper, lower, crouch])


def _ankle_height(anatomy: Anatomy, side: str) -> float:
    """Metres from the ankle down to the sole, when the foot stands flat."""
    soles, radii = _sole_from_ankle(anatomy, side)
    turn = next((s.axes for s in anatomy.segments if s.role == f"{side}_foot"), None)
    if turn is None:
        turn = next(s.axes for s in anatomy.segments if s.role == f"{side}_lower_leg")
    return -float((quaternion.rotate(turn, soles)[:, 1] - radii).min())


def _sole_from_ankle(anatomy: Anatomy, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Points of the sole from the ankle (P, 3) in the foot's link space, and their radii; the ankle alone if none."""
    sole = anatomy.soles[side]
    ankle = _in_link(anatomy, f"{side}_foot", anatomy.links[f"{side}_foot"])
    if not len(sole.points):
        return np.zeros((1, 3)), np.zeros(1)
    return sole.points - ankle, sole.radii


def _in_link(anatomy: Anatomy, role: str, link: int) -> np.ndarray:
    """The centre of a joint in the space of a link."""
    away = anatomy.centres[role] - anatomy.positions[link]
    return quaternion.rotate(quaternion.inverse(anatomy.rotations[link]), away)


def measure_feet(anatomy: Anatomy, segments: list[Segment], numbers: dict[str, int]) -> tuple[np.ndarray, ...]:
    """Soles, radii, tips and ankles, whether feet turn, and how they stand."""
    found = [_sole_from_ankle(anatomy, side) for side in SIDES]
    most = max(len(points) for points, _ in found)
    soles, radii = np.zeros((2, most, 3)), np.zeros((2, most))
    tips, ankles, flat, axes = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(2), np.zeros((2, 4))
    for k, side in enumerate(SIDES):
        points, around = found[k]
        soles[k], radii[k] = points[0], around[0]  # padded with the first point, which changes nothing
        soles[k, : len(points)], radii[k, : len(points)] = points, around
        flat[k] = f"{side}_foot" in numbers
        owner = segments[numbers.get(f"{side}_foot", numbers[f"{side}_lower_leg"])]
        axes[k] = owner.axes
        standing = quaternion.rotate(owner.axes, points)
        front = (
            standing[np.argmax(standing[:, 2] + around)] if flat[k] else standing[np.argmin(standing[:, 1] - around)]
        )
        low = float((standing[:, 1] - around).min())
        middle = float((standing[:, 0].max() + standing[:, 0].min()) / 2)
        tips[k] = quaternion.rotate(quaternion.inverse(owner.axes), np.array([middle, low, front[2]]))
        ankles[k] = _in_link(anatomy, f"{side}_foot", owner.link)
    return soles, radii, tips, ankles, flat, axes


def find_half_vectors(anatomy: Anatomy, part: str) -> np.ndarray:
    """From the middle to the left and the right joint, turned to T-pose."""
    role = "hips" if part == "upper_leg" else "chest"
    owner = next((s for s in anatomy.segments if s.role == role), anatomy.segments[0])
    left, right = (anatomy.centres[f"{side}_{part}"] for side in SIDES)
    to_tpose = quaternion.multiply(owner.axes, quaternion.inverse(anatomy.rotations[owner.link]))
    return quaternion.rotate(to_tpose, np.stack([left - right, right - left]) / 2)


def place_tasks(
    anatomy: Anatomy, segments: list[Segment], numbers: dict[str, int], tips: np.ndarray
) -> tuple[list[int], np.ndarray, list[int]]:
    """Link, point in its space and segment of each task."""
    points = np.zeros((len(TASK_NAMES), 3))
    owners = [-1] * len(TASK_NAMES)

    def put(task: int, role: str, at: np.ndarray) -> None:
        owners[task] = numbers[role]
        link = segments[numbers[role]].link
        away = at - anatomy.positions[link]
        points[task] = quaternion.rotate(quaternion.inverse(anatomy.rotations[link]), away)

    centres = anatomy.centres
    put(HIPS, "hips", np.mean([centres[f"{side}_upper_leg"] for side in SIDES], axis=0))
    if all(f"{side}_upper_arm" in centres for side in SIDES):
        trunk = "chest" if "chest" in numbers else "hips"
        put(CHEST, trunk, np.mean([centres[f"{side}_upper_arm"] for side in SIDES], axis=0))
    for k, side in enumerate(SIDES):
        put(KNEES + k, f"{side}_lower_leg", centres[f"{side}_lower_leg"])
        owners[FEET + k] = numbers.get(f"{side}_foot", numbers[f"{side}_lower_leg"])
        points[FEET + k] = tips[k]
        if f"{side}_lower_arm" in numbers and f"{side}_hand" in centres:
            put(ELBOWS + k, f"{side}_lower_arm", centres[f"{side}_lower_arm"])
            put(
                HANDS + k, f"{side}_hand" if f"{side}_hand" in numbers else f"{side}_lower_arm", centres[f"{side}_hand"]
            )
    return [segments[owner].link if owner >= 0 else 0 for owner in owners], points, [max(o, 0) for o in owners]
