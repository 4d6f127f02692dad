"""Shown: what a step gives for N characters, the root being joint 0 of every pose."""

from typing import NamedTuple

import numpy as np

from kinematch.compile.handle import opening
from kinematch.errors import KinematchError


class Shown(NamedTuple):
    positions: np.ndarray  # (N, J, 3) float32 m, in the parent's space
    rotations: np.ndarray  # (N, J, 4) float32
    global_positions: np.ndarray  # (N, J, 3) float32 m
    global_rotations: np.ndarray  # (N, J, 4) float32
    displacements: np.ndarray  # (N, 3) m that the root moved in this step, in the world
    turns: np.ndarray  # (N,) rad that it turned
    contacts: np.ndarray  # (N, K) bool, of the database
    locked: np.ndarray  # (N, K) bool, toes held in place
    frames: np.ndarray  # (N,) int32, of the database
    fractions: np.ndarray  # (N,) of a frame further on
    databases: np.ndarray  # (N,) int32
    searched: np.ndarray  # (N,) bool
    jumped: np.ndarray  # (N,) bool
    reasons: np.ndarray  # (N,) int8, why it searched: see Reason
    costs: np.ndarray  # (N,) float32, of the last search


def nothing_shown(count: int, joints: int, contacts: int, toes: int) -> Shown:
    """Room for a result."""
    empty = np.empty
    return Shown(
        empty((count, joints, 3), np.float32), empty((count, joints, 4), np.float32),
        empty((count, joints, 3), np.float32), empty((count, joints, 4), np.float32), np.zeros((count, 3)),
        np.zeros(count), empty((count, contacts), bool), empty((count, toes), bool), empty(count, np.int32),
        empty(count), empty(count, np.int32), np.zeros(count, bool), np.zeros(count, bool), np.zeros(count, np.int8),
        empty(count, np.float32),
    )  # fmt: skip


def checked(given: Shown, count: int, joints: int, contacts: int, toes: int) -> Shown:
    """A result to be written over, of the very sizes and types that the kernels write."""
    for name, array, like in zip(Shown._fields, given, nothing_shown(count, joints, contacts, toes)):
        fits = array.shape == like.shape and array.dtype == like.dtype and array.flags.c_contiguous
        if not fits or not array.flags.writeable:
            raise KinematchError(
                f"the result to write over: {name} {array.dtype} {array.shape}, expected {like.dtype} {like.shape}, "
                "contiguous and writable"
            )
    return given


opened_shown = opening(nothing_shown(1, 1, 1, 1))
