"""Avoidance: bodies look around a few times a second and make room for each other."""

from dataclasses import dataclass

import numpy as np

from kinematch.control.kernels import pushes, sorted_into_cells
from kinematch.math.spring import decay

LOOK = 0.1  # s between two looks of one body; the crowd takes turns, so that no step has all the work
SETTLE = 0.07  # s, half-life in which a new push takes the place of the old


@dataclass(eq=False)
class Avoidance:
    """What N bodies do about each other; the state of a controller that lets them."""

    room: float = 1.0  # m that a body wants between itself and another
    horizon: float = 1.5  # s that it looks ahead
    reach: float = 2.5  # m that it looks around
    turn: float = 0.0  # whose turn it is to look, counted in bodies
    seen: np.ndarray | None = None  # (N, 2) pushes at the last look
    felt: np.ndarray | None = None  # (N, 2) the same, smoothed

    def pushes(self, places: np.ndarray, velocities: np.ndarray, dt: float) -> np.ndarray:
        """Vectors (N, 2) away from those in the way: zero for who has room, about 1 for who has none.

        Best given the points where bodies would come to rest, and those points' velocities: they answer at once.
        """
        count = len(places)
        if self.seen is None or self.felt is None or len(self.seen) != count:
            self.seen, self.felt, self.turn = np.zeros((2, count)).T, np.zeros((2, count)).T, 0.0
        first = self.turn
        self.turn = first + min(count * dt / LOOK, count)
        who = np.arange(int(np.ceil(first)), int(np.ceil(self.turn))) % count
        self.turn %= count
        if self.room > 0 and count > 1 and len(who):
            self.seen[who] = pushes_on(who, places, velocities, room=self.room, horizon=self.horizon, reach=self.reach)
        self.felt = decay(self.felt, self.seen, SETTLE, dt)
        return self.felt


def pushes_on(
    who: np.ndarray, places: np.ndarray, velocities: np.ndarray, *, room: float, horizon: float, reach: float
) -> np.ndarray:
    """Pushes (K, 2) on some bodies; cells grow with the space, so that they stay about as many as bodies."""
    low, high = places.min(axis=0), places.max(axis=0)
    cell = max(reach, float(np.sqrt(np.prod(high - low) / len(places))), float((high - low).max()) / (1 << 20))
    shape = tuple(int(s) for s in ((high - low) // cell).astype(np.int64) + 1)
    starts, members, cells = sorted_into_cells(places, (low[0], low[1]), cell, shape)
    return pushes(who, places, velocities, cells, starts, members, shape, reach, room, horizon)
