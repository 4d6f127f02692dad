"""Wander: a crowd that strolls about at random, stays in its place and makes room for each other."""

from collections.abc import Sequence

import numpy as np

from kinematch.control.avoidance import Avoidance
from kinematch.control.body import Halflives, SimulatedBody
from kinematch.control.command import Command
from kinematch.control.kernels import strolled
from kinematch.control.region import region
from kinematch.control.steering import directions, ground, rest_points, shortened
from kinematch.errors import KinematchError

TURNING = 0.5  # rad/s, how fast headings usually drift
MEMORY = 1.5  # s for which a drift goes on
MARGIN = 3.0  # m from the edge where turning back begins
BACK = 0.6  # s in which most of the turn back is made at the very edge
SIDESTEP = 2.5  # times its own speed that a body steps aside for one in its way
HASTE = 1.3  # of its own speed that a body may take to get out of the way


class Wander:
    """Headings drift (an Ornstein-Uhlenbeck turn rate, exact in dt); who nears the edge turns back; nobody is left out.

    `inside` is the radius of a circle, or the width (x) and depth (z) of a rectangle, in metres around the centre.
    Bodies that start inside never leave it, since the points where they would come to rest do not.
    """

    def __init__(
        self,
        random: np.random.Generator,
        *,
        inside: float | tuple[float, float] = 20.0,
        centre: tuple[float, float] = (0.0, 0.0),
        speeds: tuple[float, float] = (0.9, 1.5),
        room: float = 1.0,
        filter: str | Sequence[str] = "",
        halflife: float = Halflives().velocity,
    ):
        """speeds are those of the slowest and the fastest, in m/s; room (m) is kept to others, 0 lets them through."""
        if not 0 < speeds[0] <= speeds[1] < np.inf:
            raise KinematchError(f"speeds from {speeds[0]} to {speeds[1]} m/s, expected positive ones that grow")
        self.region = region(inside, centre)
        self.random, self.speeds = random, speeds
        self.filter, self.halflife = filter, halflife
        self.avoidance = Avoidance(room=room)
        self._headings = self._turning = self._own_speeds = np.zeros(0)
        self._wanted = np.zeros((0, 2))

    def command(self, body: SimulatedBody, dt: float) -> Command:
        points = rest_points(body, self.halflife)
        if len(self._headings) != len(points):
            self._begin(body)
        keep = np.exp(-dt / MEMORY)
        ahead = strolled(
            self._headings, self._turning, self.random.standard_normal(len(points)), self.region.inward(points, MARGIN),
            keep, TURNING * np.sqrt(1 - keep * keep), dt, BACK,
        )  # fmt: skip
        wanted = self._own_speeds[:, None] * (ahead + SIDESTEP * self.avoidance.pushes(points, self._wanted, dt))
        if dt > 0:
            wanted = (self.region.nearest(points + dt * wanted) - points) / dt
        wanted = shortened(wanted, HASTE * self._own_speeds)
        self._wanted = wanted
        return Command(ground(wanted), ground(directions(wanted, 0.1)), self.filter)

    def _begin(self, body: SimulatedBody) -> None:
        count = len(body.yaws)
        self._headings = np.array(body.yaws, np.float64)
        self._turning = TURNING * self.random.standard_normal(count)
        self._wanted = np.zeros((2, count)).T
        self._own_speeds = self.random.uniform(*self.speeds, count)
