"""Table: a database as kernels play it, frame by frame."""

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinematch.database.action_table import ActionTable, empty_action_table, make_action_table
from kinematch.database.packing.fields import UnpackedArray
from kinematch.database.packing.layout import Pack, empty_pack
from kinematch.database.packing.poses import PackedPoses, open_features
from kinematch.database.packing.small import restore_columns
from kinematch.database.playback import (
    find_next_frames,
    measure_contact_left,
    measure_paces,
    measure_root_tracks,
    measure_toe_heights,
)
from kinematch.database.poses import PoseDatabase
from kinematch.database.schema import FeatureSchema
from kinematch.database.storage import Database
from kinematch.math.networks import Net, empty_net
from kinematch.motion.heading import yaw_of
from kinematch.motion.rig import find_moving, find_toe_rests

EACH_ROW, EACH_RUN = 1, 2  # frames of each character's own: a pose that Python computed, or two of a model's run
HORIZON_X, HORIZON_Z = 0, 1  # of Runs.pace_columns
POSITION, DIRECTION = 0, 3  # first numbers of a trajectory sample: x, y, z, then the direction's x, y, z


class SearchTable(NamedTuple):
    """By the number of a filter, and for each of three modes (idle.py): how to search."""

    handles: np.ndarray  # (P, 3) int64, addresses of what the search reads
    ignores: np.ndarray  # (P, 3) int64, frames around the playing one that are no targets
    admits: np.ndarray  # (P, 3) bool, whether any frame may be taken
    exact: int  # whether kernels search; else a user's matcher does


def empty_search() -> SearchTable:
    return SearchTable(np.zeros((0, 3), np.int64), np.zeros((0, 3), np.int64), np.zeros((0, 3), bool), 0)


class Runs(NamedTuple):
    """A learned model, and how far its runs are: see run_path_kernels.py. A frame has W features and latents."""

    frames: np.ndarray  # (2N, W) float32, normalised
    roots: np.ndarray  # (2N, 3) float32, m/s and rad/s to the frame that follows, in the root's axes
    entries: np.ndarray  # (N,) int32, of the codebook, where each run began
    steps: np.ndarray  # (N,) int32, frames since then
    knots: np.ndarray  # (E, W) uint16, of splines through the codebook; value = lowest + step * knot
    lowest: np.ndarray  # (W,) float32
    step: np.ndarray  # (W,) float32
    last: np.ndarray  # (E,) int32, the last entry that each leads to without a gap
    steps_left: np.ndarray  # (E,) int32, frames to the end of the clip
    limits: np.ndarray  # (2, W) float32, that the stepper is kept within
    weights: np.ndarray  # (D,) float32, of features
    chains: np.ndarray  # (K, C) int32, joints from below the root down to each contact joint, -1 past the end
    rests: np.ndarray  # (J, 3) float32 m, places of joints in their parent's space
    rest_places: np.ndarray  # (M, 3) float32 m, those of the table's moving joints
    told: np.ndarray  # (P,) int32, which of the moving joints the decompressor tells the places of
    slots: np.ndarray  # (J,) int32, which moving joint each is, or -1
    axes: np.ndarray  # (6, J) int32, columns of the numbers that a joint's rotation is decoded from; the root has none
    pace_columns: np.ndarray  # (2,) int32, of the features, x and z at the first horizon; -1 where there is none
    decompressor: Net
    stepper: Net
    projector: Net  # without layers where the codebook is searched
    pace_seconds: float  # that horizon
    stride: int  # frames between entries
    beginning: int  # the entry that characters begin at
    longest: int  # frames that a run without a clip is trusted


def empty_runs() -> Runs:
    single, whole, rows = np.zeros(0, np.float32), np.zeros(0, np.int32), (0, 0)
    return Runs(
        frames=single.reshape(rows), roots=single.reshape(rows), entries=whole, steps=whole,
        knots=np.zeros(rows, np.uint16), lowest=single, step=single, last=whole, steps_left=whole,
        limits=single.reshape(rows), weights=single, chains=whole.reshape(rows), rests=single.reshape(rows),
        rest_places=single.reshape(rows), told=whole, slots=whole, axes=whole.reshape(rows), pace_columns=whole,
        decompressor=empty_net(), stepper=empty_net(), projector=empty_net(), pace_seconds=1.0, stride=1, beginning=0,
        longest=0,
    )  # fmt: skip


