"""The actions of a database as kernels play them: entries, events, holds, and where their paths may be bent."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinematch.database.action_clears import measure_clears
from kinematch.database.actions import EXIT, FIRST, FRAME, KIND
from kinematch.database.feature_database import FeatureDatabase
from kinematch.database.poses import PoseDatabase
from kinematch.motion.actions import EVENT_KINDS, GRASP, SEAT
from kinematch.motion.clip import true_ranges

LASTING = (EVENT_KINDS.index(SEAT), EVENT_KINDS.index(GRASP))  # events after which an action is held on request
HELD_SPEED = 0.06  # m/s of the hips, below which a body is held
SETTLING_SECONDS = 0.35  # after the event, until it may be
HELD_RISE = 0.1  # m of the hips above the event, at which the body gets up
LEAST_HOLD = 0.1  # s of a hold
FREEDOM = (1.0, 0.35, 0.05)  # share of the warp that a moment takes with no foot, some and all feet down
BASE_SPEED = 0.3  # m/s that is added to the root's, so that a jump on the spot is warped in flight too
SMOOTHING_SECONDS = 0.08  # of these shares
EASE_SECONDS = 0.12  # before the event, in which they fall to none
TRAJECTORY_WEIGHT = 0.15  # weight of the trajectory in the search of an entry without a target


class ActionTable(NamedTuple):
    stretches: np.ndarray  # (S, 4) int32: number of the action, first and last frame of its entry, frame of its exit
    targets: np.ndarray  # (S,) int32, frame of the event that meets the target; -1 for none
    points: np.ndarray  # (S, 3) m, its contact point in the axes of the root at that frame
    clears: np.ndarray  # (S, 3) m that it leaves free around its target, see `measure_clears`
    holds: np.ndarray  # (S, 2) int32, frames between which it is held; -1 for none
    heights: np.ndarray  # (F,) m, of the root; no rows without actions
    sums: np.ndarray  # (F,) share of the warp up to each frame, from the beginning of its clip
    swings: np.ndarray  # (F, K) float32 s until each foot stands again
    weights: np.ndarray  # (2, D) float32, of features of the pose and of the trajectory


def empty_action_table() -> ActionTable:
    whole, single, double, rows = np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0), (0, 0)
    return ActionTable(
        whole.reshape(rows), whole, double.reshape(rows), double.reshape(rows), whole.reshape(rows), double, double,
        single.reshape(rows), single.reshape(rows),
    )  # fmt: skip


_MADE: WeakKeyDictionary[FeatureDatabase, ActionTable] = WeakKeyDictionary()


def make_action_table(poses: PoseDatabase, features: FeatureDatabase) -> ActionTable:
    """Made once for each database."""
    if features not in _MADE:
        _MADE[features] = _build(poses, features) if len(poses.actions.stretches) else empty_action_table()
    return _MADE[features]


def _build(poses: PoseDatabase, features: FeatureDatabase) -> ActionTable:
    actions = poses.actions
    aimed, sums = actions.targets >= 0, np.zeros(poses.frame_count)
    frames = np.where(aimed, actions.events[actions.targets, FRAME], -1) if len(actions.events) else actions.targets
    points = np.zeros((len(frames), 3))
    points[aimed] = actions.points[actions.targets[aimed]]
    for clip in np.unique(poses.clip_of(actions.stretches[:, FIRST])).tolist():
        own = poses.clip_frames(clip)
        inside = frames[(frames >= own.start) & (frames < own.stop)]
        sums[own] = np.cumsum(measure_freedom(poses, own, inside - own.start))
    kinds = np.where(aimed, actions.events[actions.targets, KIND], -1) if len(actions.events) else frames
    holds = np.full((len(frames), 2), -1, np.int32)
    for row in np.flatnonzero(np.isin(kinds, LASTING)).tolist():
        holds[row] = find_hold(poses, int(frames[row]), int(actions.stretches[row, EXIT]))
    weights = np.tile(features.column_weights(), (2, 1))
    for feature, columns in zip(features.schema.features, features.schema.columns.values()):
        weights[1 if feature.group == "pose" else 0, columns] = 0.0
    weights[1] *= TRAJECTORY_WEIGHT
    return ActionTable(
        np.array(actions.stretches), frames.astype(np.int32), points, measure_clears(poses, frames), holds,
        poses.positions[:, 0, 1].astype(np.float64), sums, measure_swings(poses), weights.astype(np.float32),
    )  # fmt: skip


def measure_freedom(poses: PoseDatabase, own: slice, events: np.ndarray) -> np.ndarray:
    """How much of a warp each frame (F,) of a clip takes: the more, the faster it goes and the fewer feet stand."""
    from scipy.ndimage import gaussian_filter1d  # here, since it is slow to import

    standing = poses.contacts[own].mean(axis=1)
    free = np.where(standing == 0, FREEDOM[0], np.where(standing < 1, FREEDOM[1], FREEDOM[2]))
    shares = free * (BASE_SPEED + np.linalg.norm(poses.velocities[own, 0], axis=-1))
    shares = gaussian_filter1d(shares, SMOOTHING_SECONDS * poses.frame_rate, mode="nearest")
    frames = np.arange(len(shares))
    for event in events.tolist():
        left = (event - frames) / (EASE_SECONDS * poses.frame_rate)
        shares = shares * np.where(left < 0, 1.0, np.clip(left, 0.05, 1.0))
    return shares


def find_hold(poses: PoseDatabase, event: int, end: int) -> tuple[int, int]:
    """The longest time after an event in which the hips are still and have not risen; none if that is no moment."""
    start = event + round(SETTLING_SECONDS * poses.frame_rate)
    speeds = np.linalg.norm(poses.velocities[start:end, :2], axis=-1).max(axis=1)  # of the root, and in its axes
    heights = poses.positions[start:end, :2, 1].sum(axis=1)
    highest = poses.positions[event, :2, 1].sum() + HELD_RISE
    risen = np.maximum.accumulate(heights > highest)
    found = max(true_ranges((speeds < HELD_SPEED) & ~risen), key=lambda own: own[1] - own[0], default=(0, 0))
    return (start + found[0], start + found[1] - 1) if found[1] - found[0] > LEAST_HOLD * poses.frame_rate else (-1, -1)


def measure_swings(poses: PoseDatabase) -> np.ndarray:
    """(F, K) s until each foot stands again, 0 while it does; up to the end of the clip where it does not."""
    left = np.zeros((poses.frame_count, poses.contacts.shape[1]), np.float32)
    for clip in range(poses.clip_count):
        own = poses.clip_frames(clip)
        contacts, frames = poses.contacts[own], np.arange(own.stop - own.start)[:, None]
        stands = np.where(contacts, frames, len(contacts))
        left[own] = (np.minimum.accumulate(stands[::-1], axis=0)[::-1] - frames) / poses.frame_rate
    return left
