"""`kinematch tune`: searches the settings that move best, and writes them as a file."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli import evaluate_options
from kinematch.cli.opening import open_database
from kinematch.cli.options import blaming, check_output, option

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.evaluate.tune import Tuned

# that of evaluate.tune, which is slow to import
USUAL_MIX = "position_mean=1,turn_median=1,speed_median=0.5,skate_mean=1,rough=1,pops=0.5,transitions=0.25"


def tune(
    database: Annotated[tyro.conf.Positional[Path | None], option("the database; default: the built-in one")] = None,
    /,
    output: Annotated[Path, option("settings to write (toml or json)", "-o")] = Path("tuned.toml"),
    settings: Annotated[Path | None, option("settings file to start from")] = None,
    filter: evaluate_options.Filter = None,
    trials: Annotated[int, option("number of runs of the course")] = 40,
    mix: Annotated[str, option("weights of the measures: measure=number,...")] = USUAL_MIX,
    seed: Annotated[int, option("random seed of the course and the search, 0 or more")] = 0,
    full: Annotated[bool, option("run the whole course in every trial, not the quick one")] = False,
    keep_weights: Annotated[
        bool, option("leave the weights of features alone, so that the settings suit other databases too")
    ] = False,
) -> int:
    """Tune weights and half-lives for DATABASE, or the built-in one, and report on unseen seeds.

    Exit status 1, and no file, if nothing better is found. Needs an extra: pip install 'kinematch[tune]'.
    """
    from kinematch.character.settings import Settings
    from kinematch.character.settings_file import SUFFIXES, load_settings, save_settings
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.evaluate.tune import check_tuning, parse_mix
    from kinematch.evaluate.tune import tune as run_tuning

    check_tuning(trials, seed)
    check_output(output, *SUFFIXES)
    wanted = parse_mix(mix)
    start = load_settings(settings) if settings is not None else Settings()
    with progress_bar("tuning") as show, blaming(database):
        opened, name, tags = open_database(database, filter, show)
        show(0, trials)
        tuned = run_tuning(
            opened, tags, settings=start, trials=trials, mix=wanted, seed=seed, quick=not full,
            weights=not keep_weights,
            progress=lambda done, total, best: show(done, total, f"best {best:.3f}"),
        )  # fmt: skip
    screen = Screen()
    if not tuned.improved:
        screen.say(f"none of {trials} trials moves better than what tuning began with: {output} is not written")
        return 1
    comment = f"Tuned on {name} by kinematch tune: {trials} trials, seed {seed}, mix {mix}"
    save_settings(output, tuned.settings, comment=comment)
    _print(screen, tuned)
    given = [*([str(database)] if database else []), "--settings", str(output)]
    screen.say("written: ", (str(output), "bold"), f"; try it: kinematch evaluate {shlex.join(given)}")
    return 0


def _print(screen: "Screen", tuned: "Tuned") -> None:
    from rich.table import Table

    from kinematch.evaluate.report import shown
    from kinematch.evaluate.scores import MEASURES, TIMES

    table = Table("on two seeds not tuned on", "before", "after", "source", "", box=None, pad_edge=False)
    for measure in MEASURES:
        if measure.name in tuned.before and measure.name not in TIMES:
            values = [shown(measure, row.get(measure.name)) for row in (tuned.before, tuned.after, tuned.source)]
            name = f"* {measure.text}" if measure.name in tuned.mix else f"  {measure.text}"
            table.add_row(name, *values, measure.unit)
    screen.print(table)
    screen.say(
        f"\nthe mix (*) of {tuned.trials} trials: {tuned.best:.3f} of what it was on the seed tuned on, "
        f"{tuned.gain:.3f} on unseen ones"
    )
    if tuned.gain >= 1.0:
        screen.say("no better on unseen seeds: more trials, or --full, may find settings that are")
