"""Avoidance: every body checks for others nearby ten times a second and steps aside for those in its way."""

from dataclasses import dataclass

import numpy as np

from kinematch.control.kernels import find_pushes, sort_into_cells
from kinematch.math.spring import decay

LOOK = 0.1  # s between two checks of one body; spread over the crowd, so that steps cost the same
SETTLE = 0.07  # s, half-life with which the smoothed push follows the latest one


@dataclass(eq=False)
class Avoidance:
    """How N bodies avoid each other; holds the state that a controller keeps between steps."""

    room: float = 1.0  # m that a body keeps to another
    horizon: float = 1.5  # s of straight motion ahead that count
    reach: float = 2.5  # m around a body within which others count
    next_body: float = 0.0  # the body that checks next; a fraction accumulates over short steps
    pushes: np.ndarray | None = None  # (N, 2) at the last check of each body
    smoothed: np.ndarray | None = None  # (N, 2) the same, smoothed over time

    def update(self, places: np.ndarray, velocities: np.ndarray, dt: float) -> np.ndarray:
        """Pushes (N, 2) away from bodies in the way: zero for a body with enough room, about 1 long without any.

        Pass rest points (see steering.py) and their velocities rather than bodies: they respond at once.
        """
        count = len(places)
        if self.pushes is None or self.smoothed is None or len(self.pushes) != count:
            self.pushes, self.smoothed, self.next_body = np.zeros((2, count)).T, np.zeros((2, count)).T, 0.0
        first = self.next_body
        self.next_body = first + min(count * dt / LOOK, count)
        bodies = np.arange(int(np.ceil(first)), int(np.ceil(self.next_body))) % count
        self.next_body %= count
        if self.room > 0 and count > 1 and len(bodies):
            self.pushes[bodies] = find_pushes_on(
                bodies, places, velocities, room=self.room, horizon=self.horizon, reach=self.reach
            )
        self.smoothed = decay(self.smoothed, self.pushes, SETTLE, dt)
        return self.smoothed


def find_pushes_on(
    bodies: np.ndarray, places: np.ndarray, velocities: np.ndarray, *, room: float, horizon: float, reach: float
) -> np.ndarray:
    """Pushes (K, 2) on some bodies (K,). Cells grow with the occupied area: there are about as many as bodies."""
    low, high = places.min(axis=0), places.max(axis=0)
    cell = max(reach, float(np.sqrt(np.prod(high - low) / len(places))), float((high - low).max()) / (1 << 20))
    shape = tuple(int(s) for s in ((high - low) // cell).astype(np.int64) + 1)
    starts, members, cells = sort_into_cells(places, (low[0], low[1]), cell, shape)
    return find_pushes(bodies, places, velocities, cells, starts, members, shape, reach, room, horizon)
