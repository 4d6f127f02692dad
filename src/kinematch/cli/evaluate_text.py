"""What `kinematch evaluate character` prints: the verdict, measures, targets and sweeps."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from kinematch.cli.screen import Screen
from kinematch.evaluate.evaluation import SOURCE, Evaluation
from kinematch.evaluate.report import shown, table_rows
from kinematch.evaluate.scores import BY_NAME, Scores
from kinematch.evaluate.sweeps import Sweep
from kinematch.evaluate.targets import QualityTarget

QUICK = "quick: one of each scenario at the slowest and fastest gait; the full course has more chances to miss a target"


def print_evaluation(screen: Screen, found: Evaluation, name: str) -> None:
    given = found.assignment
    speeds = ", ".join(f"{gait} {speed:g}" for gait, speed in given.gaits.forward.items())
    screen.say(
        f"{name}: {len(given.scenarios)} scenarios at {given.rate:g} steps a second, seed {given.seed};"
        f" {speeds}, sideways {given.gaits.strafe:g} m/s"
    )
    if given.quick:
        screen.say((QUICK, "yellow"))
    print_verdict(screen, found.targets)
    print_rows(screen, found.rows)
    for baseline, why in found.left_out.items():
        screen.say(f"{baseline} is left out: {why}")
    lacking = [scenario for scenario in given.scenarios if scenario.lack]
    if lacking:
        screen.say((f"\nnot held to targets, for there is nothing like it in the source ({len(lacking)}):", "italic"))
        for scenario in lacking:
            screen.say(f"  {scenario.name}: {scenario.lack}")
    print_targets(screen, found.targets, "targets, measured without those scenarios" if lacking else "targets")


def print_rows(screen: Screen, rows: Mapping[str, Scores]) -> None:
    """Every measure, a column for each method."""
    table = make_table("", [*rows, ""])
    for measure, values in table_rows(dict(rows)):
        table.add_row(measure.text, *values, measure.unit)
    screen.print(table)


def print_verdict(screen: Screen, targets: Sequence[QualityTarget]) -> None:
    """Whether the character moves well, and which targets it misses."""
    missed = [target for target in targets if not target.met]
    if missed:
        screen.say((f"missed {len(missed)} of {len(targets)} targets", "bold red"))
    else:
        screen.say((f"met all {len(targets)} targets", "bold green"))
    for target in missed:
        _print_target(screen, target)
    screen.say()


def print_targets(screen: Screen, targets: Sequence[QualityTarget], title: str = "targets") -> None:
    screen.say((f"\n{title}", "italic"))
    for target in targets:
        _print_target(screen, target)


def _print_target(screen: Screen, target: QualityTarget) -> None:
    measure = BY_NAME[target.name]
    mark = ("met   ", "green") if target.met else ("missed", "red")
    screen.say("  ", mark, f"  {target.text}: {shown(measure, target.value)} {measure.unit}")


def print_sweep(screen: Screen, swept: Sweep) -> None:
    screen.say((swept.title, "italic"))
    print_rows(screen, {**swept.rows, SOURCE: swept.source})
    for line in swept.notes:
        screen.say(line)


def make_table(first: str, names: list[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, min_width=34)
    for name in names:
        table.add_column(Text(name), justify="right")
    return table
