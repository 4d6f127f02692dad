"""Many queries or characters on all cores: plain threads over kernels that hold no lock.

Not numba's own parallel loops: those compile for seconds more, and some of the layers they run on end the process when
two threads enter at once or a process was forked.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import numba

T = TypeVar("T")
PATIENCE = 0.02  # s after which a thread that waits for another looks whether that one failed
PIECE = 32  # queries at a time: small enough to balance, large enough to pay
_WITHIN = threading.local()  # whether this thread does a piece already: pieces of pieces would only get in the way


@cache
def _waiting(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work, of each process its own: to start one takes as long as many a piece."""
    return ThreadPoolExecutor(threads)


def shares(count: int, *, worth: int) -> list[slice]:
    """A count in as many slices as there are threads to do the work, from a count that is worth it."""
    return _slices(count, -(-count // _threads(count, worth)))


def in_pieces(count: int, work: Callable[[slice], None], *, worth: int, piece: int = PIECE) -> None:
    """Do the work for slices of a count, on as many threads as numba is set to, from a count that is worth it."""
    together(_slices(count, piece) if _threads(count, worth) > 1 else [slice(0, count)], work)


def _threads(count: int, worth: int) -> int:
    return 1 if count < worth or getattr(_WITHIN, "piece", False) else numba.get_num_threads()


def _slices(count: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def in_two(parts: int, first: Callable[[int], None], second: Callable[[int], None], *, shared: bool) -> None:
    """For each of some parts do first the one thing, then the other.

    Where the second is shared, threads that find no more parts help with those of others, whose first is done: it is
    called by several at once then, and again when nothing is left. After an error nobody helps.
    """
    ready = [threading.Event() for _ in range(parts)]

    def work(part: int) -> None:
        first(part)
        ready[part].set()
        second(part)

    def help_others(errors: list[BaseException]) -> None:
        for part in range(parts if shared else 0):
            while not ready[part].wait(PATIENCE):
                if errors:
                    return
            second(part)

    together(range(parts), work, help_others)


def together(
    pieces: Sequence[T], work: Callable[[T], None], then: Callable[[list[BaseException]], None] = lambda errors: None
) -> None:
    """Do the work for each piece once, on as many threads as numba is set to; who finds no more goes on to `then`,
    which is given a list of errors: one of another thread may be added to it at any time."""
    if len(pieces) == 1:
        work(pieces[0])
        return
    waiting = iter(pieces)  # each is handed out once, whoever asks
    errors: list[BaseException] = []

    def run() -> None:
        _WITHIN.piece = True
        try:
            for piece in waiting:
                work(piece)
            then(errors)
        except BaseException as error:
            errors.append(error)
        finally:
            _WITHIN.piece = False

    threads = numba.get_num_threads()
    others = [_waiting(os.getpid(), threads - 1).submit(run) for _ in range(threads - 1)]
    run()
    for other in others:
        if not other.cancel():  # one that is not begun would find nothing left
            other.result()
    if errors:
        raise errors[0]
