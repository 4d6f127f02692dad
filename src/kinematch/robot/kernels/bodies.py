"""Many robots at once: where their links are, and how far each is below the floor."""

import numpy as np

from kinematch.compile.jit import kernel
from kinematch.math.kernels import read3, read4, rotate
from kinematch.robot.kernels.system import place_links


@kernel
def place_robots(plan, base, base_turns, angles, places, turns, lifts):
    """Places (N, L, 3) and rotations (N, L, 4) of links, and how far (N,) each must be lifted off the floor."""
    spins = np.empty((plan.parents.shape[0], 3))
    for n in range(base.shape[0]):
        place_links(plan, base[n], base_turns[n], angles[n], places[n], turns[n], spins)
        low = 0.0
        for i in range(plan.floor_links.shape[0]):
            link = plan.floor_links[i]
            away = rotate(read4(turns[n], link), read3(plan.floor_points, i))
            low = min(low, places[n, link, 1] + away[1] - plan.floor_radii[i])
        lifts[n] = -low
