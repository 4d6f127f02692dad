"""Helpers: threads that sleep inside a kernel, and never take Python's lock to wake up, work and sleep again.

A thread that runs Python waits for that lock whenever it wakes up while another runs Python between short kernels.
"""

import contextlib
import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types

from kinematch.compile.handle import read_field
from kinematch.compile.jit import kernel
from kinematch.compile.memory import exchange
from kinematch.compile.threads import alone, count_most_threads, count_threads
from kinematch.compile.vectors import I32, I64, intrinsic

# flags of a helper; those that two threads write are a cache line apart
STATE, WOKEN, FUNCTION, CALLS, COUNT, FLAGS = 0, 8, 16, 17, 18, 24
ASLEEP, POSTED, TAKEN = 0, 1, 2  # values of STATE
TRIES = 5000  # looks whether a helper is done before sleeping until it is: some 50 us
_BUSY = threading.Lock()  # one caller at a time has the helpers; others do without


@intrinsic
def call_kernel(typing, function, record):
    """Call the compiled kernel at an address with the fields of a record as arguments; it returns nothing."""
    fields = [kind for kind, _ in record.fields.values()]

    def generate(context, b, signature, arguments):
        conv = context.call_conv
        place = b.inttoptr(arguments[0], conv.get_function_type(types.void, fields).as_pointer())
        values = [read_field(context, b, record, arguments[1], field) for field in record.fields]
        conv.call_function(b, place, types.void, fields, values)
        return context.get_dummy_value()

    return types.void(types.int64, record), generate


@intrinsic
def acquire(typing, function, lock, wait):
    """Take a lock of the interpreter's, which needs no other lock for it: 1 if taken. `function`: its address."""

    def generate(context, b, signature, arguments):
        place = b.inttoptr(arguments[0], ir.FunctionType(I32, [I64, I32]).as_pointer())
        return b.call(place, arguments[1:])

    return types.int32(types.int64, types.int64, types.int32), generate


@intrinsic
def release(typing, function, lock):
    """Release a lock, which any thread may."""

    def generate(context, b, signature, arguments):
        place = b.inttoptr(arguments[0], ir.FunctionType(ir.VoidType(), [I64]).as_pointer())
        b.call(place, arguments[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@kernel(counting=False)
def post(flags, wake, release_at):
    """Wake a helper up, unless it was woken already and has not looked yet."""
    exchange(flags, STATE, ASLEEP, POSTED)
    if exchange(flags, WOKEN, 0, 1):
        release(release_at, wake)


@kernel(counting=False)
def finish(flags, done, acquire_at):
    """Take back what a helper has not begun, or wait until it is done."""
    if exchange(flags, STATE, POSTED, ASLEEP):
        return
    for _ in range(TRIES):
        if acquire(acquire_at, done, 0):
            return
    acquire(acquire_at, done, 1)


class Helper:
    """One thread, asleep until it is posted calls of a compiled function."""

    def __init__(self, loop: Callable[..., None]):
        """`loop` is a kernel that never returns: see `character.kernels.helping`."""
        python = ctypes.pythonapi
        python.PyThread_allocate_lock.restype = ctypes.c_void_p
        self._wake, self._done = python.PyThread_allocate_lock(), python.PyThread_allocate_lock()
        for lock in (self._wake, self._done):
            python.PyThread_acquire_lock(ctypes.c_void_p(lock), 1)
        self._acquire_at = _find_address(python.PyThread_acquire_lock)
        self._release_at = _find_address(python.PyThread_release_lock)
        self.flags = np.zeros(FLAGS, np.int64)
        self._calls: np.ndarray | None = None  # posted, and not finished yet
        given = (self.flags, self._wake, self._done, self._acquire_at, self._release_at)
        self._thread = threading.Thread(target=loop, args=given, daemon=True, name="kinematch helper")
        self._thread.start()
        self._avoided = -1  # the core that it stays away from

    def post(self, function: int, calls: np.ndarray) -> None:
        """Wake it up to call a compiled function, at an address, with each of so many records (K, H)."""
        self._calls = calls  # kept while it runs
        self.flags[FUNCTION], self.flags[CALLS], self.flags[COUNT] = function, calls.ctypes.data, len(calls)
        self._avoid(_find_core())
        post(self.flags, self._wake, self._release_at)

    def finish(self) -> None:
        """Wait until it is done; what it has not begun it never does."""
        if self._calls is not None:
            finish(self.flags, self._done, self._acquire_at)
            self._calls = None

    def _avoid(self, core: int) -> None:
        """Stay away from the caller's core: Linux may wake a thread there, and the caller waits until it is done."""
        if core != self._avoided:
            self._avoided = core
            with contextlib.suppress(OSError):  # no other core is left to it
                os.sched_setaffinity(self._thread.native_id or 0, os.sched_getaffinity(0) - {core})


def _choose_core_finder() -> Callable[[], int]:
    """A function that tells the core it runs on; always -1 where threads cannot be told which cores to use."""
    if not hasattr(os, "sched_setaffinity"):
        return lambda: -1
    return getattr(ctypes.CDLL(None), "sched_getcpu", lambda: -1)


_find_core = _choose_core_finder()


def _find_address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def find_kernel(kernel: Any, record: tuple) -> int:
    """The address of a kernel, compiled for the fields of a record as arguments."""
    signature = tuple(numba.typeof(field) for field in record)
    kernel.compile(signature)
    compiled = kernel.overloads[signature]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


@cache
def _start(process: int, loop: Callable, count: int) -> list[Helper]:
    return [Helper(loop) for _ in range(count)]


@contextmanager
def helpers(loop: Callable[..., None]) -> Iterator[list[Helper]]:
    """The helpers of this process, one for each other core, done with what was posted to them afterwards.

    None while somebody else has them, or in a thread that shares the cores with others already.
    """
    count = count_threads() - 1
    if count < 1 or not _BUSY.acquire(blocking=False):
        yield []
        return
    own = _start(os.getpid(), loop, count_most_threads() - 1)[:count]
    try:
        with alone():
            yield own
    finally:
        for helper in own:
            helper.finish()
        _BUSY.release()
