"""A script of commands played on a robot from beginning to end, as motion for files."""

from collections.abc import Callable

import numpy as np

from kinematch.control.command import Controller
from kinematch.errors import KinematchError
from kinematch.robot.model import TO_FILE
from kinematch.robot.motion import RobotMotion
from kinematch.robot.reference.robot_reference import RobotReference

TO_OURS = np.argsort(TO_FILE)


def record_reference(
    reference: RobotReference, controller: Controller, seconds: float, *,
    progress: Callable[[int, int], None] | None = None,
) -> RobotMotion:  # fmt: skip
    """What the first robot does under a controller for so long, from its next step on."""
    count = round(seconds * reference.rate)
    if not 0 < count < 10_000_000:
        raise KinematchError(f"{seconds} s at {reference.rate:g} Hz are {count} frames, expected more than none")
    base, turns = np.empty((count, 3)), np.empty((count, 4))
    angles = np.empty((count, reference.model.hinge_count))
    for frame in range(count):
        shown = reference.step(controller.command(reference.crowd.body, reference.dt))
        base[frame] = shown.base_positions[0, 0][TO_OURS]
        turns[frame, 0], turns[frame, 1:] = shown.base_rotations[0, 0, 0], shown.base_rotations[0, 0, 1:][TO_OURS]
        angles[frame] = shown.joint_positions[0, 0]
        if progress is not None and not frame % 50:
            progress(frame, count)
    return RobotMotion(reference.model, base, turns, angles, reference.rate, "reference")
