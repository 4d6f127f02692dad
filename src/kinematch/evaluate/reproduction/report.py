"""The report: every claim of the works beside our figures, as HTML, Markdown and JSON."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from PIL import Image

from kinematch import __version__
from kinematch.evaluate import page
from kinematch.evaluate.reproduction.claims import NO, NOT_COMPARABLE, YES, CitedWork
from kinematch.evaluate.reproduction.drawing import HEAD, draw_chart, tell_row
from kinematch.evaluate.reproduction.results import to_plain
from kinematch.evaluate.reproduction.run import ClaimResult, Reproduction
from kinematch.writing import write_beside

TITLE = "Five works, repeated"
MARKS = {YES: "met", NO: "missed", NOT_COMPARABLE: "faint"}
GUIDE = (
    "Each row is something that a work reports. “Its method, here” is our figure with the settings and the "
    "networks of the work, “our default” what Kinematch does by itself; both are measured on the data of the last "
    "column. “Agrees” is about order and direction, such as that r = 50 is better than r = 1: the figures themselves "
    "belong to other motion and other machines."
)


def write_report(path: Path, found: Reproduction) -> None:
    """HTML with its figures and films inside, or Markdown with its figures in a folder beside it."""
    if path.suffix.lower() != ".md":
        write_beside(path, make_html(found).encode())
        return
    folder = path.with_name(f"{path.stem}-figures")
    folder.mkdir(exist_ok=True)
    for name, (_, picture) in list_figures(found).items():
        write_beside(folder / f"{name}.png", page.still(picture))
    write_beside(path, make_markdown(found, folder.name).encode())


def list_figures(found: Reproduction, *experiments: str) -> dict[str, tuple[str, Image.Image]]:
    """Captions and pictures of some experiments, or of all, by a name for their files."""
    figures: dict[str, tuple[str, Image.Image]] = {}
    for name in experiments or found.results:
        result = found.results[name]
        figures |= {chart.name: (chart.caption, draw_chart(chart)) for chart in result.charts}
        figures |= {f"{name}-{number + 1}": picture for number, picture in enumerate(result.pictures)}
    return figures


def count_verdicts(rows: Sequence[ClaimResult]) -> str:
    counts = {name: sum(row.verdict.agreement == name for row in rows) for name in (YES, NO, NOT_COMPARABLE)}
    return f"{counts[YES]} agree, {counts[NO]} contradict, {counts[NOT_COMPARABLE]} not comparable"


def rows_of(found: Reproduction, work: CitedWork) -> list[ClaimResult]:
    return [row for row in found.rows if row.claim.work == work.name]


def make_html(found: Reproduction) -> str:
    parts = [f"<p>{page.text(GUIDE)}</p>", f"<p>{page.text(count_verdicts(found.rows))}.</p>"]
    for work in found.works:
        rows = rows_of(found, work)
        parts.append(f"<h2>{page.text(work.title)}</h2><p>{page.text(count_verdicts(rows))}.</p>")
        parts.append(page.table(HEAD, [_mark_row(row, make_command(found, work.name)) for row in rows]))
        parts.append(_list_remarks(rows))
        names = dict.fromkeys(row.claim.run for row in rows)
        for name in names:
            parts.append(_show_experiment(found, name))
    return page.page(TITLE, parts)


def _mark_row(row: ClaimResult, command: str) -> list[str]:
    cells = [page.text(cell) for cell in tell_row(row)]
    cells[6] = f'<span class="{MARKS[row.verdict.agreement]}">{cells[6]}</span>'
    lines = [f"There: {page.text(f'{row.claim.method}; {row.claim.data}')}"]
    lines += [f"Checked: {page.text('; '.join(row.verdict.checks))}"] if row.verdict.checks else []
    lines += [f"Here: experiment <i>{page.text(row.claim.run)}</i> below, by <code>{page.text(command)}</code>"]
    told = f'{cells[1]}<br><span class="faint">{"<br>".join(lines)}</span>'
    wide = f'<div style="min-width: 22em; white-space: normal; text-align: left">{told}</div>'
    return [cells[0], wide, *cells[2:]]


def _list_remarks(rows: Sequence[ClaimResult]) -> str:
    told = [(row.claim.place, remark) for row in rows if (remark := make_remark(row))]
    items = "".join(f"<li>{page.text(place)}: {page.text(remark)}</li>" for place, remark in told)
    return f"<ul>{items}</ul>" if items else ""


def make_remark(row: ClaimResult) -> str:
    """Where a figure of ours differs and why; or why nothing can be said."""
    if row.verdict.agreement == YES:
        return row.claim.discuss
    if row.verdict.agreement == NOT_COMPARABLE:
        return f"not comparable: {row.verdict.reason}"
    return f"contradicts: {row.verdict.reason}." + (f" {row.claim.discuss}" if row.claim.discuss else "")


def _show_experiment(found: Reproduction, name: str) -> str:
    head = f"{page.text(found.titles[name])} (<i>{page.text(name)}</i>)"
    if name not in found.results:
        return f"<h3>{head}</h3><p>left out: {page.text(found.failures[name])}</p>"
    result = found.results[name]
    drawn = [page.drawn(draw_chart(chart)) for chart in result.charts]
    drawn += [page.drawn(picture, caption) for caption, picture in result.pictures]
    drawn += [page.figure(film, "image/webp", name) for name, film in result.films]
    told = describe_experiment(found, name)
    parts = [f"<code>{page.text(part)}</code>" if n % 2 else page.text(part) for n, part in enumerate(told.split("`"))]
    return f'<h3>{head}</h3><p>{"".join(parts)}</p><div class="pictures">{"".join(drawn)}</div>'


def make_command(found: Reproduction, work: str) -> str:
    """The command that makes the figures of a work."""
    given = " --data FOLDER" if found.folder else ""
    return f"kinematch reproduce{given} --work {work}{' --quick' if found.effort.quick_course else ''}"


def describe_experiment(found: Reproduction, name: str) -> str:
    """Data, time, command and notes of an experiment, commands in backquotes."""
    result = found.results[name]
    work = next(row.claim.work for row in found.rows if row.claim.run == name)
    told = [f"Data: {result.data}", f"took {result.seconds:.0f} s", f"command: `{make_command(found, work)}`"]
    told += [f"in more detail: `{result.command}`"] if result.command else []
    return "; ".join(told) + "." + "".join(f" {note[0].upper()}{note[1:]}." for note in result.notes)


def make_markdown(found: Reproduction, folder: str) -> str:
    """Tables, remarks, and links to figures in a folder."""
    lines = [f"# {TITLE}", "", GUIDE, "", f"{count_verdicts(found.rows)}.", ""]
    for work in found.works:
        rows = rows_of(found, work)
        lines += [f"## {work.title}", "", f"{count_verdicts(rows)}.", ""]
        lines += [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
        command = make_command(found, work.name)
        cells = [[cell.replace("|", "\\|") for cell in _tell_with_source(row, command)] for row in rows]
        lines += [f"| {' | '.join(own)} |" for own in cells]
        lines += ["", *(f"- {row.claim.place}: {remark}" for row in rows if (remark := make_remark(row))), ""]
        names = [name for name in dict.fromkeys(row.claim.run for row in rows) if name in found.results]
        for name in names:
            lines += [f"### {found.titles[name]}", "", describe_experiment(found, name), ""]
            lines += [f"![{caption}]({folder}/{file}.png)" for file, (caption, _) in list_figures(found, name).items()]
            lines += [""]
    return "\n".join(lines)


def _tell_with_source(row: ClaimResult, command: str) -> list[str]:
    """The cells of a row with the work's method and data, what was compared, and the command."""
    cells = tell_row(row)
    cells[1] += f"<br>*There: {row.claim.method}; {row.claim.data}*"
    cells[7] += f"<br>`{command}`"
    if row.verdict.checks:
        cells[6] += f" ({'; '.join(row.verdict.checks)})"
    return cells


def to_json(found: Reproduction) -> dict[str, Any]:
    """Everything in values that JSON knows."""
    return {
        "version": __version__,
        "effort": asdict(found.effort),
        "seed": found.seed,
        "claims": [
            {
                "work": row.claim.work, "name": row.claim.name, "place": row.claim.place, "says": row.claim.says,
                "value": row.claim.value, "unit": row.claim.unit, "method": row.claim.method,
                "data_of_work": row.claim.data, "experiment": row.claim.run, "own_measure": row.claim.own,
                "own": _finite(row.own), "ours_measure": row.claim.ours or None, "ours": _finite(row.ours),
                "data": row.data, "same_data": row.same_data,
                "command": make_command(found, row.claim.work), "more": row.command or None,
                "expects": list(row.claim.expects), "checks": list(row.verdict.checks),
                "agreement": row.verdict.agreement, "remark": make_remark(row),
            }
            for row in found.rows
        ],
        "experiments": {name: to_plain(result) for name, result in found.results.items()},
        "left_out": dict(found.failures),
    }  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
