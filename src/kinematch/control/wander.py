"""Wander: a crowd walks about at random within a region; bodies avoid each other."""

from collections.abc import Sequence

import numpy as np

from kinematch.control.avoidance import Avoidance
from kinematch.control.body import Halflives, SimulatedBody
from kinematch.control.command import Command
from kinematch.control.kernels import turn_headings
from kinematch.control.region import make_region
from kinematch.control.steering import find_directions, find_rest_points, limit_lengths, to_ground_vectors
from kinematch.errors import KinematchError

TURNING = 0.5  # rad/s, standard deviation of the turn rate
MEMORY = 1.5  # s, correlation time of the turn rate
MARGIN = 3.0  # m from the edge at which bodies begin to turn back
BACK = 0.6  # s, time constant of turning back at the edge
SIDESTEP = 2.5  # times its own speed with which a body steps aside
HASTE = 1.3  # times its own speed that a body may reach doing so


class Wander:
    """A controller for a crowd that walks about at random; bodies avoid each other and turn back at the edge.

    Headings drift with an Ornstein-Uhlenbeck turn rate, exact in dt. `inside` is the radius of a circle, or the width
    (x) and depth (z) of a rectangle, in metres around the centre. Bodies that start inside never leave it, since the
    points where they would come to rest do not.
    """

    def __init__(
        self,
        random: np.random.Generator,
        *,
        inside: float | tuple[float, float] = 20.0,
        centre: tuple[float, float] = (0.0, 0.0),
        speeds: tuple[float, float] = (0.9, 1.5),
        room: float = 1.0,
        filter: str | Sequence[str] | None = None,
        halflife: float = Halflives().velocity,
    ):
        """speeds (m/s) are those of the slowest and the fastest body; room (m) is kept to others, 0 keeps none.

        halflife (s) is the `velocity_halflife` of the character's settings.
        """
        if not 0 < speeds[0] <= speeds[1] < np.inf:
            raise KinematchError(
                f"speeds from {speeds[0]} to {speeds[1]} m/s, expected positive numbers, the slower one first"
            )
        self.region = make_region(inside, centre)
        self.random, self.speeds = random, speeds
        self.filter, self.halflife = filter, halflife
        self.avoidance = Avoidance(room=room)
        self._headings = self._turning = self._own_speeds = np.zeros(0)
        self._desired = np.zeros((0, 2))

    def command(self, body: SimulatedBody, dt: float) -> Command:
        points = find_rest_points(body, self.halflife)
        if len(self._headings) != len(points):
            self._begin(body)
        keep = np.exp(-dt / MEMORY)
        ahead = turn_headings(
            self._headings, self._turning, self.random.standard_normal(len(points)), self.region.inward(points, MARGIN),
            keep, TURNING * np.sqrt(1 - keep * keep), dt, BACK,
        )  # fmt: skip
        wanted = self._own_speeds[:, None] * (ahead + SIDESTEP * self.avoidance.update(points, self._desired, dt))
        if dt > 0:
            wanted = (self.region.nearest(points + dt * wanted) - points) / dt
        wanted = limit_lengths(wanted, HASTE * self._own_speeds)
        self._desired = wanted
        return Command(to_ground_vectors(wanted), to_ground_vectors(find_directions(wanted, 0.1)), self.filter)

    def _begin(self, body: SimulatedBody) -> None:
        count = len(body.yaws)
        self._headings = np.array(body.yaws, np.float64)
        self._turning = TURNING * self.random.standard_normal(count)
        self._desired = np.zeros((2, count)).T
        self._own_speeds = self.random.uniform(*self.speeds, count)
