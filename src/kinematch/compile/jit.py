"""The one numba decorator of the project: compiled on first call, cached on disk where that is possible."""

import contextlib
import hashlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache

from kinematch.compile.parts import PartCompiler

# modules that a file imports from, or as a whole, if they hold kernels or numbers that kernels were compiled with
_IMPORTS = re.compile(
    rb"^from (kinematch\.[\w.]*(?:kernels\.\w+|kernels|constants|layout)) import"
    rb"|^from (kinematch\.[\w.]+) import (\w*kernels|constants|layout)",
    re.MULTILINE,
)

PART: dict[str, Any] = {
    "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PartCompiler,
}  # fmt: skip
INNER: dict[str, Any] = PART | {
    "forceinline": True, "error_model": "numpy", "fastmath": {"contract"}, "_nrt": False,
}  # fmt: skip


def kernel(
    function: Callable | None = None,
    *,
    parallel: bool = False,
    fastmath: bool | set[str] = False,
    counting: bool = True,
) -> Any:
    """Compile without the GIL; without a writable cache folder numba refuses to cache, and we go on uncached.

    `counting=False` is for kernels that make no array, not even a view: nobody counts who holds those given, which for
    records of many arrays takes longer than the work, and has threads wait for each other.
    """

    def compile_lazily(f: Callable) -> Any:
        options: dict[str, Any] = {"nogil": True, "parallel": parallel, "fastmath": fastmath, "_nrt": counting}
        dispatcher: Any = numba.njit(f, **options)
        with contextlib.suppress(RuntimeError):
            dispatcher._cache = _Cache(f)
        return dispatcher

    return compile_lazily if function is None else compile_lazily(function)


def part(function: Callable) -> Any:
    """Compile as part of the kernels that call it: there is no way in from Python, and nothing of its own on disk."""
    return numba.njit(function, **PART)


def inner(function: Callable) -> Any:
    """Compile as part of the kernels that call it, laid open within them; as with `part`, there is no other way in."""
    return numba.njit(function, **INNER)


def is_missing(kernel: Any) -> bool:
    """Whether no run has left code of a kernel that this machine can use; where none can be kept, none is missing."""
    if not isinstance(kernel._cache, _Cache):
        return False
    with contextlib.suppress(Exception):  # a file that is damaged, or cannot be read
        key = kernel._cache._index_key(None, kernel.targetctx.codegen())
        return not any(kept[1:] == key[1:] for kept in kernel._cache._cache_file._load_index())
    return True


class _Cache(FunctionCache):
    """Numba's, which forgets code when its own file changes; this one also when another file of kernels does.

    What cannot be read or written is compiled anew: a damaged file, a full disk or a folder gone is no reason to fail.
    """

    def __init__(self, function: Callable):
        super().__init__(function)
        # also by the records that it opens: code for another layout would read and write anywhere
        layouts = [one.layout for one in function.__globals__.values() if hasattr(one, "layout")]
        self._sources = _sources(Path(inspect.getfile(function)).parent), *layouts

    def _index_key(self, sig, codegen):
        return (*super()._index_key(sig, codegen), self._sources)

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling a damaged file may raise
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig, data):
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


@cache
def _sources(folder: Path) -> str:
    """A digest of the files that kernels of a folder call and take constants from.

    These are its own, `compile` and `math`, and what those import of other folders' kernels and constants.
    """
    package = Path(__file__).parents[1]
    waiting = [*(folder.glob("*.py") if folder.name == "kernels" else folder.glob("*kernels.py"))]
    waiting += [*(package / "compile").glob("*.py"), *(package / "math").glob("*.py")]
    found: dict[Path, bytes] = {}
    while waiting:
        path = waiting.pop()
        if path not in found and path.is_file():
            found[path] = path.read_bytes()
            for module, holder, part_of_it in _IMPORTS.findall(found[path]):
                name = (module or holder + b"." + part_of_it).decode()
                waiting.append(package.parent.joinpath(*name.split(".")).with_suffix(".py"))
    return hashlib.sha256(b"".join(found[path] for path in sorted(found))).hexdigest()
