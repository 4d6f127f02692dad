"""Many queries on all cores: plain threads over kernels that hold no lock.

Not numba's own parallel loops: those compile for seconds more, and some of the layers they run on end the process when
two threads enter at once or a process was forked.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numba

PIECE = 32  # queries at a time: small enough to balance, large enough to pay
_WITHIN = threading.local()  # whether this thread does a piece already: pieces of pieces would only get in the way


@cache
def _waiting(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work, of each process its own: to start one takes as long as many a piece."""
    return ThreadPoolExecutor(threads)


def in_shares(count: int, work: Callable[[slice], None], *, worth: int) -> None:
    """The same with one piece for each thread: smaller ones would have threads wait for each other's Python."""
    in_pieces(count, work, worth=worth, piece=-(-count // numba.get_num_threads()))


def in_pieces(count: int, work: Callable[[slice], None], *, worth: int, piece: int = PIECE) -> None:
    """Do the work for slices of a count, on as many threads as numba is set to, from a count that is worth it."""
    threads = 1 if count < worth or getattr(_WITHIN, "piece", False) else numba.get_num_threads()
    if threads == 1:
        work(slice(0, count))
        return
    starts = iter(range(0, count, piece))  # each start is handed out once, whoever asks
    errors: list[BaseException] = []

    def run() -> None:
        _WITHIN.piece = True
        try:
            for start in starts:
                work(slice(start, min(start + piece, count)))
        except BaseException as error:
            errors.append(error)
        finally:
            _WITHIN.piece = False

    others = [_waiting(os.getpid(), threads - 1).submit(run) for _ in range(threads - 1)]
    run()
    for other in others:
        if not other.cancel():  # one that is not begun would find nothing left
            other.result()
    if errors:
        raise errors[0]
