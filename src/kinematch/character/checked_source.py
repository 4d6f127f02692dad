"""CheckedSource: wraps a source that users wrote, checks what it returns, and measures what the step needs besides."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinematch.character.settings import Settings
from kinematch.character.source import MotionSource, Projection, Sample, Search
from kinematch.character.state import State
from kinematch.database.description import SourceDescription, pick_examples
from kinematch.database.features import QueryInput
from kinematch.database.measures import joint_motion
from kinematch.database.rows import make_rows
from kinematch.database.table import Table
from kinematch.errors import KinematchError, call_own
from kinematch.motion.kinematics import forward
from kinematch.motion.rig import find_toe_rests, make_rig

METHODS = ("project", "enter", "advance", "decode")


class CheckedSource:
    table = None  # kernels read only tables that this package built

    def __init__(self, source: MotionSource, number: int):
        """`number`: which of a crowd's sources it is."""
        missing = [name for name in ("description", *METHODS) if not hasattr(source, name)]
        if missing:
            raise KinematchError(f"{type(source).__name__} is no motion source: it has no {', '.join(missing)}")
        self.source, self.number, about = source, number, source.description
        if not isinstance(about, SourceDescription):
            raise self._wrong("description", f"is a {type(about).__name__}, expected a SourceDescription")
        self.description, self._joints, self._contacts = about, about.skeleton.joint_count, len(about.contact_joints)
        self._begin = {name: np.asarray(value) for name, value in about.state.items()}
        for name, value in self._begin.items():
            if value.dtype.kind not in "biuf":
                raise self._wrong("description", f"state {name!r} is {value.dtype}, expected numbers")
        positions, rotations, contacts = pick_examples(about)
        self.rig = make_rig(about.skeleton, about.contact_joints, positions, rotations, contacts)
        heights = forward(about.skeleton, positions, rotations)[0][..., 1]
        self._toe_rests = find_toe_rests(heights[:, about.contact_joints] - heights[:, :1], contacts)

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedSource, (self.source, self.number)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # how it is copied is not the user's to say
            raise AttributeError(name)
        return getattr(self.source, name)

    def make_table(self, own: Mapping[str, np.ndarray], moving: np.ndarray, count: int) -> Table:
        """A row for each character, which every step fills with its pose."""
        return make_rows(count, moving, self.description)

    def create_state(self, count: int) -> Mapping[str, np.ndarray]:
        """Arrays (N, ...) of what evolves, for N characters that begin."""
        return {name: np.repeat(value[None], count, axis=0) for name, value in self._begin.items()}

    def begin(self, state: State, characters: np.ndarray) -> None:
        """Characters begin as their arrays were made."""

    def change_settings(self, settings: Settings) -> None:
        """Settings come with every search; here their names are checked."""
        for name in settings.weights:
            self.description.schema.feature(name)

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        """The pose that plays, as features see it."""
        sample = self.decode(state, characters)
        return QueryInput(self.description.skeleton, sample.pose, self._find_features(sample))

    def describe_features(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Physical features (M, D) of the pose that plays; NaN where they are not known."""
        return self._find_features(self.decode(state, characters))

    def _find_features(self, sample: Sample) -> np.ndarray:
        return self.description.measure_features(sample) if sample.features is None else sample.features

    def measure_toes(self, sample: Sample) -> tuple[np.ndarray, np.ndarray]:
        """Heights (M, K) in m of the contact joints above where they stand, and their rates in m/s."""
        heights, rates = np.zeros((2, len(sample.rotations), self._contacts))
        for k, joint in enumerate(self.description.contact_joints.tolist()):
            place, _, velocity = joint_motion(self.description.skeleton, sample.pose, joint)
            heights[:, k], rates[:, k] = place[:, 1], velocity[:, 1]
        return heights - self._toe_rests, rates

    def project(self, state: State, characters: np.ndarray, queries: np.ndarray, search: Search) -> Projection:
        count = len(characters)
        found = self._call("project", state, characters, queries, search)
        found = self._check("project", Projection, found, {"jumps": (count,), "costs": (count,)})
        targets = np.asarray(found.targets)
        if targets.shape[:1] != (count,):
            raise self._wrong("project", f"targets of shape {targets.shape}, expected ({count}, ...)")
        return found._replace(targets=targets)

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        self._call("enter", state, characters, targets)

    def advance(self, state: State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        return self._array("advance", self._call("advance", state, characters, seconds), (len(characters), 3))

    def decode(self, state: State, characters: np.ndarray, look: float = 0.0) -> Sample:
        """What the source decodes, with its status filled in."""
        count, joints, contacts = len(characters), self._joints, self._contacts
        shapes = {
            "positions": (count, joints, 3), "rotations": (count, joints, 4), "velocities": (count, joints, 3),
            "angular_velocities": (count, joints, 3), "contacts": (count, contacts), "contact_left": (count, contacts),
            "ended": (count,), "committed": (count,), "paces": (count,),
            "features": (count, self.description.schema.width),
        }  # fmt: skip
        sample = self._check("decode", Sample, self._call("decode", state, characters, look), shapes)
        status = sample.contacts, sample.ended, sample.committed
        stands, ended, committed = (np.zeros(count, bool) if one is None else one.astype(bool) for one in status)
        paces = np.linalg.norm(sample.velocities[:, 0, ::2], axis=-1) if sample.paces is None else sample.paces
        return sample._replace(contacts=stands, ended=ended, committed=committed, paces=paces)

    def _call(self, name: str, *given: Any) -> Any:
        own = [one.give_to(self.number) if isinstance(one, State) else one for one in given]
        return call_own(f"{type(self.source).__name__}.{name}", lambda: getattr(self.source, name)(*own))

    def _check(self, name: str, kind: Any, given: Any, shapes: Mapping[str, tuple[int, ...]]) -> Any:
        """A record whose arrays are of these shapes; those that have a default may be None."""
        if not isinstance(given, kind):
            raise self._wrong(name, f"gave a {type(given).__name__}, expected a {kind.__name__}")
        arrays = {field: getattr(given, field) for field in shapes}
        left_out = {field for field in kind._field_defaults if arrays[field] is None}
        return given._replace(
            **{one: self._array(name, arrays[one], shape, one) for one, shape in shapes.items() if one not in left_out}
        )

    def _array(self, name: str, given: Any, shape: tuple[int, ...], field: str = "result") -> np.ndarray:
        array = np.asarray(given)
        if array.shape != shape or array.dtype.kind not in "biuf":
            raise self._wrong(name, f"{field} is {array.dtype} {array.shape}, expected numbers {shape}")
        if not np.isfinite(array).all():
            raise self._wrong(name, f"{field} has values that are not finite")
        return array

    def _wrong(self, name: str, what: str) -> KinematchError:
        return KinematchError(f"{type(self.source).__name__}.{name}: {what}")
