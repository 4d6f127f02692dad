"""Calibration: from devices to the joints that they are worn on, and back."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kinematch.avatar.devices import find_device, make_offsets
from kinematch.avatar.kernels import joints as kernels
from kinematch.avatar.trackers import HEAD, LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.errors import KinematchError
from kinematch.math import quaternion

DEFAULT_HEIGHT = 1.70  # m, of a user about whom nothing is known yet
HEIGHT_RANGE = (0.8, 2.5)  # m, of people
EYE_TO_CROWN = 0.11  # m
REACH_SHARE = 0.45  # of height: neck to wrist of a stretched arm, half of the span between the wrists
MAX_OFFSET_METRES = 1.0  # m between a device and its joint
GENERIC_OFFSETS = make_offsets(find_device("generic"))


@dataclass(frozen=True, eq=False)
class Calibration:
    """How one user wears the devices. The default suits an adult with any headset; nothing must be measured first."""

    height: float = DEFAULT_HEIGHT  # m, standing, to the crown
    floor: float = 0.0  # m, its height in the space of the devices
    arm_length: float = 0.0  # m from the neck to the wrist of a stretched arm; 0: as the height suggests
    positions: np.ndarray = field(
        default_factory=lambda: GENERIC_OFFSETS[0]
    )  # (7, 3) m, of devices in their joint's axes
    rotations: np.ndarray = field(
        default_factory=lambda: GENERIC_OFFSETS[1]
    )  # (7, 4), of devices in their joint's axes
    scale: float = 1.0  # m of the avatar's space per m of the user's
    seated: bool = False  # the height is a guess then, and the legs do not carry the body
    swapped: bool = False  # the device of each hand is in the other one

    def __post_init__(self) -> None:
        ranges = {"height": HEIGHT_RANGE, "floor": (-100, 100), "arm_length": (0.2, 1.5), "scale": (0.01, 100)}
        for name, (low, high) in ranges.items():
            value = REACH_SHARE * self.height if name == "arm_length" and not self.arm_length else getattr(self, name)
            if not isinstance(value, int | float | np.floating) or not low <= value <= high:
                raise KinematchError(f"calibration: {name} is {value!r}, expected {low:g} to {high:g}")
            object.__setattr__(self, name, float(value))
        for name in ("seated", "swapped"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        for name, size, most in (("positions", 3, MAX_OFFSET_METRES), ("rotations", 4, 1.001)):
            try:
                array = np.array(getattr(self, name), np.float64)
            except (TypeError, ValueError, OverflowError):
                raise KinematchError(f"calibration: {name} are not numbers") from None
            if array.shape != (len(POINTS), size) or not (np.abs(array) <= most).all():
                raise KinematchError(
                    f"calibration: {name}, expected shape {(len(POINTS), size)} and -{most:g} to {most:g}"
                )
            object.__setattr__(self, name, array)
        sizes = np.linalg.norm(self.rotations, axis=-1, keepdims=True)
        if (sizes < 0.1).any():
            raise KinematchError("calibration: a rotation is zero, expected unit quaternions")
        object.__setattr__(self, "rotations", self.rotations / sizes)
        self.positions.flags.writeable = self.rotations.flags.writeable = False

    @property
    def head_height(self) -> float:
        """Height [m] of the head joint above the floor while the user stands."""
        return self.height - EYE_TO_CROWN - float(self.positions[HEAD, 1])

    @cached_property
    def offsets(self) -> "DeviceOffsets":
        """What takes devices to joints, of this calibration alone."""
        return gather_offsets([self])

    def locate_joints(self, devices: Trackers) -> Trackers:
        """The joints that the devices are worn on; the floor is at height 0."""
        return _locate(self.offsets, devices)

    def place_devices(self, joints: Trackers) -> Trackers:
        """The inverse of `locate_joints`: what the devices report when the joints are there."""
        rotations = quaternion.multiply(joints.rotations, self.rotations)
        arms = quaternion.rotate(joints.rotations, np.broadcast_to(self.positions, joints.positions.shape))
        positions = joints.positions / self.scale + arms + [0.0, self.floor, 0.0]
        velocities = joints.velocities / self.scale + quaternion.cross(joints.angular_velocities, arms)
        fingers = None if joints.fingers is None else joints.fingers / self.scale + [0.0, self.floor, 0.0]
        devices = replace(joints, positions=positions, rotations=rotations, velocities=velocities, fingers=fingers)
        return swap_hands(devices, np.full(len(devices), self.swapped))


def make_calibration(device: str = "generic", **measures: Any) -> Calibration:
    """A calibration of a device preset; `measures` are the other fields, such as height."""
    positions, rotations = make_offsets(find_device(device))
    return Calibration(positions=positions, rotations=rotations, **measures)


def locate_joints(calibrations: Sequence[Calibration], devices: Trackers) -> Trackers:
    """The joints of users with a calibration each, or of samples that share the only one."""
    if len(calibrations) not in (1, len(devices)):
        raise KinematchError(f"{len(calibrations)} calibrations for {len(devices)} users")
    return _locate(gather_offsets(calibrations), devices)


class DeviceOffsets(NamedTuple):
    """What takes devices to joints, of C calibrations."""

    positions: np.ndarray  # (C, 7, 3) m
    rotations: np.ndarray  # (C, 7, 4)
    floors: np.ndarray  # (C,) m
    scales: np.ndarray  # (C,)
    swapped: np.ndarray  # (C,) bool


def gather_offsets(calibrations: Sequence[Calibration]) -> DeviceOffsets:
    """Of several calibrations, in one piece each."""
    return DeviceOffsets(
        np.stack([calibration.positions for calibration in calibrations]),
        np.stack([calibration.rotations for calibration in calibrations]),
        np.array([calibration.floor for calibration in calibrations]),
        np.array([calibration.scale for calibration in calibrations]),
        np.array([calibration.swapped for calibration in calibrations]),
    )


def _locate(offsets: DeviceOffsets, devices: Trackers) -> Trackers:
    moving = devices.positions, devices.rotations, devices.velocities, devices.angular_velocities, devices.valid
    positions, rotations, velocities, spins, valid = out = [np.empty_like(array) for array in moving]
    kernels.locate(*moving, *offsets, *out)
    fingers = devices.fingers
    if fingers is not None:
        swapped = np.where(offsets.swapped.reshape(-1, 1, 1, 1), fingers[:, ::-1], fingers)
        floors = offsets.floors[:, None, None, None] * [0.0, 1.0, 0.0]
        fingers = (swapped - floors) * offsets.scales[:, None, None, None]
    return Trackers.wrap(devices.times, positions, rotations, velocities, spins, valid, fingers)


def swap_hands(trackers: Trackers, swapped: np.ndarray) -> Trackers:
    """The same with the left and right hands of some samples exchanged; `swapped` (N,) or (1,) bool."""
    if not swapped.any():
        return trackers
    points, changed = np.arange(len(POINTS)), {}
    points[[LEFT_HAND, RIGHT_HAND]] = RIGHT_HAND, LEFT_HAND
    for name in ("positions", "rotations", "velocities", "angular_velocities", "valid"):
        array = getattr(trackers, name)
        changed[name] = np.where(swapped.reshape(-1, *[1] * (array.ndim - 1)), array[:, points], array)
    if trackers.fingers is not None:
        changed["fingers"] = np.where(swapped.reshape(-1, 1, 1, 1), trackers.fingers[:, ::-1], trackers.fingers)
    return replace(trackers, **changed)
