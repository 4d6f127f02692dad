"""`kinematch tune`: searches the settings that move best, and writes them as a file."""

from pathlib import Path
from typing import Annotated

import tyro
from rich.table import Table

from kinematch.character.settings import Settings
from kinematch.character.settings_file import load_settings, save_settings
from kinematch.cli.evaluate import opened_database
from kinematch.cli.screen import Screen, progress_bar
from kinematch.evaluate.report import shown
from kinematch.evaluate.scores import MEASURES, TIMES
from kinematch.evaluate.tune import MIX, Tuned, parse_mix
from kinematch.evaluate.tune import tune as run_tuning

USUAL_MIX = ",".join(f"{name}={weight:g}" for name, weight in MIX.items())


def tune(
    database: tyro.conf.Positional[Path | None] = None,
    /,
    output: Annotated[Path, tyro.conf.arg(aliases=["-o"], help="settings to write (toml or json)")] = Path(
        "tuned.toml"
    ),
    settings: Annotated[Path | None, tyro.conf.arg(help="settings to begin with")] = None,
    filter: Annotated[str | None, tyro.conf.arg(help="tags that frames must satisfy")] = None,
    trials: Annotated[int, tyro.conf.arg(help="runs of the course to spend")] = 40,
    mix: Annotated[str, tyro.conf.arg(help="what counts how much: measure=number,...")] = USUAL_MIX,
    seed: Annotated[int, tyro.conf.arg(help="of the course and of the search")] = 0,
    full: Annotated[bool, tyro.conf.arg(help="the whole course in every trial, not the quick one")] = False,
) -> int:
    """Search weights and half-lives for DATABASE, or the built-in one, and report on seeds it did not see."""
    wanted = parse_mix(mix)
    start = load_settings(settings) if settings is not None else Settings()
    with progress_bar("tuning") as show:
        opened, name, tags = opened_database(database, filter)
        tuned = run_tuning(
            opened, tags, settings=start, trials=trials, mix=wanted, seed=seed, quick=not full,
            progress=lambda done, total, best: show(done, total, f"best {best:.3f}"),
        )  # fmt: skip
    comment = f"Tuned on {name} by kinematch tune: {trials} trials, seed {seed}, mix {mix}"
    save_settings(output, tuned.settings, comment=comment)
    _print(Screen(), tuned, output)
    return 0


def _print(screen: Screen, tuned: Tuned, output: Path) -> None:
    table = Table("on seeds not tuned on", "before", "after", "source", "", box=None, pad_edge=False)
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
    screen.say("written: ", (str(output), "bold"), "; try it: ", f"kinematch evaluate --settings {output}")