class Table(NamedTuple):
    rotations: np.ndarray  # (F, J, 4)
    velocities: np.ndarray  # (F, J, 3) m/s
    angular_velocities: np.ndarray  # (F, J, 3) rad/s
    places: np.ndarray  # (F, M, 3) m, where the moving joints are in their parent's space
    moving: np.ndarray  # (M,) int32, which joints those are; never the root
    contacts: np.ndarray  # (F, K) bool
    contact_left: np.ndarray  # (F, K) s that each contact goes on
    toe_heights: np.ndarray  # (F, K) m, of the contact joints above the root
    toe_rests: np.ndarray  # (K,) m, that height while they stand
    no_exit: np.ndarray  # (F,) bool
    clip_of: np.ndarray  # (F,) int32
    starts: np.ndarray  # (C,) int32
    stops: np.ndarray  # (C,) int32
    loops: np.ndarray  # (C,) bool
    loop_shifts: np.ndarray  # (C, 3) m, of one round in the axes of the first frame
    loop_turns: np.ndarray  # (C,) rad
    next_frames: np.ndarray  # (F,) int32: a clip's last is its own, unless it loops
    root_paths: np.ndarray  # (F, 6) the root's x and z in m and yaw in rad, and their change to the clip's next frame
    paces: np.ndarray  # (F,) m/s of the root, averaged over about a step
    features: np.ndarray  # (F, D) float32, normalised
    feature_offset: np.ndarray  # (D,) float32
    feature_scale: np.ndarray  # (D,) float32
    trajectory_columns: np.ndarray  # (T, 3) int32: column, which number of a trajectory sample, which time
    horizons: np.ndarray  # (T,) s, times of the trajectory, the past first
    pack: Pack  # of a packed database, whose arrays by frame above have no rows
    runs: Runs  # of a learned model
    actions: ActionTable
    search: Any  # SearchTable; outside kernels, what searches
    frame_rate: float
    frame_count: int
    past_count: int  # of the horizons
    each: int  # EACH_ROW, EACH_RUN; 0 in a database, whose frames all characters share


def empty_table() -> Table:
    """What kernels are compiled for: the types of every field, with nothing in them."""
    single, double, whole, flag = (np.zeros(0, kind) for kind in (np.float32, np.float64, np.int32, bool))
    rows, poses = (0, 0), (0, 0, 0)
    return Table(
        rotations=single.reshape(poses), velocities=single.reshape(poses), angular_velocities=single.reshape(poses),
        places=single.reshape(poses), moving=whole, contacts=flag.reshape(rows), contact_left=single.reshape(rows),
        toe_heights=single.reshape(rows), toe_rests=double, no_exit=flag, clip_of=whole, starts=whole, stops=whole,
        loops=flag, loop_shifts=double.reshape(rows), loop_turns=double, next_frames=whole,
        root_paths=double.reshape(rows), paces=single,
        features=single.reshape(rows), feature_offset=single, feature_scale=single,
        trajectory_columns=whole.reshape(rows), horizons=double, pack=empty_pack(), runs=empty_runs(),
        actions=empty_action_table(), search=empty_search(), frame_rate=0.0, frame_count=0, past_count=0, each=0,
    )  # fmt: skip


_MADE: WeakKeyDictionary[PoseDatabase, Table] = WeakKeyDictionary()


def make_table(database: Database, moving: np.ndarray | None = None) -> Table:
    """Made once for each database: a large one takes a second, and studios make crowds as they go.

    `moving`: joints whose places are remembered, where those are more than move in this database.
    """
    poses, features = database.poses, database.features
    packed = isinstance(poses, PackedPoses)
    if poses not in _MADE:
        _MADE[poses] = _build_packed_table(poses) if isinstance(poses, PackedPoses) else _build_table(poses)
    columns, horizons = find_trajectory_columns(features.schema)
    values = np.zeros((0, features.width), np.float32) if packed else features.values
    table = _MADE[poses]._replace(
        features=_read_only(values), feature_offset=_read_only(features.offset),
        feature_scale=_read_only(features.scale), trajectory_columns=columns, horizons=horizons,
        past_count=int((horizons < 0).sum()),
        actions=make_action_table(poses, features),
    )  # fmt: skip
    if moving is None or np.array_equal(moving, table.moving):
        return table
    if isinstance(poses, PackedPoses):
        return table._replace(moving=moving, pack=_place_joints(poses, moving))
    return table._replace(moving=moving, places=_read_only(poses.positions[:, moving]))


def _build_table(poses: PoseDatabase) -> Table:
    """All but the features."""
    heights = measure_toe_heights(poses)
    moving = find_moving(poses.skeleton, poses.positions)
    return empty_table()._replace(
        rotations=_read_only(poses.rotations),
        velocities=_read_only(poses.velocities),
        angular_velocities=_read_only(poses.angular_velocities),
        places=_read_only(poses.positions[:, moving]),
        moving=moving,
        contacts=_read_only(poses.contacts),
        contact_left=measure_contact_left(poses),
        toe_heights=heights,
        toe_rests=find_toe_rests(heights, poses.contacts),
        no_exit=_read_only(poses.no_exit),
        clip_of=np.repeat(np.arange(poses.clip_count, dtype=np.int32), poses.clip_stops - poses.clip_starts),
        starts=np.array(poses.clip_starts),
        stops=np.array(poses.clip_stops),
        loops=np.array(poses.clip_loops),
        loop_shifts=poses.loop_positions.astype(np.float64),
        loop_turns=yaw_of(poses.loop_rotations).astype(np.float64).reshape(-1),
        next_frames=find_next_frames(poses),
        root_paths=measure_root_tracks(poses),
        paces=measure_paces(poses),
        frame_rate=float(poses.frame_rate),
        frame_count=poses.frame_count,
    )


