"""Corrections of a retargeted pose, written like the equations: feet, pelvis, hands, arms out of the body, twist.

Each pose is corrected by itself, from the source's pose alone: feet stand where the source's stand, scaled, so that a
foot that is planted there is planted here, without any labels. The kernel stands in for it, and a test compares.
"""

import numpy as np

from kinematch.math import quaternion
from kinematch.motion import kernels
from kinematch.motion.inverse_kinematics import bend_limb, limit_fold
from kinematch.motion.retarget.body import Corrections
from kinematch.motion.retarget.constants import (
    EASE,
    EASILY,
    FAR_HANDS,
    FREE_FOOT,
    HANDS_TOGETHER,
    HEAVY_FOOT,
    MAX_PELVIS_DROP,
    NEAR_HANDS,
    ROUNDS,
    STRAIGHTEST,
)
from kinematch.motion.retarget.plan import RetargetPlan

UP = np.array([0.0, 1.0, 0.0])
ANYWHERE, LEVEL = np.array([1.0, 1.0, 1.0]), np.array([1.0, 0.0, 1.0])


class _Body:
    """A local pose of the target that changes, with its global one."""

    def __init__(self, plan: RetargetPlan, positions: np.ndarray, rotations: np.ndarray):
        self.plan, self.positions, self.rotations = plan, positions, rotations
        self.show()

    def show(self) -> None:
        self.places, self.turns = kernels.forward_kinematics(self.positions, self.rotations, self.plan.target_parents)

    def above(self, joint: int) -> np.ndarray:
        """The global rotation of a joint's parent."""
        parent = self.plan.target_parents[joint]
        return self.turns[:, parent] if parent >= 0 else quaternion.identity((len(self.turns),))

    def turn(self, joint: int, wanted: np.ndarray) -> None:
        """Give a joint a global rotation, and let all below follow."""
        self.rotations[:, joint] = quaternion.multiply(quaternion.inverse(self.above(joint)), wanted)
        self.show()


