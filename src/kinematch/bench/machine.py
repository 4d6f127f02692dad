"""Where and with what a benchmark was run."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from kinematch.bench.libraries import LIBRARIES, missing
from kinematch.compile.internals import find_host

VECTOR_SETS = ("avx512bw", "avx2", "sse4.1", "sse2", "neon")  # the widest first
PACKAGES = {"faiss": "faiss-cpu"}  # where the name to install is not the name to import


def machine() -> dict[str, Any]:
    processor, features = find_host()
    names = ["kinematch", "numpy", "scipy", "numba", "llvmlite", *(name for name in LIBRARIES if name not in missing())]
    return {
        "processor": find_processor(),
        "cores": os.cpu_count(),
        "numba target": processor,
        "vectors": [name for name in VECTOR_SETS if f"+{name}" in features] or ["generic"],
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in names},
        "not installed": list(missing()),
    }


def _version(name: str) -> str:
    try:
        return version(PACKAGES.get(name, name))
    except PackageNotFoundError:
        return "unknown"


def find_processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
