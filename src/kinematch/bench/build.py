"""How long a recipe takes to build, stage by stage, and how many cores that keeps busy."""

import os
import statistics
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


@dataclass(frozen=True)
class BuildTimes:
    recipe: str
    frames: int
    seconds: float  # median of a whole build
    cores: float  # CPU seconds of all processes over seconds
    stages: dict[str, float]  # s, medians


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
        seconds, busy, stages, frames = zip(*runs)
        medians = {stage: statistics.median(one[stage] for one in stages) for stage in stages[0]}
        cores = statistics.median(b / s for b, s in zip(busy, seconds))
        found.append(BuildTimes(recipe.stem, frames[0], statistics.median(seconds), cores, medians))
    return BuildReport(machine(), tuple(found))


def _build_once(recipe: Path) -> tuple[float, float, dict[str, float], int]:
    """Seconds, CPU seconds, seconds by stage, and frames of one build, through a copy beside the recipe."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=recipe.parent) as folder:
        output = f'output = "{Path(folder).name}/built{SUFFIX}"\n'
        text = "".join(line for line in read_recipe_text(recipe).splitlines(True) if not line.startswith("output"))
        copy = recipe.parent / f"{Path(folder).name}.toml"
        copy.write_text(output + text, "utf-8")
        try:
            before, start = sum(os.times()[:4]), perf_counter()
            result = build(copy)
            seconds, busy = perf_counter() - start, sum(os.times()[:4]) - before
            return seconds, busy, result.seconds, result.database.poses.frame_count
        finally:
            copy.unlink()


def table(report: BuildReport) -> Table:
    shown = Table("recipe", "frames", "s", "cores busy", box=None, pad_edge=False)
    stages = list(report.builds[0].stages)
    for stage in stages:
        shown.add_column(f"{stage}, s", justify="right")
    for one in report.builds:
        own = (f"{one.stages.get(stage, 0.0):.2f}" for stage in stages)
        shown.add_row(one.recipe, f"{one.frames:,}", f"{one.seconds:.2f}", f"{one.cores:.2f}", *own)
    return shown


def plain(report: BuildReport) -> dict[str, Any]:
    """The report in plain JSON values."""
    return asdict(report)
