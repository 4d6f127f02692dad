"""A jointed mannequin for any humanoid skeleton, drawn around its reference T-pose by roles."""

from itertools import pairwise

import numpy as np

from kinematch.draw.body import BodyPart, BodyShape, bind, generic_body
from kinematch.motion import kinematics
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.four_legs import has_four_legs
from kinematch.motion.skeleton import Skeleton

_NEEDED = (
    "hips", "head", *(f"{side}_{part}" for side in ("left", "right")
    for part in ("upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand")),
)  # fmt: skip
_LEG = 0.83  # m, hip joint to ankle of the person with the measures below
_FINGERS = ("thumb", "index", "middle", "ring", "little")

Point = np.ndarray


def make_body(skeleton: Skeleton) -> BodyShape:
    """The mannequin where roles and a standing reference pose are known, plain bones elsewhere."""
    if all(role in skeleton.roles for role in _NEEDED) and leg_length(skeleton) > 0 and not has_four_legs(skeleton):
        reference = _reference_pose(skeleton)
        if reference is not None:
            return mannequin(skeleton, *reference)
    return generic_body(skeleton)


def _reference_pose(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray] | None:
    """The T-pose; without one, the rest pose if it stands upright facing +Z."""
    if skeleton.tpose is not None:
        p, r = kinematics.tpose(skeleton)
        return np.asarray(p, np.float64), np.asarray(r, np.float64)
    p, r = (np.asarray(a, np.float64) for a in kinematics.rest_pose(skeleton))
    roles = skeleton.roles
    height = p[roles["head"], 1] - p[roles["left_foot"], 1]
    upright = p[roles["head"], 1] > p[roles["hips"], 1] + 0.2 * height > p[roles["left_foot"], 1] + 0.4 * height
    faces_ahead = p[roles["left_upper_leg"], 0] - p[roles["right_upper_leg"], 0] > 0.05 * height
    return (p, r) if height > 0 and upright and faces_ahead else None


