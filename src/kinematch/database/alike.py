"""Frames alike in features but unlike in the upper body: a search takes one for the other, and the arms flap."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.poses import PoseDatabase
from kinematch.database.prepare import MIRRORED
from kinematch.database.storage import Database
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

STEP = 0.1  # s between the frames looked at; poses change little in less
APART = 1.0  # s, nearer frames of one clip are the same motion
MOST = 12_000  # frames looked at, so that an hour of motion takes seconds too
BLOCK = 512  # rows of the distance matrix at a time: 25 MB


@dataclass(frozen=True)
class Pair:
    """Two moments that the features can hardly tell apart."""

    clips: tuple[str, str]
    times: tuple[float, float]  # s in their clips
    distance: float  # of their weighted features
    apart: float  # m, mean distance of the upper-body joints in the root's frame
    joint: str  # the joint furthest apart
    joint_apart: float  # m


def alike_but_unlike(database: Database, *, count: int = 10) -> list[Pair]:
    """The pairs furthest apart in the upper body among those nearest in features, one for each place."""
    poses, features = database.poses, database.features
    joints = upper_body(poses.skeleton)
    frames = np.flatnonzero(features.targets)
    frames = frames[:: max(1, round(STEP * poses.frame_rate), len(frames) // MOST)]
    if len(frames) < 2 or not joints:
        return []
    near, distance = _nearest_elsewhere(features.weighted_values()[frames], frames, poses)
    a = np.flatnonzero(np.isfinite(distance))
    if not len(a):
        return []
    b, distance = near[a], distance[a]
    pose = poses.pose(frames)
    positions = np.array(pose.positions)
    positions[:, 0] = 0
    rotations = np.array(pose.rotations)
    rotations[:, 0] = (1, 0, 0, 0)
    upper = kinematics.forward(poses.skeleton, positions, rotations)[0][:, joints]
    gap = np.linalg.norm(upper[a] - upper[b], axis=-1)  # (pairs, joints) m
    # nearer than the median neighbour: pairs that a search would indeed confuse
    order = [k for k in np.argsort(-gap.mean(axis=1)) if distance[k] <= np.median(distance)]
    pairs: list[Pair] = []
    for k in order:
        pair = _pair(database, sorted((int(frames[a[k]]), int(frames[b[k]]))), joints, gap[k], float(distance[k]))
        if not any(_same_place(pair, other) for other in pairs):
            pairs.append(pair)
        if len(pairs) == count:
            break
    return pairs


def _nearest_elsewhere(values: np.ndarray, frames: np.ndarray, poses: PoseDatabase) -> tuple[np.ndarray, np.ndarray]:
    """For each row the nearest of another clip or of another time of its own, and its distance (infinite if none)."""
    clips, reach = poses.clip_of(frames), round(APART * poses.frame_rate)
    first = np.searchsorted(frames, np.maximum(frames - reach, poses.clip_starts[clips]))
    last = np.searchsorted(frames, np.minimum(frames + reach, poses.clip_stops[clips]))
    half = np.einsum("nd,nd->n", values, values) / 2
    near, distance = np.empty(len(values), np.int64), np.empty(len(values), np.float32)
    for start in range(0, len(values), BLOCK):
        stop = min(start + BLOCK, len(values))
        costs = half - values[start:stop] @ values.T  # half the squared distance, but for the row's own square
        for k in range(start, stop):
            costs[k - start, first[k] : last[k]] = np.inf
        near[start:stop] = costs.argmin(axis=1)
        distance[start:stop] = costs.min(axis=1)
    return near, np.sqrt(np.maximum(2 * (distance + half), 0))


def _pair(database: Database, places: list[int], joints: list[int], gap: np.ndarray, distance: float) -> Pair:
    poses = database.poses
    clips = [int(clip) for clip in poses.clip_of(np.array(places))]
    times = [(place - int(poses.clip_starts[clip])) / poses.frame_rate for place, clip in zip(places, clips)]
    worst = int(gap.argmax())
    return Pair(
        clips=(poses.clip_names[clips[0]], poses.clip_names[clips[1]]),
        times=(times[0], times[1]),
        distance=distance,
        apart=float(gap.mean()),
        joint=poses.skeleton.names[joints[worst]],
        joint_apart=float(gap[worst]),
    )


def _same_place(a: Pair, b: Pair) -> bool:
    """Within a second at both ends, be it in the mirrored copies."""

    def ends(pair: Pair) -> list[tuple[str, float]]:
        return sorted(zip((name.removesuffix(MIRRORED) for name in pair.clips), pair.times))

    return all(m == n and abs(s - t) < APART for (m, s), (n, t) in zip(ends(a), ends(b)))


def upper_body(skeleton: Skeleton) -> list[int]:
    """The joints that hang on no leg and carry none; rigs without roles have no upper body."""
    roles = [f"{side}_{part}" for side in ("left", "right") for part in ("upper_leg", "foot")]
    below = [skeleton.roles[role] for role in roles if role in skeleton.roles]
    if not below:
        return []
    carriers = {joint for leg in below for joint in skeleton.chain(leg)}
    legs = {j for j in range(skeleton.joint_count) if set(skeleton.chain(j)) & set(below)}
    return [j for j in range(skeleton.joint_count) if j not in carriers | legs]
