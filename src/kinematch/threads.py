"""Work on all cores: plain threads over kernels that hold no lock.

Not numba's own parallel loops: those compile for seconds more, and some of the layers they run on end the process when
two threads enter at once or a process was forked.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import numba

T = TypeVar("T")
SHARED = 300  # characters from which it pays to wake other threads
PIECE = 32  # queries at a time: small enough to balance, large enough to pay
_LOCAL = threading.local()  # whether the other cores are busy already: pieces of pieces only get in the way


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """One pool of threads for each process; to start a thread costs as much as many pieces of work."""
    return ThreadPoolExecutor(threads)


def count_threads() -> int:
    """How many threads may work at once: all that are allowed, one within a piece of work."""
    return 1 if getattr(_LOCAL, "busy", False) else getattr(_LOCAL, "most", count_most_threads())


def count_most_threads() -> int:
    """As many as there are cores, or as NUMBA_NUM_THREADS says.

    Numba itself is not asked: its answer starts its own threads, and makes torch use more than it was set to.
    """
    return int(numba.config.NUMBA_NUM_THREADS)


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Within it, work that this thread begins is done on no more threads than these."""
    before = getattr(_LOCAL, "most", None)
    _LOCAL.most = min(max(threads, 1), count_most_threads())
    try:
        yield
    finally:
        if before is None:
            del _LOCAL.most
        else:
            _LOCAL.most = before


@contextmanager
def alone() -> Iterator[None]:
    """Within it, this thread shares no pieces of work: the other cores are busy already."""
    before, _LOCAL.busy = getattr(_LOCAL, "busy", False), True
    try:
        yield
    finally:
        _LOCAL.busy = before


def run_in_pieces(count: int, work: Callable[[slice], None], *, worth: int, piece: int = PIECE) -> None:
    """Do the work for slices of a count, on all threads from a count that is worth it."""
    run_each(_slice(count, piece) if count >= worth and count_threads() > 1 else [slice(0, count)], work)


def _slice(count: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, count)) for start in range(0, count, max(size, 1))]


def run_each(pieces: Sequence[T], work: Callable[[T], Any]) -> None:
    """Do the work for each piece once."""
    if len(pieces) == 1:
        work(pieces[0])
        return
    waiting = iter(pieces)  # each is handed out once, whichever thread asks
    errors: list[BaseException] = []

    def take() -> None:
        try:
            with alone():
                for piece in waiting:
                    work(piece)
        except BaseException as error:
            errors.append(error)

    helpers = count_threads() - 1
    others: list[Future[Any]] = []
    if helpers:
        others = [_pool(os.getpid(), helpers).submit(take) for _ in range(helpers)]
    take()
    for other in others:
        if not other.cancel():  # one that has not begun would find nothing left
            other.result()
    if errors:
        raise errors[0]
