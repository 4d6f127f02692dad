"""Pack a database: every segment within an error bound, checked on every frame."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinematch.database.feature_database import FeatureDatabase
from kinematch.database.packing.bits import write_segments
from kinematch.database.packing.bodies import measure_distances, place_points
from kinematch.database.packing.frames import make_frames
from kinematch.database.packing.layout import (
    UNIT,
    Cut,
    Pack,
    count_channels,
    cut_clips,
    empty_pack,
    find_blocks,
    find_weights,
)
from kinematch.database.packing.mirrors import Mirror, find_originals, lay_out, make_mirror
from kinematch.database.packing.poses import Marks, PackedPoses, list_clips, open_features, open_poses, open_targets
from kinematch.database.packing.quantise import choose
from kinematch.database.packing.segments import take_segments
from kinematch.database.packing.small import find_runs, pack_flags, quantise_columns
from kinematch.database.playback import (
    measure_contact_left,
    measure_paces,
    measure_root_tracks,
    measure_toe_heights,
)
from kinematch.database.poses import PoseDatabase
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.motion.rig import find_moving
from kinematch.threads import run_each

ERROR = 1e-4  # m
LIMITS = (1e-5, 0.1)  # m, of the bound
ROUNDING = 2e-6  # m by which mirror images may be farther off than what they mirror, as float32 has it
CHUNK = 128  # segments at a time
FLAT = 1e-5  # m that a ground root may leave the ground, and its quaternion the upright


@dataclass(frozen=True, eq=False)
class PackResult:
    database: Database
    errors: np.ndarray  # (F,) m, the largest distance at a joint or end of a chain, on every frame
    raw: int  # segments that are stored as plain numbers
    mirrored: int  # clips that are stored as a flag


def pack_database(
    database: Database, error: float = ERROR, *, progress: Callable[[int, int], None] = lambda done, total: None
) -> PackResult:
    """Poses within `error` in metres at every joint and end of a chain, seen from the root, on every frame."""
    least, most = LIMITS
    if not least <= error <= most:
        raise KinematchError(f"an error of {error:g} m, expected {least:g} to {most:g}")
    poses = database.poses
    if isinstance(poses, PackedPoses):
        raise KinematchError("the database is packed already; pack the one it was made of")
    check_upright(poses)
    moving = find_moving(poses.skeleton, poses.positions)
    mirror = make_mirror(poses.skeleton, moving)
    originals, apart = find_originals(poses, mirror, moving)
    originals[apart > error / 2] = -1  # too little would be left for what they are made of
    small = _pack_small(poses, database.features)
    blocks = _pack_poses(poses, moving, originals, error, apart, progress)
    while True:
        packed = _open(database, blocks.join()._replace(**small), moving, mirror)
        errors = measure_errors(poses, packed.poses)
        assert isinstance(packed.poses, PackedPoses)
        missed = np.flatnonzero(errors > error)
        if not len(missed):
            return PackResult(packed, errors, int(blocks.raw.sum()), int((originals >= 0).sum()))
        segments = packed.poses.frames.find_segments(missed)
        lost = np.unique(poses.clip_of(missed[blocks.raw[segments]]))
        if (originals[lost] < 0).any():
            raise KinematchError(f"clip {poses.clip_names[lost[0]]!r} cannot be stored within {error:g} m")
        if len(lost):  # not the mirror images they were taken for
            originals[lost] = -1
            blocks = _pack_poses(poses, moving, originals, error, apart, progress)
        else:
            for s in np.unique(segments):  # float32 took it over the edge
                blocks.keep_plain(s)


def pack(database: Database, error: float = ERROR) -> Database:
    """The same database in about a tenth of the memory, to be used and saved like any other.

    No joint or end of a chain is farther off than `error` in metres, seen from the root, on any frame.
    """
    return pack_database(database, error).database


def measure_errors(poses: PoseDatabase, other: PoseDatabase) -> np.ndarray:
    """(F,) m, the largest distance at a joint or end of a chain, seen from the root."""
    errors = np.empty(poses.frame_count)
    for start in range(0, poses.frame_count, 4096):
        own = slice(start, start + 4096)
        points = [place_points(poses.skeleton, one.positions[own], one.rotations[own]) for one in (poses, other)]
        errors[own] = measure_distances(*points)
    return errors


def check_upright(poses: PoseDatabase) -> None:
    tilt = float(np.abs(poses.rotations[:, 0, 1::2]).max())
    if tilt > FLAT:
        raise KinematchError(f"the root leaves the upright by {tilt:g}: only ground roots are packed")


def read_root_heights(poses: PoseDatabase) -> np.ndarray | None:
    """(F,) m; None where the root never leaves the ground, as without actions."""
    heights = np.array(poses.positions[:, 0, 1], np.float32)
    return heights if np.abs(heights).max() > FLAT else None


@dataclass(eq=False)
class _Blocks:
    """The segments of a database while it is packed."""

    poses: PoseDatabase
    moving: np.ndarray
    channels: int
    originals: np.ndarray  # (C,) which clips are mirror images of others, or -1
    cut: Cut
    data: list[np.ndarray]  # (S,) bytes
    raw: np.ndarray  # (S,) bool
    centres: np.ndarray  # (S, M, 3)

    def keep_plain(self, s: int) -> None:
        """Store a segment as plain numbers."""
        begin = int(self.cut.begins[s])
        own = slice(begin, begin + int(self.cut.lengths[s]))
        numbers = _copy_segment(self.poses, self.moving, self.channels, own)
        self.data[s], self.raw[s], self.centres[s] = numbers.reshape(-1).view(np.uint8), True, 0

    def join(self) -> Pack:
        offsets = np.cumsum([0, *(len(block) // UNIT for block in self.data)])
        if offsets[-1] > np.iinfo(np.int32).max:
            raise KinematchError("the database is too large to be packed")
        roots, bases, steps = _pack_roots(self.poses, self.cut)
        return empty_pack()._replace(
            data=np.concatenate(self.data), offsets=offsets.astype(np.int32), raw=self.raw.copy(),
            centres=self.centres.copy(), roots=roots, root_bases=bases, root_steps=steps,
            originals=self.originals.copy(), clip_segments=self.cut.clip_segments, clip_roots=self.cut.clip_roots,
            sides=self.cut.sides, blocks=find_blocks(self.poses.clip_stops, self.poses.frame_count),
            weights=find_weights(), channels=self.channels,
        )  # fmt: skip


def _pack_poses(
    poses: PoseDatabase, moving: np.ndarray, originals: np.ndarray, error: float, apart: np.ndarray,
    progress: Callable[[int, int], None],
) -> _Blocks:  # fmt: skip
    """All clips but mirror images; those that have one keep a smaller bound, by as much (C,) as it is apart."""
    cut = cut_clips(poses.clip_starts, poses.clip_stops, originals)
    count, channels = len(cut.begins), count_channels(poses.skeleton.joint_count, len(moving))
    less = np.zeros(poses.clip_count)
    images = np.flatnonzero(originals >= 0)
    np.maximum.at(less, originals[images], apart[images] + min(ROUNDING, error / 10))
    bounds = error - less[poses.clip_of(cut.begins)]
    out = _Blocks(
        poses, moving, channels, originals, cut, [np.zeros(0, np.uint8)] * count, np.zeros(count, bool),
        np.zeros((count, len(moving), 3), np.float32),
    )  # fmt: skip
    done = [0]

    def fill(start: int) -> None:
        own = slice(start, min(start + CHUNK, count))
        segments = take_segments(poses, moving, cut.begins[own], cut.lengths[own])
        choice, failed = choose(segments, poses, moving, bounds[own])
        out.data[own], out.centres[own] = write_segments(segments, choice), segments.places
        for s in np.flatnonzero(failed):
            out.keep_plain(start + int(s))
        done[0] += own.stop - start
        progress(done[0], count)

    run_each(list(range(0, count, CHUNK)), fill)
    return out


def _copy_segment(poses: PoseDatabase, moving: np.ndarray, channels: int, own: slice) -> np.ndarray:
    """Plain numbers (length, C, 4) of a segment."""
    out = np.zeros((own.stop - own.start, channels, 4), np.float32)
    joints = poses.skeleton.joint_count
    out[:, :joints] = poses.rotations[own]
    out[:, joints : joints + len(moving), 1:] = poses.positions[own][:, moving]
    return out


def _pack_roots(poses: PoseDatabase, cut: Cut) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The root's x, z and yaw in steps of each segment: absolute, so that nothing adds up over time."""
    tracks = measure_root_tracks(poses)[:, :3]
    count = len(cut.begins)
    codes, bases, steps = [], np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    for s, (begin, length) in enumerate(zip(cut.begins.tolist(), cut.lengths.tolist())):
        own = tracks[begin : begin + length].copy()
        own[:, 2] = np.unwrap(own[:, 2])
        code, bases[s], steps[s] = quantise_columns(own)
        codes.append(code)
    return np.concatenate(codes), bases, steps