def correct_poses(
    plan: RetargetPlan, fixes: Corrections, source: tuple[np.ndarray, np.ndarray],
    target: tuple[np.ndarray, np.ndarray], shifts: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Local positions (N, Jt, 3) and rotations (N, Jt, 4) from those of the source and the uncorrected target.

    `shifts` (N, K, 3) m are added to where feet should stand.
    """
    given = [np.array(array, np.float64) for array in (*source, *target)]
    places, turns = kernels.forward_kinematics(given[0], given[1], plan.source_parents)
    body = _Body(plan, given[2], given[3])
    floor = places[:, 0, 1] if fixes.rooted[0] else np.zeros(len(places))
    if len(fixes.legs):
        _place_feet(body, fixes, places, turns, floor, np.asarray(shifts, np.float64))
    if len(fixes.arms) and fixes.hands[0]:
        _lead_hands(body, fixes, places, turns)
    if len(fixes.arms) and fixes.solid[0]:
        _clear_arms(body, fixes, places, turns, floor)
    _share_twist(body, fixes)
    return body.positions, quaternion.normalize(body.rotations)


def _place_feet(
    body: _Body, fixes: Corrections, places: np.ndarray, turns: np.ndarray, floor: np.ndarray, shifts: np.ndarray
) -> None:
    """Soles at the scaled places of the source's, the pelvis where both legs reach, knees bent about their hinges."""
    scale, feet = float(body.plan.scale[0]), fixes.legs[:, 2]
    kept = body.turns[:, feet]
    balls = aim_feet(fixes, places, turns, scale=scale)[1] + shifts
    lowest = measure_soles(fixes, body.places, body.turns)
    balls[..., 1] = np.maximum(balls[..., 1], scale * floor[:, None] - lowest)
    ankles, depths = [], []
    for k, (upper, _, foot) in enumerate(fixes.legs):
        ball = balls[:, k]
        ankle = ball - quaternion.rotate(body.turns[:, foot], fixes.balls[k])
        away = ankle - body.places[:, upper]
        stretched = quaternion.length(places[:, fixes.source_legs[k, 1]] - places[:, fixes.source_legs[k, 0]])[:, 0]
        share = np.clip(stretched / fixes.source_lengths[k], EASILY, STRAIGHTEST)
        reach = share * fixes.lengths[k]
        flat = away[:, 0] ** 2 + away[:, 2] ** 2
        depth = -away[:, 1] - np.sqrt(np.maximum(reach**2 - flat, 0.0))
        ease = EASE * fixes.lengths[k]
        over = np.clip(depth, 0.0, 2 * ease)
        depth = np.maximum(depth - 2 * ease, 0.0) + over**2 / (4 * ease)  # without a corner; the rest is stretched
        height = (ball[:, 1] - fixes.lifts[k] - scale * floor) / fixes.lengths[k]
        depths.append(np.minimum(depth, MAX_PELVIS_DROP * fixes.lengths[k]) * _fade(height, HEAVY_FOOT, FREE_FOOT))
        ankles.append(ankle)
    if fixes.pelvis[0]:
        hips = body.plan.hips[0]
        down = quaternion.rotate(quaternion.inverse(body.above(hips)), -np.max(depths, axis=0)[:, None] * UP)
        body.positions[:, hips] += down
        body.show()
    for k, (upper, lower, foot) in enumerate(fixes.legs):
        knee = body.places[:, lower]
        ankle = body.places[:, foot]
        if fixes.loose_ankles[k]:
            ankle = knee + quaternion.rotate(body.turns[:, lower], fixes.ankles[k])
        limb = np.stack([body.places[:, upper], knee, ankle], axis=1)
        aim = limit_fold(limb, ankles[k], ways=LEVEL)  # lest a foot go into the floor
        bent = bend_limb(limb, body.turns[:, [upper, lower, foot]], aim, hinge=fixes.knees[k], softness=0.0)
        body.turn(upper, bent[:, 0])
        body.turn(lower, bent[:, 1])
        body.turn(foot, kept[:, k])
        if fixes.loose_ankles[k]:
            place = body.places[:, lower] + quaternion.rotate(body.turns[:, lower], fixes.ankles[k])
            parent = body.plan.target_parents[foot]
            back = quaternion.inverse(body.above(foot))
            body.positions[:, foot] = quaternion.rotate(back, place - body.places[:, parent])
            body.show()


def aim_feet(
    fixes: Corrections, places: np.ndarray, turns: np.ndarray, *, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where the source's feet stand (N, K, 3), and where the target's should."""
    feet = fixes.source_legs[:, 1]
    own = places[:, feet] + quaternion.rotate(turns[:, feet], fixes.source_balls)
    # along the foot's own side, which a planted foot keeps, as far as that is the body's side too
    ways = quaternion.unit(quaternion.rotate(turns[:, feet], fixes.sides) * [1, 0, 1])
    across = quaternion.unit(quaternion.rotate(turns[:, fixes.hips], fixes.hip_side) * [1, 0, 1])
    shares = np.maximum(np.sum(ways * across, axis=-1, keepdims=True), 0.0)
    aside = fixes.widths[:, None] * shares * ways + fixes.aheads[:, None] * np.cross(ways, UP)
    return own, scale * own + fixes.lifts[:, None] * UP + aside


def measure_soles(fixes: Corrections, places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Height (N, K) of the lowest point of each of the target's feet above the point that it stands on."""
    joints, feet = fixes.sole_joints, fixes.legs[:, 2]
    heights = (places[:, joints] + quaternion.rotate(turns[:, joints], fixes.sole_offsets))[..., 1]
    balls = (places[:, feet] + quaternion.rotate(turns[:, feet], fixes.balls))[..., 1]
    legs = range(len(fixes.legs))
    return np.stack([heights[:, fixes.sole_legs == k].min(axis=1) - balls[:, k] for k in legs], axis=1)


def _lead_hands(body: _Body, fixes: Corrections, places: np.ndarray, turns: np.ndarray) -> None:
    """Hands to where the source's are: seen from between the shoulders, or in the world."""
    goals, grips = [], []
    own, other = fixes.source_arms, fixes.arms
    middle = places[:, own[:, 0]].mean(axis=1), body.places[:, other[:, 0]].mean(axis=1)
    for k in range(len(other)):
        grip = places[:, own[k, 2]] + quaternion.rotate(turns[:, own[k, 2]], fixes.grips[0, k])
        grips.append(grip)
        if fixes.hands[0] == HANDS_TOGETHER:
            goals.append(middle[1] + fixes.arm_scale[0] * (grip - middle[0]))
        else:
            goals.append(float(body.plan.scale[0]) * grip)
    weights = np.ones(len(places))
    if fixes.hands[0] == HANDS_TOGETHER:
        length = sum(quaternion.length(places[:, own[0, j + 1]] - places[:, own[0, j]])[:, 0] for j in (0, 1))
        weights = _fade(quaternion.length(grips[0] - grips[-1])[:, 0] / length, NEAR_HANDS, FAR_HANDS)
    for k, (_, _, hand) in enumerate(other):
        wrist = goals[k] - quaternion.rotate(body.turns[:, hand], fixes.grips[1, k])
        _bend_arm(body, fixes, k, body.places[:, hand] + weights[:, None] * (wrist - body.places[:, hand]))


def _bend_arm(body: _Body, fixes: Corrections, k: int, wrist: np.ndarray) -> None:
    """Bring a wrist to a place; the hand keeps its rotation in the world. A wrist that is there already stays."""
    upper, lower, hand = fixes.arms[k]
    kept = body.turns[:, hand].copy()
    same = quaternion.length(wrist - body.places[:, hand]) < 1e-9
    limb = body.places[:, fixes.arms[k]]
    aim = limit_fold(limb, wrist, ways=ANYWHERE)
    bent = bend_limb(limb, body.turns[:, fixes.arms[k]], aim, hinge=fixes.elbows[k], softness=0.0)
    body.turn(upper, np.where(same, body.turns[:, upper], bent[:, 0]))
    body.turn(lower, np.where(same, body.turns[:, lower], bent[:, 1]))
    body.turn(hand, kept)


def _clear_arms(body: _Body, fixes: Corrections, places: np.ndarray, turns: np.ndarray, floor: np.ndarray) -> None:
    """Push elbows, then wrists and forearms, out of trunk and head by what the source does not enter there itself.

    Hands that would reach through the floor are lifted likewise.
    """
    scale = float(body.plan.scale[0])
    for _ in range(ROUNDS):
        for k, (upper, lower, hand) in enumerate(fixes.arms):
            own = fixes.source_arms[k]
            push = _find_push(body, fixes, places, turns, places[:, own[1]], body.places[:, lower], scale)
            bone = body.places[:, lower] - body.places[:, upper]
            kept = body.turns[:, hand].copy()
            swing = _turn_between(bone, bone + push)
            body.turn(upper, quaternion.multiply(swing, body.turns[:, upper]))
            body.turn(hand, kept)
            halfway = [(places[:, own[1]] + places[:, own[2]]) / 2, (body.places[:, lower] + body.places[:, hand]) / 2]
            ends = places[:, own[2]], body.places[:, hand]
            push = 2 * _find_push(body, fixes, places, turns, halfway[0], halfway[1], scale)
            other = _find_push(body, fixes, places, turns, ends[0], ends[1], scale)
            push = np.where(quaternion.length(other) > quaternion.length(push), other, push)
            tips = [quaternion.rotate(turns[:, own[2]], fixes.tips[0, k]), quaternion.rotate(kept, fixes.tips[1, k])]
            above = [end[:, 1] + np.minimum(tip[:, 1], 0.0) for end, tip in zip(ends, tips)]
            allowed = np.minimum(scale * (above[0] - floor), 0.0)
            lift = np.maximum(allowed - (above[1] + push[:, 1] - scale * floor), 0.0)
            _bend_arm(body, fixes, k, ends[1] + push + lift[:, None] * UP)


def _find_push(
    body: _Body, fixes: Corrections, places: np.ndarray, turns: np.ndarray, own: np.ndarray, point: np.ndarray,
    scale: float,
) -> np.ndarray:  # fmt: skip
    """The way (N, 3) out of trunk and head for a point of an arm, given its counterpart of the source."""
    push = np.zeros_like(point)
    before = measure_gaps(fixes, 0, (places, turns), own)
    for (allowed, _), (gap, way) in zip(before, measure_gaps(fixes, 1, (body.places, body.turns), point)):
        push = push + np.maximum(np.minimum(scale * allowed, 0.0) - gap, 0.0)[:, None] * way
    return push


def measure_gaps(
    fixes: Corrections, which: int, pose: tuple[np.ndarray, np.ndarray], point: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """How far (N,) a point of an arm is outside of the trunk and of the head, and the way (N, 3) out of each.

    Of the source, 0, or the target, 1; from its global pose.
    """
    places, turns = pose
    low, high, head = fixes.trunks[which]
    axis = places[:, high] - places[:, low]
    square = np.sum(axis * axis, axis=-1)
    t = np.sum((point - places[:, low]) * axis, axis=-1) / np.where(square > 0, square, 1.0)
    nearest = places[:, low] + np.clip(t, 0.0, 1.0)[:, None] * axis
    centre = places[:, head] + quaternion.rotate(turns[:, head], fixes.head_centres[which])
    parts = (nearest, fixes.trunk_radii[which]), (centre, fixes.head_radii[which])
    away = [(point - middle, radius + fixes.arm_radii[which]) for middle, radius in parts]
    return [(quaternion.length(one)[:, 0] - radius, quaternion.unit(one)) for one, radius in away]


def _share_twist(body: _Body, fixes: Corrections) -> None:
    """Twist joints take their share of the twist along the bone that they lie on; joints below keep their rotation."""
    if not len(fixes.twists):
        return
    turns = body.turns.copy()
    for k, (joint, on, other) in enumerate(fixes.twists):
        relative = quaternion.multiply(quaternion.inverse(body.turns[:, on]), body.turns[:, other])
        bend = quaternion.multiply(relative, quaternion.inverse(fixes.twist_references[k]))
        along = bend[:, 1:] @ fixes.twist_axes[k]
        half = fixes.twist_shares[k] * np.arctan2(np.where(bend[:, 0] < 0, -along, along), np.abs(bend[:, 0]))
        share = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * fixes.twist_axes[k]], axis=-1)
        turns[:, joint] = quaternion.multiply(quaternion.multiply(body.turns[:, on], share), fixes.twist_rests[k])
    own = set(fixes.twists[:, 0].tolist())
    for joint, parent in enumerate(body.plan.target_parents.tolist()):
        if joint in own or parent in own:
            back = quaternion.inverse(turns[:, parent])
            body.rotations[:, joint] = quaternion.multiply(back, turns[:, joint])
    body.show()


def _turn_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest turn between directions that are not opposite."""
    size = (quaternion.length(a) * quaternion.length(b))[:, 0]
    w = size + np.sum(a * b, axis=-1)
    return quaternion.normalize(np.concatenate([w[:, None], np.cross(a, b)], axis=-1))


def _fade(values: np.ndarray, full: float, none: float) -> np.ndarray:
    """1 up to `full`, 0 from `none` on, smooth between."""
    t = np.clip((none - values) / (none - full), 0.0, 1.0)
    return t * t * (3 - 2 * t)
