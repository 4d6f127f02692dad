"""Simulated users: clips whose people wear trackers, with the truth about their bodies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.avatar.body_frames import find_point_joints
from kinematch.avatar.calibration import EYE_TO_CROWN, Calibration, make_calibration
from kinematch.avatar.simulate import (
    NO_IMPERFECTIONS,
    Imperfections,
    make_glances,
    simulate_user,
    track_joints,
    turn_head,
)
from kinematch.avatar.trackers import HEAD, WAIST, Trackers
from kinematch.errors import KinematchError
from kinematch.motion import kinematics
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip
from kinematch.motion.heading import ground_directions, yaw_angle
from kinematch.motion.skeleton import Skeleton

STANDING = 0.9  # share of the T-pose's head height above which a user stands
MIN_USER_SECONDS = 2.0  # s of motion that are worth scoring
TOLERANCE = 0.01  # m by which the bones of people with one skeleton may differ


@dataclass(frozen=True, eq=False)
class SimulatedUser:
    """One simulated user: the devices, and the truth."""

    name: str
    skeleton: Skeleton
    rate: float  # Hz
    joints: Trackers  # (F) the true joints, of all seven points
    devices: Trackers  # (F) what is tracked of them
    yaws: np.ndarray  # (F,) rad, unwrapped: where the hips face, as captured and not smoothed
    positions: np.ndarray  # (F, J, 3) m in the world
    clip: Clip  # the whole motion

    @property
    def seconds(self) -> float:
        return len(self.yaws) / self.rate


@dataclass(frozen=True, eq=False)
class Cast:
    """Users with one skeleton, who are animated together, and the calibration that they share."""

    skeleton: Skeleton
    calibration: Calibration
    users: tuple[SimulatedUser, ...]


def make_cast(
    clips: Sequence[Clip],
    *,
    rate: float = 60.0,
    points: tuple[str, ...] = ("head", "left_hand", "right_hand"),
    longest: float = 30.0,
    device: str = "generic",
    look_around: float = 0.0,
    imperfections: Imperfections = NO_IMPERFECTIONS,
    seed: int = 0,
) -> Cast:
    """Users from clips of one skeleton, each cut to `seconds`, who wear some trackers.

    `look_around` [rad]: how far heads stray from where the captured person looked; `imperfections`: of the trackers.
    """
    if "head" not in points:
        raise KinematchError(f"users who wear {', '.join(points) or 'nothing'}; an avatar needs the head")
    clips = [clip for clip in clips if clip.duration >= MIN_USER_SECONDS]
    if not clips:
        raise KinematchError(f"no clip of {MIN_USER_SECONDS:g} s or more to simulate users from")
    skeleton = clips[0].skeleton
    for clip in clips:
        if (told := skeleton.difference(clip.skeleton, tolerance=TOLERANCE)) is not None:
            raise KinematchError(f"users of one cast need one skeleton; {clip.name}: {told}")
    calibration = make_calibration(device, height=_measure_standing(skeleton, clips) + EYE_TO_CROWN + _rise(device))
    users = []
    for number, clip in enumerate(clips):
        short = resample(clip.frames(0, int(longest * clip.frame_rate)), rate)
        joints, rng = track_joints(short), np.random.default_rng([seed, number])
        if look_around:
            joints = turn_head(joints, make_glances(joints.times, rng, spread=look_around))
        devices = simulate_user(joints, rng, calibration=calibration, imperfections=imperfections).keep(points)
        yaws = np.unwrap(yaw_angle(ground_directions(joints.rotations[:, WAIST])))
        positions, _ = kinematics.global_pose(short)
        users.append(SimulatedUser(clip.name, skeleton, rate, joints, devices, yaws, positions, short))
    return Cast(skeleton, calibration, tuple(users))


def _rise(device: str) -> float:
    """Height (m) of the headset above the head joint."""
    return float(make_calibration(device).positions[HEAD, 1])


def _measure_standing(skeleton: Skeleton, clips: Iterable[Clip]) -> float:
    """Height (m) of the head joint of a person who stands: that of a tenth of the time, or of the T-pose."""
    head = find_point_joints(skeleton)[HEAD]
    tall = float(kinematics.tpose(skeleton)[0][head, 1])
    heights = np.concatenate([kinematics.global_pose(clip)[0][:, head, 1] for clip in clips])
    seen = float(np.quantile(heights, 0.9))
    return seen if STANDING * tall <= seen <= tall else tall
