"""The report of an evaluation: one HTML file to look at, with nothing to fetch."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kinematch.character.settings import to_plain
from kinematch.evaluate import page, pictures
from kinematch.evaluate.evaluation import OURS, SOURCE, Evaluation
from kinematch.evaluate.moments import worst
from kinematch.evaluate.run import Take
from kinematch.evaluate.scores import BY_NAME, MEASURES, Measure, Scores
from kinematch.writing import write_beside

COMPARED = ("skate_mean", "rough", "position_mean", "turn_p95")
BY_SCENARIO = ("position_mean", "facing_mean", "turn_p95", "speed_p95", "skate_mean", "slide_max", "rough", "roughest",
               "pops", "transitions", "repetition", "stuck")  # fmt: skip
MOVING = ("start and stop", "turn 90", "turn 180", "circles", "strafing", "gait changes", "turning in place",
          "path following", "uneven terrain", "random stick")  # fmt: skip
Progress = Callable[[int, int], None]


def shown(measure: Measure, value: float | None) -> str:
    """A value in its own unit, or a dash."""
    if value is None or np.isnan(value):
        return "–"
    if np.isinf(value):
        return "never"
    return f"{value * measure.scale:.{measure.digits}f}"


def write_report(path: Path, evaluation: Evaluation, *, title: str, progress: Progress | None = None) -> None:
    write_beside(path, html(evaluation, title=title, progress=progress).encode())


def html(evaluation: Evaluation, *, title: str, progress: Progress | None = None) -> str:
    told = progress or (lambda done, total: None)
    makers = (_summary, _targets, _methods, _scenarios, _traces, _moments, _moving, _settings)
    parts = []
    for n, make in enumerate(makers):
        told(n, len(makers))
        parts.append(make(evaluation))
    return page.page(f"Does it move well? {title}", parts)


def _summary(evaluation: Evaluation) -> str:
    given = evaluation.assignment
    poses = given.database.poses
    speeds = ", ".join(f"{name} {speed:g} m/s" for name, speed in given.gaits.forward.items())
    minutes = sum(take.scenario.seconds for take in evaluation.takes) / 60
    return (
        f"<p>{poses.frame_count} frames of {poses.clip_count} clips at {poses.frame_rate:g} fps"
        + (f", filter <code>{page.text(given.filter)}</code>" if given.filter else "")
        + f"; {len(given.scenarios)} scenarios, {minutes:.1f} minutes at {given.rate:g} steps a second, "
        f"seed {given.seed}. Speeds asked for: {speeds}, sideways {given.gaits.strafe:g} m/s.</p>"
    )


def _targets(evaluation: Evaluation) -> str:
    rows = []
    for target in evaluation.targets:
        measure = BY_NAME[target.name]
        mark = '<span class="met">met</span>' if target.met else '<span class="missed">missed</span>'
        values = [f"{shown(measure, value)} {measure.unit}" for value in (target.value, target.limit)]
        source = shown(measure, evaluation.rows[SOURCE].get(target.name))
        rows.append([page.text(target.text), *values, source, mark])
    lacking = [scenario for scenario in evaluation.assignment.scenarios if scenario.lack]
    told = "; ".join(page.text(f"{scenario.name} ({scenario.lack})") for scenario in lacking)
    left_out = f"<p>Not held to targets, for there is nothing like it in the source: {told}.</p>" if lacking else ""
    return "<h2>Targets</h2>" + page.table(["", "reached", "limit", "source", ""], rows) + left_out


def _methods(evaluation: Evaluation) -> str:
    names = list(evaluation.rows)
    rows = [
        [f"{page.text(m.text)}", *(shown(m, evaluation.rows[name].get(m.name)) for name in names), m.unit]
        for m in MEASURES
    ]
    charts = [page.drawn(pictures.comparison(evaluation.rows, name)) for name in COMPARED]
    return (
        "<h2>Every measure, beside the source and the baselines</h2>"
        + page.table(["", *map(page.text, names), ""], rows, mark=1 + names.index(OURS))
        + f'<div class="pictures">{"".join(charts)}</div>'
    )


def _scenarios(evaluation: Evaluation) -> str:
    measures = [BY_NAME[name] for name in BY_SCENARIO]
    head = ["scenario", *(f"{page.text(m.text)}<br>{m.unit}" for m in measures)]
    rows = [
        [f"{n + 1} {page.text(name)}", *(shown(m, scores.get(m.name)) for m in measures)]
        for n, (name, scores) in enumerate(evaluation.scenarios.items())
    ]
    source = evaluation.rows[SOURCE]
    rows.append(['<span class="faint">source</span>', *(shown(m, source.get(m.name)) for m in measures)])
    charts = [
        page.drawn(pictures.scenario_chart(evaluation.scenarios, name, source.get(name)))
        for name in ("position_mean", "skate_mean", "rough")
    ]
    return "<h2>By scenario</h2>" + page.table(head, rows) + "".join(charts)


def _traces(evaluation: Evaluation) -> str:
    made = [page.drawn(pictures.trace(take)) for take in evaluation.takes]
    note = "<p>From above: the character and the simulated body that it follows; of long ones half a minute.</p>"
    return f'<h2>Traces</h2>{note}<div class="pictures">{"".join(made)}</div>'


def _moments(evaluation: Evaluation) -> str:
    contacts, joints = evaluation.contacts, evaluation.assignment.yardstick.floor.joints
    found = worst(evaluation.takes, evaluation.assignment.yardstick, contacts)
    sheets = [
        page.drawn(pictures.moment_sheet(moment, contacts[moment.take.scenario.name], joints)) for moment in found
    ]
    note = "<p>Three of each kind, the worst first; planted toes are marked as the scoring sees them.</p>"
    longest = max(evaluation.takes, key=lambda take: take.scenario.seconds)
    chart = page.drawn(pictures.time_chart(longest, evaluation.assignment.yardstick))
    return f"<h2>The worst moments</h2>{note}{''.join(sheets)}{chart}"


def _moving(evaluation: Evaluation) -> str:
    made = [
        page.figure(pictures.moving_picture(take), "image/webp", take.scenario.name)
        for take in _one_of_each(evaluation.takes)
    ]
    return f'<h2>In motion</h2><div class="pictures">{"".join(made)}</div>'


def _one_of_each(takes: Sequence[Take]) -> list[Take]:
    """The first of each group: that of the slowest gait."""
    first: dict[str, Take] = {}
    for take in takes:
        first.setdefault(take.scenario.group, take)
    return [first[group] for group in MOVING if group in first]


def _settings(evaluation: Evaluation) -> str:
    rows = [[page.text(name), page.text(str(value))] for name, value in to_plain(evaluation.settings).items()]
    return "<h2>Settings</h2>" + page.table(["setting", "value"], rows)


def table_rows(rows: dict[str, Scores]) -> list[tuple[Measure, list[str]]]:
    """Every measure that any method has, with its values as text."""
    return [
        (m, [shown(m, scores.get(m.name)) for scores in rows.values()])
        for m in MEASURES
        if any(m.name in scores for scores in rows.values())
    ]
