"""What features are computed from: the motion of a joint in the root's frame, and the path of the root."""

from dataclasses import dataclass

import numpy as np

from kinematch.database import kernels
from kinematch.database.loops import extend_track
from kinematch.database.poses import FeaturePose, PoseDatabase
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

END_WINDOW = 0.1  # s of a clip's end that its extrapolation continues: a few frames of a smoothed root
BLOCK = 8192  # frames at a time: their intermediate values stay in cache
FORWARD = np.array([0.0, 0.0, 1.0])


def joint_motion(skeleton: Skeleton, pose: FeaturePose, joint: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position (N, 3), rotation (N, 4) and velocity (N, 3) of a joint in the root's frame.

    The velocity is the joint's velocity in the world, in the root's axes: a walker's hips move forward at
    walking speed, though they hardly move within the root's frame.
    """
    arrays = (pose.positions, pose.rotations, pose.velocities, pose.angular_velocities)
    dtype = np.result_type(*arrays)
    chain = np.array(skeleton.chain(joint), np.int32)
    return kernels.joint_motion(*(np.ascontiguousarray(a, dtype) for a in arrays), chain)


def find_joint_axis(skeleton: Skeleton, joint: int, axis: np.ndarray) -> np.ndarray:
    """A direction of the reference T-pose (of the rest pose where there is none) in the joint's own space."""
    _, rotations = kinematics.reference_pose(skeleton)
    return quaternion.rotate(quaternion.inverse(rotations[joint]), axis.astype(rotations.dtype))


@dataclass(frozen=True, eq=False)
class RootPath:
    """For every frame, the root's position and direction at another time, seen from where it is now."""

    positions: np.ndarray  # (F, 3) m, in the root's frame
    directions: np.ndarray  # (F, 3) of unit length, in the root's frame


def measure_root_paths(poses: PoseDatabase, times: tuple[float, ...]) -> list[RootPath]:
    """The root's path at each time in seconds, past or future (thesis eq. 3.12-3.13), finite on every frame."""
    shifts = [_snap_to_frame(time * poses.frame_rate) for time in times]
    before = max(0, -int(np.floor(min(shifts, default=0))))
    after = max(0, int(np.ceil(max(shifts, default=0))))
    long_p, long_r = _extend_tracks(poses, before=before, after=after)
    shape = (poses.frame_count, 3)
    paths = [RootPath(np.empty(shape, np.float32), np.empty(shape, np.float32)) for _ in times]
    for start in range(0, poses.frame_count, BLOCK):
        own = slice(start, start + BLOCK)
        p, back = poses.positions[own, 0], quaternion.inverse(poses.rotations[own, 0].astype(np.float64))
        # where each frame lies on the tracks, which are longer than their clips
        frames = np.arange(start, start + len(p))
        places = frames + poses.clip_of(frames) * (before + after) + before
        for shift, path in zip(shifts, paths):
            there_p, there_r = _sample_track(long_p, long_r, places, shift)
            path.positions[own] = quaternion.rotate(back, there_p - p)
            path.directions[own] = quaternion.rotate(quaternion.multiply(back, there_r), FORWARD)
    return paths


def _extend_tracks(poses: PoseDatabase, *, before: int, after: int) -> tuple[np.ndarray, np.ndarray]:
    """The root's positions and rotations of all clips end to end, each with frames added at both ends."""
    window = max(1, round(END_WINDOW * poses.frame_rate))
    tracks = []
    for c in range(poses.clip_count):
        own = poses.clip_frames(c)
        loop = (poses.loop_positions[c], poses.loop_rotations[c]) if poses.clip_loops[c] else None
        p, r = poses.positions[own, 0], poses.rotations[own, 0]
        tracks.append(extend_track(p, r, before=before, after=after, window=window, loop=loop))
    return np.concatenate([p for p, _ in tracks]), np.concatenate([r for _, r in tracks])


def _snap_to_frame(frames: float) -> float:
    """A time that falls on a frame but for the rounding of a recipe's decimals (0.333 s) is that frame."""
    return float(round(frames)) if abs(frames - round(frames)) < 0.025 else frames


def _sample_track(p: np.ndarray, r: np.ndarray, places: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """A track at frames shifted by a fraction of frames, blended between neighbours."""
    whole = int(np.floor(shift))
    part = shift - whole
    here, there = places + whole, places + whole + 1
    if part == 0:
        return p[here], r[here]
    blended = (1 - part) * r[here] + part * quaternion.nearest(r[there], r[here])
    return (1 - part) * p[here] + part * p[there], quaternion.normalize(blended)
