"""PackedPoses: a PoseDatabase whose arrays are unpacked when they are indexed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.database.packing.fields import UnpackedArray
from kinematch.database.packing.frames import PackedFrames
from kinematch.database.packing.layout import Pack
from kinematch.database.packing.small import read_flag, read_flags, read_runs, restore_columns
from kinematch.database.poses import PoseDatabase
from kinematch.database.tags import Tags
from kinematch.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Marks:
    """What a recipe says of frames, in bits and runs."""

    bits: np.ndarray  # (F, B) uint8: no_entry, whether a search may find it, then the tags
    factor_starts: np.ndarray  # (R,) int32, first frames of runs of equal cost factors
    factors: np.ndarray  # (R,) float32


@dataclass(frozen=True, eq=False)
class PackedPoses(PoseDatabase):
    frames: PackedFrames
    marks: Marks

    @property
    def pack(self) -> Pack:
        return self.frames.pack


@dataclass(frozen=True, eq=False)
class ClipTable:
    """The clips of a database, which are stored as they are."""

    starts: np.ndarray
    stops: np.ndarray
    loops: np.ndarray
    loop_positions: np.ndarray
    loop_rotations: np.ndarray
    names: tuple[str, ...]


def list_clips(poses: PoseDatabase) -> ClipTable:
    return ClipTable(
        poses.clip_starts, poses.clip_stops, poses.clip_loops, poses.loop_positions, poses.loop_rotations,
        poses.clip_names,
    )  # fmt: skip


def open_poses(
    skeleton: Skeleton,
    frame_rate: float,
    frames: PackedFrames,
    marks: Marks,
    clips: ClipTable,
    contact_joints: np.ndarray,
    tag_names: tuple[str, ...],
) -> PackedPoses:
    pack, joints, contacts = frames.pack, skeleton.joint_count, len(contact_joints)
    count = len(pack.flags)

    tags = _stand_in((count, len(tag_names)), bool, lambda f: read_flags(marks.bits[f], 2, len(tag_names)))
    return PackedPoses(
        skeleton=skeleton,
        frame_rate=frame_rate,
        positions=_stand_in((count, joints, 3), np.float32, frames.read_positions),
        rotations=_stand_in((count, joints, 4), np.float32, frames.read_rotations),
        velocities=_stand_in((count, joints, 3), np.float32, frames.measure_velocities),
        angular_velocities=_stand_in((count, joints, 3), np.float32, frames.measure_angular_velocities),
        contacts=_stand_in((count, contacts), bool, lambda f: read_flags(pack.flags[f], 0, contacts)),
        contact_joints=contact_joints,
        clip_starts=clips.starts,
        clip_stops=clips.stops,
        clip_names=clips.names,
        clip_loops=clips.loops,
        loop_positions=clips.loop_positions,
        loop_rotations=clips.loop_rotations,
        tags=Tags(tag_names, tags),
        no_entry=_stand_in((count,), bool, lambda f: read_flag(marks.bits[f], 0)),
        no_exit=_stand_in((count,), bool, lambda f: read_flag(pack.flags[f], contacts)),
        cost_factor=_stand_in((count,), np.float32, lambda f: read_runs(marks.factor_starts, marks.factors, f)),
        frames=frames,
        marks=marks,
    )


def open_features(pack: Pack) -> np.ndarray:
    """Normalised features (F, D)."""
    bases, steps = pack.feature_bases, pack.feature_steps
    return _stand_in(pack.features.shape, np.float32, lambda f: restore_columns(pack.features[f], bases, steps))


def open_targets(marks: Marks) -> np.ndarray:
    """Which frames (F,) a search may jump to."""
    return _stand_in((len(marks.bits),), bool, lambda f: read_flag(marks.bits[f], 1))


def _stand_in(shape: tuple[int, ...], dtype: Any, unpack: Callable[..., Any]) -> np.ndarray:
    return UnpackedArray(shape, dtype, unpack)  # type: ignore[return-value]
