"""Legs: how far they reach, and two-joint inverse kinematics in closed form (digital humans 3.6)."""

from typing import NamedTuple

import numpy as np

from kinematch.character import constants as c
from kinematch.character.rig import Rig
from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.math import quaternion
from kinematch.math.spring import spring

TINY = 1e-18  # square of a length that is none, or nearly


class Legs(NamedTuple):
    """L legs of M characters as animated."""

    vectors: np.ndarray  # (M, L, 3) m, from hip to ankle
    feet: np.ndarray  # (M, L, 3) m, from ankle to toe
    toes: np.ndarray  # (M, L, 3) m
    lengths: np.ndarray  # (M, L) m, from hip to ankle
    whole: np.ndarray  # (M, L) m, stretched
    shortest: np.ndarray  # (M, L) m, folded shut
    longest: np.ndarray  # (M, L) m that the ankle may be away


class Aims(NamedTuple):
    """What each leg is to do."""

    wanted: np.ndarray  # (M, L, 3) m, from hip to where the ankle should be
    distances: np.ndarray  # (M, L) m, how far it gets
    slopes: np.ndarray  # (M, L, 4) turn of the foot
    moved: np.ndarray  # (M, L) bool; legs that are where they are animated are left alone


def measure_legs(rig: Rig, positions: np.ndarray, settings: Settings) -> Legs:
    hips, knees, ankles, toes = (positions[:, rig.legs[:, part]].astype(np.float64) for part in range(4))
    upper, lower = (np.linalg.norm(v, axis=-1) for v in (knees - hips, ankles - knees))
    lengths, whole = np.linalg.norm(ankles - hips, axis=-1), upper + lower
    # a share of the leg's length, and ever nearer to all of it the straighter the leg is animated
    slack, spare = np.maximum(whole - lengths, 0.0), (1 - settings.extension) * whole
    return Legs(
        ankles - hips, toes - ankles, toes, lengths, whole, np.abs(upper - lower) + c.FOLDED,
        whole - slack * spare / np.maximum(slack + spare, 1e-9),
    )  # fmt: skip


def measure_shortfall(wanted: np.ndarray, legs: Legs) -> np.ndarray:
    """How much (M, L) legs lack to where ankles are wanted: near their longest reach they resist."""
    far = np.linalg.norm(wanted, axis=-1)
    start = np.maximum(legs.lengths, c.RESISTS * legs.longest)
    room, over = legs.longest - start, far - start
    soft = start + room * (1 - np.exp(-np.maximum(over, 0.0) / np.maximum(room, 1e-9)))
    return far - np.where((room > 0) & (over > 0), soft, np.minimum(far, legs.longest))


def aim_legs(
    state: State, characters: np.ndarray, legs: Legs, wanted: np.ndarray, shift: np.ndarray, slopes: np.ndarray,
    rises: np.ndarray, dt: float, settings: Settings,
) -> Aims:  # fmt: skip
    """How far ankles get towards their targets. A shortfall rises at once to what a leg cannot reach, and decays
    smoothly."""
    least = measure_shortfall(wanted, legs)
    own = state.feet.shortfalls[characters].astype(np.float64)
    short, rate = spring(own[..., 0], own[..., 1], 0.0, halflife=settings.lock_halflife, dt=dt)
    rate = np.where(least > short, (least - own[..., 0]) * (1 / dt if dt > 0 else 0.0), rate)
    short = np.maximum(short, least)
    state.feet.shortfalls[characters] = np.stack([short, rate], axis=-1)
    distances = np.linalg.norm(wanted, axis=-1) - short
    # ground that is higher under the toe than under the root rightly shortens a leg
    distances = unfold(distances, np.maximum(legs.lengths - np.maximum(rises, 0.0), legs.shortest))
    straight = (c.STRAIGHT if settings.foot_lock else 1.0) * legs.whole
    apart = np.maximum(np.abs(distances - legs.lengths), legs.lengths - straight) > c.SAME_PLACE
    shifted = np.linalg.norm(shift, axis=-1) > c.SAME_PLACE
    over = np.maximum(distances - straight, 0.0)
    distances = np.maximum(distances - c.GIVES * over**2 / legs.whole, legs.shortest)
    return Aims(wanted, distances, slopes, apart | shifted | (slopes[..., 0] < 1.0))


def unfold(distances: np.ndarray, animated: np.ndarray) -> np.ndarray:
    """A soft lower limit of hip-to-ankle distances, as a share of the animated ones: in hard turns hips sink onto a
    raised leg."""
    ease = c.EASES * animated
    over = np.clip(c.FOLDS * animated + ease - distances, 0.0, 2 * ease)
    return np.maximum(distances + over**2 / (4 * ease), c.FOLDS * animated)


