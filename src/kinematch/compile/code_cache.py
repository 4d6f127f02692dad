"""Compiled code under a digest of everything it is made from, so that checkouts with the same sources share it.

Numba's own cache goes by paths and times of files: each checkout and each environment would compile everything again.
"""

import functools
import hashlib
import inspect
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy
from numba import types

from kinematch.code_folder import find_code_folder, has_entry, load_entry, save_entry
from kinematch.compile.internals import name_target, pack_code, unpack_code

LOG = logging.getLogger("kinematch")
VERSIONS = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, numpy.__version__)


class CodeCache:
    """What numba asks for the code of one function."""

    def __init__(self, function: Callable, sources: tuple, folder: Path):
        self.folder = folder
        file = Path(inspect.getfile(function))
        self._name = re.sub(r"\W+", "-", f"{file.stem}-{function.__qualname__}")[:80]
        place = (function.__module__, function.__qualname__, function.__code__.co_firstlineno)
        self._made_from = _digest((*VERSIONS, *place, file.read_bytes(), *sources))

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    def name_entries(self, context: Any) -> str:
        """How the names of entries begin, whatever the types of arguments."""
        return f"{self._name}-{_digest((self._made_from, name_target(context)))}-"

    def load_overload(self, sig: tuple, context: Any) -> Any:
        content = load_entry(self.folder, self._name_entry(sig, context))
        return None if content is None else unpack_code(sig, context, content)

    def save_overload(self, sig: tuple, compiled: Any) -> None:
        if content := pack_code(sig, compiled):
            save_entry(self.folder, self._name_entry(sig, compiled.target_context), content)

    def _name_entry(self, sig: tuple, context: Any) -> str:
        return self.name_entries(context) + _digest(_describe(sig))


def set_cache(dispatcher: Any, sources: tuple) -> None:
    """Keep the code of a function on disk, where there is a folder for it."""
    function = dispatcher.py_func
    if function.__closure__:  # what it refers to is in no source
        return
    if folder := find_code_folder():
        dispatcher._cache = CodeCache(function, sources, folder)
    else:
        _warn_uncached()


@functools.cache  # one warning per process
def _warn_uncached() -> None:
    LOG.warning(
        "compiled code is not kept, so that starts take a minute; set NUMBA_CACHE_DIR to a folder to write into"
    )


def is_missing(dispatcher: Any) -> bool:
    """Whether no run has left code of a kernel that this machine can use; where none can be kept, none is missing."""
    kept = dispatcher._cache
    return isinstance(kept, CodeCache) and not has_entry(kept.folder, kept.name_entries(dispatcher.targetctx))


def _describe(kinds: Any) -> Any:
    """Names of types; numba's name of a named tuple leaves out its fields."""
    if isinstance(kinds, types.NamedTuple | types.NamedUniTuple):
        return (kinds.instance_class.__qualname__, kinds.fields, _describe(tuple(kinds.types)))
    return tuple(map(_describe, kinds)) if isinstance(kinds, tuple) else str(kinds)


def _digest(parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
