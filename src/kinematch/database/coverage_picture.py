"""The coverage map as one picture: speed against turn rate, and against the direction of movement."""

import numpy as np
from PIL import Image

from kinematch.database.coverage import SECTOR, SPEEDS, TURNS, Coverage
from kinematch.draw.chart import heat_map
from kinematch.draw.polar import polar_map


def draw_coverage(covered: Coverage, *, title: str = "", theme: str = "light") -> Image.Image:
    """Seconds of motion, few to many; blank cells are motions that a character cannot do."""
    speeds, rows = _choose_speeds(covered)
    turns = heat_map(
        covered.speed_turn[:rows, ::-1].T,  # left turns on the left, as the character sees it
        -np.degrees(TURNS[::-1]),
        speeds,
        title=f"{title}: speed and turning" if title else "speed and turning",
        x_label="left turns  <  degrees per second  >  right turns",
        y_label="speed, m/s",
        value_label="seconds",
        log=True,
        size=(760, 520),
        theme=theme,
    )
    sectors = (np.arange(17) - 0.5) * SECTOR
    ways = polar_map(
        covered.speed_direction[:rows].T,
        sectors,
        speeds,
        title="speed and direction of movement",
        radius_label="m/s",
        value_label="seconds",
        log=True,
        size=(620, 520),
        theme=theme,
    )
    picture = Image.new("RGB", (turns.width + ways.width, turns.height))
    picture.paste(turns, (0, 0))
    picture.paste(ways, (turns.width, 0))
    return picture


def _choose_speeds(covered: Coverage) -> tuple[np.ndarray, int]:
    """Speeds up to the fastest motion, and at least to a jog, so that empty fast cells show as a gap."""
    filled = np.flatnonzero(covered.speed_turn.sum(axis=1))
    rows = max(int(filled[-1]) + 1 if len(filled) else 1, int(np.searchsorted(SPEEDS, 3.0)))
    return SPEEDS[: rows + 1], rows
