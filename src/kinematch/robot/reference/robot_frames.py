"""RobotFrames: a whole database on a robot, a row for each frame, solved once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinematch.database.storage import Database
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion.heading import yaw_of
from kinematch.robot.model import RobotModel
from kinematch.robot.plan import RobotPlan
from kinematch.robot.retargeting import CHUNK_FRAMES, RobotRetargeting
from kinematch.robot.tasks import RobotSettings

GROUND_AXES = np.array([1.0, 0.0, 1.0])
UP_AXIS = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class RobotFrames:
    """Frames in the order of the database's; the base against the ground root, whose ways are scaled to the robot."""

    model: RobotModel
    plan: RobotPlan
    scale: float  # the robot's size over the person's
    frame_rate: float
    angles: np.ndarray  # (F, D) rad
    base_positions: np.ndarray  # (F, 3) m, in the root's axes
    base_rotations: np.ndarray  # (F, 4)
    contacts: np.ndarray  # (F, 2) bool, left and right foot
    following: np.ndarray  # (F,) int32, the frame after each: the same at ends of clips
    root_steps: np.ndarray  # (F, 4) x, z m, yaw rad, y m: the root's way to that frame, in its axes, the robot's size


def retarget_database(
    database: Database, model: RobotModel, settings: RobotSettings | None = None, *,
    progress: Callable[[int, int], None] | None = None,
) -> RobotFrames:  # fmt: skip
    """Every clip on the robot; the first frame of each is a first frame.

    The ground below the root is the solver's floor, so that steps up and down are solved like level ground.
    """
    poses = database.poses
    positions = poses.positions.astype(np.float64)
    positions[:, 0] *= GROUND_AXES
    retargeting = RobotRetargeting(poses.skeleton, model, settings or RobotSettings())
    scale, count = float(retargeting.plan.scales[0]), poses.frame_count
    base, turns = np.empty((count, 3)), np.empty((count, 4))
    angles = np.empty((count, model.hinge_count))
    contacts = np.ascontiguousarray(poses.contacts[:, :2])
    for start, stop in zip(poses.clip_starts.tolist(), poses.clip_stops.tolist()):
        retargeting.restart()
        for first in range(start, stop, CHUNK_FRAMES):
            rows = slice(first, min(first + CHUNK_FRAMES, stop))
            base[rows], turns[rows], angles[rows] = retargeting.step(
                positions[rows], poses.rotations[rows], contacts[rows], 1 / poses.frame_rate
            )
        if progress is not None:
            progress(stop, count)
    roots, yaws = scale * poses.positions[:, 0].astype(np.float64), yaw_of(poses.rotations[:, 0].astype(np.float64))
    following, steps = _find_root_steps(database, roots, yaws, scale)
    return RobotFrames(
        model=model,
        plan=retargeting.plan,
        scale=scale,
        frame_rate=poses.frame_rate,
        angles=angles,
        base_positions=rotate_about_y(base - roots * GROUND_AXES, -yaws),
        base_rotations=quaternion.multiply(rotation.from_axis_angle(UP_AXIS, -yaws), turns),
        contacts=contacts,
        following=following,
        root_steps=steps,
    )


def _find_root_steps(
    database: Database, roots: np.ndarray, yaws: np.ndarray, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """The next frame of each, and the root's way there."""
    poses, count = database.poses, len(roots)
    following = np.minimum(np.arange(count, dtype=np.int32) + 1, count - 1)
    ends = poses.clip_stops - 1
    following[ends] = np.where(poses.clip_loops, poses.clip_starts, ends)
    away = rotate_about_y((roots[following] - roots) * GROUND_AXES, -yaws)
    rises = (roots[following] - roots) @ UP_AXIS
    steps = np.stack([away[:, 0], away[:, 2], wrap_angle(yaws[following] - yaws), rises], axis=1)
    before = np.maximum(ends - 1, poses.clip_starts)
    steps[ends] = np.where(poses.clip_loops[:, None], steps[before], 0.0)  # a loop goes on as it came
    return following, steps
