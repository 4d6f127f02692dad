"""How long the command line takes to answer: every verb's --help against a Python that does nothing."""

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from rich.table import Table

from kinematch.bench.machine import machine
from kinematch.errors import KinematchError

COMMAND = (sys.executable, "-m", "kinematch.cli.main")


@dataclass(frozen=True)
class StartReport:
    machine: dict[str, Any]
    python: float  # s, median of `python -c pass`
    seconds: dict[str, float]  # s, median of each command


def bench_start(
    verbs: Sequence[str], *, rounds: int, progress: Callable[[int, int], None] = lambda done, total: None
) -> StartReport:
    """Medians over rounds in which all commands take turns, so that a busy moment hits them alike."""
    commands = [["--version"], ["--help"], *([verb, "--help"] for verb in verbs)]
    python: list[float] = []
    times: dict[str, list[float]] = {}
    for done in range(rounds):
        progress(done, rounds)
        python.append(_time([sys.executable, "-c", "pass"]))
        for arguments in commands:
            times.setdefault(" ".join(arguments), []).append(_time([*COMMAND, *arguments]))
    return StartReport(
        machine(), statistics.median(python), {name: statistics.median(taken) for name, taken in times.items()}
    )


def _time(command: Sequence[str]) -> float:
    start = perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ, text=True)
    seconds = perf_counter() - start
    if done.returncode:
        raise KinematchError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")
    return seconds


def table(report: StartReport) -> Table:
    shown = Table("command", "ms", "times `python -c pass`", box=None, pad_edge=False)
    shown.add_row("python -c pass", f"{1000 * report.python:.0f}", "1.0")
    for name, seconds in report.seconds.items():
        shown.add_row(f"kinematch {name}", f"{1000 * seconds:.0f}", f"{seconds / report.python:.1f}")
    return shown


def plain(report: StartReport) -> dict[str, Any]:
    """The report in plain JSON values."""
    return {"machine": report.machine, "python": report.python, "seconds": report.seconds}
