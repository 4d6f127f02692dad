"""Where a body faces on the ground, whatever it does: headings of rotations, and their smoothing along time."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from kinematch.math import quaternion, smoothing
from kinematch.math.quaternion import Array
from kinematch.math.rotation import from_axis_angle

# A spine within 53 degrees of upright projects its forward axis; below 73 degrees the twist alone decides
UPRIGHT, TILTED = 0.6, 0.3
HEAD_DOWN = -0.7  # past 135 degrees the facing is undefined
MIN_DIRECTION_LENGTH = 0.5  # length of a smoothed direction below which its parts cancel
ABOUT_TURN, SPIN = np.radians(225), np.radians(315)  # turned within a window: from vectors to angles


def yaw_angle(direction: Array) -> Array:
    """Angle of ground directions (..., 3) from +Z towards +X, in radians."""
    return np.arctan2(direction[..., 0], direction[..., 2])


def yaw_of(rotations: Array) -> Array:
    """Angle (...) of where something that faced +Z faces after rotations (..., 4)."""
    return yaw_angle(quaternion.rotate(rotations, np.array([0, 0, 1], rotations.dtype)))


def yaw_direction(angle: Array) -> Array:
    """Unit ground vectors (..., 3) of angles."""
    return np.stack([np.sin(angle), np.zeros_like(angle), np.cos(angle)], axis=-1)


def yaw_rotation(direction: Array) -> Array:
    """The turn about +Y that takes +Z to a ground direction."""
    return from_axis_angle(np.array([0.0, 1.0, 0.0]), yaw_angle(direction))


def ground_directions(turns: Array) -> Array:
    """Unit ground vectors (F, 3) that bodies face after world rotations (F, 4) of a pose that faces +Z.

    An upright body faces along its forward axis, projected (thesis eq. 3.5-3.6). That flips when the pelvis tips past
    vertical, in a fall or a deep bow; there the twist about +Y takes over, which a pitch of any size leaves alone.
    Head down, where the twist too has no meaning, the direction goes the short way from the last good one to the next.
    """
    turns = quaternion.floating(turns)
    up, directions = _face_each(turns)
    good = np.flatnonzero(up > HEAD_DOWN)
    if 0 < len(good) < len(turns):
        angles = np.unwrap(yaw_angle(directions[good]))
        directions = yaw_direction(np.interp(np.arange(len(turns)), good, angles))
    return directions


def facing_yaws(turns: Array) -> Array:
    """Angles (...) that `ground_directions` gives for turns (..., 4), each on its own: head down it is a guess."""
    return yaw_angle(_face_each(quaternion.floating(turns))[1])


def _face_each(turns: Array) -> tuple[Array, Array]:
    """How far up the spine points, -1 to 1, and where the body faces."""
    up = quaternion.rotate(turns, np.array([0, 1, 0], turns.dtype))[..., 1]
    forward = quaternion.rotate(turns, np.array([0, 0, 1], turns.dtype)) * np.array([1, 0, 1], turns.dtype)
    twist = yaw_direction(2 * np.arctan2(turns[..., 2], turns[..., 0]))
    trust = np.clip((up - TILTED) / (UPRIGHT - TILTED), 0, 1)[..., None]
    return up, quaternion.unit(trust * quaternion.unit(forward) + (1 - trust) * twist, (0, 0, 1))


def smooth_directions(directions: Array, *, seconds: float, frame_rate: float) -> Array:
    """Third-order Savitzky-Golay along time (digital humans 3.2).

    Averages of unit vectors follow sudden turns without ringing. Where they mean nothing, for a window holds most of a
    spin or an about-turn whose halves cancel, the smoothed angle decides instead.
    """
    angles = np.unwrap(yaw_angle(directions))
    window = min(smoothing.window_frames(seconds, frame_rate), 2 * len(angles) - 1)  # which holds all from anywhere
    half = (min(window, len(angles)) - 1) // 2
    seen = sliding_window_view(np.pad(angles, window // 2, mode="symmetric"), window)
    turned = seen.max(axis=-1) - seen.min(axis=-1)
    turned = np.pad(turned[half : len(turned) - half], half, mode="edge")  # the ends are fitted by the last full window
    vectors = smoothing.savitzky_golay(directions, seconds=seconds, frame_rate=frame_rate)
    angles = smoothing.savitzky_golay(angles, seconds=seconds, frame_rate=frame_rate)
    cancelled = 1 - quaternion.length(vectors) / MIN_DIRECTION_LENGTH
    spinning = (turned[:, None] - ABOUT_TURN) / (SPIN - ABOUT_TURN)
    share = np.clip(np.maximum(cancelled, spinning), 0, 1)
    return quaternion.unit((1 - share) * vectors + share * yaw_direction(angles), (0, 0, 1))
