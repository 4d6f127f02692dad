"""Cleaner: a process that cleans files beside this one, since Python's lock lets the threads of one take turns only.

python -m kinematch.database.cleaner reads a line of JSON with the recipe, then numbers of its files, one a line. It
answers each with a line of JSON and the arrays' bytes.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from kinematch.database.prepare import Prepared, find_target, prepare
from kinematch.database.recipe import parse_recipe
from kinematch.database.sources import hash_code, list_files
from kinematch.errors import KinematchError
from kinematch.motion.actions import Action, Event
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.skeleton import Skeleton

_CLIP = ("positions", "rotations")
_CONTACTS = ("contacts", "contact_joints")
_TOLD = tuple(field.name for field in fields(Prepared) if field.name not in ("clip", *_CONTACTS))  # plain values
_SKELETON = ("parents", "offsets", "rotations", "end_parents", "end_offsets", "file_order", "tpose")


class Cleaner:
    """Another process that cleans files of a recipe."""

    def __init__(self, text: str, path: Path):
        command = [sys.executable, "-m", "kinematch.database.cleaner"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ask(json.dumps({"text": text, "path": str(path.absolute()), "code": hash_code()}))

    def prepare(self, number: int) -> list[Prepared] | None:
        """The cleaned clips of a file; None where it could not clean it, for whatever reason."""
        try:
            self._ask(str(number))
            assert self._process.stdout is not None
            return read_prepared(self._process.stdout)
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            KinematchError,
        ):  # it has ended, or said something else: no answer of it can be trusted
            self._process.kill()
            return None

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, line: str) -> None:
        with suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()


@contextmanager
def open_cleaners(count: int, text: str, path: Path) -> Iterator[list[Cleaner]]:
    """Start `count` cleaners for the files of a recipe, or fewer where no process can be started."""
    cleaners: list[Cleaner] = []
    try:
        with suppress(OSError):
            for _ in range(count):
                cleaners.append(Cleaner(text, path))
        yield cleaners
    finally:
        for cleaner in cleaners:
            cleaner.close()


def write_prepared(file: BinaryIO, prepared: list[Prepared]) -> None:
    """Cleaned clips as a line of JSON and the bytes of their arrays."""
    clips: list[dict[str, Any]] = []
    arrays: list[np.ndarray] = []
    for one in prepared:
        clip, skeleton = one.clip, one.clip.skeleton
        records = ((clip, _CLIP), (one, _CONTACTS), (skeleton, _SKELETON))
        own = [getattr(record, name) for record, names in records for name in names]
        clips.append(
            {
                "name": clip.name, "frame_rate": clip.frame_rate, "tags": sorted(clip.tags),
                "source": asdict(clip.source), "names": skeleton.names, "roles": dict(skeleton.roles),
                "told": {name: getattr(one, name) for name in _TOLD},
                "actions": [asdict(action) for action in clip.actions],
                "arrays": [None if array is None else (array.dtype.str, array.shape) for array in own],
            }
        )  # fmt: skip
        arrays += [np.ascontiguousarray(array) for array in own if array is not None]
    file.write(json.dumps(clips).encode() + b"\n")
    for array in arrays:
        file.write(array.tobytes())
    file.flush()


def read_prepared(file: IO[bytes]) -> list[Prepared] | None:
    """The inverse of write_prepared; None for a line that says null, a ValueError where something is missing."""
    clips, found = json.loads(file.readline()), []
    if clips is None:
        return None
    for one in clips:
        arrays: Iterator[Any] = iter(
            [None if described is None else _read_array(file, *described) for described in one["arrays"]]
        )
        clip, contacts, rig = ({name: next(arrays) for name in names} for names in (_CLIP, _CONTACTS, _SKELETON))
        skeleton = Skeleton(names=tuple(one["names"]), roles=one["roles"], **rig)
        source = Origin(**{**one["source"], "notes": tuple(one["source"]["notes"])})
        own = Clip(
            skeleton, **clip, frame_rate=one["frame_rate"], name=one["name"], tags=one["tags"], source=source,
            actions=tuple(_read_action(action) for action in one["actions"]),
        )  # fmt: skip
        told: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in one["told"].items()
        }
        found.append(Prepared(own, **contacts, **told))
    return found


def _read_action(found: dict[str, Any]) -> Action:
    events = tuple(Event(**event) for event in found["events"])
    return Action(**{**found, "entry": tuple(found["entry"]), "events": events})


def _read_array(file: IO[bytes], kind: str, shape: list[int]) -> np.ndarray:
    array = np.empty(shape, kind)
    data = file.read(array.nbytes)
    return np.frombuffer(data, kind).reshape(shape)  # a ValueError where bytes are missing


def clean_for_another(asked: BinaryIO, answers: BinaryIO) -> None:
    """Be the other process until nothing more is asked; what cannot be cleaned is answered with null."""
    given = json.loads(asked.readline())
    if given["code"] != hash_code():
        return
    path = Path(given["path"])
    recipe = parse_recipe(given["text"], path)
    files = list_files(recipe, path.parent, path, given["text"])
    target = find_target(files, recipe, path.parent)
    for line in asked:
        try:
            write_prepared(answers, prepare(files[int(line)], recipe.cleaning, folder=path.parent, target=target))
        except Exception:  # the process that asked cleans it itself, and says what is wrong
            answers.write(b"null\n")
            answers.flush()


if __name__ == "__main__":
    clean_for_another(sys.stdin.buffer, sys.stdout.buffer)
