"""PoseDatabase: every frame of every clip, end to end at one rate, with velocities, contacts and marks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from kinematch.copies import Unchanging
from kinematch.database.actions import ACTION, EXIT, FIRST, Actions, build_actions, empty_actions
from kinematch.database.loops import prepend_last_frame
from kinematch.database.tags import Tags, tag_frames
from kinematch.errors import KinematchError
from kinematch.math import difference, quaternion
from kinematch.motion.clip import Clip, check_frame_rate
from kinematch.motion.skeleton import Skeleton
from kinematch.threads import run_each


@dataclass(frozen=True, eq=False)
class FeaturePose:
    """The input of pose features; any leading shape, parent space, joint 0 the ground root."""

    positions: np.ndarray  # (..., J, 3) m
    rotations: np.ndarray  # (..., J, 4)
    velocities: np.ndarray  # (..., J, 3) m/s
    angular_velocities: np.ndarray  # (..., J, 3) rad/s


@dataclass(frozen=True)
class Mark:
    """What the recipe says about a range of a clip."""

    start: int  # frame of the clip
    stop: int
    tags: frozenset[str] = frozenset()
    no_entry: bool = False
    no_exit: bool = False
    cost_factor: float = 1.0


@dataclass(frozen=True, eq=False)
class ClipEntry:
    """A cleaned clip to be added; a looping one ends with its first pose, where the next cycle begins."""

    clip: Clip
    contacts: np.ndarray  # (F, K) bool
    loop: bool = False
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, eq=False)
class PoseDatabase(Unchanging):
    """Thesis eq. 3.1 for all frames. Velocities are central differences, the mean of the steps before and after.

    The thesis takes the step before (eq. 3.9-3.10), which is the velocity half a frame ago; the mean is the velocity
    of the frame itself, so that a transition compares two poses at the same moment. Clip ends have one step only.
    """

    skeleton: Skeleton
    frame_rate: float
    positions: np.ndarray  # (F, J, 3) m
    rotations: np.ndarray  # (F, J, 4)
    velocities: np.ndarray  # (F, J, 3) m/s
    angular_velocities: np.ndarray  # (F, J, 3) rad/s, in the parent's space
    contacts: np.ndarray  # (F, K) bool
    contact_joints: np.ndarray  # (K,) int32
    clip_starts: np.ndarray  # (C,) int32
    clip_stops: np.ndarray  # (C,) int32, half open
    clip_names: tuple[str, ...]
    clip_loops: np.ndarray  # (C,) bool; frame stop - 1 is followed by frame start
    loop_positions: np.ndarray  # (C, 3) m, root displacement of one round in the axes of the clip's first frame
    loop_rotations: np.ndarray  # (C, 4) root turn of one round
    tags: Tags
    no_entry: np.ndarray  # (F,) bool, may not be jumped to
    no_exit: np.ndarray  # (F,) bool, may not be jumped away from
    cost_factor: np.ndarray  # (F,) float32, multiplies the cost of jumping to this frame
    actions: Actions = field(default_factory=empty_actions, kw_only=True)

    def __post_init__(self) -> None:
        frames, joints, clips = len(self.positions), self.skeleton.joint_count, len(self.clip_names)
        contacts = len(self.contact_joints)
        shapes = {
            "positions": (frames, joints, 3),
            "rotations": (frames, joints, 4),
            "velocities": (frames, joints, 3),
            "angular_velocities": (frames, joints, 3),
            "contacts": (frames, contacts),
            "clip_starts": (clips,),
            "clip_stops": (clips,),
            "clip_loops": (clips,),
            "loop_positions": (clips, 3),
            "loop_rotations": (clips, 4),
            "no_entry": (frames,),
            "no_exit": (frames,),
            "cost_factor": (frames,),
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise KinematchError(f"{name} has shape {getattr(self, name).shape}, expected {shape}")
        if len(self.tags.frames) != frames:
            raise KinematchError(f"tags cover {len(self.tags.frames)} frames of {frames}")
        check_clips(self.clip_starts, self.clip_stops, frames)
        self.actions.check(self.clip_stops)
        check_frame_rate(self.frame_rate, "a database")
        if contacts and not (self.contact_joints.min() >= 0 and self.contact_joints.max() < joints):
            raise KinematchError(f"contact joints {self.contact_joints.tolist()}, expected 0 to {joints - 1}")
        for one in fields(self):
            array = getattr(self, one.name)
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @property
    def frame_count(self) -> int:
        return len(self.positions)

    @property
    def clip_count(self) -> int:
        return len(self.clip_names)

    @property
    def minutes(self) -> float:
        return self.frame_count / self.frame_rate / 60

    def clip_of(self, frames: np.ndarray | int) -> np.ndarray:
        """The clip that each frame belongs to."""
        return np.searchsorted(self.clip_stops, frames, side="right")

    def clip_frames(self, index: int) -> slice:
        """The frames of one clip."""
        return slice(int(self.clip_starts[index]), int(self.clip_stops[index]))

    def clip(self, index: int) -> Clip:
        """One clip as a Clip again."""
        own = self.clip_frames(index)
        return Clip(self.skeleton, self.positions[own], self.rotations[own], self.frame_rate, self.clip_names[index])

    def pose(self, frames: np.ndarray | slice = slice(None)) -> FeaturePose:
        return FeaturePose(
            self.positions[frames], self.rotations[frames], self.velocities[frames], self.angular_velocities[frames]
        )


def check_clips(starts: np.ndarray, stops: np.ndarray, frames: int) -> None:
    """Raise unless clips cover all frames, one after another."""
    edges = np.concatenate([[0], stops])
    if (starts != edges[:-1]).any() or edges[-1] != frames or (stops <= starts).any():
        raise KinematchError(f"clips must cover {frames} frames without gaps and hold at least one each")


@dataclass(frozen=True, eq=False)
class ClipPoses:
    """The rows of a database that a clip makes, in order."""

    positions: np.ndarray  # (F, J, 3) m
    rotations: np.ndarray  # (F, J, 4)
    velocities: np.ndarray  # (F, J, 3) m/s
    angular_velocities: np.ndarray  # (F, J, 3) rad/s
    contacts: np.ndarray  # (F, K) bool
    loop_position: np.ndarray  # (3,) m
    loop_rotation: np.ndarray  # (4,)


def measure_clip(entry: ClipEntry) -> ClipPoses:
    """A clip's frames and velocities, without the last pose of a loop."""
    clip, length = entry.clip, entry.clip.frame_count - entry.loop
    # signs along time are made continuous so that neighbours can be blended
    p, r = clip.positions, quaternion.unroll(clip.rotations)
    shift, turn = np.zeros(3, np.float32), quaternion.identity((), np.float32)
    rows = p[:length], r[:length]
    if entry.loop:
        back = quaternion.inverse(r[0, 0])
        shift, turn = quaternion.rotate(back, p[-1, 0] - p[0, 0]), quaternion.multiply(back, r[-1, 0])
        p, r = prepend_last_frame(p, r)
    ends = slice(1, -1) if entry.loop else slice(None)
    velocities, spins = difference.central(p, clip.dt)[ends], difference.angular_central(r, clip.dt)[ends]
    return ClipPoses(*rows, velocities, spins, entry.contacts[:length], shift, turn)


