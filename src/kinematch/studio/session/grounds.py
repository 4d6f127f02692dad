"""Grounds: the worlds that pages choose from, as they are drawn and as characters stand on them."""

from collections.abc import Callable

import numpy as np

from kinematch.scene.made_terrain import make_slopes, make_stairs, uneven_ground
from kinematch.scene.playground import make_playground
from kinematch.scene.terrain import HeightGrid, Terrain
from kinematch.studio.session.acts import make_ground

GROUNDS: dict[str, Callable[[], HeightGrid]] = {  # all but the playground without end
    "flat": lambda: HeightGrid(np.zeros((2, 2)), 1.0, repeats=True),
    "hills": lambda: uneven_ground(np.random.default_rng(0), size=48.0, cell=0.2, repeats=True),
    "slopes": make_slopes,
    "stairs": make_stairs,
    "playground": make_ground,
}


def find_terrain(kind: str, drawn: HeightGrid) -> Terrain:
    """What crowds stand on; the playground is drawn coarser than it is."""
    return make_playground() if kind == "playground" else drawn
