"""Pose: the result of a step for N characters."""

from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError

LINE = 64  # bytes that arrays are aligned to


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
    reasons: np.ndarray  # (N,) int8, why it searched: numbers of `kinematch.character.reason.Reason`
    costs: np.ndarray  # (N,) float32, cost of what the last search found
    restarted: np.ndarray  # (N,) bool, whether the state was not finite and the character started over

    def copy(self) -> "Pose":
        """A pose that later steps do not write over."""
        return Pose(*(array.copy() for array in self))


class PoseLayout:
    """How the arrays of a pose lie in one piece of memory, so that making one costs one allocation."""

    def __init__(self, count: int, joints: int, contacts: int, legs: int, rest: np.ndarray):
        """`rest` (J, 3) m: positions that kernels write only where joints move in their parent's space."""
        single, double, whole = np.float32, np.float64, np.int32
        self.fields: dict[str, tuple[tuple[int, ...], type]] = {
            "positions": ((count, joints, 3), single), "rotations": ((count, joints, 4), single),
            "global_positions": ((count, joints, 3), single), "global_rotations": ((count, joints, 4), single),
            "displacements": ((count, 3), double), "turns": ((count,), double), "contacts": ((count, contacts), bool),
            "locked": ((count, legs), bool), "frames": ((count,), whole), "fractions": ((count,), double),
            "sources": ((count,), whole), "searched": ((count,), bool), "jumped": ((count,), bool),
            "reasons": ((count,), np.int8), "costs": ((count,), single), "restarted": ((count,), bool),
        }  # fmt: skip
        self.rest = rest
        self._places, numbers, size = [], [], 0
        for shape, kind in self.fields.values():
            self._places.append((shape, np.dtype(kind), size))
            numbers += [(1, size), *((0, length) for length in shape)]
            size += -(-int(np.prod(shape)) * np.dtype(kind).itemsize // LINE) * LINE
        self._size = size + LINE
        self._is_address, self._numbers = np.array(numbers, np.int64).T.copy()

    def make(self) -> tuple[Pose, np.ndarray]:
        """An empty pose, and its handle."""
        memory = np.zeros(self._size, np.uint8)
        start = -memory.__array_interface__["data"][0] % LINE
        pose = Pose(*(np.ndarray(shape, kind, memory, start + place) for shape, kind, place in self._places))
        pose.positions[:] = self.rest
        return pose, self.handle(pose)

    def handle(self, pose: Pose) -> np.ndarray:
        """As compile.handle makes it, of a pose that this layout made."""
        return self._numbers + self._is_address * pose.positions.__array_interface__["data"][0]

    def check(self, pose: Pose) -> None:
        """Refuse a pose to write over unless it is one of a crowd like this."""
        if not isinstance(pose, Pose):
            raise KinematchError(f"out is a {type(pose).__name__}, expected an earlier result of step")
        start = pose.positions.__array_interface__["data"][0] if isinstance(pose.positions, np.ndarray) else 0
        for (name, array), (shape, kind, place) in zip(pose._asdict().items(), self._places):
            fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == kind
            if not fits or not array.flags.writeable or array.__array_interface__["data"][0] != start + place:
                what = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise KinematchError(
                    f"out: {name} is {what}, expected {kind} {shape} as an earlier result of step has it"
                )
