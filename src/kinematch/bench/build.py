"""How long a recipe takes to build, stage by stage, how many cores that keeps busy, and how much memory it takes."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.table import Table

from kinematch.bench.machine import machine
from kinematch.database.build import build
from kinematch.database.recipe import read_recipe_text
from kinematch.database.storage import SUFFIX
from kinematch.errors import KinematchError


@dataclass(frozen=True)
class BuildTimes:
    recipe: str
    frames: int
    seconds: float  # median of a whole build
    cores: float  # CPU seconds of all processes over seconds
    stages: dict[str, float]  # s, medians
    peak_bytes: int  # of memory, of the largest process, the largest of all rounds


@dataclass(frozen=True)
class BuildReport:
    machine: dict[str, Any]
    builds: tuple[BuildTimes, ...]


def bench_build(
    recipes: list[Path], *, rounds: int, progress: Callable[[str, int, int], None] = lambda name, done, total: None
) -> BuildReport:
    """Build each recipe several times from scratch; the databases that it names are not changed."""
    found = []
    for recipe in recipes:
        runs = []
        for done in range(rounds):
            progress(recipe.stem, done, rounds)
            runs.append(_build_once(recipe))
        stages = {stage: statistics.median(one["stages"][stage] for one in runs) for stage in runs[0]["stages"]}
        cores = statistics.median(one["busy"] / one["seconds"] for one in runs)
        seconds = statistics.median(one["seconds"] for one in runs)
        peak = max(one["peak_bytes"] for one in runs)
        found.append(BuildTimes(recipe.stem, runs[0]["frames"], seconds, cores, stages, peak))
    return BuildReport(machine(), tuple(found))


def _build_once(recipe: Path) -> dict[str, Any]:
    """Figures of one build from nothing, in a process of its own, through a copy beside the recipe."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=recipe.parent) as folder:
        output = f'output = "{Path(folder).name}/built{SUFFIX}"\n'
        text = "".join(line for line in read_recipe_text(recipe).splitlines(True) if not line.startswith("output"))
        copy = recipe.parent / f"{Path(folder).name}.toml"
        copy.write_text(output + text, "utf-8")
        try:
            command = [sys.executable, "-m", "kinematch.bench.build", str(copy), folder]
            done = subprocess.run(command, capture_output=True, text=True)
        finally:
            copy.unlink()
    if done.returncode:
        raise KinematchError(f"{recipe}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout))


def measure(recipe: Path, cache: Path) -> dict[str, Any]:
    """Figures of a build in this process; `cache` is a folder without cleaned clips."""
    import resource

    before, start = sum(os.times()[:4]), perf_counter()
    result = build(recipe, cache=cache)
    seconds, busy = perf_counter() - start, sum(os.times()[:4]) - before
    peaks = (resource.getrusage(one).ru_maxrss for one in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "seconds": seconds,
        "busy": busy,
        "stages": result.seconds,
        "frames": result.on_disk.poses.frame_count,
        "peak_bytes": 1024 * max(peaks),
    }


def table(report: BuildReport) -> Table:
    shown = Table("recipe", "frames", "s", "cores busy", "peak, GB", box=None, pad_edge=False)
    stages = list(report.builds[0].stages)
    for stage in stages:
        shown.add_column(f"{stage}, s", justify="right")
    for one in report.builds:
        own = (f"{one.stages.get(stage, 0.0):.2f}" for stage in stages)
        shown.add_row(
            one.recipe, f"{one.frames:,}", f"{one.seconds:.2f}", f"{one.cores:.2f}", f"{one.peak_bytes / 1e9:.2f}", *own
        )
    return shown


def plain(report: BuildReport) -> dict[str, Any]:
    """The report in plain JSON values."""
    return asdict(report)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), Path(sys.argv[2]))))
