"""A drawing surface with smooth lines: everything is drawn three times as large and brought down at the end."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from kinematch.draw.axis import Axis
from kinematch.draw.scene import check_size
from kinematch.draw.text import text_width, write
from kinematch.draw.theme import Theme, rgb

_FINE = 3
TEXT_PIXELS = 13  # pixels


@dataclass(frozen=True)
class Box:
    """Part of a canvas in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def at(self, across: np.ndarray | float, up: np.ndarray | float) -> np.ndarray:
        """Pixels (..., 2) of shares of the box, from its lower left corner."""
        x = self.left + np.asarray(across) * (self.right - self.left)
        y = self.bottom - np.asarray(up) * (self.bottom - self.top)
        return np.stack(np.broadcast_arrays(x, y), axis=-1)


@dataclass(frozen=True)
class Canvas:
    theme: Theme
    image: Image.Image
    pen: ImageDraw.ImageDraw

    def line(self, points: np.ndarray, colour: str, width: float = 1.0) -> None:
        places = [tuple(p) for p in np.asarray(points) * _FINE]
        self.pen.line(places, fill=rgb(colour), width=max(1, round(width * _FINE)), joint="curve")

    def polygon(self, points: np.ndarray | list[np.ndarray], fill: tuple[int, int, int]) -> None:
        self.pen.polygon([tuple(p) for p in np.asarray(points) * _FINE], fill=fill)

    def rectangle(self, box: Box, fill: tuple[int, int, int]) -> None:
        corners = (np.array([box.left, box.top, box.right, box.bottom]) * _FINE).round().astype(int)
        if corners[2] > corners[0] and corners[3] > corners[1]:
            self.pen.rectangle((*corners[:2], *(corners[2:] - 1)), fill=fill)

    def disc(self, place: np.ndarray, radius: float, colour: str) -> None:
        x, y = np.asarray(place) * _FINE
        r = radius * _FINE
        self.pen.ellipse((x - r, y - r, x + r, y + r), fill=rgb(colour))

    def circle(self, place: np.ndarray, radius: float, colour: str) -> None:
        x, y = np.asarray(place) * _FINE
        r = radius * _FINE
        self.pen.ellipse((x - r, y - r, x + r, y + r), outline=rgb(colour), width=_FINE)

    def text(
        self,
        place: tuple[float, float] | np.ndarray,
        text: str,
        *,
        anchor: str = "mm",
        size: float = TEXT_PIXELS,
        colour: str = "",
    ) -> None:
        x, y = place[0] * _FINE, place[1] * _FINE
        write(self.pen, (x, y), text, colour=colour or self.theme.ink, size=round(size * _FINE), anchor=anchor)

    def upright_text(
        self, place: tuple[float, float], text: str, *, size: float = TEXT_PIXELS, colour: str = ""
    ) -> None:
        """Text that reads upwards, centred on a place."""
        pixels = round(size * _FINE)
        width, height = round(text_width(text, pixels)) + 4, round(1.4 * pixels)
        mask = Image.new("RGB", (width, height))
        write(ImageDraw.Draw(mask), (width / 2, height / 2), text, colour="#ffffff", size=pixels, anchor="mm")
        mask = mask.convert("L").rotate(90, expand=True)
        corner = (round(place[0] * _FINE - mask.width / 2), round(place[1] * _FINE - mask.height / 2))
        self.image.paste(rgb(colour or self.theme.ink), corner, mask)

    def finished(self) -> Image.Image:
        return self.image.reduce(_FINE)


def new_canvas(size: tuple[int, int], theme: Theme) -> Canvas:
    width, height = check_size(size)
    image = Image.new("RGB", (width * _FINE, height * _FINE), rgb(theme.floor))
    return Canvas(theme, image, ImageDraw.Draw(image))


def beside(place: np.ndarray, right: float, down: float) -> np.ndarray:
    """A place at an offset in pixels."""
    return np.add(place, (right, down))


def title_of(canvas: Canvas, title: str, left: float) -> None:
    if title:
        canvas.text((left, 20), title, anchor="lm", size=16)


def x_axis(canvas: Canvas, box: Box, axis: Axis, name: str, *, rulings: bool = True) -> None:
    """Ticks, numbers and a name below a box, and faint rulings up through it."""
    theme = canvas.theme
    for value, text in axis.ticks(_tick_count(box.right - box.left, 90)):
        low, high = box.at(axis.share(value), 0.0), box.at(axis.share(value), 1.0)
        if rulings:
            canvas.line(np.array([low, high]), ruling(theme))
        canvas.line(np.array([low, beside(low, 0, 4)]), theme.faint)
        canvas.text(beside(low, 0, 14), text, size=12, colour=theme.faint)
    canvas.line(np.array([box.at(0, 0), box.at(1, 0)]), theme.faint)
    name_x_axis(canvas, box, name)


def y_axis(canvas: Canvas, box: Box, axis: Axis, name: str, *, rulings: bool = True) -> None:
    """Ticks, numbers and a name left of a box, and faint rulings across it."""
    theme = canvas.theme
    for value, text in axis.ticks(_tick_count(box.bottom - box.top, 55)):
        left, right = box.at(0.0, axis.share(value)), box.at(1.0, axis.share(value))
        if rulings:
            canvas.line(np.array([left, right]), ruling(theme))
        canvas.line(np.array([left, beside(left, -4, 0)]), theme.faint)
        canvas.text(beside(left, -8, 0), text, anchor="rm", size=12, colour=theme.faint)
    canvas.line(np.array([box.at(0, 0), box.at(0, 1)]), theme.faint)
    canvas.upright_text((box.left - 52, 0.5 * (box.top + box.bottom)), name)


def name_x_axis(canvas: Canvas, box: Box, name: str) -> None:
    canvas.text((0.5 * (box.left + box.right), box.bottom + 36), name)


def _tick_count(length: float, spacing: float) -> int:
    return max(2, round(length / spacing))


def ruling(theme: Theme) -> str:
    """Half way from the panel to the grid colour."""
    mixed = [(a + b) // 2 for a, b in zip(rgb(theme.floor), rgb(theme.grid))]
    return "#{:02x}{:02x}{:02x}".format(*mixed)
