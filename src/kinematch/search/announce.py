"""Announce compilation: the first search on a machine compiles for some seconds; later runs load cached code."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from kinematch.compile.internals import watch_compilation

LOG = logging.getLogger("kinematch")
MESSAGE = "compiling the search, which takes some seconds; where code can be kept, later runs load it"


_COMPILING = threading.RLock()


@cache  # one warning per process, since logging shows warnings by default
def _warn(message: str) -> None:
    LOG.warning(message)


@contextmanager
def telling(tell: Callable[[str], None] = _warn) -> Iterator[None]:
    """Report each function of the search that is compiled within. One thread at a time: a thread that has compiled a
    kernel disables further compilation while others may still be waiting for it."""

    def begin(function: Callable[..., Any]) -> None:
        if function.__module__.startswith("kinematch.search."):
            tell(MESSAGE)

    with _COMPILING, watch_compilation(begin):
        yield
