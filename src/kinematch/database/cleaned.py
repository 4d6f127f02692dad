"""Cleaned clips in the cache: a build reads one at a time, and the next build cleans only the files that changed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database.array_file import ArrayFile, open_arrays
from kinematch.database.container import Words, write_arrays
from kinematch.database.prepare import Prepared
from kinematch.errors import FileError
from kinematch.motion.actions import Action, Event
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.skeleton import Skeleton

FORMAT, VERSION = "kinematch cleaned clips", 1
WORDS = Words("file of cleaned clips", "`kinematch build` keeps those in its cache", "delete it")
_CLIP = ("positions", "rotations")
_CONTACTS = ("contacts", "contact_joints")
_TOLD = tuple(field.name for field in fields(Prepared) if field.name not in ("clip", *_CONTACTS))  # plain values
_SKELETON = ("parents", "offsets", "rotations", "end_parents", "end_offsets", "file_order", "tpose")


@dataclass(frozen=True, eq=False)
class CleanedClip:
    """What is known of a cleaned clip whose frames are on disk."""

    file: ArrayFile
    index: int  # within the file
    name: str
    frame_count: int
    frame_rate: float
    tags: frozenset[str]
    actions: tuple[Action, ...]
    skeleton: Skeleton
    contact_joints: np.ndarray  # (K,) int32
    begins: float  # s, time of its first frame in the source file
    mirrored: bool
    loop: bool
    stretch: tuple[float, float] | None
    warnings: tuple[str, ...]
    fault: str

    def read(self) -> Prepared:
        """The clip with its frames."""
        told: dict[str, Any] = {name: getattr(self, name) for name in _TOLD}
        told |= {name: self._read(name) for name in _CONTACTS}
        clip = {name: self._read(name) for name in _CLIP}
        own = Clip(
            self.skeleton, **clip, frame_rate=self.frame_rate, name=self.name, tags=self.tags,
            source=_read_origin(self.file.about["clips"][self.index]["source"]), actions=self.actions,
        )  # fmt: skip
        return Prepared(own, **told)

    def _read(self, name: str) -> np.ndarray:
        return self.file.read(f"{self.index}.{name}")


def write_cleaned(path: Path, prepared: Sequence[Prepared]) -> None:
    """Keep the cleaned clips of a file; an interruption leaves none, or all of them."""
    arrays: dict[str, np.ndarray] = {}
    clips: list[dict[str, Any]] = []
    rigs: dict[int, tuple[int, Skeleton]] = {}
    for index, one in enumerate(prepared):
        clip, number = one.clip, rigs.setdefault(id(one.clip.skeleton), (len(rigs), one.clip.skeleton))[0]
        arrays |= {f"{index}.{name}": getattr(clip, name) for name in _CLIP}
        arrays |= {f"{index}.{name}": getattr(one, name) for name in _CONTACTS}
        clips.append(
            {
                "name": clip.name, "frame_rate": clip.frame_rate, "tags": sorted(clip.tags), "skeleton": number,
                "source": asdict(clip.source), "actions": [asdict(action) for action in clip.actions],
                "told": {name: getattr(one, name) for name in _TOLD},
            }
        )  # fmt: skip
    for number, rig in rigs.values():
        own = {f"skeleton{number}.{name}": getattr(rig, name) for name in _SKELETON}
        arrays |= {name: array for name, array in own.items() if array is not None}
    names = [{"names": rig.names, "roles": dict(rig.roles)} for _, rig in rigs.values()]
    about = {"clips": clips, "skeletons": names}
    write_arrays(path, arrays, format=FORMAT, version=VERSION, about=about)


def open_cleaned(path: Path) -> tuple[CleanedClip, ...] | None:
    """The cleaned clips of a file, without their frames; None where they are not kept, or damaged."""
    try:
        if not path.exists():
            return None
        file = open_arrays(path, format=FORMAT, version=VERSION, words=WORDS)
        path.touch()
        return tuple(_list_clips(file))
    except (OSError, FileError, LookupError, TypeError, ValueError):
        return None


def _list_clips(file: ArrayFile) -> Iterator[CleanedClip]:
    rigs = []
    for number, rig in enumerate(file.about["skeletons"]):
        stored = {name: f"skeleton{number}.{name}" for name in _SKELETON}
        own = {name: file.read(place) if place in file.described else None for name, place in stored.items()}
        rigs.append(Skeleton(names=tuple(rig["names"]), roles=rig["roles"], **own))  # type: ignore[arg-type]
    for index, one in enumerate(file.about["clips"]):
        told: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in one["told"].items()
        }
        yield CleanedClip(
            file, index, one["name"], file.described[f"{index}.positions"]["shape"][0], one["frame_rate"],
            frozenset(one["tags"]), tuple(_read_action(action) for action in one["actions"]), rigs[one["skeleton"]],
            file.read(f"{index}.contact_joints"), **told,
        )  # fmt: skip


def _read_action(found: dict[str, Any]) -> Action:
    events = tuple(Event(**event) for event in found["events"])
    return Action(**{**found, "entry": tuple(found["entry"]), "events": events})


def _read_origin(found: dict[str, Any]) -> Origin:
    return Origin(**{**found, "notes": tuple(found["notes"])})
