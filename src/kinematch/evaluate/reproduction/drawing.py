"""Drawing: the charts of results as pictures, and tables of claims as text."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from PIL import Image

from kinematch.draw.chart import bar_chart, line_chart
from kinematch.evaluate.reproduction.results import Chart
from kinematch.evaluate.reproduction.run import ClaimResult

SIZE = (640, 340)  # pixels
MAX_LINEAR_RATIO = 30.0  # of the largest to the smallest bar on a linear axis
HEAD = ("place", "what the work says", "work", "its method, here", "our default", "unit", "agrees", "data here")


def draw_chart(chart: Chart) -> Image.Image:
    """A chart in the project's own style; bars that a work does not print are left out."""
    if chart.lines:
        lines = {name: (_to_array(x), _to_array(y)) for name, (x, y) in chart.lines.items()}
        return line_chart(lines, title=chart.caption, x_label=chart.x_label, y_label=chart.y_label, size=SIZE)
    series = {name: _to_array(values) for name, values in chart.bars.items()}
    return bar_chart(
        list(chart.groups), series, title=chart.caption, x_label=chart.x_label, y_label=chart.y_label, size=SIZE,
        log=needs_log(series.values()),
    )  # fmt: skip


def needs_log(series: Iterable[np.ndarray]) -> bool:
    """Whether the range of bars is too large for a linear axis."""
    known = np.concatenate([values[np.isfinite(values)] for values in series])
    return len(known) > 0 and known.min() > 0 and known.max() / known.min() > MAX_LINEAR_RATIO


def _to_array(values: Any) -> np.ndarray:
    return np.array([math.nan if value is None else value for value in values], float)


def show_number(value: float | None, digits: int) -> str:
    """A dash where there is none; figures far below what the digits show keep two of them."""
    if value is None or not math.isfinite(value):
        return "–"
    if value and abs(value) < 0.5 * 10**-digits:
        return f"{value:.2g}"
    return f"{value:,.{digits}f}"


def show_printed(value: float | None) -> str:
    """A work's own figure, as it prints it."""
    return "–" if value is None else f"{value:,g}" if abs(value) >= 1000 else f"{value:g}"


def tell_row(row: ClaimResult) -> list[str]:
    """The cells of a row, in the order of HEAD."""
    claim = row.claim
    numbers = [show_printed(claim.value), *(show_number(value, claim.digits) for value in (row.own, row.ours))]
    data = row.data + (" (the work's own)" if row.same_data else "")
    return [claim.place, claim.says, *numbers, claim.unit, row.verdict.agreement, data or "–"]
