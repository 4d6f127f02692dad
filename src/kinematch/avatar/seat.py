"""Seat: hips and feet of seated users, given to the upper body as if they were tracked.

Headset and controllers do not show a chair. The hips stay where the head was upright above them, at the height that
the trunk leaves; the feet stand flat below the knees, and take a step when the chair has moved or turned.
"""

from dataclasses import replace

import numpy as np

from kinematch.avatar.trackers import HEAD, LEFT_FOOT, RIGHT_FOOT, WAIST, Trackers
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

GROUND = np.array([1.0, 0.0, 1.0])
FEET = (LEFT_FOOT, RIGHT_FOOT)
MIN_SEAT_HEIGHT, MAX_SEAT_HEIGHT = 0.6, 1.5  # heights of hips in a seat, of the lower leg's length above the ankle
UPRIGHT_SHARE = 0.97  # share of the trunk's length by which the head is above the hips of a user who sits straight
CENTRE_HALFLIFE, SINK_HALFLIFE, RISE_HALFLIFE = 2.0, 20.0, 0.3  # s in which a seat follows a straight trunk
HEAD_SLACK = 0.1  # of the trunk's length that a head may be farther away than the trunk is long
MAX_TWIST = np.radians(35)  # that a trunk turns against its seat
TURN_HALFLIFE = 3.0  # s in which the seat turns after it
PELVIS_TILT = 0.5  # share of the trunk's lean that the pelvis takes
FOOT_SPREAD, FOOT_AHEAD = 1.4, 0.95  # of hip joints and of thighs: how far apart feet stand, and how far ahead
STEP_DISTANCE, STEP_ANGLE = 0.12, np.radians(25)  # m and rad from its place at which a foot takes a step
STEP_SECONDS, STEP_HEIGHT = 0.35, 0.04  # s, m


