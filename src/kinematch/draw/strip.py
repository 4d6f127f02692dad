"""A strip of time: bars of one colour a row, for what happens when in a take, and diamonds for its moments."""

from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image

from kinematch.draw.axis import axis_for
from kinematch.draw.canvas import Box, new_canvas, title_of, x_axis
from kinematch.draw.theme import Theme, find_theme, rgb
from kinematch.errors import KinematchError

ROW_PIXELS = 26  # pixels
DIAMOND_PIXELS = 6  # pixels from the middle to a corner


def time_strip(
    rows: Mapping[str, Sequence[tuple[float, float]]],
    seconds: float,
    *,
    moments: Mapping[str, Sequence[float]] | None = None,
    title: str = "",
    colours: Sequence[int] | None = None,
    width: int = 1200,
    theme: Theme | str = "light",
) -> Image.Image:
    """For each name the stretches (start, stop) in seconds, on one axis from 0 on.

    `moments` (s) by name have rows of their own below. `colours` are indices into the theme's series, one a row of
    stretches; without them rows take one after the other.
    """
    moments = moments or {}
    if not (rows or moments) or seconds <= 0:
        raise KinematchError("nothing to draw: no rows, or no time")
    theme = find_theme(theme)
    canvas = new_canvas((width, 98 + ROW_PIXELS * (len(rows) + len(moments))), theme)
    axis = axis_for(np.array([0.0, seconds]), from_zero=True)
    box = Box(110, 40, width - 24, 40 + ROW_PIXELS * (len(rows) + len(moments)))
    x_axis(canvas, box, axis, "s")
    for number, (name, stretches) in enumerate(rows.items()):
        colour = theme.series[(number if colours is None else colours[number]) % len(theme.series)]
        top = box.top + ROW_PIXELS * number
        canvas.text((box.left - 10, top + ROW_PIXELS / 2), name, anchor="rm", size=13)
        for start, stop in stretches:
            left, right = (box.left + float(axis.share(t)) * (box.right - box.left) for t in (start, stop))
            bar = Box(left, top + 4, max(right, left + 1), top + ROW_PIXELS - 4)
            canvas.rectangle(bar, rgb(colour))
    for number, (name, times) in enumerate(moments.items(), start=len(rows)):
        middle = box.top + ROW_PIXELS * (number + 0.5)
        canvas.text((box.left - 10, middle), name, anchor="rm", size=13)
        for time in times:
            x, reach = box.left + float(axis.share(time)) * (box.right - box.left), DIAMOND_PIXELS
            corners = [(x, middle - reach), (x + reach, middle), (x, middle + reach), (x - reach, middle)]
            canvas.polygon(np.array(corners), rgb(theme.ink))
    title_of(canvas, title, box.left)
    return canvas.finished()
