"""Places of cameras: where people put a webcam in a room, by how a user moves in it."""

from dataclasses import dataclass

import numpy as np

from kinematch.camera.simulate import SimulatedCamera
from kinematch.errors import KinematchError, unknown
from kinematch.evaluate.vr.users import SimulatedUser
from kinematch.math.angles import wrap_angle

MIN_DISTANCE = 2.0  # m between a camera and the nearest place of the user


@dataclass(frozen=True)
class CameraPlace:
    """A camera's place, seen from the middle of where the user moves."""

    angle: float  # degrees from where the user mostly faces
    nearest: float  # m to the nearest place of the user
    height: float  # m
    pitch: float  # degrees downwards


PLACES = {
    "front": CameraPlace(0, MIN_DISTANCE, 1.1, 5),
    "corner": CameraPlace(50, MIN_DISTANCE, 2.0, 18),
    "side": CameraPlace(90, MIN_DISTANCE, 1.1, 5),
    "back": CameraPlace(180, MIN_DISTANCE, 1.1, 5),
    "desk": CameraPlace(15, 0.7, 0.8, -12),
}


def place_camera(user: SimulatedUser, name: str) -> SimulatedCamera:
    """The camera of a place, for one user."""
    if name not in PLACES:
        raise KinematchError(unknown("camera place", name, PLACES))
    place, hips = PLACES[name], user.joints.positions[:, 3]
    middle, half = (hips.min(axis=0) + hips.max(axis=0)) / 2, np.ptp(hips, axis=0)[[0, 2]].max() / 2
    facing = np.arctan2(np.sin(user.yaws).mean(), np.cos(user.yaws).mean())
    angle = facing + np.radians(place.angle)
    x, z = middle[[0, 2]] + (half + place.nearest) * np.array([np.sin(angle), np.cos(angle)])
    yaw = float(wrap_angle(np.asarray(angle + np.pi)))
    return SimulatedCamera((float(x), place.height, float(z)), yaw, float(np.radians(place.pitch)))
