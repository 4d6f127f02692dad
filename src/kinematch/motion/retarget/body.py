"""The constants of retargeting's corrections: legs and soles, arms and what they must not enter, twist joints."""

import re
from typing import Any, NamedTuple

import numpy as np

from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.inverse_kinematics import find_hinge
from kinematch.motion.retarget.bulk import Bulk, guess_bulk
from kinematch.motion.retarget.plan import freeze
from kinematch.motion.retarget.settings import HANDS, RetargetSettings
from kinematch.motion.role_names import ARM, LEG, SIDES, is_below
from kinematch.motion.skeleton import Skeleton

LEFT = np.array([1.0, 0.0, 0.0])
TWIST = re.compile(r"twist|roll", re.IGNORECASE)
NOT_A_BONE = re.compile(r"control|ik|target|pole", re.IGNORECASE)

RestPose = tuple[np.ndarray, np.ndarray]  # positions (J, 3) m and rotations (J, 4), global
Rests = tuple[RestPose, RestPose]  # of source and target


class Corrections(NamedTuple):
    """Read-only arrays, laid out for the kernel. K legs, A arms, T twist joints; none of them where switched off."""

    rooted: np.ndarray  # (1,) int32, 1 where the source has a ground root, on whose height the floor lies; else at 0
    pelvis: np.ndarray  # (1,) int32, 1 where the pelvis may be lowered
    source_legs: np.ndarray  # (K, 2) int32, upper leg and foot
    source_balls: np.ndarray  # (K, 3) m, where the foot stands, in the foot's space
    source_lengths: np.ndarray  # (K,) m, of the legs
    sides: np.ndarray  # (K, 3) the body's left in the source foot's space, in the T-pose
    hips: np.ndarray  # (1,) int32, of the source
    hip_side: np.ndarray  # (1, 3) the body's left in the source hips' space, in the T-pose
    widths: np.ndarray  # (K,) m to the left at which feet stand apart from the scaled places
    aheads: np.ndarray  # (K,) m by which they stand ahead of these, as the target's foot is longer
    legs: np.ndarray  # (K, 3) int32, upper leg, lower leg, foot
    balls: np.ndarray  # (K, 3) m, where the target's foot stands, in the foot's space
    lifts: np.ndarray  # (K,) m by which that point is higher above the sole than the source's, scaled
    lengths: np.ndarray  # (K,) m, of the target's legs
    knees: np.ndarray  # (K, 3) hinge of the knee in the upper leg's space
    loose_ankles: np.ndarray  # (K,) int32, 1 where the foot does not hang on the leg
    ankles: np.ndarray  # (K, 3) m, where the ankle is in the lower leg's space
    sole_joints: np.ndarray  # (M,) int32, joints of the feet
    sole_offsets: np.ndarray  # (M, 3) m, points in their space
    sole_legs: np.ndarray  # (M,) int32, the leg of each
    arms: np.ndarray  # (A, 3) int32, upper arm, lower arm, hand
    source_arms: np.ndarray  # (A, 3) int32
    elbows: np.ndarray  # (A, 3) hinge of the elbow in the upper arm's space
    grips: np.ndarray  # (2, A, 3) m, what meets when hands meet, in the hand's space, of source and target
    tips: np.ndarray  # (2, A, 3) m, the farthest point of each hand, in its space
    hands: np.ndarray  # (1,) int32, place in HANDS
    arm_scale: np.ndarray  # (1,) m of the target's arm for a metre of the source's
    solid: np.ndarray  # (1,) int32, 1 where arms are kept out of trunk and head
    trunks: np.ndarray  # (2, 3) int32, joints at the trunk's lower and upper end, and the head; source and target
    trunk_radii: np.ndarray  # (2,) m
    head_centres: np.ndarray  # (2, 3) m in the head's space
    head_radii: np.ndarray  # (2,) m
    arm_radii: np.ndarray  # (2,) m
    twists: np.ndarray  # (T, 3) int32, twist joint, the joint of the bone that it lies on, the joint that twists
    twist_axes: np.ndarray  # (T, 3) along the bone, in the space of its joint
    twist_rests: np.ndarray  # (T, 4) the twist joint in the space of the bone's joint, in the T-pose
    twist_references: np.ndarray  # (T, 4) the twisting joint in the space of its counterpart, in the T-pose
    twist_shares: np.ndarray  # (T,) from -1 to 1


