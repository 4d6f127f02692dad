"""Stance of a user from devices: still and level, in a T-pose, with hanging arms, or seated."""

from typing import Literal

import numpy as np

from kinematch.avatar.calibration import EYE_TO_CROWN, REACH_SHARE
from kinematch.avatar.trackers import HANDS, HEAD, LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y
from kinematch.motion.heading import ground_directions, yaw_angle

# m within which the headset of a standing user stays, and s for which it does
MAX_STILL_DISTANCE, STILL_SECONDS = 0.003, 0.6
MAX_LEVEL_ANGLE = float(np.radians(15))  # from level, of the headset of a user who looks ahead
STANDING_EYES = (1.2, 2.2)  # m above the floor; a user with lower ones may be seated
SEATED_SHARE = 0.85  # share of the standing height of the eyes, below which a user sits or crouches
NECK_OFFSET = np.array([0.0, -0.075, -0.08])  # m, from the eyes to the neck's pivot, in the headset's axes
Arms = Literal["out", "down", "other"]


def is_still(headset: Trackers) -> bool:
    """Whether a headset kept its place over the last samples, which span the time that counts, and was level."""
    if (
        len(headset) < 3
        or headset.times[-1] - headset.times[0] < 0.9 * STILL_SECONDS
        or not headset.valid[:, HEAD].all()
    ):
        return False
    places = headset.positions[:, HEAD]
    return bool(np.ptp(places, axis=0).max() <= MAX_STILL_DISTANCE and is_level(headset.rotations[:, HEAD]).all())


def is_level(rotations: np.ndarray, angle: float = MAX_LEVEL_ANGLE) -> np.ndarray:
    """Whether headsets (N, 4) look ahead, within an angle [rad], and neither down nor sideways."""
    up = quaternion.rotate(rotations, np.broadcast_to([0.0, 1, 0], (*rotations.shape[:-1], 3)))
    return up[..., 1] > np.cos(angle)


def find_head_yaws(headset: Trackers) -> np.ndarray:
    """Where headsets (N,) face, rad about +Y."""
    return yaw_angle(ground_directions(headset.rotations[:, HEAD]))


def find_necks(headset: Trackers) -> np.ndarray:
    """The pivots of the necks (N, 3) below headsets."""
    turned = quaternion.rotate(headset.rotations[:, HEAD], np.broadcast_to(NECK_OFFSET, (len(headset), 3)))
    return headset.positions[:, HEAD] + turned


def find_reaches(headset: Trackers, joints: Trackers) -> np.ndarray:
    """How far both wrists are at least from the neck (N,) m; 0 where one is not tracked."""
    far = np.linalg.norm(joints.positions[:, list(HANDS)] - find_necks(headset)[:, None], axis=-1)
    return np.where(joints.valid[:, list(HANDS)].all(axis=1), far.min(axis=1), 0.0)


def find_hands(headset: Trackers, joints: Trackers) -> np.ndarray:
    """The wrists (N, 2, 3) from the neck: left, up and forward of the headset's direction."""
    apart = joints.positions[:, list(HANDS)] - find_necks(headset)[:, None]
    return rotate_about_y(apart, -find_head_yaws(headset)[:, None])


def tell_arms(headset: Trackers, joints: Trackers) -> Arms:
    """What the arms do in the mean of the samples: stretched out to both sides, hanging, or something else."""
    both = joints.valid[:, [HEAD, LEFT_HAND, RIGHT_HAND]].all(axis=1)
    if not both.any():
        return "other"
    hands = find_hands(headset, joints)[both].mean(axis=0)
    length = np.linalg.norm(hands, axis=-1).min()
    sides = hands[:, 0] * [1, -1]  # of each hand, outwards
    if (sides > 0.8 * length).all() and (np.abs(hands[:, 1]) < 0.45 * length).all() and length > 0.35:
        return "out"
    if (hands[:, 1] < -0.3).all() and (np.linalg.norm(hands[:, [0, 2]], axis=-1) < 0.75 * -hands[:, 1]).all():
        return "down"
    return "other"


def suggests_sitting(eyes: float, reach: float) -> bool:
    """Whether eyes at this height [m] above the floor are too low for a standing user with this arm reach [m]."""
    return eyes + EYE_TO_CROWN < SEATED_SHARE * reach / REACH_SHARE


def find_device_rotations(devices: Trackers, arms: Arms) -> np.ndarray:
    """Rotations (7, 4) of devices on their joints, from one sample of a T-pose (palms down) or of hanging arms (palms
    inwards): how the joints are turned is known then. The headset's shows where the user faces.
    """
    joints = np.tile(rotation.from_axis_angle([0.0, 1, 0], find_head_yaws(devices)[0]), (len(POINTS), 1))
    if arms == "down":
        for hand, angle in ((LEFT_HAND, -np.pi / 2), (RIGHT_HAND, np.pi / 2)):
            joints[hand] = quaternion.multiply(joints[hand], rotation.from_axis_angle([0.0, 0, 1], angle))
    return quaternion.multiply(quaternion.inverse(joints), devices.rotations[0])
