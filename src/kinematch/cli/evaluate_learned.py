"""`kinematch evaluate learned`: exact, packed and learned motion matching and a state machine on one course."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli import evaluate_options
from kinematch.cli.evaluate_character import check_rate
from kinematch.cli.options import check_output, option
from kinematch.errors import FileError, KinematchError

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.evaluate.comparison.comparison import Comparison

STICK, QUICK_STICK = 150.0, 15.0  # s of each of four characters
TIMED, QUICK_TIMED = 20.0, 3.0  # s


def learned(
    models: Annotated[tyro.conf.Positional[list[Path]], option("one model, or a small and a big one")],
    /,
    against: Annotated[Path | None, option("the database of the models; default: the built-in motion")] = None,
    packed: Annotated[Path | None, option("also compare this packed database")] = None,
    settings: evaluate_options.Settings = None,
    filter: evaluate_options.Filter = None,
    seed: evaluate_options.Seed = 0,
    rate: evaluate_options.Rate = 60.0,
    quick: evaluate_options.Quick = False,
    json: evaluate_options.Figures = None,
    report: evaluate_options.Report = None,
    films: Annotated[Path | None, option("folder for films (gif) and charts (png)")] = None,
) -> int:
    """Compare exact, packed and learned matching and a state machine: scores, time, memory, films.

    Exit status 1, with the reason, when a model is not fit for use.
    """
    from kinematch.character.settings import Settings
    from kinematch.character.settings_file import load_settings
    from kinematch.cli.opening import open_database
    from kinematch.cli.screen import Screen, progress_bar, write_figures, write_picture
    from kinematch.database.storage import load
    from kinematch.evaluate.comparison.comparison import Opened, compare, plain
    from kinematch.evaluate.comparison.controllers import BIG_MODEL, EXACT, PACKED, SMALL_MODEL
    from kinematch.evaluate.comparison.figures import draw_figures, write_films
    from kinematch.evaluate.comparison.report import write_report
    from kinematch.evaluate.evaluation import check_seed, make_assignment
    from kinematch.learned.model_file import load_model

    check_seed(seed)
    check_rate(rate)
    check_output(json)
    check_output(report, ".html", ".htm")
    if films is not None:
        make_folder(films)
    if not 1 <= len(models) <= 2:
        raise KinematchError(f"{len(models)} models, expected a small one, or a small and a big one")
    chosen = load_settings(settings) if settings is not None else Settings()
    names = (SMALL_MODEL, BIG_MODEL)[: len(models)]
    opened = {name: Opened(load_model(path), path) for name, path in zip(names, models)}
    with progress_bar("measuring") as show:
        source, _, tags = open_database(against, filter, show)
        opened[EXACT] = Opened(source, against)
        if packed is not None:
            opened[PACKED] = Opened(load(packed), packed)
        opened = {name: opened[name] for name in (EXACT, PACKED, SMALL_MODEL, BIG_MODEL) if name in opened}
        given = make_assignment(source, tags, seed=seed, rate=rate, quick=quick)
        found = compare(
            given, opened, chosen, stick_seconds=QUICK_STICK if quick else STICK,
            timed_seconds=QUICK_TIMED if quick else TIMED,
            progress=lambda what, done, total: show(done, total, what),
        )  # fmt: skip
        show(0, None, "drawing")
        if films is not None:
            for name, picture in draw_figures(found).items():
                write_picture(films / f"{name.replace(' ', '-')}.png", picture)
        if report is not None:
            write_report(report, found, films=films, progress=lambda done, total: show(done, total, "drawing"))
        elif films is not None:
            write_films(films, found, progress=lambda done, total: show(done, total, "drawing"))
    screen = Screen()
    print_comparison(screen, found)
    write_figures(json, plain(found))
    return 0 if all(verdict.accepted for verdict in found.verdicts.values()) else 1


def make_folder(folder: Path) -> None:
    """A folder to write into, made if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made: {error.strerror}") from error


def print_comparison(screen: "Screen", found: "Comparison") -> None:
    """The tables of the report, and the verdicts."""
    from rich.table import Table
    from rich.text import Text

    from kinematch.evaluate.comparison.report import describe_data
    from kinematch.evaluate.comparison.tables import list_tables

    screen.say(describe_data(found))
    for grid in list_tables(found):
        screen.say(("\n" + grid.title, "italic"))
        table = Table(box=None, pad_edge=False)
        for n, name in enumerate(grid.head):
            table.add_column(Text(name), justify="right" if n else "left", no_wrap=not n)
        for row in grid.rows:
            table.add_row(*map(Text, row))
        screen.print(table)
        if grid.note:
            screen.say(grid.note)
    for name, verdict in found.verdicts.items():
        screen.say(f"\n{found.opened[name].name}: ", (verdict.grade, "bold"))
        for reason in verdict.reasons:
            screen.say(f"  {reason}")
        for advice in verdict.advice:
            screen.say(f"  to do: {advice}")