def make_corrections(
    source: Skeleton, target: Skeleton, settings: RetargetSettings, *, scale: float, bulk: Bulk | None = None
) -> Corrections:
    """Both skeletons are humanoids with a T-pose; `bulk` is measured on the target's mesh, else guessed."""
    rest = kinematics.tpose(source), kinematics.tpose(target)
    legs = _make_legs(source, target, rest, settings, scale, bulk)
    arms = _make_arms(source, target, rest, settings)
    bulks = guess_bulk(source), bulk or guess_bulk(target)
    twists = _make_twists(target, rest[1]) if settings.twist else _make_twists(None, rest[1])
    constants = {
        "rooted": np.array(["root" in source.roles], np.int32),
        "pelvis": np.array([settings.pelvis], np.int32),
        **legs,
        **arms,
        "hands": np.array([HANDS.index(settings.hands)], np.int32),
        "solid": np.array([settings.arms], np.int32),
        "trunks": np.array([[*find_trunk(one), one.roles["head"]] for one in (source, target)], np.int32),
        "trunk_radii": np.array([one.trunk for one in bulks]),
        "head_centres": np.array([one.head_centre for one in bulks]),
        "head_radii": np.array([one.head for one in bulks]),
        "arm_radii": np.array([one.arm for one in bulks]),
        **twists,
    }
    return Corrections(**{name: freeze(array) for name, array in constants.items()})


def find_trunk(skeleton: Skeleton) -> tuple[int, int]:
    """The joints between which the trunk lies: the hips, and the lowest joint of the neck or what stands for it."""
    top = next(role for role in ("neck", "upper_chest", "chest", "head") if role in skeleton.roles)
    return skeleton.roles["hips"], skeleton.roles[top]


def _make_legs(
    source: Skeleton, target: Skeleton, rest: Rests, settings: RetargetSettings, scale: float, bulk: Bulk | None
) -> dict[str, np.ndarray]:
    rows: dict[str, list[Any]] = {name: [] for name in Corrections._fields[2:20]}
    rows["hips"].append(source.roles["hips"])
    back_hips = quaternion.inverse(rest[0][1][source.roles["hips"]].astype(np.float64))
    rows["hip_side"].append(quaternion.rotate(back_hips, LEFT))
    for side in SIDES if settings.feet else ():
        own, other = ([skeleton.roles[f"{side}_{part}"] for part in LEG[:3]] for skeleton in (source, target))
        if not is_below(target, other[1], other[0]):
            continue  # a leg whose knee does not hang on it cannot be bent
        positions = [rest[k][0].astype(np.float64) for k in (0, 1)]
        rotations = [rest[k][1].astype(np.float64) for k in (0, 1)]
        soles = [find_parts(skeleton, foot[2], settings.ends) for skeleton, foot in ((source, own), (target, other))]
        if bulk is not None and settings.ends:
            soles[1] += [(joint, point) for joint, point in bulk.soles if other[2] in target.chain(joint)]
        floors = [
            place_points(skeleton, at, sole)[:, 1].min() for skeleton, at, sole in zip((source, target), rest, soles)
        ]
        ball = _find_ball(source, side, positions[0], floors[0])
        counterpart = _find_ball(target, side, positions[1], floors[1])
        if counterpart is None:  # a foot without toes stands where the source's would, scaled
            away = np.zeros(3) if ball is None else scale * (ball - positions[0][own[2]])
            counterpart = (positions[1][other[2]] + away) * [1, 0, 1] + [0, floors[1], 0]
        if ball is None:
            ball = positions[0][own[2]] * [1, 0, 1] + [0, floors[0], 0]
        back = [quaternion.inverse(rotations[k][foot]) for k, foot in ((0, own[2]), (1, other[2]))]
        leg = len(rows["legs"])
        rows["source_legs"].append([own[0], own[2]])
        rows["source_balls"].append(quaternion.rotate(back[0], ball - positions[0][own[2]]))
        rows["source_lengths"].append(_measure_limb(source, own))
        rows["sides"].append(quaternion.rotate(back[0], LEFT))
        # feet stand apart as the hips do where the target's are wider; where they are narrower, legs slant a little
        wider = positions[1][other[0], 0] - scale * positions[0][own[0], 0]
        sign = 1.0 if side == "left" else -1.0
        rows["widths"].append(sign * max(sign * wider, 0.0))
        feet = [counterpart[2] - positions[1][other[2], 2], ball[2] - positions[0][own[2], 2]]
        rows["aheads"].append(feet[0] - scale * feet[1])  # so that ankles are where the source's are
        rows["legs"].append(other)
        rows["balls"].append(quaternion.rotate(back[1], counterpart - positions[1][other[2]]))
        rows["lifts"].append((counterpart[1] - floors[1]) - scale * (ball[1] - floors[0]))
        rows["lengths"].append(_measure_limb(target, other))
        rows["knees"].append(find_hinge(target, f"{side}_upper_leg"))
        rows["loose_ankles"].append(not is_below(target, other[2], other[1]))
        place, turn = kinematics.rest_pose(target)
        away = place[other[2]] - place[other[1]]
        rows["ankles"].append(quaternion.rotate(quaternion.inverse(turn[other[1]].astype(np.float64)), away))
        rows["sole_joints"] += [joint for joint, _ in soles[1]]
        rows["sole_offsets"] += [offset for _, offset in soles[1]]
        rows["sole_legs"] += [leg] * len(soles[1])
    shapes = {
        "source_legs": (-1, 2),
        "legs": (-1, 3),
        "source_balls": (-1, 3),
        "sides": (-1, 3),
        "hip_side": (-1, 3),
        "balls": (-1, 3),
    }
    shapes |= {"knees": (-1, 3), "ankles": (-1, 3), "sole_offsets": (-1, 3)}
    whole = ("hips", "source_legs", "legs", "loose_ankles", "sole_joints", "sole_legs")
    return {
        name: np.array(values, np.int32 if name in whole else np.float64).reshape(shapes.get(name, (-1,)))
        for name, values in rows.items()
    }


