"""Tables of the comparison: what stands on the screen and in the report, as rows of text."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.evaluate.comparison.comparison import Comparison, ComparisonRow, measure_memory
from kinematch.evaluate.comparison.controllers import MACHINE
from kinematch.evaluate.report import shown
from kinematch.evaluate.scores import BY_NAME

MEGABYTE = 1e6
QUALITY = (
    *("position_mean", "facing_mean", "turn_median", "turn_180_walk", "unanswered", "skate_mean", "drift_mean"),
    *("penetration_mean", "rough", "pops", "jump_acceleration", "transitions", "frozen", "stuck", "broken"),
)


@dataclass(frozen=True)
class Grid:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def list_tables(comparison: Comparison) -> list[Grid]:
    return [
        _list_parameters(comparison),
        _list_quality(comparison, "Quality on the course (5.3), by our settings", ours=True),
        _list_quality(comparison, "Quality on the course (5.3), by those of table 5.2", ours=False),
        _list_training(comparison),
        _list_times(comparison),
        _list_memory(comparison),
    ]


def _list_parameters(comparison: Comparison) -> Grid:
    rows = []
    for name, row in comparison.rows.items():
        settings, times = row.controller.settings, row.controller.times
        if row.controller.plays == MACHINE:
            rows.append((name, comparison.opened["exact"].name, "-", "-", "-", "cross-fade"))
            continue
        decay = "-" if times is None else f"{times[2]:g}"
        halflife = "none" if settings.transition == "none" else f"{settings.transition_halflife:.2g}"
        played = comparison.opened[row.controller.plays].name
        rows.append(
            (name, played, f"{settings.search_interval:g}", f"{settings.forced_interval:g}", decay, halflife)
        )  # fmt: skip
    return Grid(
        "Controllers (table 5.2)",
        ("controller", "plays", "search, s", "forced search, s", "decay to 1 %, s", "half-life, s"),
        tuple(rows),
        "A decay time t means lambda = ln 100 / t in eq. 3.5-3.11, which is a spring of half-life 1.678 / lambda. "
        "Foot lock and adjustment are ours and on in all of them.",
    )


def _list_quality(comparison: Comparison, title: str, *, ours: bool) -> Grid:
    measures = [BY_NAME[name] for name in QUALITY]
    names = [name for name, row in comparison.rows.items() if (row.controller.times is None) == ours]
    rows = []
    for one in measures:
        values = [shown(one, comparison.rows[name].scores.get(one.name)) for name in names]
        rows.append((f"{one.text}, {one.unit}".rstrip(", "), *values))
    for score, text in (("nearest_mean", "mean"), ("nearest_p95", "95 %")):
        values = [f"{100 * comparison.rows[name].scores[score]:.1f}" for name in names]
        rows.append((f"joints from the nearest recorded pose, {text}, cm", *values))
    rows.append(("largest transition offset, deg", *(_tell_offset(comparison.rows[name]) for name in names)))
    return Grid(title, ("", *(name.replace("_", " ") for name in names)), tuple(rows))


def _tell_offset(row: ComparisonRow) -> str:
    return f"{np.degrees(row.offsets.max()):.0f}" if len(row.offsets) else "–"


def _list_training(comparison: Comparison) -> Grid:
    head = ("model", "frames", "training, min", "steps of each stage", "poses, cm", "held out, cm",
            "alone for 10 / 20 / 60 frames, cm", "projection from exact, cm", "verdict")  # fmt: skip
    rows = []
    for name, verdict in comparison.verdicts.items():
        model = comparison.opened[name].source
        about, scores = dict(model.about), {**model.scores, **comparison.stick[name]}
        plan, data = about.get("plan", {}), about.get("database", {})
        steps = [str(plan[key]) for key in ("compress_steps", "step_steps", "project_steps") if plan.get(key)]

        def tell(*keys: str, scores: dict[Any, Any] = scores) -> str:
            return " / ".join(f"{scores[key]:.2f}" if key in scores else "–" for key in keys)

        seconds = about.get("seconds")
        rows.append((
            comparison.opened[name].name, str(data.get("frames", "–")),
            "–" if seconds is None else f"{seconds / 60:.1f}", " + ".join(steps) or "–", tell("database_mean"),
            tell("held_mean"), tell("run_10", "run_20", "run_60"), tell("project_exact"), verdict.grade,
        ))  # fmt: skip
    return Grid("Training and error (tables 5.3 and 5.4)", head, tuple(rows))


def _list_times(comparison: Comparison) -> Grid:
    rows = [
        (name, *(f"{1e6 * value:.0f}" for value in (row.times.mean(), np.median(row.times), row.times.max())))
        for name, row in comparison.rows.items()
    ]
    return Grid(
        "Time a frame (table 5.5)",
        ("controller", "mean, us", "median, us", "most, us"),
        tuple(rows),
        "One character, whole step, time of the processor, all controllers in turn: compare them with each other only.",
    )


def _list_memory(comparison: Comparison) -> Grid:
    rows = []
    for name, (file, resident) in measure_memory(comparison).items():
        one = comparison.opened[name]
        size = "–" if file is None else f"{file / MEGABYTE:.1f}"
        rows.append((name, one.name, size, f"{resident / MEGABYTE:.1f}"))
    return Grid(
        "Memory (table 5.6)",
        ("", "plays", "file, MB", "resident, MB"),
        tuple(rows),
        "Resident: poses, features and what plays them, or networks and codebook, without the search index. "
        "The state machine plays a few clips of the exact database.",
    )
