"""Compiled code under a digest of everything it is made from, so that checkouts with the same sources share it.

Numba's own cache goes by paths and times of files: each checkout and each environment would compile everything again.
"""

import functools
import hashlib
import inspect
import json
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

from kinematch.code_folder import SHIPPED, TARGET, find_code_folder, has_entry, load_entry, save_entry
from kinematch.compile.internals import describe_target, pack_code, unpack_code

LOG = logging.getLogger("kinematch")
VERSIONS = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, numpy.__version__)


class CodeCache:
    """Numba's interface to the cached code of one function."""

    def __init__(self, function: Callable, sources: tuple, folder: Path):
        self.folder = folder
        file = Path(inspect.getfile(function))
        self._name = re.sub(r"\W+", "-", f"{file.stem}-{function.__qualname__}")[:80]
        place = (function.__module__, function.__qualname__, function.__code__.co_firstlineno)
        self._made_from = _digest((*VERSIONS, *place, file.read_bytes(), *sources))

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    def has_entries(self, context: Any) -> bool:
        """Whether there is code of the function, whatever the types of arguments."""
        return any(has_entry(folder, self._name_entries(target)) for folder, target in self._list_places(context))

    def load_overload(self, sig: tuple, context: Any) -> Any:
        for folder, target in self._list_places(context):
            content = load_entry(folder, self._name_entry(sig, target))
            if content is not None:
                return unpack_code(sig, context, content)
        return None

    def save_overload(self, sig: tuple, compiled: Any) -> None:
        if content := pack_code(sig, compiled):
            save_entry(self.folder, self._name_entry(sig, describe_target(compiled.target_context)), content)

    def _list_places(self, context: Any) -> list[tuple[Path, tuple]]:
        """Folders, and the target of the code in each: the user's, and that of a wheel which this machine can run."""
        own, shipped = describe_target(context), _find_shipped_target()
        places = [(self.folder, own)]
        if shipped is not None and _can_run(own, shipped):
            places.append((SHIPPED, shipped))
        return places

    def _name_entry(self, sig: tuple, target: tuple) -> str:
        return self._name_entries(target) + _digest(_describe(sig))

    def _name_entries(self, target: tuple) -> str:
        return f"{self._name}-{_digest((self._made_from, repr(target)))}-"


def set_cache(dispatcher: Any, sources: tuple) -> None:
    """Keep the code of a function on disk, where there is a folder for it."""
    function = dispatcher.py_func
    if function.__closure__:  # its closure is not part of the source
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
    """Whether a kernel has no cached code for this machine; False where code cannot be cached."""
    kept = dispatcher._cache
    return isinstance(kept, CodeCache) and not kept.has_entries(dispatcher.targetctx)


@functools.cache
def _find_shipped_target() -> tuple | None:
    """System, processor and features that the code of a platform wheel is for."""
    try:
        return tuple(json.loads(TARGET.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def _can_run(own: tuple, given: tuple) -> bool:
    """Whether a machine runs code for a target: the same system, and all features that the code may use."""
    features = [{one for one in target[2].split(",") if one.startswith("+")} for target in (own, given)]
    return own[0] == given[0] and features[1] <= features[0]


def _describe(kinds: Any) -> Any:
    """Names of types; numba's name of a named tuple leaves out its fields."""
    if isinstance(kinds, types.NamedTuple | types.NamedUniTuple):
        return (kinds.instance_class.__qualname__, kinds.fields, _describe(tuple(kinds.types)))
    return tuple(map(_describe, kinds)) if isinstance(kinds, tuple) else str(kinds)


def _digest(parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
