"""A performed clip taken apart into pelvis, legs, trunk and arms: an action changes each, and solves the legs again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.math.quaternion import multiply
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.skeleton import Skeleton
from kinematch.synth import legs
from kinematch.synth.legs import Leg
from kinematch.synth.path import directions, smooth
from kinematch.synth.skeleton import HIP_DROP, HIP_HALF_WIDTH, LEG_LENGTH
from kinematch.synth.walker import SynthClip

SIDES = ("Left", "Right")
SIGNS = (1.0, -1.0)
REACH = 0.992 * LEG_LENGTH  # m from hip to ankle: a knee never locks
Key = tuple[float, float] | tuple[float, float, float]  # s, value, and its rate where it is not level


@dataclass(frozen=True, eq=False)
class Puppet:
    """World space for pelvis and legs, parent space for the rest."""

    frame_rate: float
    facings: np.ndarray  # (F,) rad
    hips: np.ndarray  # (F, 3) m
    pelvis: np.ndarray  # (F, 4)
    legs: tuple[Leg, Leg]
    rotations: np.ndarray  # (F, J, 4), of trunk and arms
    contacts: np.ndarray  # (F, 2) bool

    @property
    def times(self) -> np.ndarray:
        return np.arange(len(self.hips)) / self.frame_rate

    def hip_joints(self, foot: int) -> np.ndarray:
        return self.hips + quaternion.rotate(self.pelvis, np.array([SIGNS[foot] * HIP_HALF_WIDTH, -HIP_DROP, 0.0]))

    def with_(self, **changes: Any) -> "Puppet":
        return replace(self, **changes)


def take_apart(motion: SynthClip) -> Puppet:
    """The inverse of put_together."""
    clip = motion.clip
    positions, rotations = (a.astype(np.float64) for a in kinematics.global_pose(clip))
    figure, both = clip.skeleton, []
    for side in SIDES:
        foot, toe = (rotations[:, figure.joint(side + part)] for part in ("Foot", "Toe"))
        ahead, sole = (quaternion.rotate(turn, np.array([0.0, 0.0, 1.0])) for turn in (foot, toe))
        pitch = np.arctan2(ahead[:, 1], np.hypot(ahead[:, 0], ahead[:, 2]))
        bend = np.arctan2(sole[:, 1], np.hypot(sole[:, 0], sole[:, 2])) - pitch
        yaw = np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2]))
        both.append(Leg(positions[:, figure.joint(side + "Foot")], yaw, pitch, bend))
    faces = motion.root_directions
    return Puppet(
        clip.frame_rate,
        np.unwrap(np.arctan2(faces[:, 0], faces[:, 2])),
        positions[:, 0],
        rotations[:, 0],
        (both[0], both[1]),
        clip.rotations.astype(np.float64),
        motion.contacts.copy(),
    )


def put_together(puppet: Puppet, figure: Skeleton, *, name: str, tags: frozenset[str]) -> Clip:
    """Solve the legs. The pelvis is lowered where a planted leg would be too long; a swinging foot is drawn in."""
    puppet = draw_in_feet(lower_to_reach(puppet))
    rotations = puppet.rotations.copy()
    rotations[:, 0] = puppet.pelvis
    for foot, side in enumerate(SIDES):
        above = puppet.pelvis
        for joint, turn in zip(
            ("UpLeg", "Leg", "Foot", "Toe"),
            legs.rotations(puppet.legs[foot], puppet.hip_joints(foot), puppet.facings),
        ):
            rotations[:, figure.joint(side + joint)] = multiply(quaternion.inverse(above), turn)
            above = turn
    positions = np.tile(figure.offsets.astype(float), (len(puppet.hips), 1, 1))
    positions[:, 0] = puppet.hips
    return Clip(figure, positions, quaternion.unroll(rotations), puppet.frame_rate, name, tags, Origin(format="synth"))


def lower_to_reach(puppet: Puppet) -> Puppet:
    excess = np.zeros(len(puppet.hips))
    for foot in (0, 1):
        away = puppet.hip_joints(foot) - puppet.legs[foot].ankles
        highest = np.sqrt(np.maximum(REACH**2 - away[:, 0] ** 2 - away[:, 2] ** 2, 0.0))
        excess = np.maximum(excess, np.where(puppet.contacts[:, foot], away[:, 1] - highest, 0.0))
    if not excess.any():
        return puppet
    from scipy.ndimage import maximum_filter1d

    width = round(0.1 * puppet.frame_rate)
    held = smooth(maximum_filter1d(excess, 2 * width + 1), 0.2, puppet.frame_rate)
    return puppet.with_(hips=puppet.hips - held[:, None] * [0.0, 1.0, 0.0])


def draw_in_feet(puppet: Puppet) -> Puppet:
    both = []
    for foot in (0, 1):
        hip = puppet.hip_joints(foot)
        away = puppet.legs[foot].ankles - hip
        far = np.linalg.norm(away, axis=-1, keepdims=True)
        both.append(replace(puppet.legs[foot], ankles=hip + away * np.minimum(1.0, REACH / far)))
    return puppet.with_(legs=(both[0], both[1]))


def curve(times: np.ndarray, keys: Sequence[Key]) -> np.ndarray:
    """A cubic through keys (s, value, rate), level where no rate is given; the ends of a flight give its parabola."""
    from scipy.interpolate import CubicHermiteSpline  # here, since it is slow to import

    knots = np.array([(*key, 0.0)[:3] for key in keys])
    inside = np.clip(times, knots[0, 0], knots[-1, 0])
    return CubicHermiteSpline(*knots.T)(inside)


def along_floor(facings: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Shifts (F, 3) by distances (F,) m ahead."""
    ahead, _ = directions(facings)
    return np.stack([ahead[:, 0] * distances, np.zeros(len(distances)), ahead[:, 1] * distances], -1)


def lean(puppet: Puppet, figure: Skeleton, angles: np.ndarray) -> Puppet:
    """Bend forward by angles (F,) rad, a third of it in the pelvis, while the head stays nearly level."""
    rotations = puppet.rotations.copy()
    for joint, share in (("Spine", 0.22), ("Spine1", 0.22), ("Spine2", 0.22), ("Neck", -0.35), ("Head", -0.35)):
        turn = rotation.from_axis_angle([1, 0, 0], share * angles)
        rotations[:, figure.joint(joint)] = multiply(rotations[:, figure.joint(joint)], turn)
    pelvis = multiply(puppet.pelvis, rotation.from_axis_angle([1, 0, 0], 0.34 * angles))
    return puppet.with_(rotations=rotations, pelvis=pelvis)


def move_arm(
    puppet: Puppet, figure: Skeleton, side: int, *, raised: np.ndarray | float = 0.0, out: np.ndarray | float = 0.0,
    elbow: np.ndarray | float = 0.0,
) -> Puppet:  # fmt: skip
    """Swing an arm ahead, out to its side, and bend its elbow, by angles (F,) rad on top of what it does."""
    rotations = puppet.rotations.copy()
    upper, fore = (figure.joint(SIDES[side] + part) for part in ("Arm", "ForeArm"))
    frames = np.zeros(len(rotations))
    rotations[:, upper] = multiply(
        rotation.from_axis_angle([1, 0, 0], frames - raised),
        multiply(rotation.from_axis_angle([0, 0, 1], frames + SIGNS[side] * out), rotations[:, upper]),
    )
    rotations[:, fore] = multiply(rotation.from_axis_angle([0, 1, 0], frames - SIGNS[side] * elbow), rotations[:, fore])
    return puppet.with_(rotations=rotations)
