"""Actions of a database: stretches that are asked for by name, with their events and contact points, by frame."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from kinematch.copies import Unchanging
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.actions import EVENT_KINDS, Action
from kinematch.motion.clean.mirror import mirror_pairs
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import forward
from kinematch.motion.skeleton import Skeleton

ACTION, FIRST, LAST, EXIT = range(4)  # columns of Actions.stretches
STRETCH, KIND, FRAME = range(3)  # columns of Actions.events


@dataclass(frozen=True, eq=False)
class Actions(Unchanging):
    names: tuple[str, ...]  # of A actions, sorted
    stretches: np.ndarray  # (S, 4) int32: number of the action, first and last frame of its entry, frame of its exit
    targets: np.ndarray  # (S,) int32, the event that meets the target of a request; -1 for none
    events: np.ndarray  # (E, 3) int32: number of the stretch, of the kind in EVENT_KINDS, and the frame
    points: np.ndarray  # (E, 3) float32 m, contact points in the axes of the root at that frame

    def __post_init__(self) -> None:
        for array in (self.stretches, self.targets, self.events, self.points):
            array.flags.writeable = False

    def check(self, clip_stops: np.ndarray) -> None:
        """Raise unless all indices are in range, and every stretch is in order and lies in one clip."""
        frames, first, last, stop = (self.stretches[:, k] for k in (ACTION, FIRST, LAST, EXIT))
        clips = np.searchsorted(clip_stops, self.stretches[:, FIRST:], side="right")
        wrong = (frames < 0) | (frames >= len(self.names)) | (first < 0) | (first > last) | (last > stop)
        wrong |= (clips != clips[:, :1]).any(axis=1) | (stop >= clip_stops[-1])
        wrong |= (self.targets < -1) | (self.targets >= len(self.events))
        if wrong.any():
            raise KinematchError(f"action stretch {int(np.argmax(wrong))} is out of order, or not within one clip")
        own, kinds, at = self.events.T
        wrong = (own < 0) | (own >= len(self.stretches)) | (kinds < 0) | (kinds >= len(EVENT_KINDS))
        inside = np.clip(own, 0, max(len(self.stretches) - 1, 0))
        if len(self.events):
            wrong |= (at < self.stretches[inside, FIRST]) | (at > self.stretches[inside, EXIT])
        if wrong.any():
            raise KinematchError(f"action event {int(np.argmax(wrong))} is not within its stretch")

    def list_events(self, stretch: int) -> list[tuple[str, int]]:
        """Kinds and frames of the events of a stretch, in order."""
        own = self.events[self.events[:, STRETCH] == stretch]
        return [(EVENT_KINDS[kind], frame) for _, kind, frame in own.tolist()]


def empty_actions() -> Actions:
    return build_actions(())


def build_actions(clips: Iterable[tuple[int, Clip]]) -> Actions:
    """The actions of cleaned clips, each given with its first frame in the database; one clip is held at a time."""
    named: list[str] = []
    stretches: list[tuple[int, int, int]] = []
    targets: list[int] = []
    events: list[tuple[int, int, int]] = []
    points: list[np.ndarray] = []
    for start, clip, action in ((first, one, action) for first, one in clips for action in one.actions):
        first, last, stop = (start + _find_frame(clip, time) for time in (*action.entry, action.exit))
        targets.append(-1)
        for event in action.events:
            frame = _find_frame(clip, event.time)
            if event.kind == action.target and targets[-1] < 0:
                targets[-1] = len(events)
            events.append((len(stretches), EVENT_KINDS.index(event.kind), start + frame))
            points.append(find_point(clip, frame, event.joint, event.below))
        named.append(action.name)
        stretches.append((first, last, stop))
    names = tuple(sorted(set(named)))
    numbered = [(names.index(name), *stretch) for name, stretch in zip(named, stretches)]
    whole, rows = np.int32, (len(events), 3)
    return Actions(
        names,
        np.array(numbered, whole).reshape(-1, 4),
        np.array(targets, whole),
        np.array(events, whole).reshape(rows),
        np.array(points, np.float32).reshape(rows),
    )


def find_point(clip: Clip, frame: int, joint: str, below: float) -> np.ndarray:
    """The contact point of an event in the axes of the root at that frame; without a joint, where the root is."""
    if not joint:
        return np.array([0.0, -below, 0.0])
    positions, rotations = forward(clip.skeleton, clip.positions[[frame]], clip.rotations[[frame]])
    place = positions[0, clip.skeleton.joint(joint)] - positions[0, 0] - np.array([0.0, below, 0.0])
    return quaternion.rotate(quaternion.inverse(rotations[0, 0]), place)


def _find_frame(clip: Clip, time: float) -> int:
    return min(round(time * clip.frame_rate), clip.frame_count - 1)


def mirror_actions(actions: Iterable[Action], skeleton: Skeleton, pairs: list[tuple[str, str]] | None) -> list[Action]:
    """The actions of a mirrored clip: what a left foot did, a right one does."""
    partners = mirror_pairs(skeleton, pairs)

    def swap(joint: str) -> str:
        return skeleton.names[partners[skeleton.joint(joint)]] if joint else ""

    return [
        replace(one, events=tuple(replace(event, joint=swap(event.joint)) for event in one.events)) for one in actions
    ]
