"""Playback in plain numpy: poses of a database at fractional times, and how the root moves between two of them."""

from dataclasses import dataclass

import numpy as np

from kinematch.control.body import turned
from kinematch.database.poses import PoseDatabase
from kinematch.math import quaternion
from kinematch.motion.heading import yaw_of


@dataclass(frozen=True, eq=False)
class Playback:
    """A pose database as the step needs it."""

    poses: PoseDatabase
    next_frames: np.ndarray  # (F,) int32, the frame after each; a clip's last is its own, unless it loops
    last_of: np.ndarray  # (F,) int32, the last frame that can be played on to
    root_positions: np.ndarray  # (F, 3) m, float64
    root_yaws: np.ndarray  # (F,) rad


@dataclass(frozen=True, eq=False)
class Sample:
    """Poses of N characters at their database times; joint 0, the root, is left to the caller."""

    positions: np.ndarray  # (N, J, 3) m
    rotations: np.ndarray  # (N, J, 4)
    velocities: np.ndarray  # (N, J, 3) m/s
    angular_velocities: np.ndarray  # (N, J, 3) rad/s
    contacts: np.ndarray  # (N, K) bool


def playback(poses: PoseDatabase) -> Playback:
    next_frames = np.arange(1, poses.frame_count + 1, dtype=np.int32)
    last_of = np.empty(poses.frame_count, np.int32)
    for start, stop, loop in zip(poses.clip_starts, poses.clip_stops, poses.clip_loops):
        next_frames[stop - 1] = start if loop else stop - 1
        last_of[start:stop] = stop - 1
    roots = poses.positions[:, 0].astype(np.float64)
    return Playback(poses, next_frames, last_of, roots, yaw_of(poses.rotations[:, 0]).astype(np.float64))


def sample(source: Playback, frames: np.ndarray, fractions: np.ndarray) -> Sample:
    """Between a frame and the next: positions and velocities linearly, rotations along the shorter arc."""
    poses, after = source.poses, source.next_frames[frames]
    t = fractions[:, None, None]

    def mixed(values: np.ndarray) -> np.ndarray:
        return values[frames] * (1 - t) + values[after] * t

    rotations = quaternion.nearest(poses.rotations[after], poses.rotations[frames]) * t
    rotations = quaternion.normalize(poses.rotations[frames] * (1 - t) + rotations)
    return Sample(
        mixed(poses.positions), rotations, mixed(poses.velocities), mixed(poses.angular_velocities),
        poses.contacts[np.where(fractions < 0.5, frames, after)],
    )  # fmt: skip


def moved_on(
    source: Playback, frames: np.ndarray, fractions: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frames and fractions after dt, and how many rounds of a loop were completed; at a clip's end time stops."""
    poses = source.poses
    clip = poses.clip_of(frames)
    start, stop, loops = poses.clip_starts[clip], poses.clip_stops[clip], poses.clip_loops[clip]
    times = (frames - start) + fractions + dt * poses.frame_rate
    length = (stop - start).astype(np.float64)
    rounds = np.where(loops, np.floor(times / length), 0).astype(int)
    times = np.where(loops, times - rounds * length, np.minimum(times, length - 1))
    whole = np.minimum(np.floor(times).astype(np.int32), stop - start - 1)
    return (start + whole).astype(np.int32), times - whole, rounds


def root_step(
    source: Playback, before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], rounds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (N, 3) in the root's own axes and turn (N,) from one database time to another of the same clip.

    Taken from the places themselves, not from velocities: however long the steps are, they lead to the same spot.
    """
    p0, yaw0 = _root(source, *before)
    p1, yaw1 = _root(source, *after)
    poses = source.poses
    clip = poses.clip_of(before[0])
    for n in np.flatnonzero(rounds):  # a round further on: the loop's displacement stands in its first frame's axes
        first = int(poses.clip_starts[clip[n]])
        origin, heading = source.root_positions[first], source.root_yaws[first]
        shift = poses.loop_positions[clip[n]].astype(np.float64)
        turn = float(yaw_of(poses.loop_rotations[clip[n]]))
        for _ in range(rounds[n]):
            p1[n] = origin + turned(shift, heading) + turned(p1[n] - origin, turn)
            yaw1[n] += turn
    return turned(p1 - p0, -yaw0), (yaw1 - yaw0 + np.pi) % (2 * np.pi) - np.pi


def _root(source: Playback, frames: np.ndarray, fractions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (N, 3) and headings (N,) of the root in its clip's world; past the last frame it stays there."""
    after = np.minimum(frames + 1, source.last_of[frames])
    positions = source.root_positions
    turn = source.root_yaws[after] - source.root_yaws[frames]
    yaw = source.root_yaws[frames] + fractions * ((turn + np.pi) % (2 * np.pi) - np.pi)
    return positions[frames] * (1 - fractions[:, None]) + positions[after] * fractions[:, None], yaw


def root_rates(source: Playback, frames: np.ndarray, fractions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocity of the root in its own axes (N, 3) and turn rate (N,)."""
    now = sample(source, frames, fractions)
    velocity = quaternion.rotate(quaternion.inverse(now.rotations[:, 0]), now.velocities[:, 0])
    return velocity.astype(np.float64), now.angular_velocities[:, 0, 1].astype(np.float64)
