"""What playing a database takes of every frame beyond its pose: the root's way, how contacts last, heights of toes."""

import numpy as np

from kinematch.database.poses import PoseDatabase
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import forward

PACE_WINDOW = 0.5  # s over which the pace of a clip is averaged: about a step
BATCH = 4096  # frames at a time: all global positions at once would be large


def find_next_frames(poses: PoseDatabase) -> np.ndarray:
    """(F,) int32: a clip's last is its own, unless it loops."""
    frames = np.arange(1, poses.frame_count + 1, dtype=np.int32)
    frames[poses.clip_stops - 1] = np.where(poses.clip_loops, poses.clip_starts, poses.clip_stops - 1)
    return frames


def measure_root_tracks(poses: PoseDatabase) -> np.ndarray:
    """(F, 6) x and z in m and yaw in rad of the root, and their change to the clip's next frame; from the last frame of
    a loop to the first of its next round."""
    yaws = yaw_of(poses.rotations[:, 0]).astype(np.float64)
    places = np.column_stack([poses.positions[:, 0, ::2].astype(np.float64), yaws])
    changes = np.diff(places, axis=0, append=places[-1:])
    first, last, loops = places[poses.clip_starts], poses.clip_stops - 1, poses.clip_loops
    shifts = rotate_about_y(poses.loop_positions * np.array([1.0, 0, 1]), first[:, 2])[:, ::2]
    rounds = np.column_stack([shifts, yaw_of(poses.loop_rotations).reshape(-1)])
    changes[last] = np.where(loops[:, None], first + rounds - places[last], 0.0)
    changes[:, 2] = wrap_angle(changes[:, 2])
    return np.column_stack([places, changes])


def measure_toe_heights(poses: PoseDatabase) -> np.ndarray:
    """(F, K) m, of the contact joints above the root."""
    joints = poses.contact_joints
    heights = np.zeros((poses.frame_count, len(joints)), np.float32)
    for start in range(0, poses.frame_count if len(joints) else 0, BATCH):
        own = slice(start, start + BATCH)
        positions, _ = forward(poses.skeleton, poses.positions[own], poses.rotations[own])
        heights[own] = positions[:, joints, 1] - positions[:, :1, 1]
    return heights


def measure_contact_left(poses: PoseDatabase) -> np.ndarray:
    """(F, K) s that each contact goes on."""
    left = np.zeros((poses.frame_count, poses.contacts.shape[1]), np.float32)
    for clip in range(poses.clip_count):
        own = poses.clip_frames(clip)
        # a loop goes on where it began, so its end is counted with another round behind it
        rounds = 2 if poses.clip_loops[clip] else 1
        contacts = np.tile(poses.contacts[own], (rounds, 1))
        frames = np.arange(len(contacts))[:, None]
        ends = np.minimum.accumulate(np.where(contacts, len(contacts), frames)[::-1], axis=0)[::-1]
        left[own] = (ends - frames)[: own.stop - own.start] / poses.frame_rate
    return left


def measure_paces(poses: PoseDatabase) -> np.ndarray:
    """(F,) m/s of the root, averaged over about a step; loops are averaged across their seam."""
    speeds = np.linalg.norm(poses.velocities[:, 0], axis=-1)
    reach = max(1, round(PACE_WINDOW * poses.frame_rate / 2))
    paces = np.empty(poses.frame_count, np.float32)
    for start, stop, loops in zip(poses.clip_starts, poses.clip_stops, poses.clip_loops):
        own, around = speeds[start:stop], reach if loops else 0
        total = np.concatenate([[0.0], np.cumsum(np.pad(own, around, mode="wrap"), dtype=np.float64)])
        frames = np.arange(stop - start) + around
        first, last = np.maximum(frames - reach, 0), np.minimum(frames + reach + 1, len(total) - 1)
        paces[start:stop] = (total[last] - total[first]) / (last - first)
    return paces
