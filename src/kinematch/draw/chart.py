"""Charts with clean axes: maps of values over two quantities, lines, and bars."""

from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image

from kinematch.draw.axis import Axis, axis_for
from kinematch.draw.canvas import Box, Canvas, beside, name_x_axis, new_canvas, title_of, x_axis, y_axis
from kinematch.draw.colour_map import colours_of
from kinematch.draw.text import text_width
from kinematch.draw.theme import Theme, find_theme, rgb
from kinematch.errors import KinematchError

CHART_PIXELS = (720, 460)
LEGEND_ROW_PIXELS = 22  # pixels


def heat_map(
    values: np.ndarray,
    x_edges: np.ndarray,
    y_edges: np.ndarray,
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    value_label: str = "",
    log: bool = False,
    size: tuple[int, int] = CHART_PIXELS,
    theme: Theme | str = "light",
) -> Image.Image:
    """Values (X, Y) over cells between edges (X + 1,), (Y + 1,); zero and NaN stay blank, so that gaps show.

    log spreads small values over more colours.
    """
    theme = find_theme(theme)
    values, x_edges, y_edges = (np.asarray(a, np.float64) for a in (values, x_edges, y_edges))
    check_map(values, x_edges, y_edges)
    canvas = new_canvas(size, theme)
    box = Box(78, 44 if title else 22, size[0] - 104, size[1] - 58)
    x, y = Axis(x_edges[0], x_edges[-1]), Axis(y_edges[0], y_edges[-1])
    scale = value_axis(values, log=log)
    for i, j in np.argwhere(np.isfinite(values) & (values != 0)):
        (left, bottom) = box.at(x.share(x_edges[i]), y.share(y_edges[j]))
        (right, top) = box.at(x.share(x_edges[i + 1]), y.share(y_edges[j + 1]))
        canvas.rectangle(Box(left, top, right, bottom), tuple(colours_of(scale.share(values[i, j]), theme)))
    x_axis(canvas, box, x, x_label, rulings=False)
    y_axis(canvas, box, y, y_label, rulings=False)
    title_of(canvas, title, box.left)
    colour_bar(canvas, Box(size[0] - 84, box.top, size[0] - 68, box.bottom), scale, value_label)
    return canvas.finished()


def line_chart(
    lines: Mapping[str, tuple[np.ndarray, np.ndarray]],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    log_x: bool = False,
    log_y: bool = False,
    points: bool = False,
    size: tuple[int, int] = CHART_PIXELS,
    theme: Theme | str = "light",
) -> Image.Image:
    """Lines by name, each of x (N,) and y (N,); NaN interrupts a line."""
    theme = find_theme(theme)
    pairs = {name: (np.asarray(x, np.float64), np.asarray(y, np.float64)) for name, (x, y) in lines.items()}
    for name, (xs, ys) in pairs.items():
        if xs.ndim != 1 or xs.shape != ys.shape:
            raise KinematchError(f"line {name!r} has x of shape {xs.shape} and y of {ys.shape}, expected (N,) for both")
    if not pairs:
        raise KinematchError("nothing to draw: no lines")
    canvas = new_canvas(size, theme)
    x = axis_for(np.concatenate([xs for xs, _ in pairs.values()]), log=log_x)
    y = axis_for(np.concatenate([ys for _, ys in pairs.values()]), log=log_y)
    box = Box(78, find_top(title, list(pairs), size[0] - 102), size[0] - 24, size[1] - 58)
    x_axis(canvas, box, x, x_label)
    y_axis(canvas, box, y, y_label)
    for n, (xs, ys) in enumerate(pairs.values()):
        colour = theme.series[n % len(theme.series)]
        places = box.at(x.share(xs), y.share(ys))
        good = np.isfinite(places).all(axis=-1)
        for run in np.split(np.arange(len(xs)), np.flatnonzero(np.diff(good)) + 1):
            if len(run) and good[run[0]]:
                if len(run) > 1:
                    canvas.line(places[run], colour, 2)
                for place in places[run] if points or len(run) == 1 else ():
                    canvas.disc(place, 3.5, colour)
    title_of(canvas, title, box.left)
    draw_legend(canvas, list(pairs), box)
    return canvas.finished()