def find_parts(skeleton: Skeleton, joint: int, ends: bool) -> list[tuple[int, np.ndarray]]:
    """The points of a foot or hand: its joints from the first down, and their end sites."""
    below = [j for j in range(skeleton.joint_count) if joint in skeleton.chain(j)]
    points = [(j, np.zeros(3)) for j in below]
    if ends:
        points += [(int(j), offset) for j, offset in zip(skeleton.end_parents, skeleton.end_offsets) if j in below]
    return points


def place_points(skeleton: Skeleton, pose: RestPose, points: list[tuple[int, np.ndarray]]) -> np.ndarray:
    """(M, 3) global positions of points given in the space of joints."""
    joints = [joint for joint, _ in points]
    offsets = np.array([offset for _, offset in points], np.float64)
    return pose[0][joints] + quaternion.rotate(pose[1][joints].astype(np.float64), offsets)


def _find_ball(skeleton: Skeleton, side: str, positions: np.ndarray, floor: float) -> np.ndarray | None:
    """Where a foot stands: at its toe joint; None where it has none."""
    toes = skeleton.roles.get(f"{side}_toes")
    if toes is None or not is_below(skeleton, toes, skeleton.roles[f"{side}_foot"]):
        return None
    return positions[toes]


def _measure_limb(skeleton: Skeleton, joints: list[int]) -> float:
    """Metres along the rest pose: in the T-pose a foot that does not hang on its leg may be anywhere."""
    positions, _ = kinematics.rest_pose(skeleton)
    return float(np.linalg.norm(np.diff(positions[joints], axis=0), axis=-1).sum())


def _make_arms(source: Skeleton, target: Skeleton, rest: Rests, settings: RetargetSettings) -> dict[str, np.ndarray]:
    arms, source_arms, elbows, lengths = [], [], [], []
    grips: list[list[np.ndarray]] = [[], []]
    tips: list[list[np.ndarray]] = [[], []]
    for side in SIDES if settings.arms or settings.hands != "free" else ():
        own, other = ([skeleton.roles[f"{side}_{part}"] for part in ARM[1:]] for skeleton in (source, target))
        if not (is_below(target, other[1], other[0]) and is_below(target, other[2], other[1])):
            continue
        arms.append(other)
        source_arms.append(own)
        elbows.append(find_hinge(target, f"{side}_upper_arm"))
        lengths.append([_measure_limb(source, own), _measure_limb(target, other)])
        pair = [_find_grip(skeleton, pose, side) for skeleton, pose in ((source, rest[0]), (target, rest[1]))]
        known = settings.ends and all(grip is not None for grip in pair)
        for k, (skeleton, joints) in enumerate(((source, own), (target, other))):
            grip = pair[k]
            grips[k].append(
                grip if grip is not None and known else np.zeros(3)
            )  # palms meet where both rigs have them, else wrists
            tips[k].append(_find_tip(skeleton, rest[k], joints[2], settings.ends))
    total = np.sum(lengths, axis=0) if lengths else np.ones(2)
    return {
        "arms": np.array(arms, np.int32).reshape(-1, 3),
        "source_arms": np.array(source_arms, np.int32).reshape(-1, 3),
        "elbows": np.array(elbows, np.float64).reshape(-1, 3),
        "grips": np.array(grips, np.float64).reshape(2, -1, 3),
        "tips": np.array(tips, np.float64).reshape(2, -1, 3),
        "arm_scale": np.array([total[1] / total[0] if total[0] > 0 else 1.0]),
    }


