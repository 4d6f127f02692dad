"""Clip: one piece of motion on one skeleton. Operations make new clips; none changes an old one."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kinematch.copies import Unchanging
from kinematch.errors import KinematchError
from kinematch.motion.actions import Action
from kinematch.motion.skeleton import Skeleton, set_array

MIN_FRAME_RATE, MAX_FRAME_RATE = (
    1e-4,
    1e6,
)  # frames per second; a mistake outside of these, and nothing overflows within


def check_frame_rate(frame_rate: float, what: str) -> None:
    if not MIN_FRAME_RATE <= frame_rate <= MAX_FRAME_RATE:
        raise KinematchError(
            f"{what}: frame rate {frame_rate}, expected {MIN_FRAME_RATE:g} to {MAX_FRAME_RATE:g} frames per second"
        )


@dataclass(frozen=True)
class Origin:
    """Where a clip came from and how its file was brought to metres and Y-up."""

    path: str = ""
    format: str = ""  # bvh, glb, vrm, vrma, synth
    unit: float = 1.0  # metres per unit of the file
    unit_reason: str = "metres by definition"
    up: str = "Y"  # the file's up axis: X, Y, Z, or with a minus sign
    up_reason: str = "Y-up by definition"
    facing: str = ""  # the file's facing axis in its rest or T-pose, where it is known
    facing_reason: str = ""
    notes: tuple[str, ...] = ()  # what was put right while reading, such as joints renamed


@dataclass(frozen=True, eq=False)
class Clip(Unchanging):
    """One piece of motion on one skeleton. It never changes: every operation makes a new clip."""

    skeleton: Skeleton
    positions: np.ndarray  # (F, J, 3) m, in the parent's space
    rotations: np.ndarray  # (F, J, 4), in the parent's space
    frame_rate: float  # frames per second
    name: str = ""
    tags: frozenset[str] = frozenset()
    source: Origin = field(default_factory=Origin)
    actions: tuple[Action, ...] = ()  # stretches that are asked for by name

    def __post_init__(self) -> None:
        frames, joints = len(self.positions), self.skeleton.joint_count
        try:
            set_array(self, "positions", (frames, joints, 3), np.float32)
            set_array(self, "rotations", (frames, joints, 4), np.float32)
        except KinematchError as error:
            raise KinematchError(f"clip {self.name!r}: {error}") from None
        if not frames:
            raise KinematchError(f"clip {self.name!r} has no frames")
        check_frame_rate(self.frame_rate, f"clip {self.name!r}")
        object.__setattr__(self, "tags", frozenset(self.tags))

    @property
    def frame_count(self) -> int:
        """F."""
        return len(self.positions)

    @property
    def dt(self) -> float:
        """Seconds from one frame to the next."""
        return 1.0 / self.frame_rate

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (self.frame_count - 1) / self.frame_rate

    def with_(self, **changes: Any) -> "Clip":
        """A copy with some fields replaced."""
        return replace(self, **changes)

    def frames(self, start: int, stop: int) -> "Clip":
        """The frames [start, stop), and the actions that lie within them."""
        last = (min(stop, self.frame_count) - 1) / self.frame_rate
        inside = (one for one in self.actions if start / self.frame_rate <= one.entry[0] and one.exit <= last)
        return replace(
            self,
            positions=self.positions[start:stop],
            rotations=self.rotations[start:stop],
            actions=tuple(one.shifted(-start / self.frame_rate) for one in inside),
        )


def true_ranges(flags: np.ndarray) -> list[tuple[int, int]]:
    """The half-open ranges [start, stop) of frames where a flag (F,) is set."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
