"""Announce compilation: the first search on a machine compiles for some seconds; later runs load cached code."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core.event import Event, Listener, install_listener

LOG = logging.getLogger("kinematch")
MESSAGE = "compiling the search, which takes some seconds; later runs load it from a cache"


class _Compilations(Listener):
    """Calls back when a function of the search is compiled; loading one from the cache is no such event."""

    def __init__(self, tell: Callable[[str], None]):
        self.tell = tell

    def on_start(self, event: Event) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("kinematch.search."):
            self.tell(MESSAGE)

    def on_end(self, event: Event) -> None:
        pass


class _Once:
    """One warning per process, since logging shows warnings by default."""

    said = False

    def __call__(self, message: str) -> None:
        if not self.said:
            self.said = True
            LOG.warning(message)


_WARN = _Once()
_COMPILING = threading.RLock()


@contextmanager
def telling(tell: Callable[[str], None] = _WARN) -> Iterator[None]:
    """Report each function that is compiled within. One thread at a time: a thread that has compiled a kernel disables
    further compilation while others may still be waiting for it."""
    with _COMPILING, install_listener("numba:compile", _Compilations(tell)):
        yield