def _pack_small(poses: PoseDatabase, features: FeatureDatabase) -> dict[str, Any]:
    toes, values = quantise_columns(measure_toe_heights(poses)), quantise_columns(features.values)
    paces = quantise_columns(np.append(measure_paces(poses), 0.0)[:, None])  # from zero on
    left = np.round(measure_contact_left(poses) * poses.frame_rate)
    return {
        "flags": pack_flags(np.column_stack([poses.contacts, poses.no_exit])),
        "contact_left": np.minimum(left, 255).astype(np.uint8),
        "toe_heights": toes.codes, "toe_bases": toes.bases, "toe_steps": toes.steps,
        "paces": paces.codes[:-1, 0].copy(), "pace_step": float(paces.steps[0]),
        "features": values.codes, "feature_bases": values.bases, "feature_steps": values.steps,
    }  # fmt: skip


def _open(database: Database, pack: Pack, moving: np.ndarray, mirror: Mirror) -> Database:
    poses, features = database.poses, database.features
    pack = pack._replace(**lay_out(mirror, moving))
    frames = make_frames(
        pack, poses.clip_starts, poses.clip_stops, poses.clip_loops, poses.loop_positions, poses.loop_rotations,
        moving, np.array(poses.positions[0], np.float32), mirror, poses.frame_rate,
        read_root_heights(poses),
    )  # fmt: skip
    starts, factors = find_runs(poses.cost_factor)
    bits = pack_flags(np.column_stack([poses.no_entry, features.targets, poses.tags.frames]))
    marks = Marks(bits, starts, factors)
    packed = open_poses(
        poses.skeleton, poses.frame_rate, frames, marks, list_clips(poses), poses.contact_joints, poses.tags.names
    )
    packed = replace(packed, actions=poses.actions)
    values = FeatureDatabase(
        schema=features.schema, values=open_features(pack), offset=features.offset, scale=features.scale,
        targets=open_targets(marks), clip_starts=poses.clip_starts, clip_stops=poses.clip_stops,
        weights=features.weights, normalisation=features.normalisation, tail=features.tail,
    )  # fmt: skip
    return Database(packed, values, dict(database.about), database.filter)
