"""What is measured of avatars: directions, places, joints and smoothness, by the formulas of the field."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from kinematch.avatar.body_frames import to_body_rotations
from kinematch.avatar.trackers import HANDS, HEAD, WAIST
from kinematch.evaluate.feet import Floor, FootMeasures, feet
from kinematch.evaluate.vr.performance import Performance
from kinematch.evaluate.vr.users import SimulatedUser
from kinematch.math import quaternion, rotation
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws, ground_directions, yaw_angle
from kinematch.motion.skeleton import Skeleton

WARM_UP = 1.0  # s at the start of each performance that are not scored
LARGE_ERROR_DEGREES, PARTED_DEGREES = 45.0, 30.0  # degrees
TURNS, STANDS = 0.5, 0.3  # rad/s and m/s that count as a turn in place
CROUCHED = 0.9  # share of the standing height of the head below which a user crouches
MAX_ARM_SHARE = 0.97  # of the arm's length, within which hands are to be met
GROUND = np.array([1.0, 0.0, 1.0])
UPPER = ("spine", "chest", "upper_chest", "neck", "head", "shoulder", "upper_arm", "lower_arm", "hand")
LOWER = ("hips", "upper_leg", "lower_leg", "foot", "toes")
CENTIMETRES, JITTER = 100.0, 0.01  # jitter is given in 100 m/s^3


def measure_direction(performances: Sequence[Performance]) -> dict[str, float]:
    """Errors of estimated body directions, and how often head and hips part: without that a test says little."""
    errors = _pool(performances, lambda one: np.abs(find_direction_errors(one)))
    parted = _pool(performances, lambda one: _find_parting(one.user) > PARTED_DEGREES)
    return {
        "direction_mean": errors.mean(), "direction_deviation": errors.std(),
        "direction_p95": np.quantile(errors, 0.95), "over_45": 100 * (errors > LARGE_ERROR_DEGREES).mean(),
        "parted": 100 * parted.mean(),
    }  # fmt: skip


def find_direction_errors(one: Performance) -> np.ndarray:
    """(F,) degrees, signed."""
    return np.degrees(wrap_angle(one.yaws - one.user.yaws))


def find_root_errors(one: Performance) -> np.ndarray:
    """(F,) m of the root from below the head (MMVR 7.2)."""
    return np.linalg.norm((one.root_positions - one.user.joints.positions[:, HEAD]) * GROUND, axis=-1)


def measure_places(performances: Sequence[Performance]) -> dict[str, float]:
    """Errors of root, hips, head and hands in cm, and of where the shown hips face in degrees."""

    def miss(role: str) -> np.ndarray:
        return CENTIMETRES * _pool(performances, lambda one: _find_gaps(one, role)).mean()

    true_root = _pool(
        performances,
        lambda one: np.linalg.norm((one.root_positions - one.user.joints.positions[:, WAIST]) * GROUND, axis=-1),
    )
    return {
        "root": CENTIMETRES * _pool(performances, find_root_errors).mean(),
        "true_root": CENTIMETRES * true_root.mean(),
        "hips": miss("hips"), "head": miss("head"), "hands": (miss("left_hand") + miss("right_hand")) / 2,
        "hips_yaw": np.abs(_pool(performances, find_hips_errors)).mean(),
    }  # fmt: skip


def measure_moments(performances: Sequence[Performance]) -> dict[str, float]:
    """Where the hips face while users turn in place, and how high they are while users crouch; NaN if none does."""

    def turning(one: Performance) -> np.ndarray:
        return np.where(find_turns_in_place(one.user) > TURNS, np.abs(find_hips_errors(one)), np.nan)

    def crouching(one: Performance) -> np.ndarray:
        heights = one.user.joints.positions[:, HEAD, 1]
        low = heights < CROUCHED * np.quantile(heights, 0.98)
        shown = _locate(one.global_positions, one.skeleton, "hips")[:, 1]
        return np.where(low, np.abs(shown - one.user.joints.positions[:, WAIST, 1]), np.nan)

    turned, crouched = _pool(performances, turning), _pool(performances, crouching)
    return {"turning": _mean(turned), "crouching": CENTIMETRES * _mean(crouched)}


def find_turns_in_place(user: SimulatedUser) -> np.ndarray:
    """(F,) rad/s that a user turns who does not go anywhere; zero while going."""
    speeds = np.linalg.norm(np.gradient(user.joints.positions[:, WAIST] * GROUND, 1 / user.rate, axis=0), axis=-1)
    return np.where(speeds < STANDS, np.abs(np.gradient(user.yaws, 1 / user.rate)), 0.0)


def measure_feet(performances: Sequence[Performance], floor: Floor, source: Sequence[FootMeasures]) -> dict[str, float]:
    """Skate and floating of toes, and the skate of the database, if one plays; floor: toes of the shown body."""
    found = [feet(_skip(one, one.global_positions), one.user.rate, floor) for one in performances]
    return {
        "skate": CENTIMETRES * _mean(np.concatenate([one.speeds for one in found])),
        "database_skate": CENTIMETRES * _mean(np.concatenate([one.speeds for one in source] or [np.zeros(0)])),
        "floating": CENTIMETRES * _mean(np.concatenate([one.gaps for one in found])),
    }


def measure_joints(performances: Sequence[Performance]) -> dict[str, float]:
    """Errors of joints that have roles, by the formulas of AvatarPoser and its successors; cm, degrees, cm/s.

    Positions are in the world with the head moved onto the true one; `angle` is the mean of absolute components of
    local rotation vectors, `geodesic` the angle itself; `jitter` is the third difference, in 100 m/s^3.
    """
    sums: dict[str, list[np.ndarray]] = {}
    for one in performances:
        roles = find_common_roles(one)
        own, theirs = ([skeleton.roles[role] for role in roles] for skeleton in (one.skeleton, one.user.skeleton))
        places, truth = (
            one.global_positions[:, own].astype(np.float64),
            one.user.positions[:, theirs].astype(np.float64),
        )
        head = roles.index("head")
        gaps = np.linalg.norm(places - places[:, [head]] + truth[:, [head]] - truth, axis=-1)
        rate = one.user.rate
        speeds = np.linalg.norm(np.diff(places, axis=0) - np.diff(truth, axis=0), axis=-1) * rate
        turns = _find_turns(one, roles)
        upper = np.array([_belongs(role, UPPER) for role in roles])
        for name, values in {
            "position": gaps, "upper": gaps[:, upper], "lower": gaps[:, ~upper], "velocity": speeds,
            "angle": np.degrees(np.abs(turns)).mean(axis=-1),
            "geodesic": np.degrees(np.linalg.norm(turns, axis=-1)),
            "jitter": _measure_jitter(places, rate), "true_jitter": _measure_jitter(truth, rate),
        }.items():  # fmt: skip
            sums.setdefault(name, []).append(_skip(one, values).ravel())
    units = dict.fromkeys(("position", "upper", "lower", "velocity"), CENTIMETRES)
    return {name: float(np.concatenate(values).mean()) * units.get(name, 1.0) for name, values in sums.items()}


def measure_reach(performances: Sequence[Performance]) -> dict[str, float]:
    """How exactly tracked points are met, in mm: the head, and hands within 97 % of the arm's length."""
    heads = _pool(performances, lambda one: _find_gaps(one, "head"))
    reach = [partial(_find_reach_gaps, hand=hand, side=side) for hand, side in zip(HANDS, ("left", "right"))]
    hands = np.concatenate([_pool(performances, find) for find in reach])
    near = np.isfinite(hands)
    return {
        "head_mm": 1e3 * heads.max(), "hands_mm": 1e3 * np.quantile(hands[near], 0.999) if near.any() else np.nan,
        "near": 100 * near.mean(),
    }  # fmt: skip