def bend_leg(
    rig: Rig, leg: int, aims: Aims, rotations: np.ndarray, global_positions: np.ndarray, global_rotations: np.ndarray
) -> None:
    """Write the local rotations (M, J, 4) that put one leg's ankle where it is aimed; knees keep their own side."""
    upper, lower, foot, _ = rig.legs[leg]
    hip, knee, ankle = (global_positions[:, joint].astype(np.float64) for joint in (upper, lower, foot))
    turn_hip, turn_knee, turn_foot = (global_rotations[:, joint].astype(np.float64) for joint in (upper, lower, foot))
    u, v = knee - hip, ankle - knee
    axis = _find_knee_axis(
        u, v, quaternion.rotate(turn_hip, np.broadcast_to(rig.hinges[leg].astype(np.float64), u.shape))
    )
    # the turn about this axis that brings the ankle to its distance: u . R(angle) v = (d^2 - a^2 - b^2) / 2, and of
    # its two solutions the one that bends the knee forwards
    along = _dot(v, axis)
    p = v - axis * along[:, None]
    ahead, aside = _dot(u, p), _dot(u, np.cross(axis, p))
    size = np.sqrt(np.maximum(ahead**2 + aside**2, TINY))
    cosine = (0.5 * (aims.distances[:, leg] ** 2 - _dot(u, u) - _dot(v, v)) - along * _dot(u, axis)) / size
    angle = np.arctan2(aside, ahead) + np.arccos(np.clip(cosine, -1.0, 1.0))
    flex = np.concatenate([np.cos(angle / 2)[:, None], axis * np.sin(angle / 2)[:, None]], axis=-1)
    aim = find_rotation_between(u + quaternion.rotate(flex, v), aims.wanted[:, leg])
    turn_knee = quaternion.multiply(quaternion.multiply(aim, flex), turn_knee)
    turn_hip = quaternion.multiply(aim, turn_hip)
    turn_foot = quaternion.multiply(aims.slopes[:, leg], turn_foot)
    above = global_rotations[:, rig.parents[upper]].astype(np.float64)
    moved = aims.moved[:, leg, None]
    for joint, parent, turn_above, turn in (
        (upper, rig.parents[upper], above, turn_hip), (lower, upper, turn_hip, turn_knee),
        (foot, lower, turn_knee, turn_foot),
    ):  # fmt: skip
        local = _find_local(rig, rotations, joint, parent, turn_above, turn)
        rotations[:, joint] = np.where(moved, local, rotations[:, joint])


def _find_knee_axis(u: np.ndarray, v: np.ndarray, hinge: np.ndarray) -> np.ndarray:
    """The unit axis (M, 3) about which a knee bends.

    A straight leg hardly shows where it bends, one that a transition has bent backwards shows it wrongly: there the
    knee's own hinge tells.
    """
    bend = np.cross(u, v)
    share = _dot(bend, hinge) / np.sqrt(c.CLEARLY_BENT**2 * _dot(u, u) * _dot(v, v))
    share = np.clip(share, 0.0, 1.0)[:, None]
    bend = bend / np.sqrt(np.maximum(_dot(bend, bend), TINY))[:, None]
    axis = bend * share + hinge * (1 - share)
    return axis / np.sqrt(np.maximum(_dot(axis, axis), TINY))[:, None]


def _find_local(
    rig: Rig, rotations: np.ndarray, joint: int, above: int, turn_above: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """The local rotation that makes a joint's global one as wanted; joints between (twist bones) keep theirs."""
    chain, between = quaternion.identity((len(wanted),), np.float64), rig.parents[joint]
    while between != above:
        chain = quaternion.multiply(rotations[:, between].astype(np.float64), chain)
        between = rig.parents[between]
    return quaternion.multiply(quaternion.inverse(quaternion.multiply(turn_above, chain)), wanted)


def find_rotation_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest rotations (..., 4) that take the directions of a to those of b; none between opposite ones."""
    size = np.sqrt(_dot(a, a) * _dot(b, b))
    rotation = np.concatenate([(size + _dot(a, b))[..., None], np.cross(a, b)], axis=-1)
    square = np.einsum("...i,...i->...", rotation, rotation)
    unit = rotation / np.sqrt(np.maximum(square, TINY))[..., None]
    return np.where((square > c.OPPOSITE * size**2)[..., None], unit, quaternion.identity(size.shape, np.float64))


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("...i,...i->...", a, b)
