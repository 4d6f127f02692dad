"""From cleaned clips to a database file, a clip at a time: memory holds the marks of frames, never the frames."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database import storage
from kinematch.database.actions import Actions, build_actions
from kinematch.database.array_file import ArrayWriter, writing_arrays
from kinematch.database.cleaned import CleanedClip
from kinematch.database.feature_database import FeaturePlan, column_weights, find_known_targets, find_normaliser
from kinematch.database.features import BUILT_IN
from kinematch.database.poses import ClipEntry, Mark, PoseDatabase, build_poses, collect_marks
from kinematch.errors import KinematchError
from kinematch.motion.skeleton import Skeleton
from kinematch.threads import run_each

Progress = Callable[[str, int, int], None]  # stage, items done, items in all
FRAMES = ("positions", "rotations", "velocities", "angular_velocities", "contacts")
MARKS = ("no_entry", "no_exit", "cost_factor")


@dataclass(frozen=True, eq=False)
class MarkedClip:
    """A cleaned clip, with what the recipe says about it."""

    clip: CleanedClip
    tags: frozenset[str]
    marks: tuple[Mark, ...]

    def read(self, skeleton: Skeleton) -> ClipEntry:
        """The clip with its frames, on the skeleton of the database."""
        cleaned = self.clip.read()
        clip = cleaned.clip.with_(skeleton=skeleton, tags=self.tags)
        return ClipEntry(clip, cleaned.contacts, loop=self.clip.loop, marks=self.marks)


def assemble(
    output: Path, parts: Sequence[MarkedClip], skeleton: Skeleton, plan: FeaturePlan, more: dict[str, Any],
    filter: str, *, check: Callable[[PoseDatabase], list[str]], progress: Progress,
) -> None:  # fmt: skip
    """Write the database of all parts in order. `check` sees the marks before any frame, and returns warnings."""
    column_weights(plan.schema, plan.weights)
    warnings: list[str] = []
    poses = _collect(parts, skeleton)
    warnings += check(poses)
    targets = find_known_targets(poses, plan.schema, tail=plan.tail, warn=warnings.append)
    more = {**more, "warnings": [*more["warnings"], *warnings]}
    about = storage.describe(poses, plan, more, filter)
    if poses.actions.names:
        about["actions"] = poses.actions.names
    small = storage.list_small_arrays(poses, targets, plan.schema.width)
    frames, joints, contacts = poses.frame_count, skeleton.joint_count, len(poses.contact_joints)
    single = np.dtype(np.float32)
    shapes = {
        "features.values": (single, (frames, plan.schema.width)),
        "poses.positions": (single, (frames, joints, 3)),
        "poses.rotations": (single, (frames, joints, 4)),
        "poses.velocities": (single, (frames, joints, 3)),
        "poses.angular_velocities": (single, (frames, joints, 3)),
        "poses.contacts": (np.dtype(bool), (frames, contacts)),
        **{name: (array.dtype, array.shape) for name, array in small.items()},
    }
    with writing_arrays(output, shapes, **storage.PLAIN_FORM, about=about) as writer:
        for name, array in small.items():
            writer.write_all(name, array)
        _write_frames(writer, parts, poses, plan, progress)
        _normalise(writer, poses, plan, about["more"]["warnings"])
        progress("write", 0, 1)


def _collect(parts: Sequence[MarkedClip], skeleton: Skeleton) -> PoseDatabase:
    """Everything but the frames: their arrays are zeros that take no memory."""
    clips = [part.clip for part in parts]
    lengths = np.array([clip.frame_count - clip.loop for clip in clips])
    if (lengths < 1).any():
        raise KinematchError(f"clip {clips[int(lengths.argmin())].name!r} is too short to loop")
    stops = np.cumsum(lengths).astype(np.int32)
    starts = (stops - lengths).astype(np.int32)
    count, joints, contact_joints = int(stops[-1]), skeleton.joint_count, clips[0].contact_joints
    actions = _collect_actions(parts, starts, skeleton)
    widths = {"positions": (joints, 3), "rotations": (joints, 4), "velocities": (joints, 3),
              "angular_velocities": (joints, 3)}  # fmt: skip
    zeros: dict[str, Any] = {name: np.broadcast_to(np.float32(0), (count, *width)) for name, width in widths.items()}
    return PoseDatabase(
        skeleton=skeleton,
        frame_rate=clips[0].frame_rate,
        **zeros,
        contacts=np.broadcast_to(np.False_, (count, len(contact_joints))),
        contact_joints=np.asarray(contact_joints, np.int32),
        clip_starts=starts,
        clip_stops=stops,
        clip_names=tuple(clip.name for clip in clips),
        clip_loops=np.array([clip.loop for clip in clips]),
        loop_positions=np.zeros((len(clips), 3), np.float32),
        loop_rotations=np.tile(np.array([1, 0, 0, 0], np.float32), (len(clips), 1)),
        **collect_marks([(part.tags, part.marks) for part in parts], starts, stops, actions),
        actions=actions,
    )


def _collect_actions(parts: Sequence[MarkedClip], starts: np.ndarray, skeleton: Skeleton) -> Actions:
    acting = [(start, part) for start, part in zip(starts.tolist(), parts) if part.clip.actions]
    return build_actions((start, part.read(skeleton).clip) for start, part in acting)


def _write_frames(
    writer: ArrayWriter, parts: Sequence[MarkedClip], poses: PoseDatabase, plan: FeaturePlan, progress: Progress
) -> None:
    """Poses and physical features of all clips, several clips at once."""
    done = 0

    def write(number: int) -> None:
        nonlocal done
        own = build_poses([parts[number].read(poses.skeleton)], poses.contact_joints)
        first = int(poses.clip_starts[number])
        for name in FRAMES:
            writer.write_rows(f"poses.{name}", first, getattr(own, name))
        for name in ("loop_positions", "loop_rotations"):
            writer.write_rows(f"poses.{name}", number, getattr(own, name))
        writer.write_rows("features.values", first, plan.schema.build(own))
        done += 1
        progress("features", done, len(parts))

    progress("features", 0, len(parts))
    if all(feature.kind in BUILT_IN for feature in plan.schema.features):
        run_each(range(len(parts)), write)
    else:  # one thread for users' own features, which may not be made for several
        for number in range(len(parts)):
            write(number)


def _normalise(writer: ArrayWriter, poses: PoseDatabase, plan: FeaturePlan, warnings: list[str]) -> None:
    def read(own: slice) -> np.ndarray:
        return writer.read_rows("features.values", own.start, own.stop)

    offset, scale = find_normaliser(poses, plan.schema, read, normalisation=plan.normalisation, warn=warnings.append)
    writer.write_all("features.offset", offset)
    writer.write_all("features.scale", scale)

    def normalise(clip: int) -> None:
        own = poses.clip_frames(clip)
        writer.write_rows("features.values", own.start, (read(own) - offset) / scale)

    run_each(range(poses.clip_count), normalise)