def build_poses(entries: Sequence[ClipEntry], contact_joints: np.ndarray) -> PoseDatabase:
    """All clips end to end. They must share one skeleton, with the ground root as joint 0, and one rate."""
    if not entries:
        raise KinematchError("a database needs at least one clip")
    first = entries[0].clip
    for entry in entries[1:]:
        _check_alike(first, entry.clip)
    lengths = np.array([entry.clip.frame_count - entry.loop for entry in entries])
    if (lengths < 1).any():
        raise KinematchError(f"clip {entries[int(lengths.argmin())].clip.name!r} is too short to loop")
    stops = np.cumsum(lengths).astype(np.int32)
    starts = (stops - lengths).astype(np.int32)
    frames, joints = int(stops[-1]), first.skeleton.joint_count

    positions = np.empty((frames, joints, 3), np.float32)
    rotations = np.empty((frames, joints, 4), np.float32)
    velocities = np.empty((frames, joints, 3), np.float32)
    angular_velocities = np.empty((frames, joints, 3), np.float32)
    contacts = np.empty((frames, len(contact_joints)), bool)
    loop_positions = np.zeros((len(entries), 3), np.float32)
    loop_rotations = quaternion.identity((len(entries),), np.float32)

    def fill(c: int) -> None:
        own, found = slice(starts[c], stops[c]), measure_clip(entries[c])
        positions[own], rotations[own], contacts[own] = found.positions, found.rotations, found.contacts
        velocities[own], angular_velocities[own] = found.velocities, found.angular_velocities
        loop_positions[c], loop_rotations[c] = found.loop_position, found.loop_rotation

    run_each(range(len(entries)), fill)
    actions = build_actions(zip(starts.tolist(), (entry.clip for entry in entries)))
    return PoseDatabase(
        skeleton=first.skeleton,
        frame_rate=first.frame_rate,
        positions=positions,
        rotations=rotations,
        velocities=velocities,
        angular_velocities=angular_velocities,
        contacts=contacts,
        contact_joints=np.asarray(contact_joints, np.int32),
        clip_starts=starts,
        clip_stops=stops,
        clip_names=tuple(entry.clip.name for entry in entries),
        clip_loops=np.array([entry.loop for entry in entries]),
        loop_positions=loop_positions,
        loop_rotations=loop_rotations,
        **collect_marks([(entry.clip.tags, entry.marks) for entry in entries], starts, stops, actions),
        actions=actions,
    )