def _find_reach_gaps(one: Performance, hand: int, side: str) -> np.ndarray:
    """(F,) m that a wrist misses its tracked place by; NaN where it is beyond 97 % of the arm's length."""
    shoulder, elbow, wrist = (
        _locate(one.global_positions, one.skeleton, f"{side}_{part}") for part in ("upper_arm", "lower_arm", "hand")
    )
    length = np.linalg.norm(elbow - shoulder, axis=-1) + np.linalg.norm(wrist - elbow, axis=-1)
    target = one.user.joints.positions[:, hand]
    near = (np.linalg.norm(target - shoulder, axis=-1) < MAX_ARM_SHARE * length) & one.user.devices.valid[:, hand]
    return np.where(near, np.linalg.norm(wrist - target, axis=-1), np.nan)


def _find_gaps(one: Performance, role: str) -> np.ndarray:
    """(F,) m between a joint of the avatar and of the user."""
    truth = _locate(one.user.positions, one.user.skeleton, role)
    return np.linalg.norm(_locate(one.global_positions, one.skeleton, role) - truth, axis=-1)


def find_hips_errors(one: Performance) -> np.ndarray:
    """(F,) degrees between the direction of the shown hips and of the true ones."""
    joint = np.array([one.skeleton.roles["hips"]])
    turns = to_body_rotations(one.skeleton, joint, one.global_rotations[:, joint])[:, 0]
    return np.degrees(wrap_angle(yaw_angle(ground_directions(turns)) - one.user.yaws))


