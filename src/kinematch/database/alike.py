"""Frames with similar features but different upper bodies: a search confuses them, and the arms flap."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.poses import PoseDatabase
from kinematch.database.prepare import MIRRORED
from kinematch.database.storage import Database
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

STEP = 0.1  # s between the frames compared; poses change little in less
APART = 1.0  # s; closer frames of one clip are the same motion
VISIBLE = 0.05  # m; a smaller difference is not visible
NEIGHBOURS = 8  # of each frame that are compared
MAX_FRAMES = 12_000  # frames compared at most, so that an hour of motion takes seconds
BLOCK = 512  # rows of the distance matrix at a time: 25 MB


@dataclass(frozen=True)
class Lookalike:
    """Two moments with nearly equal features and different upper bodies."""

    clips: tuple[str, str]
    times: tuple[float, float]  # s in their clips
    distance: float  # of their weighted features
    apart: float  # m, mean distance of the upper-body joints in the root's frame
    joint: str  # the joint furthest apart
    joint_apart: float  # m


def find_lookalikes(database: Database, *, count: int = 10) -> list[Lookalike]:
    """Among frames with similar features, the pairs whose upper bodies differ most; one pair for each moment."""
    poses, features = database.poses, database.features
    joints = find_upper_body(poses.skeleton)
    frames = np.flatnonzero(features.targets)
    frames = frames[:: max(1, round(STEP * poses.frame_rate), len(frames) // MAX_FRAMES)]
    if len(frames) < 2 or not joints:
        return []
    near, distance = _find_nearest(features.weighted_values()[frames], frames, poses)
    nearest = distance[np.isfinite(distance[:, 0]), 0]
    if not len(nearest):
        return []
    # closer than the median neighbour: pairs that a search would really confuse
    a, k = np.nonzero(distance <= np.median(nearest))
    b, distance = near[a, k], distance[a, k]
    upper = _place_in_root_frame(poses, frames)[:, joints]
    gap = np.linalg.norm(upper[a] - upper[b], axis=-1)  # (pairs, joints) m
    pairs: list[Lookalike] = []
    for k in np.argsort(-gap.mean(axis=1)):
        if gap[k].mean() < VISIBLE:
            break
        pair = _describe_pair(
            database, sorted((int(frames[a[k]]), int(frames[b[k]]))), joints, gap[k], float(distance[k])
        )
        if not any(_is_same_place(pair, other) for other in pairs):
            pairs.append(pair)
        if len(pairs) == count:
            break
    return pairs


def _place_in_root_frame(poses: PoseDatabase, frames: np.ndarray) -> np.ndarray:
    """Positions (N, J, 3) of all joints, as if the root stood at the origin."""
    positions, rotations = np.array(poses.positions[frames]), np.array(poses.rotations[frames])
    positions[:, 0], rotations[:, 0] = 0, (1, 0, 0, 0)
    return kinematics.forward(poses.skeleton, positions, rotations)[0]


def _find_nearest(values: np.ndarray, frames: np.ndarray, poses: PoseDatabase) -> tuple[np.ndarray, np.ndarray]:
    """For each row the nearest rows of other clips or other times, nearest first, with distances (infinite if none).

    Several, because the very nearest is often the next stride of the same walk.
    """
    clips, reach = poses.clip_of(frames), round(APART * poses.frame_rate)
    first = np.searchsorted(frames, np.maximum(frames - reach, poses.clip_starts[clips]))
    last = np.searchsorted(frames, np.minimum(frames + reach, poses.clip_stops[clips]))
    half = np.einsum("nd,nd->n", values, values) / 2
    count = min(NEIGHBOURS, len(values))
    near, distance = np.empty((len(values), count), np.int64), np.empty((len(values), count), np.float32)
    for start in range(0, len(values), BLOCK):
        stop = min(start + BLOCK, len(values))
        costs = half - values[start:stop] @ values.T  # half the squared distance, without the square of the row itself
        for k in range(start, stop):
            costs[k - start, first[k] : last[k]] = np.inf
        some = np.argpartition(costs, count - 1, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(costs, some, axis=1), axis=1)
        near[start:stop] = np.take_along_axis(some, order, axis=1)
        distance[start:stop] = np.take_along_axis(costs, near[start:stop], axis=1)
    return near, np.sqrt(np.maximum(2 * (distance + half[:, None]), 0))


def _describe_pair(
    database: Database, places: list[int], joints: list[int], gap: np.ndarray, distance: float
) -> Lookalike:
    poses = database.poses
    clips = [int(clip) for clip in poses.clip_of(np.array(places))]
    times = [(place - int(poses.clip_starts[clip])) / poses.frame_rate for place, clip in zip(places, clips)]
    worst = int(gap.argmax())
    return Lookalike(
        clips=(poses.clip_names[clips[0]], poses.clip_names[clips[1]]),
        times=(times[0], times[1]),
        distance=distance,
        apart=float(gap.mean()),
        joint=poses.skeleton.names[joints[worst]],
        joint_apart=float(gap[worst]),
    )


def _is_same_place(a: Lookalike, b: Lookalike) -> bool:
    """Whether both ends are within a second of each other; mirrored copies count as the original."""

    def ends(pair: Lookalike) -> list[tuple[str, float]]:
        return sorted(zip((name.removesuffix(MIRRORED) for name in pair.clips), pair.times))

    return all(m == n and abs(s - t) < APART for (m, s), (n, t) in zip(ends(a), ends(b)))


def find_upper_body(skeleton: Skeleton) -> list[int]:
    """The joints that are neither part of a leg nor its ancestors; rigs without roles have no upper body."""
    roles = [f"{side}_{part}" for side in ("left", "right") for part in ("upper_leg", "foot")]
    below = [skeleton.roles[role] for role in roles if role in skeleton.roles]
    if not below:
        return []
    carriers = {joint for leg in below for joint in skeleton.chain(leg)}
    legs = {j for j in range(skeleton.joint_count) if set(skeleton.chain(j)) & set(below)}
    return [j for j in range(skeleton.joint_count) if j not in carriers | legs]
