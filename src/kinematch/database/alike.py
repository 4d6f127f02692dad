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
VISIBLE = 0.05  # m, less passes for the same posture
NEIGHBOURS = 8  # of each frame that are looked at
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
    nearest = distance[np.isfinite(distance[:, 0]), 0]
    if not len(nearest):
        return []
    # nearer than the usual neighbour: pairs that a search would indeed confuse
    a, k = np.nonzero(distance <= np.median(nearest))
    b, distance = near[a, k], distance[a, k]
    upper = _in_root_frame(poses, frames)[:, joints]
    gap = np.linalg.norm(upper[a] - upper[b], axis=-1)  # (pairs, joints) m
    pairs: list[Pair] = []
    for k in np.argsort(-gap.mean(axis=1)):
        if gap[k].mean() < VISIBLE:
            break
        pair = _pair(database, sorted((int(frames[a[k]]), int(frames[b[k]]))), joints, gap[k], float(distance[k]))
        if not any(_same_place(pair, other) for other in pairs):
            pairs.append(pair)
        if len(pairs) == count:
            break
    return pairs


def _in_root_frame(poses: PoseDatabase, frames: np.ndarray) -> np.ndarray:
    """Positions (N, J, 3) of all joints, as if the root stood at the origin."""
    positions, rotations = np.array(poses.positions[frames]), np.array(poses.rotations[frames])
    positions[:, 0], rotations[:, 0] = 0, (1, 0, 0, 0)
    return kinematics.forward(poses.skeleton, positions, rotations)[0]


def _nearest_elsewhere(values: np.ndarray, frames: np.ndarray, poses: PoseDatabase) -> tuple[np.ndarray, np.ndarray]:
    """For each row the nearest of other clips or of other times of its own, and how far they are (infinite if none).

    Several, nearest first: the very nearest is often the next stride of the same walk.
    """
    clips, reach = poses.clip_of(frames), round(APART * poses.frame_rate)
    first = np.searchsorted(frames, np.maximum(frames - reach, poses.clip_starts[clips]))
    last = np.searchsorted(frames, np.minimum(frames + reach, poses.clip_stops[clips]))
    half = np.einsum("nd,nd->n", values, values) / 2
    count = min(NEIGHBOURS, len(values))
    near, distance = np.empty((len(values), count), np.int64), np.empty((len(values), count), np.float32)
    for start in range(0, len(values), BLOCK):
        stop = min(start + BLOCK, len(values))
        costs = half - values[start:stop] @ values.T  # half the squared distance, but for the row's own square
        for k in range(start, stop):
            costs[k - start, first[k] : last[k]] = np.inf
        some = np.argpartition(costs, count - 1, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(costs, some, axis=1), axis=1)
        near[start:stop] = np.take_along_axis(some, order, axis=1)
        distance[start:stop] = np.take_along_axis(costs, near[start:stop], axis=1)
    return near, np.sqrt(np.maximum(2 * (distance + half[:, None]), 0))


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
