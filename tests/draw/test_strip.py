"""A strip of time has a bar for each stretch and a diamond for each moment, at the same times."""

import numpy as np

from kinematch.draw.strip import ROW_PIXELS, time_strip
from kinematch.draw.theme import find_theme, rgb


def find_columns(picture: np.ndarray, colour: tuple[int, int, int], row: int) -> np.ndarray:
    """Columns of a row of the strip that have a colour."""
    top = 40 + ROW_PIXELS * row + 4
    return np.flatnonzero((picture[top : top + ROW_PIXELS - 8] == colour).all(axis=2).any(axis=0))


def test_a_moment_is_drawn_where_a_stretch_at_that_time_begins():
    theme = find_theme("light")
    picture = np.asarray(time_strip({"walking": [(2.0, 4.0)]}, 8.0, moments={"landing": [2.0]}).convert("RGB"))
    bar, diamond = find_columns(picture, rgb(theme.series[0]), 0), find_columns(picture, rgb(theme.ink), 1)
    diamond = diamond[diamond > 112]  # beside its name
    assert abs(diamond.mean() - bar.min()) <= 1.5
    assert np.ptp(diamond) <= 14
