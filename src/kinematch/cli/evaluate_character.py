"""`kinematch evaluate character`: puts a character through a course and says how well it moves."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli import evaluate_options
from kinematch.cli.opening import MOTION, Show, open_database
from kinematch.cli.options import blaming, check_output, option
from kinematch.errors import KinematchError, unknown

if TYPE_CHECKING:
    from kinematch.character.settings import Settings
    from kinematch.evaluate.evaluation import Assignment

    Course = Callable[[Show], tuple[Assignment, str]]  # opens a database, and plans what it must do

# those of evaluate.sweeps, which is slow to import
SWEEPS = (
    *("interval", "halflife", "synchronization", "responsiveness", "rate"),
    *("weights", "root", "database", "alpha"),
)


def character(
    database: Annotated[tyro.conf.Positional[Path | None], option(MOTION)] = None,
    /,
    settings: evaluate_options.Settings = None,
    filter: evaluate_options.Filter = None,
    seed: evaluate_options.Seed = 0,
    rate: evaluate_options.Rate = 60.0,
    quick: evaluate_options.Quick = False,
    no_baselines: Annotated[
        bool, option("skip the comparisons: state machine, playback, and runs with parts switched off")
    ] = False,
    sweep: Annotated[str | None, option(f"vary one setting instead: {', '.join(SWEEPS)}")] = None,
    against: Annotated[Path | None, option("with a model: the database it was trained on")] = None,
    json: evaluate_options.Figures = None,
    report: evaluate_options.Report = None,
    chart: Annotated[Path | None, option("write the chart of a sweep (png)")] = None,
) -> int:
    """Score how a database or model moves over a course; exit status 1 when a target is missed."""
    from kinematch.character.settings import Settings
    from kinematch.character.settings_file import load_settings
    from kinematch.evaluate.evaluation import check_seed, make_assignment
    from kinematch.learned.model_file import is_model

    check_seed(seed)
    check_rate(rate)
    _check_sweep(sweep, report, chart)
    check_output(json)
    check_output(report, ".html", ".htm")
    check_output(chart, ".png")
    chosen = load_settings(settings) if settings is not None else Settings()
    if database is not None and is_model(database):
        from kinematch.cli.evaluate_model import evaluate_model

        if sweep or report or no_baselines:
            raise KinematchError("--sweep, --report and --no-baselines need a database; this is a learned model")
        return evaluate_model(database, against, chosen, filter, seed=seed, rate=rate, quick=quick, json=json)
    if against is not None:
        raise KinematchError("--against needs a learned model to compare with the database")

    def open_course(show: Show) -> tuple["Assignment", str]:
        opened, name, tags = open_database(database, filter, show)
        show(0, None)
        return make_assignment(opened, tags, seed=seed, rate=rate, quick=quick), name

    if sweep is not None:
        return _sweep(database, chosen, open_course, sweep, json=json, chart=chart)
    return _score(database, chosen, open_course, baselines=not no_baselines, json=json, report=report)


def _score(
    database: Path | None, settings: "Settings", course: "Course", *, baselines: bool, json: Path | None,
    report: Path | None,
) -> int:  # fmt: skip
    from kinematch.cli.evaluate_text import print_evaluation
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.evaluate.evaluation import evaluate, plain
    from kinematch.evaluate.report import write_report

    with progress_bar("measuring") as show, blaming(database):
        given, name = course(show)
        found = evaluate(
            given, settings, baselines=baselines, progress=lambda what, done, total: show(done, total, what)
        )
        if report is not None:
            write_report(report, found, title=name, progress=lambda done, total: show(done, total, "drawing"))
    print_evaluation(Screen(), found, name)
    write_figures(json, plain(found))
    return 0 if all(target.met for target in found.targets) else 1


def _sweep(
    database: Path | None, settings: "Settings", course: "Course", sweep: str, *, json: Path | None, chart: Path | None
) -> int:
    from kinematch.cli.evaluate_text import print_sweep
    from kinematch.cli.screen import Screen, progress_bar, write_figures, write_picture
    from kinematch.evaluate.sweeps import run_sweep, sweep_plain

    with progress_bar("measuring") as show, blaming(database):
        given, _ = course(show)
        swept = run_sweep(sweep, given, settings, progress=lambda what, done, total: show(done, total, what))
    print_sweep(Screen(), swept)
    write_figures(json, sweep_plain(swept))
    if chart is not None:
        write_picture(chart, swept.picture())
    return 0


def check_rate(rate: float) -> None:
    if not 20 <= rate <= 500:
        raise KinematchError(f"a rate of {rate:g} steps a second, expected 20 to 500")


def _check_sweep(sweep: str | None, report: Path | None, chart: Path | None) -> None:
    if sweep is not None and sweep not in SWEEPS:
        raise KinematchError(unknown("sweep", sweep, SWEEPS))
    if sweep is not None and report is not None:
        raise KinematchError("a sweep has a figure (--chart), no report")
    if sweep is None and chart is not None:
        raise KinematchError("--chart is the figure of a sweep; name one with --sweep")