def bar_chart(
    groups: Sequence[str],
    series: Mapping[str, np.ndarray],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    log: bool = False,
    size: tuple[int, int] = CHART_PIXELS,
    theme: Theme | str = "light",
) -> Image.Image:
    """For each group a bar of each series (G,)."""
    theme = find_theme(theme)
    values = {name: np.asarray(v, np.float64) for name, v in series.items()}
    for name, v in values.items():
        if v.shape != (len(groups),):
            raise KinematchError(f"bars {name!r} have shape {v.shape}, expected ({len(groups)},), one for each group")
    if not values or not len(groups):
        raise KinematchError("nothing to draw: no bars")
    canvas = new_canvas(size, theme)
    y = axis_for(np.concatenate(list(values.values())), log=log, from_zero=True)
    names = list(values) if len(values) > 1 else []
    box = Box(78, find_top(title, names, size[0] - 102), size[0] - 24, size[1] - 58)
    y_axis(canvas, box, y, y_label)
    name_x_axis(canvas, box, x_label)
    base = 0.0 if log else float(y.share(0.0))
    width = 0.76 / len(values)
    for g, group in enumerate(groups):
        for n, v in enumerate(values.values()):
            if not np.isfinite(v[g]):
                continue
            first = (g + 0.12 + n * width) / len(groups)
            left, bottom = box.at(first, base)
            right, top = box.at(first + 0.94 * width / len(groups), np.clip(y.share(v[g]), 0, 1))
            colour = rgb(theme.series[n % len(theme.series)])
            canvas.rectangle(Box(left, min(top, bottom), right, max(top, bottom)), colour)
        canvas.text(beside(box.at((g + 0.5) / len(groups), 0.0), 0, 14), group, size=12)
    title_of(canvas, title, box.left)
    draw_legend(canvas, names, box)
    return canvas.finished()


def check_map(values: np.ndarray, x_edges: np.ndarray, y_edges: np.ndarray) -> None:
    """Raise when values and edges do not fit together."""
    if x_edges.ndim != 1 or y_edges.ndim != 1 or values.shape != (len(x_edges) - 1, len(y_edges) - 1):
        raise KinematchError(
            f"values of shape {values.shape} for {x_edges.size} and {y_edges.size} edges, "
            f"expected ({x_edges.size - 1}, {y_edges.size - 1}): one cell between each two edges"
        )
    if (np.diff(x_edges) <= 0).any() or (np.diff(y_edges) <= 0).any():
        raise KinematchError("edges must grow from each to the next")
    if values.size == 0:
        raise KinematchError("nothing to draw: no cells")


def value_axis(values: np.ndarray, *, log: bool) -> Axis:
    """The scale of the colours; an empty map has one too."""
    filled = values[np.isfinite(values) & (values != 0)]
    if not filled.size:
        return Axis(0.0, 1.0)
    return axis_for(filled, log=log, from_zero=True)


def colour_bar(canvas: Canvas, box: Box, scale: Axis, label: str) -> None:
    steps = max(2, round(box.bottom - box.top))
    colours = colours_of((np.arange(steps) + 0.5) / steps, canvas.theme)
    for n in range(steps):
        (left, bottom), (right, top) = box.at(0.0, n / steps), box.at(1.0, (n + 1) / steps)
        canvas.rectangle(Box(left, top - 0.5, right, bottom), tuple(colours[n]))
    for value, text in scale.ticks(5):
        canvas.text(
            beside(box.at(1.0, scale.share(value)), 7, 0), text, anchor="lm", size=12, colour=canvas.theme.faint
        )
    canvas.upright_text((box.right + 48, 0.5 * (box.top + box.bottom)), label)


def find_top(title: str, names: list[str], width: float) -> float:
    """Where a box of some width begins below its title and legend."""
    return (
        22
        + (22 if title else 0)
        + LEGEND_ROW_PIXELS * (1 + max((row for row, _ in place_names(names, width)), default=-1))
    )


def place_names(names: list[str], width: float) -> list[tuple[int, float]]:
    """Row and distance from the left of each name of a legend; a name that does not fit starts a new row."""
    places, row, x = [], 0, 0.0
    for name in names:
        if x and x + 20 + text_width(name, 12) > width:
            row, x = row + 1, 0.0
        places.append((row, x))
        x += 40 + text_width(name, 12)
    return places


def draw_legend(canvas: Canvas, names: list[str], box: Box) -> None:
    """Names beside their colours, in rows above the box."""
    places = place_names(names, box.right - box.left)
    for n, (name, (row, x)) in enumerate(zip(names, places)):
        left, y = box.left + x, box.top - 14 - LEGEND_ROW_PIXELS * (places[-1][0] - row)
        colour = canvas.theme.series[n % len(canvas.theme.series)]
        canvas.rectangle(Box(left, y - 5, left + 14, y + 5), rgb(colour))
        canvas.text((left + 20, y), name, anchor="lm", size=12)
