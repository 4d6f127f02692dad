"""`kinematch evaluate actions`: what the actions of a database do at 40 places."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from kinematch.cli.evaluate_options import Figures, Seed
from kinematch.cli.options import check_output, option

if TYPE_CHECKING:
    from kinematch.evaluate.acting import ActionScore, Visit


def actions(
    database: Annotated[
        tyro.conf.Positional[Path | None], option("a database with actions; default: the built-in one")
    ] = None,
    /,
    seed: Seed = 0,
    json: Figures = None,
) -> int:
    """Score jumps, steps, hops, ducks and seats at 40 places. Exit status 1 where an aim is missed."""
    import kinematch as km
    from kinematch.cli.evaluate_text import make_table
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.evaluate.acting import score_actions
    from kinematch.evaluate.evaluation import check_seed

    check_seed(seed)
    check_output(json)
    screen = Screen()
    opened = km.load("built-in-actions" if database is None else database)
    with progress_bar("visiting places") as show:
        score = score_actions(opened, seed, lambda done, total: show(done, total, "visiting places"))
    rows = list_rows(score)
    table = make_table("", ["ours", "without warping", "nearest clip pinned", "aim", ""])
    for name, values in rows.items():
        table.add_row(name, *values)
    screen.print(table)
    for visit in score.visits:
        if not visit.fit:
            screen.say(f"no clip fits a {visit.place.label}")
        elif not visit.done:
            screen.say(f"not done: {visit.place.label}: {visit.fit}; {describe(visit)}")
    write_figures(json, {"rows": rows, "places": [plain(visit) for visit in score.visits]})
    return 0 if all(values[-1] != "missed" for values in rows.values()) else 1


def list_rows(score: "ActionScore") -> dict[str, tuple[str, ...]]:
    """Measures by name: ours, without warping, with the nearest clip pinned, the aim, and whether it is met."""
    import numpy as np

    fits = [visit for visit in score.visits if visit.fit]
    sides = fits, score.unwarped, score.pinned

    def row(values: list[float], text: str, aim: float | None, *, least: bool = False) -> tuple[str, ...]:
        met = "" if aim is None else "met" if (values[0] >= aim if least else values[0] <= aim) else "missed"
        aimed = "" if aim is None else ("at least " if least else "at most ") + text.format(aim)
        shown = [text.format(value) for value in values]
        return (*shown, *[""] * (len(sides) - len(shown)), aimed, met)

    def pool(take: Any, visits: "list[Visit]", how: Any = np.mean) -> float:
        values = [take(visit) for visit in visits if visit.error < np.inf]
        return float(how(values)) if values else float("nan")

    def slip(visits: "list[Visit]") -> float:
        values = [speed for visit in visits for speed in visit.slips]
        return float(np.mean(values)) / max(score.source_slip, 1e-9) if values else float("nan")

    return {
        "places that fit": row([len(fits)], "{:.0f}", 20, least=True),
        "accepted and done, %": row(
            [100 * float(np.mean([v.done for v in one])) for one in sides], "{:.0f}", 95, least=True
        ),
        "error at the event, mean, cm": row([100 * pool(lambda v: v.error, one) for one in sides], "{:.1f}", 3),
        "error of the facing, mean, degrees": row([pool(lambda v: v.turn, one) for one in sides], "{:.1f}", 5),
        "frames with more than 2 cm within an obstacle, %": row(
            [100 * sum(v.deep for v in one) / max(sum(v.frames for v in one), 1) for one in sides], "{:.2f}", 1
        ),
        "slip in stance, of the source's": row([slip(one) for one in sides], "{:.2f}", 1.3),
        "pops": row([sum(v.pops for v in one) for one in sides], "{:.0f}", 0),
        "from the first request to the entry, median, s": row(
            [pool(lambda v: v.waited, one, np.median) for one in sides], "{:.2f}", None
        ),
        "cost of a step with ten objects near": row([score.cost], "{:.2f}", 2),
    }


def describe(visit: "Visit") -> str:
    if not visit.entered:
        return "refused: " + ", ".join(visit.refusals) if visit.refusals else "not asked for"
    return f"{visit.entered} with an error of {100 * visit.error:.1f} cm and {visit.turn:.1f} degrees"


def plain(visit: "Visit") -> dict[str, Any]:
    return {
        "place": visit.place.label, "fit": visit.fit, "entered": visit.entered, "done": visit.done,
        "error": visit.error, "turn": visit.turn, "waited": visit.waited,
        "deep": visit.deep, "frames": visit.frames, "pops": visit.pops,
        "refusals": visit.refusals,
    }  # fmt: skip