def _find_grip(skeleton: Skeleton, pose: RestPose, side: str) -> np.ndarray | None:
    """The root of the middle finger, or an end site of the hand, in the hand's space."""
    hand, finger = skeleton.roles[f"{side}_hand"], skeleton.roles.get(f"{side}_middle_proximal")
    if finger is not None and is_below(skeleton, finger, hand):
        away = (pose[0][finger] - pose[0][hand]).astype(np.float64)
        return quaternion.rotate(quaternion.inverse(pose[1][hand].astype(np.float64)), away)
    ends = skeleton.end_offsets[skeleton.end_parents == hand].astype(np.float64)
    return ends[0] if len(ends) and ends[0].any() else None


def _find_tip(skeleton: Skeleton, pose: RestPose, hand: int, ends: bool) -> np.ndarray:
    """The farthest point of a hand, in its space."""
    points = place_points(skeleton, pose, find_parts(skeleton, hand, ends)) - pose[0][hand]
    farthest = points[np.argmax(np.linalg.norm(points, axis=-1))]
    return quaternion.rotate(quaternion.inverse(pose[1][hand].astype(np.float64)), farthest)


def _make_twists(skeleton: Skeleton | None, rest: RestPose) -> dict[str, np.ndarray]:
    """Joints named as twist or roll that lie on an upper or lower arm or leg, between its two ends."""
    twists, axes, rests, references, shares = [], [], [], [], []
    limbs = [(side, limb) for side in SIDES for limb in (LEG[:3], ARM[1:])] if skeleton is not None else []
    for side, limb in limbs:
        assert skeleton is not None
        upper, middle, end = (skeleton.roles[f"{side}_{part}"] for part in limb)
        for joint, on in _find_twist_joints(skeleton, upper, middle, end).items():
            positions, rotations = rest[0].astype(np.float64), rest[1].astype(np.float64)
            stop = middle if on == upper else end
            bone, along = positions[stop] - positions[on], positions[joint] - positions[on]
            size = float(bone @ bone)
            if size == 0:
                continue
            part = float(np.clip(along @ bone / size, 0.0, 1.0))
            back = quaternion.inverse(rotations[on])
            # an upper arm twists against what carries it; a forearm twists as the hand does
            other = int(skeleton.parents[upper]) if on == upper else end
            if other < 0:
                continue
            twists.append([joint, on, other])
            axes.append(quaternion.rotate(back, quaternion.unit(bone)))
            rests.append(quaternion.multiply(back, rotations[joint]))
            references.append(quaternion.multiply(back, rotations[other]))
            shares.append(1.0 - part if on == upper else part)
    return {
        "twists": np.array(twists, np.int32).reshape(-1, 3),
        "twist_axes": np.array(axes, np.float64).reshape(-1, 3),
        "twist_rests": np.array(rests, np.float64).reshape(-1, 4),
        "twist_references": np.array(references, np.float64).reshape(-1, 4),
        "twist_shares": np.array(shares, np.float64),
    }


def _find_twist_joints(skeleton: Skeleton, upper: int, middle: int, end: int) -> dict[int, int]:
    """Twist joints of a limb, parents first, with the joint of the bone that each lies on."""
    found = {}
    with_role = set(skeleton.roles.values())
    for joint, name in enumerate(skeleton.names):
        if joint in with_role or not TWIST.search(name) or NOT_A_BONE.search(name):
            continue
        above = [j for j in skeleton.chain(joint)[:-1] if j in (upper, middle, end)]
        if above and above[-1] != end:
            found[joint] = above[-1]
    return found