def _build_packed_table(poses: PackedPoses) -> Table:
    """Arrays by frame stay packed; those by clip are as in any table."""
    joints, contacts, pack = poses.skeleton.joint_count, len(poses.contact_joints), poses.pack
    heights = restore_columns(pack.toe_heights, pack.toe_bases, pack.toe_steps)
    single, rows = np.float32, 0
    return empty_table()._replace(
        rotations=np.zeros((rows, joints, 4), single), velocities=np.zeros((rows, joints, 3), single),
        angular_velocities=np.zeros((rows, joints, 3), single), moving=np.array(poses.frames.moving, np.int32),
        places=np.zeros((rows, len(poses.frames.moving), 3), single), contacts=np.zeros((rows, contacts), bool),
        contact_left=np.zeros((rows, contacts), single), toe_heights=np.zeros((rows, contacts), single),
        toe_rests=find_toe_rests(heights, np.asarray(poses.contacts)), root_paths=np.zeros((rows, 6)),
        starts=np.array(poses.clip_starts), stops=np.array(poses.clip_stops), loops=np.array(poses.clip_loops),
        loop_shifts=poses.loop_positions.astype(np.float64), loop_turns=poses.frames.loop_turns,
        pack=_place_joints(poses, poses.frames.moving),
        frame_rate=float(poses.frame_rate), frame_count=poses.frame_count,
    )  # fmt: skip


def _place_joints(poses: PackedPoses, moving: np.ndarray) -> Pack:
    """The pack with what kernels need for the places of some joints."""
    known = {int(joint): slot for slot, joint in enumerate(poses.frames.moving)}
    slots = np.array([known.get(int(joint), -1) for joint in moving], np.int32)
    return poses.pack._replace(slots=slots, rests=np.array(poses.frames.rest[moving], np.float32))


def index_by_frame(table: Table, poses: PoseDatabase) -> Table:
    """A table whose arrays Python can index by frame: those of a packed one are unpacked as they are indexed."""
    if not isinstance(poses, PackedPoses):
        return table
    frames, pack, count = poses.frames, poses.pack, poses.frame_count
    contacts, rate = len(poses.contact_joints), poses.frame_rate

    def stand_in(shape: tuple[int, ...], dtype: type, unpack: Callable[[np.ndarray], np.ndarray]) -> Any:
        return UnpackedArray((count, *shape), dtype, unpack)

    return table._replace(
        rotations=poses.rotations, velocities=poses.velocities, angular_velocities=poses.angular_velocities,
        places=stand_in((len(table.moving), 3), np.float32, lambda f: frames.read_positions(f)[:, table.moving]),
        features=open_features(pack), pack=empty_pack(), contacts=poses.contacts, no_exit=poses.no_exit,
        contact_left=stand_in((contacts,), np.float32, lambda f: pack.contact_left[f] / rate),
        toe_heights=stand_in(
            (contacts,), np.float32, lambda f: restore_columns(pack.toe_heights[f], pack.toe_bases, pack.toe_steps)
        ),
        clip_of=stand_in((), np.int32, frames.find_clips),
        next_frames=stand_in((), np.int32, frames.find_next),
        root_paths=stand_in((6,), np.float64, frames.read_root_paths),
        paces=stand_in((), np.float32, lambda f: pack.paces[f] * pack.pace_step),
    )  # fmt: skip


def find_trajectory_columns(schema: FeatureSchema) -> tuple[np.ndarray, np.ndarray]:
    """Which column holds which number of the built-in trajectory, by time, and the times in seconds."""
    times = list(schema.times)
    columns = []
    for feature, own in zip(schema.features, schema.columns.values()):
        if feature.kind in ("trajectory_position", "trajectory_direction"):
            first = POSITION if feature.kind == "trajectory_position" else DIRECTION
            axes = (0, 1, 2) if feature.dimensions == 3 else (0, 2)
            spots = [(time, axis) for time in feature.times for axis in axes]
            columns += [(own.start + i, first + axis, times.index(time)) for i, (time, axis) in enumerate(spots)]
    columns.sort(key=lambda one: one[2])  # horizon after horizon, so that each is taken once
    return np.array(columns, np.int32).reshape(-1, 3), np.array(times, np.float64)


def _read_only(array: np.ndarray) -> np.ndarray:
    """A plain view, never to be written to."""
    view = np.ascontiguousarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view
