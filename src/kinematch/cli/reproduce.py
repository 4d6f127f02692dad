"""`kinematch reproduce`: the claims of the five works that Kinematch stands on, beside our own figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from kinematch.cli import evaluate_options
from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.evaluate.reproduction.run import Reproduction

Name = Literal["thesis", "digital-humans", "mmvr", "camera", "learned"]


def reproduce(
    data: Annotated[
        Path | None, option("folder of LAFAN1 as BVH, takes or clips; without it the built-in motion stands in")
    ] = None,
    work: Annotated[tuple[Name, ...], option("works to repeat; default: all five")] = (),
    quick: Annotated[bool, option("less of everything: minutes for each work instead of hours")] = False,
    report: Annotated[Path, option("report to write (html or md)", "-o")] = Path("reproduction.html"),
    json: evaluate_options.Figures = None,
    keep: Annotated[
        Path | None, option("folder of results to continue from; default: beside the report, ending in .parts")
    ] = None,
    seed: evaluate_options.Seed = 0,
) -> int:
    """Repeat what five works report, with their own method and with our defaults, and say where they agree.

    Each experiment is kept when it is done: the same command again continues where it was stopped. Exit status 1 when
    an experiment could not run, with the reason; the others do. A model that is missing is trained, which needs an
    extra: pip install 'kinematch[train]'.
    """
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.evaluate.evaluation import check_seed
    from kinematch.evaluate.reproduction.effort import FULL, QUICK
    from kinematch.evaluate.reproduction.report import to_json, write_report
    from kinematch.evaluate.reproduction.run import reproduce as run_all

    check_seed(seed)
    check_output(report, ".html", ".htm", ".md")
    check_output(json)
    folder = keep or report.with_name(report.stem + ".parts")
    if folder.exists() and not folder.is_dir():
        raise KinematchError(f"{folder}: is a file, expected a folder for results")
    with progress_bar("reproducing") as show:
        found = run_all(
            data, folder, effort=QUICK if quick else FULL, works=work, seed=seed,
            progress=lambda what, done, total: show(done, total, what),
        )  # fmt: skip
        show(0, None, "drawing")
        write_report(report, found)
    screen = Screen()
    print_claims(screen, found)
    write_figures(json, to_json(found))
    screen.say("written: ", (str(report), "bold"), f"; results are kept in {folder}")
    return 1 if found.failures else 0


def print_claims(screen: "Screen", found: "Reproduction") -> None:
    """A table for each work, then what contradicts and what could not run."""
    from rich.table import Table
    from rich.text import Text

    from kinematch.evaluate.reproduction.claims import NO, NOT_COMPARABLE, YES
    from kinematch.evaluate.reproduction.drawing import HEAD, tell_row
    from kinematch.evaluate.reproduction.report import count_verdicts, make_remark, rows_of

    styles = {YES: "green", NO: "bold red", NOT_COMPARABLE: "dim"}
    for work in found.works:
        rows = rows_of(found, work)
        screen.say((f"\n{work.title}", "bold"))
        screen.say(count_verdicts(rows))
        table = Table(box=None, pad_edge=False)
        for name in HEAD[:-1]:
            table.add_column(name, max_width=52, justify="right" if name in HEAD[2:5] else "left")
        for row in rows:
            cells = [Text(cell) for cell in tell_row(row)[:-1]]
            cells[-1].stylize(styles[row.verdict.agreement])
            table.add_row(*cells)
        screen.print_wide(table)
        for row in rows:
            if remark := make_remark(row):
                screen.say(f"  {row.claim.place}: {remark}")
    for name, why in found.failures.items():
        screen.say((f"\n{name} is left out: ", "yellow"), why)
    if found.reused:
        screen.say(f"\nkept from before: {', '.join(found.reused)}")
