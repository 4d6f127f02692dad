"""Scatter charts: clouds of points in a plane, each group in a colour of its own."""

from collections.abc import Mapping

import numpy as np
from PIL import Image

from kinematch.draw.axis import axis_for
from kinematch.draw.canvas import Box, new_canvas, title_of, x_axis, y_axis
from kinematch.draw.chart import CHART_PIXELS, draw_legend, find_top
from kinematch.draw.theme import Theme, find_theme
from kinematch.errors import KinematchError

POINT_PIXELS = 1.5  # pixels


def scatter_chart(
    groups: Mapping[str, np.ndarray],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    size: tuple[int, int] = CHART_PIXELS,
    theme: Theme | str = "light",
) -> Image.Image:
    """Points (N, 2) by name; later groups cover earlier ones."""
    theme = find_theme(theme)
    points = {name: np.asarray(own, np.float64) for name, own in groups.items()}
    for name, own in points.items():
        if own.ndim != 2 or own.shape[1] != 2:
            raise KinematchError(f"points {name!r} have shape {own.shape}, expected (N, 2)")
    together = np.concatenate(list(points.values())) if points else np.zeros((0, 2))
    together = together[np.isfinite(together).all(axis=1)]
    if not len(together):
        raise KinematchError("nothing to draw: no points")
    canvas = new_canvas(size, theme)
    x, y = axis_for(together[:, 0]), axis_for(together[:, 1])
    box = Box(78, find_top(title, list(points), size[0] - 102), size[0] - 24, size[1] - 58)
    x_axis(canvas, box, x, x_label)
    y_axis(canvas, box, y, y_label)
    for n, own in enumerate(points.values()):
        for place in box.at(x.share(own[:, 0]), y.share(own[:, 1])):
            if np.isfinite(place).all():
                canvas.disc(place, POINT_PIXELS, theme.series[n % len(theme.series)])
    title_of(canvas, title, box.left)
    draw_legend(canvas, list(points), box)
    return canvas.finished()
