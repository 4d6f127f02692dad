"""Signals measured on a clip: joints that never move, jumps, flips, rest poses, speeds."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import difference, quaternion
from kinematch.math.smoothing import savitzky_golay
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import MAX_BODY_SPEED, global_pose, measure_body_speeds

IMPOSSIBLE_TURN = 70.0  # rad/s; faster than anybody moves: a wrist snaps at about 40
FLIP = np.radians(120)  # rad in one frame
MAX_ROUNDING_ANGLE = np.radians(0.01)  # rad; below this a joint is not moving but rounded


@dataclass(frozen=True)
class Events:
    """Frames at which something impossible happens, with the worst value."""

    frames: tuple[int, ...]  # the frame after the jump
    worst: float = 0.0  # m/s, rad/s or rad
    joint: str = ""  # where the worst one is
    body: bool = True  # whether any is in a joint of the body, fingers and toes aside


def dead_joints(clip: Clip) -> list[str]:
    """Joints with children (or a role) that never turn; none in a clip of one frame."""
    if clip.frame_count < 2:
        return []
    skeleton = clip.skeleton
    spread = quaternion.angle(clip.rotations.astype(np.float64), clip.rotations[:1].astype(np.float64)).max(axis=0)
    inner = set(skeleton.parents.tolist()) | set(skeleton.roles.values())
    return [skeleton.names[j] for j in range(skeleton.joint_count) if spread[j] < MAX_ROUNDING_ANGLE and j in inner]


def jumps(clip: Clip) -> Events:
    """Frames into which the body travels faster than anybody can."""
    if clip.frame_count < 2:
        return Events(())
    speeds, body = measure_body_speeds(clip), clip.skeleton.roles.get("hips", 0)
    found = np.flatnonzero(speeds > MAX_BODY_SPEED) + 1
    return Events(tuple(found.tolist()), float(speeds.max(initial=0)), clip.skeleton.names[body])


def turns(clip: Clip) -> tuple[Events, Events]:
    """Joint turns faster than anybody's, and among them flips: more than 120 degrees from one frame to the next."""
    if clip.frame_count < 2:
        return Events(()), Events(())
    rotations = clip.rotations.astype(np.float64)
    angles = quaternion.angle(rotations[1:], rotations[:-1])
    speeds = angles * clip.frame_rate
    return _events(clip, speeds, IMPOSSIBLE_TURN), _events(clip, angles, FLIP)


def _events(clip: Clip, values: np.ndarray, limit: float) -> Events:
    """Events in the body's joints (those with joints below them), or, where there are none, in fingers and toes."""
    joints = np.arange(clip.skeleton.joint_count)
    inner = np.isin(joints, clip.skeleton.parents)
    body = bool((values[:, inner] > limit).any())
    chosen = joints[inner] if body else joints
    frames = np.flatnonzero((values[:, chosen] > limit).any(axis=1)) + 1
    worst = np.unravel_index(np.argmax(values[:, chosen]), (len(values), len(chosen)))
    return Events(tuple(frames.tolist()), float(values[:, chosen][worst]), clip.skeleton.names[chosen[worst[1]]], body)


def rest_frames(clip: Clip) -> int:
    """Frames that show the file's rest pose, every joint within a degree."""
    apart = quaternion.angle(clip.rotations[:, 1:], clip.skeleton.rotations[1:])
    return int((apart.max(axis=1, initial=0) < np.radians(1)).sum()) if clip.skeleton.joint_count > 1 else 0


def ground_speeds(clip: Clip) -> np.ndarray:
    """Horizontal speed of the hips (F,) m/s, smoothed over half a second so that steps do not show."""
    body = clip.skeleton.roles.get("hips", 0)
    global_positions, _ = global_pose(clip)
    path = savitzky_golay(global_positions[:, body, [0, 2]], seconds=0.5, frame_rate=clip.frame_rate)
    return np.linalg.norm(difference.central(path, clip.dt), axis=-1)
