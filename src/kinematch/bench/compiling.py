"""How long a first start compiles, kernel by kernel: python -m kinematch.bench.compiling [DATABASE].

A process with an empty cache opens a database, the built-in one if none is given, and steps one character.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

from kinematch.compile.internals import watch_compilation

STEPS = 20
CHILD = "import sys; from kinematch.bench.compiling import run_first_start; run_first_start(*sys.argv[1:])"


@contextmanager
def time_kernels() -> Iterator[dict[str, float]]:
    """Seconds of processor time that each kernel takes to compile within, with the functions that it calls."""
    seconds: dict[str, float] = {}
    begun: list[float] = []

    def end(function: Callable[..., Any]) -> None:
        taken = process_time() - begun.pop()
        if not begun:  # no other is waiting for it
            seconds[function.__name__] = seconds.get(function.__name__, 0.0) + taken

    with watch_compilation(lambda function: begun.append(process_time()), end):
        yield seconds


def run_first_start(path: str = "") -> None:
    """Open a database and step a character, and print how long kernels took."""
    import numpy as np

    import kinematch as km

    with time_kernels() as seconds:
        crowd = km.Crowd(km.load(path) if path else km.load("built-in"))
        for _ in range(STEPS):
            crowd.step(km.move(np.array([[0.0, 0.0, 1.3]])), 1 / 60)
    for name, taken in sorted(seconds.items(), key=lambda item: -item[1]):
        print(f"{taken:6.2f} s  {name}")
    print(f"{process_time():6.2f} s  of processor time in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path, nargs="?", help="the built-in one if none")
    given = parser.parse_args()
    arguments = [str(given.database)] if given.database else []
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        sys.exit(subprocess.run([sys.executable, "-c", CHILD, *arguments], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