class Seat:
    """The seats of N users with one skeleton; they begin where the users are when `sit` is first called."""

    def __init__(self, skeleton: Skeleton, count: int):
        joints = [skeleton.roles.get(role, -1) for role in ("hips", "head")]
        legs = [
            [skeleton.roles.get(f"{side}_{part}", -1) for part in ("upper_leg", "lower_leg", "foot")]
            for side in ("left", "right")
        ]
        if min(joints) < 0 or skeleton.tpose is None:
            raise KinematchError("a seat needs a humanoid: a skeleton with hips, a head and a T-pose")
        places = kinematics.tpose(skeleton)[0].astype(np.float64)
        self._count, trunk = count, places[joints[1]] - places[joints[0]]  # m, from hips to head
        self._trunks, self._height, self._reach = np.tile(trunk, (count, 1)), trunk[1], np.linalg.norm(trunk)
        self._has_legs = min(min(leg) for leg in legs) >= 0
        hips, knees, ankles = np.transpose(places[legs], (1, 0, 2)) if self._has_legs else np.zeros((3, 2, 3))
        self._thigh = float(np.linalg.norm(knees - hips, axis=-1).mean())
        self._shin, self._ankle = float(np.linalg.norm(ankles - knees, axis=-1).mean()), float(ankles[:, 1].mean())
        self._sides = FOOT_SPREAD * (hips - places[joints[0]])[:, 0]  # m to the left, of each foot
        self.reset()

    def reset(self) -> None:
        """All users stand up."""
        count = self._count
        self.taken = False
        self.positions = np.full((count, 3), np.nan)  # m, of the hips; NaN while the user is not seated
        self.yaws = np.zeros(count)  # rad
        self._feet, self._foot_yaws = np.zeros((count, 2, 3)), np.zeros((count, 2))
        self._from, self._from_yaws = np.zeros((count, 2, 3)), np.zeros((count, 2))  # where steps began
        self._progress = np.ones((count, 2))  # of each foot's step, 0 to 1

    def sit(self, joints: Trackers, yaws: np.ndarray, dt: float) -> Trackers:
        """Joints (N) with hips and feet of seated users with body directions yaws (N,); tracked points stay."""
        heads, self.taken = joints.positions[:, HEAD], True
        self.positions[~joints.valid[:, HEAD]] = np.nan  # unknown until the head is tracked
        self._move(heads, yaws, dt)
        self._step_feet(dt)
        places, turns = np.empty((self._count, 3, 3)), np.empty((self._count, 3, 4))
        places[:, 0], turns[:, 0] = self.positions, self._find_pelvis_turns(heads)
        eased = self._progress * self._progress * (3 - 2 * self._progress)
        places[:, 1:] = self._from + eased[..., None] * (self._feet - self._from)
        places[:, 1:, 1] += STEP_HEIGHT * 4 * eased * (1 - eased)
        turns[:, 1:] = _turn_about_y(self._from_yaws + eased * wrap_angle(self._foot_yaws - self._from_yaws))
        points = [WAIST, *FEET] if self._has_legs else [WAIST]
        positions, rotations, valid = joints.positions.copy(), joints.rotations.copy(), joints.valid.copy()
        guessed = ~valid[:, points] & valid[:, [HEAD]]
        for k, point in enumerate(points):
            own = guessed[:, k]
            positions[own, point], rotations[own, point], valid[own, point] = places[own, k], turns[own, k], True
        return replace(joints, positions=positions, rotations=rotations, valid=valid)

    def find_standing(self, joints: Trackers, height: float) -> Trackers:
        """Joints (N) with heads at this height [m] above the seats, at rest."""
        heads = self.positions + rotate_about_y(self._trunks, self.yaws)
        heads[:, 1] = height
        positions, velocities = joints.positions.copy(), joints.velocities.copy()
        known = np.isfinite(heads).all(axis=-1)
        positions[known, HEAD], velocities[known, HEAD] = heads[known], 0.0
        return replace(joints, positions=positions, velocities=velocities)

    def _move(self, heads: np.ndarray, yaws: np.ndarray, dt: float) -> None:
        """Keep the seats in place, but move them below heads out of reach, and slowly below straight trunks."""
        low, high = (self._ankle + share * max(self._shin, 0.1) for share in (MIN_SEAT_HEIGHT, MAX_SEAT_HEIGHT))
        fresh = np.isnan(self.positions[:, 0])
        below = heads - rotate_about_y(self._trunks, yaws)
        below[:, 1] = np.clip(below[:, 1], low, high)
        if fresh.any():
            self.positions[fresh], self.yaws[fresh] = below[fresh], yaws[fresh]
        gaps = below - self.positions
        rises = np.where(gaps[:, 1] > 0, RISE_HALFLIFE, SINK_HALFLIFE)
        self.positions[:, 1] += gaps[:, 1] * -np.expm1(-np.log(2) * dt / rises)
        straight = heads[:, 1] - self.positions[:, 1] > UPRIGHT_SHARE * self._height
        shares = np.where(straight, -np.expm1(-np.log(2) * dt / CENTRE_HALFLIFE), 0.0)
        # a head farther away than the trunk is long takes the seat along
        apart = heads[:, 1] - self.positions[:, 1]
        room = np.sqrt(np.maximum(self._reach**2 - apart**2, 0.0)) + HEAD_SLACK * self._reach
        away = np.hypot(gaps[:, 0], gaps[:, 2])
        shares = np.maximum(shares, 1 - room / np.maximum(away, room))
        self.positions += shares[:, None] * gaps * GROUND
        twists = wrap_angle(yaws - self.yaws)
        kept = np.clip(twists, -MAX_TWIST, MAX_TWIST)
        self.yaws = wrap_angle(self.yaws + twists - kept * 0.5 ** (dt / TURN_HALFLIFE))
        if fresh.any():
            places, facing = self._find_places()
            self._feet[fresh], self._foot_yaws[fresh], self._progress[fresh] = places[fresh], facing[fresh], 1.0
            self._from[fresh], self._from_yaws[fresh] = places[fresh], facing[fresh]

    def _step_feet(self, dt: float) -> None:
        """One foot at a time goes to its place, once that is far enough from where it stands."""
        self._progress = np.minimum(self._progress + dt / STEP_SECONDS, 1.0)
        places, yaws = self._find_places()
        far = np.hypot(places[..., 0] - self._feet[..., 0], places[..., 2] - self._feet[..., 2]) / STEP_DISTANCE
        far = np.maximum(far, np.abs(wrap_angle(yaws - self._foot_yaws)) / STEP_ANGLE)
        steps = (far > 1) & (far >= far.max(axis=1, keepdims=True)) & (self._progress >= 1).all(axis=1, keepdims=True)
        if steps.any():
            steps[:, 1] &= ~steps[:, 0]
            self._from[steps], self._from_yaws[steps] = self._feet[steps], self._foot_yaws[steps]
            self._feet[steps], self._foot_yaws[steps], self._progress[steps] = places[steps], yaws[steps], 0.0

    def _find_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Where feet should stand (N, 2, 3) m, and face (N, 2) rad: flat, below the knees."""
        ahead = np.array([[side, 0.0, FOOT_AHEAD * self._thigh] for side in self._sides])
        places = self.positions[:, None] + rotate_about_y(ahead[None], self.yaws[:, None])
        places[..., 1] = self._ankle
        return places, np.broadcast_to(self.yaws[:, None], places.shape[:2])

    def _find_pelvis_turns(self, heads: np.ndarray) -> np.ndarray:
        """Rotations (N, 4) of pelvises, which face as the seats do and tilt with the trunk."""
        away = heads - self.positions - rotate_about_y(self._trunks * GROUND, self.yaws)
        aside = np.maximum(np.hypot(away[:, 0], away[:, 2]), 1e-9)  # m; below, there is no lean and no axis for it
        half = 0.5 * PELVIS_TILT * np.arctan2(aside, np.maximum(away[:, 1], 0.05))
        tilts = np.zeros((len(heads), 4))
        tilts[:, 0] = np.cos(half)
        tilts[:, 1:] = (np.sin(half) / aside)[:, None] * np.stack([away[:, 2], 0 * aside, -away[:, 0]], axis=-1)
        return quaternion.multiply(tilts, _turn_about_y(self.yaws))


def _turn_about_y(yaws: np.ndarray) -> np.ndarray:
    """Rotations (..., 4) of yaws (...)."""
    turns = np.zeros((*yaws.shape, 4))
    turns[..., 0], turns[..., 2] = np.cos(yaws / 2), np.sin(yaws / 2)
    return turns
