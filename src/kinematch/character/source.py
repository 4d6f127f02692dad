"""Source: a database as the step needs it, every array ready for the kernels."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinematch.character.state import wide
from kinematch.compile.handle import opening
from kinematch.control.body import wrapped
from kinematch.database.poses import PoseDatabase
from kinematch.math import quaternion
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import forward
from kinematch.motion.skeleton import Skeleton

STILL = 1e-5  # m, within which a joint's place in its parent's space counts as fixed
SPEED_WINDOW = 0.5  # s over which the pace of a clip is averaged: about a step


class Source(NamedTuple):
    rotations: np.ndarray  # (F, J, 4)
    velocities: np.ndarray  # (F, J, 3) m/s
    angular_velocities: np.ndarray  # (F, J, 3) rad/s
    contacts: np.ndarray  # (F, K) bool
    contact_left: np.ndarray  # (F, K) s that each contact goes on
    no_exit: np.ndarray  # (F,) bool
    rest: np.ndarray  # (J, 3) m, where joints are that never move in their parent's space
    moving: np.ndarray  # (M,) int32, those that do; never the root
    places: np.ndarray  # (F, M, 3) m, where these are
    clip_of: np.ndarray  # (F,) int32
    starts: np.ndarray  # (C,) int32
    stops: np.ndarray  # (C,) int32
    loops: np.ndarray  # (C,) bool
    loop_shifts: np.ndarray  # (C, 3) m, of one round in the axes of the first frame
    loop_turns: np.ndarray  # (C,) rad
    next_frames: np.ndarray  # (F,) int32: a clip's last is its own, unless it loops
    roads: np.ndarray  # (F, 6) where the root is (x and z in m, yaw in rad), and its way to the next frame of the clip
    paces: np.ndarray  # (F,) m/s of the root, averaged over about a step
    toe_heights: np.ndarray  # (F, K) m above the root
    toe_rests: np.ndarray  # (K,) m, that height while they stand
    parents: np.ndarray  # (J,) int32
    distances: np.ndarray  # (2, W) bytes from the root's rotation and vector to each joint's; none where there is none
    legs: np.ndarray  # (K, 4) int32: upper, lower, foot, toe; none for rigs without legs
    below: np.ndarray  # (K, B) int32, the joints that hang on each upper leg, parents first; -1 for none
    hinges: np.ndarray  # (K, 3) axis about which each knee bends, in the upper leg's space
    frame_rate: float


def _empty() -> Source:
    """What kernels were compiled for: the types of every field, with nothing in them."""
    single, double, whole, flag = (np.zeros(0, kind) for kind in (np.float32, np.float64, np.int32, bool))
    table, poses = (0, 0), (0, 0, 0)
    return Source(
        rotations=single.reshape(poses), velocities=single.reshape(poses), angular_velocities=single.reshape(poses),
        contacts=flag.reshape(table), contact_left=single.reshape(table), no_exit=flag, rest=single.reshape(table),
        moving=whole, places=single.reshape(poses), clip_of=whole, starts=whole, stops=whole, loops=flag,
        loop_shifts=double.reshape(table), loop_turns=double, next_frames=whole, roads=double.reshape(table),
        paces=single, toe_heights=single.reshape(table), toe_rests=double, parents=whole,
        distances=np.zeros(table, np.int64), legs=whole.reshape(table), below=whole.reshape(table),
        hinges=single.reshape(table), frame_rate=0.0,
    )  # fmt: skip


opened_source = opening(_empty())
_MADE: WeakKeyDictionary[PoseDatabase, Source] = WeakKeyDictionary()


def source(poses: PoseDatabase) -> Source:
    """Made once for each database: of a large one it takes a second, and studios make crowds as they go."""
    if poses not in _MADE:
        _MADE[poses] = _source(poses)
    return _MADE[poses]


def remembering(poses: PoseDatabase, moving: np.ndarray) -> Source:
    """The same with other joints whose places are remembered."""
    return source(poses)._replace(moving=moving, places=_plain(poses.positions[:, moving]))


def _source(poses: PoseDatabase) -> Source:
    skeleton = poses.skeleton
    spread = np.ptp(poses.positions[:, 1:], axis=0).max(axis=-1, initial=0.0)
    moving = (1 + np.flatnonzero(spread > STILL)).astype(np.int32)
    legs = legs_of(skeleton, poses.contact_joints)
    clips = np.arange(poses.clip_count, dtype=np.int32)
    heights = _toe_heights(poses, legs)
    return Source(
        rotations=_plain(poses.rotations),
        velocities=_plain(poses.velocities),
        angular_velocities=_plain(poses.angular_velocities),
        contacts=_plain(poses.contacts),
        contact_left=_contact_left(poses),
        no_exit=_plain(poses.no_exit),
        rest=np.array(poses.positions[0], np.float32),
        moving=moving,
        places=_plain(poses.positions[:, moving]),
        clip_of=np.repeat(clips, poses.clip_stops - poses.clip_starts),
        starts=np.array(poses.clip_starts),
        stops=np.array(poses.clip_stops),
        loops=np.array(poses.clip_loops),
        loop_shifts=poses.loop_positions.astype(np.float64),
        loop_turns=yaw_of(poses.loop_rotations).astype(np.float64).reshape(-1),
        next_frames=_next_frames(poses),
        roads=_roads(poses),
        paces=_paces(poses),
        toe_heights=heights,
        toe_rests=_toe_rests(poses, heights),
        parents=np.array(skeleton.parents, np.int32),
        distances=_distances(skeleton.joint_count),
        legs=legs,
        below=_below(skeleton, legs),
        hinges=_hinges(poses, legs),
        frame_rate=float(poses.frame_rate),
    )


def _next_frames(poses: PoseDatabase) -> np.ndarray:
    frames = np.arange(1, poses.frame_count + 1, dtype=np.int32)
    frames[poses.clip_stops - 1] = np.where(poses.clip_loops, poses.clip_starts, poses.clip_stops - 1)
    return frames


def _roads(poses: PoseDatabase) -> np.ndarray:
    yaws = yaw_of(poses.rotations[:, 0]).astype(np.float64)
    places = np.column_stack([poses.positions[:, 0, ::2].astype(np.float64), yaws])
    ways = np.diff(places, axis=0, append=places[-1:])
    ways[:, 2] = wrapped(ways[:, 2])
    ways[poses.clip_stops - 1] = 0.0  # past the last frame, of a loop too, it stays there
    return np.column_stack([places, ways])


def legs_of(skeleton: Skeleton, contact_joints: np.ndarray) -> np.ndarray:
    """(K, 4) the leg of each contact joint, by roles; none unless each has one."""
    legs = []
    for joint in contact_joints.tolist():
        for side in ("left", "right"):
            parts = [skeleton.roles.get(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")]
            if None not in parts and parts[2] in skeleton.chain(joint):
                legs.append([*parts, joint])
    return np.array(legs if len(legs) == len(contact_joints) else [], np.int32).reshape(-1, 4)


def _distances(joints: int) -> np.ndarray:
    distances = np.zeros((2, wide(joints)), np.int64)
    distances[:, :joints] = np.arange(joints) * [[16], [12]]
    return distances


def _below(skeleton: Skeleton, legs: np.ndarray) -> np.ndarray:
    hanging = [[j for j in range(leg[0] + 1, skeleton.joint_count) if leg[0] in skeleton.chain(j)] for leg in legs]
    most = max(map(len, hanging), default=0)
    return np.array([own + [-1] * (most - len(own)) for own in hanging], np.int32).reshape(len(legs), most)


def _toe_heights(poses: PoseDatabase, legs: np.ndarray) -> np.ndarray:
    heights = np.zeros((poses.frame_count, len(legs)), np.float32)
    if len(legs):
        for start in range(0, poses.frame_count, 4096):  # in pieces: all global positions at once would be large
            own = slice(start, start + 4096)
            positions, _ = forward(poses.skeleton, poses.positions[own], poses.rotations[own])
            heights[own] = positions[:, legs[:, 3], 1] - positions[:, :1, 1]
    return heights


def _hinges(poses: PoseDatabase, legs: np.ndarray) -> np.ndarray:
    """The mean of how knees bend, the more a knee is bent the more it counts."""
    hinges = np.zeros((len(legs), 3), np.float32)
    if not len(legs):
        return hinges
    some = slice(None, None, max(1, poses.frame_count // 5000))
    positions, rotations = forward(poses.skeleton, poses.positions[some], poses.rotations[some])
    for leg, (upper, lower, foot, _) in enumerate(legs):
        bends = np.cross(positions[:, lower] - positions[:, upper], positions[:, foot] - positions[:, lower])
        mean = quaternion.rotate(quaternion.inverse(rotations[:, upper]), bends).mean(axis=0, dtype=np.float64)
        hinges[leg] = mean / max(np.linalg.norm(mean), 1e-9)
    return hinges


def _contact_left(poses: PoseDatabase) -> np.ndarray:
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


def _toe_rests(poses: PoseDatabase, heights: np.ndarray) -> np.ndarray:
    rests = np.zeros(heights.shape[1])
    for toe in range(heights.shape[1]):
        standing = heights[poses.contacts[:, toe], toe]
        rests[toe] = np.median(standing) if len(standing) else heights[:, toe].min()
    return rests


def _paces(poses: PoseDatabase) -> np.ndarray:
    speeds = np.linalg.norm(poses.velocities[:, 0], axis=-1)
    reach = max(1, round(SPEED_WINDOW * poses.frame_rate / 2))
    paces = np.empty(poses.frame_count, np.float32)
    for start, stop in zip(poses.clip_starts, poses.clip_stops):
        total = np.concatenate([[0.0], np.cumsum(speeds[start:stop], dtype=np.float64)])
        frames = np.arange(stop - start)
        first, last = np.maximum(frames - reach, 0), np.minimum(frames + reach + 1, stop - start)
        paces[start:stop] = (total[last] - total[first]) / (last - first)
    return paces


def _plain(array: np.ndarray) -> np.ndarray:
    """A view that numba knows, and always of the same type: never to be written to."""
    view = np.ascontiguousarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view
