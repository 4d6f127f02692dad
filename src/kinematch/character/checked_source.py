"""CheckedSource: wraps a source that users wrote and checks what it returns before kernels see it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinematch.character.source import MotionSource, Projection, Sample, Search, Status
from kinematch.character.state import State
from kinematch.database.features import QueryInput
from kinematch.errors import KinematchError, failure

NEEDED = (
    "skeleton", "contact_joints", "schema", "rig", "give_examples", "create_state", "begin", "change_settings",
    "describe_status", "describe_pose", "frame_seconds", "normalise", "restore_units", "project", "enter", "advance",
    "decode",
)  # fmt: skip


class CheckedSource:
    table = None  # kernels read only tables that this package built

    def __init__(self, source: MotionSource, number: int):
        """`number`: which of a crowd's sources it is."""
        missing = [name for name in NEEDED if not hasattr(source, name)]
        if missing:
            raise KinematchError(f"{type(source).__name__} is no motion source: it has no {', '.join(missing)}")
        self.source, self.number = source, number
        self.skeleton, self.contact_joints, self.schema = source.skeleton, source.contact_joints, source.schema
        self.rig, self.give_examples = source.rig, source.give_examples
        self._joints, self._contacts = source.skeleton.joint_count, len(source.contact_joints)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    def create_state(self, count: int) -> Mapping[str, np.ndarray]:
        given = self._call("create_state", count)
        for name, array in dict(given).items():
            if not isinstance(array, np.ndarray) or array.shape[:1] != (count,) or array.dtype.kind not in "biuf":
                raise self._wrong("create_state", f"{name} is no array of numbers with {count} rows")
        return {str(name): array for name, array in given.items()}

    def describe_status(self, state: State, characters: np.ndarray) -> Status:
        count = len(characters)
        shapes = dict.fromkeys(Status._fields, (count,))
        return self._check("describe_status", Status, self._call("describe_status", state, characters), shapes)

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        return self._call("describe_pose", state, characters)

    def frame_seconds(self, state: State, characters: np.ndarray) -> np.ndarray:
        return self._array("frame_seconds", self._call("frame_seconds", state, characters), (len(characters),))

    def project(self, state: State, characters: np.ndarray, queries: np.ndarray, search: Search) -> Projection:
        count = len(characters)
        found = self._call("project", state, characters, queries, search)
        shapes = {"jumps": (count,), "costs": (count,), "before": (count,)}
        found = self._check("project", Projection, found, shapes)
        targets = np.asarray(found.targets)
        if targets.shape[:1] != (count,):
            raise self._wrong("project", f"targets of shape {targets.shape}, expected ({count}, ...)")
        return found._replace(targets=targets, before=np.full(count, -1, np.int32))

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        self._call("enter", state, characters, targets)

    def begin(self, state: State, characters: np.ndarray) -> None:
        self._call("begin", state, characters)

    def advance(self, state: State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        return self._array("advance", self._call("advance", state, characters, seconds), (len(characters), 3))

    def decode(self, state: State, characters: np.ndarray, look: float = 0.0) -> Sample:
        count, joints, contacts = len(characters), self._joints, self._contacts
        vectors, flags = (count, joints, 3), (count, contacts)
        shapes = {
            "positions": vectors, "rotations": (count, joints, 4), "velocities": vectors,
            "angular_velocities": vectors, "root_velocities": (count, 3), "contacts": flags, "soon_contacts": flags,
            "soon_contact_left": flags, "toe_heights": flags, "toe_rates": flags,
        }  # fmt: skip
        return self._check("decode", Sample, self._call("decode", state, characters, look), shapes)

    def _call(self, name: str, *given: Any) -> Any:
        work: Callable = getattr(self.source, name)
        try:
            return work(*(one.give_to(self.number) if isinstance(one, State) else one for one in given))
        except KinematchError:
            raise
        except Exception as error:
            raise self._wrong(name, failure(error)) from error

    def _check(self, name: str, kind: Any, given: Any, shapes: Mapping[str, tuple[int, ...]]) -> Any:
        if not isinstance(given, kind):
            raise self._wrong(name, f"gave a {type(given).__name__}, expected a {kind.__name__}")
        checked = {field: self._array(name, getattr(given, field), shape, field) for field, shape in shapes.items()}
        return given._replace(**checked)

    def _array(self, name: str, given: Any, shape: tuple[int, ...], field: str = "result") -> np.ndarray:
        array = np.asarray(given)
        if array.shape != shape or array.dtype.kind not in "biuf":
            raise self._wrong(name, f"{field} is {array.dtype} {array.shape}, expected numbers {shape}")
        if not np.isfinite(array).all():
            raise self._wrong(name, f"{field} has values that are not finite")
        return array

    def _wrong(self, name: str, what: str) -> KinematchError:
        return KinematchError(f"{type(self.source).__name__}.{name}: {what}")
