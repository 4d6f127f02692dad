"""Work on all cores: plain threads over kernels that hold no lock.

Not numba's own parallel loops: those compile for seconds more, and some of the layers they run on end the process when
two threads enter at once or a process was forked.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numba

T = TypeVar("T")
PATIENCE = 0.02  # s after which a thread that waits for another looks whether that one failed
SHARED = 800  # characters from which it pays to wake other threads
PIECE = 32  # queries at a time: small enough to balance, large enough to pay
_LOCAL = threading.local()  # whether this thread runs a piece already: pieces of pieces only get in the way


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work, of each process its own: to start one takes as long as many a piece."""
    return ThreadPoolExecutor(threads)


def count_threads() -> int:
    """How many threads may work at once: as many as numba is set to, one within a piece of work."""
    return 1 if getattr(_LOCAL, "busy", False) else numba.get_num_threads()


def slice_evenly(count: int, parts: int) -> list[slice]:
    """A count in so many slices of equal length."""
    return _slice(count, -(-count // max(parts, 1)))


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

    def take(errors: list[BaseException]) -> None:
        for piece in waiting:
            work(piece)

    _run_everywhere(take)


def run_shared(work: Callable[[], Any]) -> None:
    """Have all threads do the same work at once, which they share among themselves."""
    _run_everywhere(lambda errors: work())


def run_in_two(parts: int, first: Callable[[int], Any], second: Callable[[int], Any]) -> None:
    """For each part do first the one thing, then the other, which threads that are done do for other parts too.

    The second may be called by several threads at once, and again when nothing is left. After an error nobody helps.
    With one part, this thread does the first alone, and all do the second.
    """
    if parts == 1:
        first(0)
        run_shared(lambda: second(0))
        return
    waiting, ready = iter(range(parts)), [threading.Event() for _ in range(parts)]

    def take(errors: list[BaseException]) -> None:
        for part in waiting:
            first(part)
            ready[part].set()
            second(part)
        for part in range(parts):
            while not ready[part].wait(PATIENCE):
                if errors:
                    return
            second(part)

    _run_everywhere(take)


def _run_everywhere(work: Callable[[list[BaseException]], None]) -> None:
    """Do the work on this thread and all others; it is given a list that errors of other threads are added to."""
    errors: list[BaseException] = []

    def run() -> None:
        _LOCAL.busy = True
        try:
            work(errors)
        except BaseException as error:
            errors.append(error)
        finally:
            _LOCAL.busy = False

    helpers = count_threads() - 1
    others: list[Future] = []
    if helpers:
        others = [_pool(os.getpid(), helpers).submit(run) for _ in range(helpers)]
    run()
    for other in others:
        if not other.cancel():  # one that has not begun would find nothing left
            other.result()
    if errors:
        raise errors[0]