def mannequin(skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> BodyShape:
    """Parts around a standing pose that faces +Z; all measures in proportion to the legs."""
    at = {role: positions[joint] for role, joint in skeleton.roles.items()}
    unit = leg_length(skeleton) / _LEG
    parts = _trunk(skeleton, at, unit) + _head(skeleton, at, unit)
    for side in ("left", "right"):
        parts += _leg(skeleton, at, unit, side) + _arm(skeleton, at, unit, side)
    return bind(parts, positions, rotations)


def _xyz(x: float, y: float, z: float) -> Point:
    return np.array([x, y, z])


def _trunk(skeleton: Skeleton, at: dict[str, Point], unit: float) -> list[BodyPart]:
    """Pelvis, belly, a chest that widens towards the shoulders, and the slope from neck to shoulders."""
    roles = skeleton.roles
    hips = roles["hips"]
    chest = next((roles[role] for role in ("upper_chest", "chest", "spine") if role in roles), hips)
    belly = next((roles[role] for role in ("spine", "chest") if role in roles), hips)
    low = 0.5 * (at["left_upper_leg"] + at["right_upper_leg"])
    high = 0.5 * (at["left_upper_arm"] + at["right_upper_arm"])
    hip_width = 0.5 * abs(at["left_upper_leg"][0] - at["right_upper_leg"][0])
    shoulder_width = 0.5 * abs(at["left_upper_arm"][0] - at["right_upper_arm"][0])

    def along(share: float, ahead: float) -> Point:
        """A point on the way from the hip joints up to the shoulders, so far before it."""
        return low + share * (high - low) + _xyz(0, 0, ahead * unit)

    pelvis, waist, ribs, top = along(0.1, 0), along(0.5, -0.004), along(0.5, 0.006), along(0.8, 0)
    pelvis_wide = (hip_width + 0.07 * unit) / (0.112 * unit)
    chest_wide = 0.86 * shoulder_width / (0.11 * unit)
    belly_wide = min(1.3, 1.1 * chest_wide)  # stays inside the chest where they overlap
    parts = [
        BodyPart((hips, hips), (pelvis, pelvis), (0.112 * unit,) * 2, scales=(pelvis_wide, 0.98)),
        BodyPart((hips, belly), (pelvis, waist), (0.1 * unit, 0.082 * unit), scales=(belly_wide, 0.94)),
        BodyPart((chest, chest), (ribs, top), (0.096 * unit, 0.11 * unit), scales=(chest_wide, 0.92)),
    ]
    neck = at.get("neck", along(1.04, -0.005))
    carrier = roles.get("neck", chest)
    parts.append(BodyPart((chest, carrier), (along(0.9, -0.01), neck), (0.075 * unit, 0.052 * unit), scales=(1.1, 0.9)))
    for side in ("left", "right"):
        arm = at[f"{side}_upper_arm"]
        shoulder = roles.get(f"{side}_shoulder", chest)
        inner = 0.75 * top + 0.25 * arm + _xyz(0, 0.03 * unit, 0)
        slope = neck + 0.25 * (at["head"] - neck)
        parts.append(BodyPart((chest, shoulder), (inner, arm), (0.062 * unit, 0.054 * unit)))
        parts.append(
            BodyPart((carrier, shoulder), (slope, arm + _xyz(0, 0.008 * unit, 0)), (0.034 * unit, 0.044 * unit))
        )
    return parts


def _head(skeleton: Skeleton, at: dict[str, Point], unit: float) -> list[BodyPart]:
    roles = skeleton.roles
    head, neck = roles["head"], roles.get("neck", roles["head"])
    base = at["head"]
    skull = base + _xyz(0, 0.092 * unit, 0.006 * unit)
    chin = skull + _xyz(0, -0.07 * unit, 0.03 * unit)
    brow, nose = skull + _xyz(0, 0, 0.093 * unit), skull + _xyz(0, -0.03 * unit, 0.094 * unit)
    neck_base = at["neck"] if "neck" in at else base - _xyz(0, 0.09 * unit, 0.01 * unit)
    return [
        BodyPart((neck, head), (neck_base, base + _xyz(0, 0.05 * unit, 0)), (0.052 * unit, 0.047 * unit)),
        BodyPart((head, head), (skull, chin), (0.1 * unit, 0.06 * unit), scales=(0.82, 1.0)),
        BodyPart((head, head), (brow, nose), (0.007 * unit, 0.012 * unit)),
    ]


def _leg(skeleton: Skeleton, at: dict[str, Point], unit: float, side: str) -> list[BodyPart]:
    roles = skeleton.roles
    thigh, shin, foot = (roles[f"{side}_{part}"] for part in ("upper_leg", "lower_leg", "foot"))
    hip, knee, ankle = (at[f"{side}_{part}"] for part in ("upper_leg", "lower_leg", "foot"))
    toes = roles.get(f"{side}_toes", foot)
    ball = at[f"{side}_toes"] if f"{side}_toes" in at else ankle + _xyz(0, -0.06 * unit, 0.13 * unit)
    ahead = ball - ankle
    ahead = np.array([ahead[0], 0, ahead[2]])
    ahead = ahead / (np.linalg.norm(ahead) or 1)
    sole = min(ball[1], ankle[1] - 0.045 * unit) - 0.018 * unit
    heel = ankle - 0.052 * unit * ahead
    heel[1] = sole + 0.03 * unit
    ball_low = np.array([ball[0], sole + 0.024 * unit, ball[2]])
    tip = ball_low + 0.062 * unit * ahead - _xyz(0, 0.004 * unit, 0)
    calf = knee + 0.28 * (ankle - knee) - 0.012 * unit * _xyz(0, 0, 1)
    across = tuple(np.cross([0.0, 1.0, 0.0], ahead)) if ahead.any() else (1.0, 0.0, 0.0)
    return [
        BodyPart((thigh, thigh), (hip, knee), (0.086 * unit, 0.054 * unit), tint=side),
        BodyPart((thigh, thigh), (knee, knee), (0.057 * unit,) * 2, tint="joints"),
        BodyPart((shin, shin), (knee, calf), (0.05 * unit, 0.056 * unit), tint=side),
        BodyPart((shin, shin), (calf, ankle), (0.056 * unit, 0.034 * unit), tint=side),
        BodyPart((foot, foot), (ankle, ankle), (0.037 * unit,) * 2, tint="joints"),
        BodyPart((foot, foot), (heel, ball_low), (0.03 * unit, 0.024 * unit), across, (1.12, 1.0), tint=side),
        BodyPart((foot, foot), (ankle, ball_low), (0.032 * unit, 0.023 * unit), across, (1.15, 1.0), tint=side),
        BodyPart((toes, toes), (ball_low, tip), (0.024 * unit, 0.018 * unit), across, (1.6, 1.0), tint=side),
    ]


def _arm(skeleton: Skeleton, at: dict[str, Point], unit: float, side: str) -> list[BodyPart]:
    upper, lower = skeleton.roles[f"{side}_upper_arm"], skeleton.roles[f"{side}_lower_arm"]
    shoulder, elbow, wrist = (at[f"{side}_{part}"] for part in ("upper_arm", "lower_arm", "hand"))
    tint = f"{side}_arm"
    return [
        BodyPart((upper, upper), (shoulder, shoulder), (0.056 * unit,) * 2, tint="joints"),
        BodyPart((upper, upper), (shoulder, elbow), (0.05 * unit, 0.039 * unit), tint=tint),
        BodyPart((upper, upper), (elbow, elbow), (0.0435 * unit,) * 2, tint="joints"),
        BodyPart((lower, lower), (elbow, wrist), (0.041 * unit, 0.027 * unit), tint=tint),
        *_hand(skeleton, at, unit, side),
    ]


def _hand(skeleton: Skeleton, at: dict[str, Point], unit: float, side: str) -> list[BodyPart]:
    """A palm that looks down in the T-pose, and the rig's fingers, or else a mitten with a thumb."""
    roles, tint, across = skeleton.roles, f"{side}_arm", (0.0, 0.0, 1.0)
    hand, wrist = roles[f"{side}_hand"], at[f"{side}_hand"]
    ahead = wrist - at[f"{side}_lower_arm"]
    ahead = ahead / (np.linalg.norm(ahead) or 1)
    knuckles = at.get(f"{side}_middle_proximal", wrist + 0.085 * unit * ahead)
    palm = wrist + 0.02 * unit * ahead
    parts = [BodyPart((hand, hand), (palm, knuckles), (0.024 * unit, 0.027 * unit), across, (1.35, 0.8), tint)]
    for finger in _FINGERS:
        names = (f"{side}_{finger}_{piece}" for piece in ("proximal", "intermediate", "distal"))
        chain = [name for name in names if name in at]
        if not chain:
            continue
        places = [wrist, *(at[name] for name in chain)]
        way = places[-1] - places[-2] if len(chain) > 1 else ahead
        places.append(places[-1] + 0.022 * unit * way / (np.linalg.norm(way) or 1))
        joints = [hand, *(roles[name] for name in chain), roles[chain[-1]]]
        thickness = [0.016, 0.0115, 0.01, 0.009, 0.007]
        for n, (start, end) in enumerate(pairwise(places)):
            radii = (thickness[n] * unit, thickness[n + 1] * unit)
            parts.append(BodyPart((joints[n], joints[n + 1]), (start, end), radii, tint=tint))
    if len(parts) == 1:
        thumb = wrist + 0.03 * unit * ahead + _xyz(0, -0.004 * unit, 0.022 * unit)
        thumb_tip = wrist + 0.075 * unit * ahead + _xyz(0, -0.012 * unit, 0.052 * unit)
        tip = knuckles + 0.07 * unit * ahead
        parts.append(BodyPart((hand, hand), (knuckles, tip), (0.026 * unit, 0.016 * unit), across, (1.35, 0.7), tint))
        parts.append(BodyPart((hand, hand), (thumb, thumb_tip), (0.015 * unit, 0.011 * unit), tint=tint))
    return parts
