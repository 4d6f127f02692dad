"""A board of small panels for the figures: curves, ways seen from above, and timelines, each line in its own colour."""

from collections.abc import Mapping, Sequence

import numpy as np

from kinematch.draw.axis import Axis, axis_for
from kinematch.draw.canvas import Box, Canvas, beside, new_canvas, x_axis, y_axis
from kinematch.draw.text import text_width
from kinematch.draw.theme import LIGHT, rgb

CELL = (360, 290)
USUAL = LIGHT.series[1]  # the default's colour, everywhere
OTHERS = (LIGHT.series[0], LIGHT.series[2], LIGHT.series[3], LIGHT.series[4])


class Board:
    """Panels in rows, filled one after the other."""

    def __init__(self, columns: int, rows: int, cell: tuple[int, int] = CELL):
        self.columns, self.cell, self.taken = columns, cell, 0
        self.canvas: Canvas = new_canvas((columns * cell[0], rows * cell[1]), LIGHT)

    def panel(self, title: str, told: str, names: Sequence[str]) -> tuple[Box, dict[str, str]]:
        """The next free panel and a colour for each name, its heading and legend written."""
        left = self.cell[0] * (self.taken % self.columns)
        top = self.cell[1] * (self.taken // self.columns)
        self.taken += 1
        self.canvas.text((left + 16, top + 18), title, anchor="lm", size=15)
        self.canvas.text((left + 16, top + 38), told, anchor="lm", size=11.5, colour=LIGHT.faint)
        others = iter(OTHERS)
        colours = {name: USUAL if "default" in name else next(others) for name in names}
        across = left + 16.0
        for name, colour in colours.items():
            self.canvas.rectangle(Box(across, top + 52, across + 12, top + 62), rgb(colour))
            self.canvas.text((across + 17, top + 57), name, anchor="lm", size=12)
            across += 29 + text_width(name, 12)
        return Box(left + 66, top + 76, left + self.cell[0] - 16, top + self.cell[1] - 48), colours

    def lines(
        self,
        title: str,
        told: str,
        lines: Mapping[str, tuple[np.ndarray, np.ndarray]],
        *,
        x: str,
        y: str,
        marks: Sequence[float] = (),
        log: bool = False,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        """Curves over a common axis; `marks` are dashed moments, `low` and `high` cut off what is beyond them."""
        box, colours = self.panel(title, told, list(lines))
        every_x, every_y = (np.concatenate([np.asarray(pair[k], float) for pair in lines.values()]) for k in (0, 1))
        across = Axis(float(every_x.min()), float(every_x.max()), log)
        up = axis_for(every_y)
        up = Axis(up.low if low is None else low, up.high if high is None else high)
        x_axis(self.canvas, box, across, x)
        y_axis(self.canvas, box, up, y)
        for mark in marks:
            self._dashes(box.at(across.share(mark), 0.0), box.at(across.share(mark), 1.0))
        for name, (xs, ys) in lines.items():
            self.canvas.line(box.at(across.share(xs), np.clip(up.share(ys), 0, 1)), colours[name], 2)

    def ways(self, title: str, told: str, ways: Mapping[str, np.ndarray], *, asked=None, dots: int = 0) -> None:
        """Paths (T, 2) of x and z from above, +Z up and +X to the left; `asked` is a broad grey one.

        `dots` stand every so many points.
        """
        box, colours = self.panel(title, told, list(ways))
        points = np.concatenate([*ways.values(), *([] if asked is None else [asked])])
        low, high = points.min(axis=0), points.max(axis=0)
        room = np.array([box.right - box.left + 50, box.bottom - box.top + 12])
        scale = float((room / (high - low + 1e-6)).min())
        centre = np.array([0.5 * (box.left - 50 + box.right), 0.5 * (box.top + box.bottom + 12)])

        def at(some: np.ndarray) -> np.ndarray:
            return centre - scale * (some - 0.5 * (low + high))

        if asked is not None:
            self.canvas.line(at(asked), LIGHT.grid, 7)
        for name, way in ways.items():
            self.canvas.line(at(way), colours[name], 2)
            for place in at(way)[::dots] if dots else ():
                self.canvas.disc(place, 2.6, colours[name])
        size = next(s for s in (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005) if s * scale < 110)
        start = np.array([box.left - 50, box.bottom + 34])
        end = beside(start, size * scale, 0)
        self.canvas.line(np.array([beside(start, 0, -4), start, end, beside(end, 0, -4)]), LIGHT.ink, 1.5)
        self.canvas.text(beside(end, 8, 0), f"{size:g} m", anchor="lm", size=12)

    def timeline(self, title: str, told: str, rows: Mapping[str, tuple], *, end: float, marks=()) -> None:
        """For each name moments (small ticks), others (tall bars with a disc), or ranges [start, stop) as bands."""
        box, colours = self.panel(title, told, list(rows))
        across = Axis(0.0, end)
        x_axis(self.canvas, box, across, "seconds")
        for mark in marks:
            self._dashes(box.at(across.share(mark), 0.0), box.at(across.share(mark), 1.0))
        for k, (name, (small, tall, bands)) in enumerate(rows.items()):
            middle = 1 - (k + 0.5) / len(rows)
            self.canvas.line(np.array([box.at(0, middle), box.at(1, middle)]), LIGHT.grid)
            for start, stop in bands:
                corner, far = box.at(across.share(start), middle + 0.1), box.at(across.share(stop), middle - 0.1)
                self.canvas.rectangle(Box(*corner, *far), rgb(colours[name]))
            for time in small:
                place = box.at(across.share(time), middle)
                self.canvas.line(np.array([beside(place, 0, -5), beside(place, 0, 5)]), LIGHT.faint, 1.2)
            for time in tall:
                place = box.at(across.share(time), middle)
                self.canvas.line(np.array([beside(place, 0, -15), beside(place, 0, 15)]), colours[name], 2.2)
                self.canvas.disc(beside(place, 0, -15), 3.2, colours[name])

    def side(
        self, title: str, told: str, poses: Mapping[str, np.ndarray], *, parents: np.ndarray, ground, span, tall=2.2
    ) -> None:
        """Stick figures (P, J, 3) from the side, walking to the right over `span` m of a ground, heights by z."""
        box, colours = self.panel(title, told, list(poses))
        left, scale = box.left - 50, (box.right - box.left + 50) / (span[1] - span[0])
        along = np.linspace(*span, 800)
        floor = float(ground(along).min())
        base = box.bottom + 30

        def at(z, y) -> np.ndarray:
            across = left + scale * (np.asarray(z) - span[0])
            return np.stack(np.broadcast_arrays(across, base - 14 - scale * (np.asarray(y) - floor)), axis=-1)

        corners = np.array([[left, base], [box.right, base]])
        self.canvas.polygon([*at(along, ground(along)), corners[1], corners[0]], rgb(LIGHT.grid))
        for name, some in poses.items():
            for pose in some:
                places = at(pose[:, 2], pose[:, 1])
                for joint in range(2, len(places)):
                    self.canvas.line(places[[parents[joint], joint]], colours[name], tall)

    def _dashes(self, start: np.ndarray, stop: np.ndarray) -> None:
        count = max(2, int(np.linalg.norm(stop - start) / 8))
        places = start + (stop - start) * np.linspace(0, 1, 2 * count)[:, None]
        for k in range(0, len(places) - 1, 2):
            self.canvas.line(places[k : k + 2], LIGHT.faint, 1.2)
