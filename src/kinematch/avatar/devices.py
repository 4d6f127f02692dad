"""Where devices sit on the joints that they are worn on: presets of headsets and controllers, and free offsets."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kinematch.avatar.trackers import HEAD, LEFT_HAND, POINTS, RIGHT_HAND
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion, rotation

MIRROR_POSITION = np.array([-1.0, 1, 1])  # reflection in the plane x = 0
MIRROR_ROTATION = np.array([1.0, 1, -1, -1])


@dataclass(frozen=True)
class Device:
    """A headset and a pair of controllers, as they sit on an average adult. Calibration starts here and improves on it.

    Lengths in the joint's axes: (left, up, forward) for the head, (along the fingers, out of the back of the hand,
    towards the thumb) for the left hand, which the right hand mirrors.
    """

    headset: tuple[float, float, float]  # m from the head joint, at the base of the skull, to the headset's origin
    grip: tuple[float, float, float]  # m from the wrist to the controller's origin
    tilt: float  # rad by which a held rod leans from square to the hand towards the fingers


DEVICES: Mapping[str, Device | None] = MappingProxyType(
    {
        "none": None,  # the devices are the joints themselves
        "generic": Device((0.0, 0.07, 0.09), (0.14, -0.02, 0.0), float(np.radians(55))),
        # OpenXR's grip: the forward axis of a Touch controller leans back by 45 degrees from the ray it points along
        "quest": Device((0.0, 0.07, 0.09), (0.15, -0.02, 0.0), float(np.radians(45))),
        "pico": Device((0.0, 0.07, 0.09), (0.14, -0.02, 0.0), float(np.radians(45))),
        # OpenVR's pose: recordings have the forearm behind the device, 10 to 15 degrees above its axis
        "index": Device((0.0, 0.07, 0.10), (0.13, -0.02, 0.0), float(np.radians(75))),
        "vive": Device((0.0, 0.07, 0.10), (0.15, -0.02, 0.0), float(np.radians(75))),
    }
)


def find_device(name: str) -> Device | None:
    """The preset of a name; None where devices and joints are the same."""
    if name not in DEVICES:
        raise KinematchError(unknown("device", str(name), DEVICES))
    return DEVICES[name]


def make_offsets(device: Device | None) -> tuple[np.ndarray, np.ndarray]:
    """Positions (7, 3) m and rotations (7, 4) of devices in the axes of their joints."""
    positions, rotations = np.zeros((len(POINTS), 3)), quaternion.identity((len(POINTS),))
    if device is None:
        return positions, rotations
    positions[HEAD] = device.headset
    positions[LEFT_HAND] = device.grip
    positions[RIGHT_HAND] = device.grip * MIRROR_POSITION
    # A grip's axes are the world's when the arm hangs and the thumb points forward: from the T-pose, that is a quarter
    # turn about +Z (OpenXR: the rod along the grip's forward axis, its up axis towards the elbow).
    hanging = rotation.from_axis_angle([0.0, 0, 1], np.pi / 2)
    rotations[LEFT_HAND] = quaternion.multiply(rotation.from_axis_angle([0.0, 1, 0], device.tilt), hanging)
    rotations[RIGHT_HAND] = rotations[LEFT_HAND] * MIRROR_ROTATION
    return positions, rotations
