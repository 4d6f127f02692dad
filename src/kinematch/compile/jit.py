"""The one numba decorator of the project: compiled on first call, cached on disk where that is possible."""

import gc
import hashlib
import inspect
import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, wraps
from pathlib import Path
from typing import Any

import numba
from numba.extending import overload, register_jitable

from kinematch.compile.code_cache import set_cache
from kinematch.compile.internals import PART, UNCOUNTED, RoutineCompiler, watch_compilation

_IMPORTS = re.compile(rb"^from (kinematch\.[\w.]+) import (\(.*?\)|.*?$)", re.MULTILINE | re.DOTALL)
_FOLDERS = {"kernels", "step", "compile", "math"}  # whose files are compiled, all of them
_FILES = re.compile(r".*kernels|constants|layout")  # elsewhere

INNER: Any = PART | UNCOUNTED | {"error_model": "numpy", "fastmath": {"contract"}, "forceinline": True}
ROUTINE: Any = INNER | {"pipeline_class": RoutineCompiler}


_were_collecting: list[bool] = []  # of functions that are being compiled, each within the one before


def _stop_collecting(_: Callable) -> None:
    _were_collecting.append(gc.isenabled())
    gc.disable()


def _collect_again(_: Callable) -> None:
    if _were_collecting.pop():
        gc.enable()


# numba makes millions of objects that live as long as a compilation: looking for garbage among them takes a sixth of it
_WATCH = ExitStack()
_WATCH.enter_context(watch_compilation(_stop_collecting, _collect_again))


def kernel(function: Callable | None = None, *, fastmath: bool | set[str] = False, counting: bool = True) -> Any:
    """Compile without the GIL, cached.

    `counting=False` is for kernels that make no array, not even a view: nobody counts who holds those given, which for
    records of many arrays takes longer than the work, and has threads wait for each other.
    """

    def compile_lazily(f: Callable) -> Any:
        options: dict[str, Any] = {} if counting else UNCOUNTED
        dispatcher: Any = numba.njit(f, nogil=True, fastmath=fastmath, **options)
        set_cache(dispatcher, _find_sources(f))
        return dispatcher

    return compile_lazily if function is None else compile_lazily(function)


def part(function: Callable) -> Any:
    """Compile as part of the kernels that call it: there is no way in from Python, and nothing of its own on disk."""
    return numba.njit(function, **PART)


def inner(function: Callable) -> Any:
    """A function that kernels inline; called from Python, it runs as it is written."""
    return register_jitable(**INNER)(function)


def routine(function: Callable) -> Any:
    """A large function that kernels call, which compiles faster than inlining; from Python it runs as it is written."""
    return register_jitable(**ROUTINE)(function)


def replace_in_kernels(function: Callable) -> Callable:
    """Register a text that kernels inline in place of a Python function."""

    def register(text: Callable) -> Callable:
        overload(function, jit_options=INNER, strict=False)(lambda *given: text)
        return text

    return register


def only_in_kernels(function: Callable) -> Callable:
    """A function that kernels inline; from Python it does nothing."""

    @wraps(function)
    def do_nothing(*given: Any) -> None: ...

    replace_in_kernels(do_nothing)(function)
    return do_nothing


def _find_sources(function: Callable) -> tuple[str, ...]:
    """What compiled code depends on: files, and the layouts of the records that it opens."""
    layouts = [one.layout for one in function.__globals__.values() if hasattr(one, "layout")]
    return digest_sources(Path(inspect.getfile(function)).parent), *layouts


@cache
def digest_sources(folder: Path) -> str:
    """A digest of the files that kernels of a folder call and take constants from.

    These are its own, `compile` and `math`, and all that files which are compiled import.
    """
    package = Path(__file__).parents[1]
    waiting = [path for home in (folder, package / "compile", package / "math") for path in home.glob("*.py")]
    waiting = [path for path in waiting if _is_compiled(path)]
    found: dict[Path, bytes] = {}
    while waiting:
        path = waiting.pop()
        if path not in found and path.is_file():
            found[path] = path.read_bytes()
            if _is_compiled(path):
                for module, parts in _IMPORTS.findall(found[path]):
                    place = package.parent.joinpath(*module.decode().split("."))
                    waiting += [
                        place.with_suffix(".py"),
                        *(place / f"{one}.py" for one in re.findall(r"\w+", parts.decode())),
                    ]
    return hashlib.sha256(b"".join(found[path] for path in sorted(found))).hexdigest()


def _is_compiled(path: Path) -> bool:
    return path.parent.name in _FOLDERS or _FILES.fullmatch(path.stem) is not None