def _find_parting(user: SimulatedUser) -> np.ndarray:
    """(F,) degrees between the directions of head and hips."""
    return np.degrees(np.abs(wrap_angle(facing_yaws(user.joints.rotations[:, HEAD]) - user.yaws)))


def find_common_roles(one: Performance) -> list[str]:
    """Roles of the body, fingers left out, that avatar and user both have."""
    return [
        role
        for role in one.skeleton.roles
        if role in one.user.skeleton.roles and (_belongs(role, UPPER) or _belongs(role, LOWER))
    ]


def _belongs(role: str, parts: Sequence[str]) -> bool:
    return role.removeprefix("left_").removeprefix("right_") in parts


def _find_turns(one: Performance, roles: list[str]) -> np.ndarray:
    """Rotation vectors (F, R, 3) from true to shown local rotations; the hips' are the world's."""
    own, theirs = ([skeleton.roles[role] for role in roles] for skeleton in (one.skeleton, one.user.skeleton))
    shown, truth = one.rotations[:, own].astype(np.float64), one.user.clip.rotations[:, theirs].astype(np.float64)
    hips = roles.index("hips")
    shown[:, hips] = one.global_rotations[:, one.skeleton.roles["hips"]]
    return rotation.to_rotation_vector(quaternion.multiply(quaternion.inverse(truth), shown))


def _measure_jitter(positions: np.ndarray, rate: float) -> np.ndarray:
    """Norms (F - 3, R) of the third difference times rate^3, in 100 m/s^3."""
    return np.linalg.norm(np.diff(positions, n=3, axis=0), axis=-1) * rate**3 * JITTER


def _locate(positions: np.ndarray, skeleton: Skeleton, role: str) -> np.ndarray:
    return positions[:, skeleton.roles[role]].astype(np.float64)


def _skip(one: Performance, values: np.ndarray) -> np.ndarray:
    """Without the first second."""
    return values[round(WARM_UP * one.user.rate) :]


def _pool(performances: Sequence[Performance], find: Callable[[Performance], np.ndarray]) -> np.ndarray:
    """Values (F, ...) of all performances end to end, without the first second of each."""
    return np.concatenate([_skip(one, find(one)) for one in performances])


def _mean(values: np.ndarray) -> float:
    """NaN where there is nothing to average."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def measure_all(performances: Sequence[Performance]) -> dict[str, float]:
    """All columns that need nothing but the performances."""
    parts = (measure_direction, measure_places, measure_joints, measure_moments, measure_reach)
    return {name: float(value) for part in parts for name, value in part(performances).items()}
