"""Maps over a direction and a distance from the middle, such as speed against movement direction."""

import numpy as np
from PIL import Image

from kinematch.draw.axis import Axis
from kinematch.draw.canvas import Box, beside, new_canvas, title_of
from kinematch.draw.chart import check_map, colour_bar, value_axis
from kinematch.draw.colour_map import colours_of
from kinematch.draw.theme import Theme, find_theme
from kinematch.errors import KinematchError

DIRECTION_NAMES = ("forward", "left", "backward", "right")  # at 0, 90, 180 and 270 degrees


def polar_map(
    values: np.ndarray,
    angle_edges: np.ndarray,
    radius_edges: np.ndarray,
    *,
    title: str = "",
    radius_label: str = "",
    value_label: str = "",
    names: tuple[str, str, str, str] = DIRECTION_NAMES,
    log: bool = False,
    size: tuple[int, int] = (560, 480),
    theme: Theme | str = "light",
) -> Image.Image:
    """Values (A, R) over cells between edges of angles in radians and of radii; zero and NaN stay blank.

    Angle 0 points up and positive angles turn to the left of the picture, as a character's yaw does seen from above.
    """
    theme = find_theme(theme)
    values, angle_edges, radius_edges = (np.asarray(a, np.float64) for a in (values, angle_edges, radius_edges))
    check_map(values, angle_edges, radius_edges)
    if angle_edges[-1] - angle_edges[0] > 2 * np.pi + 1e-9 or radius_edges[0] < 0:  # full circles miss 2 pi by rounding
        raise KinematchError("angles must span at most a full turn and radii start at zero or above")
    canvas = new_canvas(size, theme)
    top = 44 if title else 22
    middle = np.array([(size[0] - 90) / 2, (top + size[1]) / 2])
    radius = min(middle[0] - 64, size[1] - middle[1] - 36)
    across = Axis(0.0, radius_edges[-1])
    scale = value_axis(values, log=log)

    def place(angle: np.ndarray | float, share: np.ndarray | float) -> np.ndarray:
        way = np.stack(np.broadcast_arrays(-np.sin(angle), -np.cos(angle)), axis=-1)
        return middle + radius * np.asarray(share)[..., None] * way

    for i, j in np.argwhere(np.isfinite(values) & (values != 0)):
        arc = np.linspace(angle_edges[i], angle_edges[i + 1], 12)
        inner, outer = across.share(radius_edges[j]), across.share(radius_edges[j + 1])
        ring = np.concatenate([place(arc, np.full(12, outer)), place(arc[::-1], np.full(12, inner))])
        canvas.polygon(ring, tuple(colours_of(scale.share(values[i, j]), theme)))
    for angle in np.arange(8) * np.pi / 4:
        canvas.line(np.array([place(angle, 0.0), place(angle, 1.0)]), theme.grid)
    ticks = [(v, text) for v, text in across.ticks(4) if v > 0]
    for value, _ in ticks:
        canvas.circle(middle, radius * float(across.share(value)), theme.grid)
    canvas.circle(middle, radius, theme.faint)
    for value, text in ticks:
        canvas.text(
            beside(place(-np.pi / 8, across.share(value)), 4, 0), text, anchor="lm", size=11, colour=theme.faint
        )
    for n, name in enumerate(names):
        spot = beside(place(n * np.pi / 2, 1.0), *((0, -12), (-8, 0), (0, 13), (8, 0))[n])
        canvas.text(spot, name, anchor=("mm", "rm", "mm", "lm")[n], size=12)
    if radius_label:
        canvas.text((12, size[1] - 16), f"rings: {radius_label}", anchor="lm", size=12, colour=theme.faint)
    title_of(canvas, title, 16)
    colour_bar(canvas, Box(size[0] - 84, top + 20, size[0] - 68, size[1] - 40), scale, value_label)
    return canvas.finished()
