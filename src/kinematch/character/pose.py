"""Pose: the result of a step for N characters."""

import math
from ctypes import addressof, c_char
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError

LINE = 64  # bytes that arrays are aligned to
MAX_RECORD_BYTES = 2**31 - 1  # bytes of a pose: numpy has no larger records


class Pose(NamedTuple):
    """The result of a step for N characters: the pose, local and global, root motion, contacts, and what was searched.

    Joint 0 is the ground root.
    """

    positions: np.ndarray  # (N, J, 3) float32 m, in the parent's space
    rotations: np.ndarray  # (N, J, 4) float32
    global_positions: np.ndarray  # (N, J, 3) float32 m
    global_rotations: np.ndarray  # (N, J, 4) float32
    displacements: np.ndarray  # (N, 3) m that the root moved in this step, in the world
    turns: np.ndarray  # (N,) rad that the root turned
    contacts: np.ndarray  # (N, K) bool, contact joints that stand according to the source
    locked: np.ndarray  # (N, L) bool, feet that are held in place
    frames: np.ndarray  # (N,) int32, frames of the database that play
    fractions: np.ndarray  # (N,) fraction of the way to the next frame, 0 to 1
    sources: np.ndarray  # (N,) int32, numbers of the motion sources that play
    searched: np.ndarray  # (N,) bool, whether a search ran in this step
    jumped: np.ndarray  # (N,) bool, whether it found a better place and playback jumped there
    reasons: np.ndarray  # (N,) int8, why it searched last: numbers of `kinematch.character.reason.Reason`
    costs: np.ndarray  # (N,) float32, cost of what the last search found
    restarted: np.ndarray  # (N,) bool, whether the state was not finite and the character started over
    acting: np.ndarray  # (N,) int32, the action that plays, a row of the database's `actions.stretches`; -1 for none
    refusals: np.ndarray  # (N,) int8, why a request was refused: numbers of `kinematch.character.reason.Refusal`

    def copy(self) -> "Pose":
        """A pose that later steps do not write over."""
        return Pose(*(array.copy() for array in self))


class PoseLayout:
    """How the arrays of a pose lie in one piece of memory, so that making one costs one allocation."""

    def __init__(self, count: int, joints: int, contacts: int, legs: int, rest: np.ndarray):
        """`rest` (J, 3) m: positions that kernels write only where joints move in their parent's space."""
        single, double, whole = np.float32, np.float64, np.int32
        fields: dict[str, tuple[tuple[int, ...], type]] = {
            "positions": ((count, joints, 3), single), "rotations": ((count, joints, 4), single),
            "global_positions": ((count, joints, 3), single), "global_rotations": ((count, joints, 4), single),
            "displacements": ((count, 3), double), "turns": ((count,), double), "contacts": ((count, contacts), bool),
            "locked": ((count, legs), bool), "frames": ((count,), whole), "fractions": ((count,), double),
            "sources": ((count,), whole), "searched": ((count,), bool), "jumped": ((count,), bool),
            "reasons": ((count,), np.int8), "costs": ((count,), single), "restarted": ((count,), bool),
            "acting": ((count,), whole), "refusals": ((count,), np.int8),
        }  # fmt: skip
        self.rest = rest
        self.offsets: dict[str, int] = {}  # bytes from the first array to each
        size = 0
        for name, (shape, kind) in fields.items():
            self.offsets[name] = size
            size += -(-math.prod(shape) * np.dtype(kind).itemsize // LINE) * LINE
        if size > MAX_RECORD_BYTES:
            raise KinematchError(
                f"a crowd of {count}, expected at most {count * MAX_RECORD_BYTES // size} of {joints} joints"
            )
        self._size = size + LINE
        # the fields of a record are the quickest way to many views
        formats = [(kind, shape) for shape, kind in fields.values()]
        self._record = np.dtype(
            {"names": list(fields), "formats": formats, "offsets": list(self.offsets.values()), "itemsize": size}
        )
        self._split = itemgetter(*fields)

    def make(self) -> tuple[Pose, int]:
        """An empty pose, and the address of its first array."""
        memory = np.zeros(self._size, np.uint8)
        address = find_address(memory)
        start = -address % LINE
        pose = Pose._make(self._split(np.ndarray((), self._record, memory, start)))
        pose.positions[...] = self.rest
        return pose, address + start

    def check(self, pose: Pose) -> int:
        """Refuse a pose to write over unless it is one of a crowd like this; the address of its first array."""
        if not isinstance(pose, Pose):
            raise KinematchError(f"out is a {type(pose).__name__}, expected an earlier result of step")
        start = pose.positions.__array_interface__["data"][0] if isinstance(pose.positions, np.ndarray) else 0
        for name, array in pose._asdict().items():
            kind, shape = self._record[name].subdtype  # type: ignore[misc]
            fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == kind
            place = start + self.offsets[name]
            if not fits or not array.flags.writeable or array.__array_interface__["data"][0] != place:
                if fits and array.flags.writeable:
                    raise KinematchError(
                        "out is a copy of a pose, expected an earlier result of step itself, whose arrays lie in one "
                        "piece of memory"
                    )
                what = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise KinematchError(
                    f"out: {name} is {what}, expected {kind} {shape} as an earlier result of step has it"
                )
        return start


def find_address(array: np.ndarray) -> int:
    """The address of an array that may be written to; four times as quick as numpy's own way."""
    return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]
