"""The report of a comparison: one HTML file with tables, figures and films, and nothing to fetch."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from kinematch.evaluate import page
from kinematch.evaluate.comparison.comparison import Comparison
from kinematch.evaluate.comparison.controllers import BIG_MODEL, EXACT, SMALL_MODEL
from kinematch.evaluate.comparison.figures import draw_figures, write_films
from kinematch.evaluate.comparison.tables import Grid, list_tables
from kinematch.writing import write_beside

CAPTIONS = {
    "figure 5.1": "A gradual turn to the left, three seconds into it.",
    "figure 5.2": "The middle of a turn by 180 degrees: each when it has turned half.",
}
Progress = Callable[[int, int], None]


def write_report(path: Path, comparison: Comparison, *, films: Path | None, progress: Progress | None = None) -> None:
    """`films`: a folder that films and figures are written to as well."""
    with tempfile.TemporaryDirectory() as beside:
        made = write_films(films or Path(beside), comparison, progress=progress)
        moving = [page.figure(film.read_bytes(), "image/gif", name) for name, film in made.items()]
    parts = [f"<p>{page.text(describe_data(comparison))}</p>", *map(_write_table, list_tables(comparison))]
    parts += [_write_verdicts(comparison), "<h2>Figures</h2>"]
    for name, picture in draw_figures(comparison).items():
        parts.append(page.drawn(picture, f"{name}: {CAPTIONS[name]}"))
    parts += ["<h2>Films (appendix A)</h2>", f'<div class="pictures">{"".join(moving)}</div>']
    write_beside(path, page.page("Exact, packed and learned motion matching", parts).encode())


def describe_data(comparison: Comparison) -> str:
    """Which data stands in for the dissertation's."""
    opened, given = comparison.opened, comparison.assignment
    big = f", {opened[BIG_MODEL].name} that of LMM_Big" if BIG_MODEL in opened else ""
    return (
        f"The dissertation's data sets are not all here: the model {opened[SMALL_MODEL].name} takes the place of LMM"
        f"{big}, and exact search on {opened[EXACT].name} that of MM. The state machine plays idle and gait loops of "
        f"{opened[EXACT].name}. Course: {len(given.scenarios)} scenarios at {given.rate:g} steps a second, seed "
        f"{given.seed}, speeds as {opened[EXACT].name} has them."
    )


def _write_table(grid: Grid) -> str:
    rows = [[page.text(cell) for cell in row] for row in grid.rows]
    note = f"<p>{page.text(grid.note)}</p>" if grid.note else ""
    return f"<h2>{page.text(grid.title)}</h2>" + page.table([page.text(name) for name in grid.head], rows) + note


def _write_verdicts(comparison: Comparison) -> str:
    lines = []
    for name, verdict in comparison.verdicts.items():
        reasons = "; ".join(verdict.reasons) or "within every limit"
        lines.append(f"<p>{page.text(comparison.opened[name].name)}: <b>{verdict.grade}</b>: {page.text(reasons)}</p>")
    return "<h2>Fit for use?</h2>" + "".join(lines)
