"""Kinematch's library from Python, by ctypes: for programs that ship without the package."""

import ctypes
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

KINDS = ("b1", "i1", "u1", "u2", "i4", "i8", "f4", "f8")
WORD, POINTER, DOUBLE = ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_double

Vector = Sequence[float] | np.ndarray


class NativeError(Exception):
    def __init__(self, library: ctypes.CDLL, code: int):
        super().__init__(library.kinematch_error_text(code).decode())
        self.code = code


class Characters:
    """Characters that are stepped together; their arrays are views of the library's memory."""

    def __init__(self, library: str | Path, data: bytes, count: int = 1):
        self._library = own = ctypes.CDLL(str(library))
        own.kinematch_load.restype, own.kinematch_error_text.restype = POINTER, ctypes.c_char_p
        own.kinematch_load.argtypes = [ctypes.c_char_p, WORD, WORD, POINTER]
        own.kinematch_about.argtypes, own.kinematch_about.restype = [POINTER], ctypes.c_char_p
        takes = {
            "free": [POINTER], "count": [POINTER], "state_size": [POINTER], "step": [POINTER, DOUBLE],
            "command": [POINTER, WORD, *[DOUBLE] * 6, WORD, WORD], "teleport": [POINTER, WORD, *[DOUBLE] * 4],
            "act": [POINTER, WORD, WORD, *[DOUBLE] * 5],
            "find": [POINTER, ctypes.c_char_p, POINTER], "save": [POINTER, POINTER, WORD],
            "restore": [POINTER, ctypes.c_char_p, WORD], "begin": [POINTER, DOUBLE], "finish": [POINTER],
            "ground": [POINTER, WORD, POINTER, WORD, WORD, *[DOUBLE] * 3, WORD],
        }  # fmt: skip
        for name, kinds in takes.items():
            function = getattr(own, f"kinematch_{name}")
            function.argtypes, function.restype = kinds, WORD
        own.kinematch_error_text.argtypes = [WORD]
        error = ctypes.c_int32()
        self._handle = own.kinematch_load(data, len(data), count, ctypes.addressof(error))
        if not self._handle:
            raise NativeError(own, error.value)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.kinematch_free(self._handle)

    def command(
        self, velocity: Vector, facing: Vector = (0.0, 0.0, 0.0), n: int = 0, *, filter: int = 0, source: int = 0
    ) -> None:
        """A velocity in m/s and a direction to face along the ground; zeros keep the one that it has."""
        self._call("command", n, *velocity, *facing, filter, source)

    def act(
        self, action: str | None, target: Vector | None = None, yaw: float = np.nan, n: int = 0, *, when: float = np.nan
    ) -> None:
        """Ask for an action of `about`, whose event is to be at a target (3,) m, until None is asked for."""
        number = -1 if action is None else json.loads(self.about)["actions"][0].index(action)
        self._call("act", n, number, *([np.nan] * 3 if target is None else target), yaw, when)

    def step(self, dt: float) -> int:
        return self._call("step", dt)

    def stand(
        self, heights: np.ndarray | None, cell: float = 1.0, origin: Vector = (0.0, 0.0), repeats: bool = False
    ) -> None:
        """Stand on a grid of heights (X, Z) in metres, `cell` metres apart, or on level ground."""
        self._heights = None if heights is None else np.ascontiguousarray(heights, np.float32)
        if self._heights is None:
            self._call("ground", 0, None, 0, 0, 1.0, 0.0, 0.0, 0)
        else:
            self._call("ground", 1, self._heights.ctypes.data, *self._heights.shape, cell, *origin, repeats)

    def step_on(self, dt: float, find_heights: Callable[[np.ndarray], np.ndarray]) -> int:
        """A step on ground that is asked for: heights (..., ) in metres at points (..., 2) of x and z."""
        self._call("ground", 2, None, 0, 0, 1.0, 0.0, 0.0, 0)
        self._call("begin", dt)
        points, reach = self.array("instance.ground.points"), 0.01
        self.array("work.heights")[:] = find_heights(points)
        toes = points[:, 1:]
        slopes = [(find_heights(toes + to) - find_heights(toes - to)) / (2 * reach) for to in reach * np.eye(2)]
        normals = np.stack([-slopes[0], np.ones_like(slopes[0]), -slopes[1]], axis=-1)
        self.array("work.normals")[:] = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
        return self._call("finish")

    def teleport(self, place: Vector, yaw: float = 0.0, n: int = 0) -> None:
        self._call("teleport", n, *place, yaw)

    def array(self, name: str) -> np.ndarray:
        """An array by its name, such as "pose.global_positions": valid as long as the characters are."""
        found = (ctypes.c_int64 * 9)()
        self._call("find", name.encode(), ctypes.addressof(found))
        kind, shape = np.dtype(KINDS[found[1]]), tuple(found[3 : 3 + found[2]])
        size = kind.itemsize * int(np.prod(shape))
        memory: Any = (ctypes.c_uint8 * size).from_address(found[0]) if size else b""
        return np.frombuffer(memory, kind).reshape(shape)

    def save(self) -> bytes:
        out = ctypes.create_string_buffer(self._call("state_size"))
        self._call("save", ctypes.addressof(out), len(out))
        return out.raw

    def restore(self, state: bytes) -> None:
        self._call("restore", state, len(state))

    @property
    def about(self) -> str:
        return self._library.kinematch_about(self._handle).decode()

    def _call(self, name: str, *given: Any) -> int:
        result = getattr(self._library, f"kinematch_{name}")(self._handle, *given)
        if result < 0:
            raise NativeError(self._library, result)
        return result
