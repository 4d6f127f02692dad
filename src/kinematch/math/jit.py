"""The one numba decorator of the project: compiled on first call, cached on disk where that is possible."""

from collections.abc import Callable
from typing import Any

import numba


def kernel(function: Callable | None = None, *, parallel: bool = False, fastmath: bool = False) -> Callable:
    """Compile without the GIL; without a writable cache folder numba refuses to cache, and we go on uncached."""

    def compile_lazily(f: Callable) -> Callable:
        options: dict[str, Any] = {"nogil": True, "parallel": parallel, "fastmath": fastmath}
        try:
            return numba.njit(f, cache=True, **options)
        except RuntimeError:
            return numba.njit(f, **options)

    return compile_lazily if function is None else compile_lazily(function)
