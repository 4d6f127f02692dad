"""What helpers do between two sleeps: they animate characters that no other thread has claimed yet."""

from typing import NamedTuple

import numpy as np

from kinematch.character.kernels.scratch import make_scratch
from kinematch.compile.handle import find_place, handle, opening_at
from kinematch.compile.helpers import (
    ASLEEP,
    CALLS,
    COUNT,
    FUNCTION,
    POSTED,
    STATE,
    TAKEN,
    WOKEN,
    acquire,
    call_kernel,
    release,
)  # fmt: skip
from kinematch.compile.jit import kernel
from kinematch.compile.memory import exchange


class Task(NamedTuple):
    """The arguments of `animate`."""

    scene: np.ndarray
    characters: np.ndarray
    begun: np.ndarray
    tables: np.ndarray
    room: np.ndarray
    dt: float
    stages: int


EXAMPLE = Task(np.zeros(1, np.int64), np.zeros(1, np.int32), np.zeros(1, np.int64), *make_scratch(1, 1, 0), 0.0, 0)
_open_task = opening_at(EXAMPLE)
TASK_BYTES = handle(EXAMPLE, EXAMPLE).nbytes
CHARACTERS, BEGUN = find_place(EXAMPLE, "characters"), find_place(EXAMPLE, "begun")
DT, STAGES = find_place(EXAMPLE, "dt"), find_place(EXAMPLE, "stages")


def make_task(scene: np.ndarray, scratch: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The handle of a task for nobody: whoever posts it says for whom, and what."""
    return handle(EXAMPLE._replace(scene=scene, tables=scratch[0], room=scratch[1]), EXAMPLE)


def set_task(task: np.ndarray, characters: np.ndarray, begun: np.ndarray, dt: float, stages: int) -> None:
    """Say for whom a task is, and what is to be done; the arrays are the caller's to keep."""
    task[CHARACTERS], task[CHARACTERS + 1] = characters.ctypes.data, len(characters)
    task[BEGUN], task[STAGES] = begun.ctypes.data, stages
    task[DT : DT + 1].view(np.float64)[0] = dt


@kernel(counting=False)
def sleep_and_help(flags, wake, done, acquire_at, release_at):
    """Call a function with each task that is posted, and sleep in between; this never returns."""
    while acquire(acquire_at, wake, 1):
        exchange(flags, WOKEN, 1, 0)
        if exchange(flags, STATE, POSTED, TAKEN):
            for n in range(flags[COUNT]):
                call_kernel(flags[FUNCTION], _open_task(flags[CALLS] + n * TASK_BYTES))
            exchange(flags, STATE, TAKEN, ASLEEP)
            release(release_at, done)