def collect_marks(
    clips: Sequence[tuple[Iterable[str], Iterable[Mark]]], starts: np.ndarray, stops: np.ndarray, actions: Actions
) -> dict[str, Any]:
    """The fields of a database that come from tags and marks of clips: tags, no_entry, no_exit and cost_factor.

    Actions have their name as a tag, and are entered on request alone.
    """
    frames = int(stops[-1])
    no_entry, no_exit = np.zeros(frames, bool), np.zeros(frames, bool)
    cost_factor = np.ones(frames, np.float32)
    tagged = []
    for (words, marks), start, stop in zip(clips, starts.tolist(), stops.tolist()):
        tagged.append((start, stop, frozenset(words)))
        for mark in marks:
            range_ = slice(max(start, start + mark.start), min(stop, start + mark.stop))
            tagged.append((range_.start, range_.stop, mark.tags))
            no_entry[range_] |= mark.no_entry
            no_exit[range_] |= mark.no_exit
            cost_factor[range_] *= mark.cost_factor
    for stretch in actions.stretches.tolist():
        tagged.append((stretch[FIRST], stretch[EXIT], frozenset({actions.names[stretch[ACTION]]})))
        no_entry[stretch[FIRST] : stretch[EXIT]] = True
    tags = tag_frames(frames, tagged)
    return {"tags": tags, "no_entry": no_entry, "no_exit": no_exit, "cost_factor": cost_factor}


def _check_alike(first: Clip, other: Clip) -> None:
    difference_ = first.skeleton.difference(other.skeleton)
    if difference_:
        raise KinematchError(f"{other.name!r} has another skeleton than {first.name!r}: {difference_}")
    if abs(first.frame_rate - other.frame_rate) > 1e-6 * first.frame_rate:  # rates read from text differ in rounding
        raise KinematchError(f"{other.name!r} has {other.frame_rate:g} fps, {first.name!r} has {first.frame_rate:g}")
