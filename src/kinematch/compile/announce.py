"""Compiling: the first ever search on a machine takes some seconds more, and says so; later runs load what was kept."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core.event import Event, Listener, install_listener

LOG = logging.getLogger("kinematch")
MESSAGE = "compiling the search, which takes some seconds; later runs load it ready-made"


class _Compilations(Listener):
    """Calls back when a function of ours has to be compiled; loading one from disk is no such event."""

    def __init__(self, tell: Callable[[str], None]):
        self.tell = tell

    def on_start(self, event: Event) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("kinematch.search."):
            self.tell(MESSAGE)

    def on_end(self, event: Event) -> None:
        pass


class _Once:
    """A warning, since that is what logging shows unasked; one for each process is enough."""

    said = False

    def __call__(self, message: str) -> None:
        if not self.said:
            self.said = True
            LOG.warning(message)


_WARN = _Once()
_COMPILING = threading.RLock()


@contextmanager
def telling(tell: Callable[[str], None] = _WARN) -> Iterator[None]:
    """Hear of it, for each function, when what is done within has to compile; one thread at a time, since who has
    compiled a kernel may close it to further types while others still wait for it."""
    with _COMPILING, install_listener("numba:compile", _Compilations(tell)):
        yield
