"""Simulated users: what trackers would have said if the person of a clip had worn them."""

import numpy as np

from kinematch.avatar.body_frames import find_point_joints, to_body_rotations
from kinematch.avatar.trackers import POINTS, Trackers
from kinematch.math import difference
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip


def track_joints(clip: Clip) -> Trackers:
    """The joints of a clip as trackers without offset, noise or delay would report them, frame by frame."""
    skeleton, dt = clip.skeleton, 1 / clip.frame_rate
    joints = find_point_joints(skeleton)
    known = joints >= 0
    positions, rotations = kinematics.global_pose(clip)
    count = len(positions)
    places, turns = np.zeros((count, len(POINTS), 3)), np.tile([1.0, 0, 0, 0], (count, len(POINTS), 1))
    places[:, known] = positions[:, joints[known]]
    turns[:, known] = to_body_rotations(skeleton, joints[known], rotations[:, joints[known]])
    return Trackers(
        np.arange(count) * dt, places, turns, difference.backward(places, dt),
        difference.angular_backward(turns, dt), np.broadcast_to(known, (count, len(POINTS))),
    )  # fmt: skip
