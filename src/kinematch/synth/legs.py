"""Legs: analytic two-bone inverse kinematics over planted and swinging feet."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.synth.path import directions
from kinematch.synth.skeleton import SHANK, THIGH


@dataclass(frozen=True)
class Leg:
    """One leg in every frame."""

    ankles: np.ndarray  # (F, 3) m, world
    yaws: np.ndarray  # (F,) rad, of the foot
    pitches: np.ndarray  # (F,) rad, of the foot against the floor, toe up
    bends: np.ndarray  # (F,) rad, of the toes against the foot, up


def two_bone(hips: np.ndarray, ankles: np.ndarray, sideways: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Directions of thigh and shank and the hinge axes, as near as can be to the sideways directions."""
    along = ankles - hips
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    along = along / length
    hinge = quaternion.unit(sideways - along * np.sum(sideways * along, -1, keepdims=True))
    ahead = np.cross(hinge, -along)
    cosine = np.clip((THIGH**2 + length**2 - SHANK**2) / (2 * THIGH * length), -1.0, 1.0)
    thigh = along * cosine + ahead * np.sqrt(1 - cosine**2)
    return thigh, quaternion.unit(along * length - THIGH * thigh), hinge


def knee_hinge(facings: np.ndarray, yaws: np.ndarray) -> np.ndarray:
    """Sideways direction for the knee: half way between the body's left and the foot's."""
    _, left = directions((facings + yaws) / 2)
    return np.stack([left[..., 0], np.zeros(left.shape[:-1]), left[..., 1]], -1)


def shank_pitch(shanks: np.ndarray, yaws: np.ndarray) -> np.ndarray:
    """How far shank directions lean in the foot's plane: the pitch of a foot at a right angle to it."""
    ahead, _ = directions(yaws)
    return np.arctan2(shanks[..., 0] * ahead[..., 0] + shanks[..., 2] * ahead[..., 1], -shanks[..., 1])


def rotations(leg: Leg, hips: np.ndarray, facings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Global rotations (F, 4) of thigh, shank, foot and toes."""
    thigh, shank, hinge = two_bone(hips, leg.ankles, knee_hinge(facings, leg.yaws))
    bones = [rotation.from_matrix(np.stack([hinge, -bone, np.cross(hinge, -bone)], -1)) for bone in (thigh, shank)]
    turned = rotation.from_axis_angle([0, 1, 0], leg.yaws)
    soles = [
        quaternion.multiply(turned, rotation.from_axis_angle([1, 0, 0], -pitch))
        for pitch in (leg.pitches, leg.pitches + leg.bends)
    ]
    return bones[0], bones[1], soles[0], soles[1]
