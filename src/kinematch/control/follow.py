"""Follow: bodies go after a target that moves, and stop at a distance without running into it."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinematch.control.avoidance import Avoidance
from kinematch.control.body import Halflives, SimulatedBody
from kinematch.control.command import Command
from kinematch.control.steering import directions, ground, lengths, per_body, rest_points, shortened
from kinematch.errors import KinematchError

STEP_ASIDE = 1.0  # m/s for one in the way


class Follow:
    """Set `target`, a point (3,) or one for each body (N, 3) in metres, or give a function that returns it.

    A body sets out when the target is `slack` farther than `distance`, and slows down so as to stop there; standing, it
    looks at the target.
    """

    def __init__(
        self,
        target: ArrayLike | Callable[[], ArrayLike],
        *,
        distance: float = 1.2,
        slack: float = 0.5,
        speed: float = 2.8,
        acceleration: float = 2.0,
        room: float = 1.0,
        filter: str | Sequence[str] = "",
        halflife: float = Halflives().velocity,
    ):
        """speed (m/s) is the top speed, acceleration (m/s^2) bounds braking, room (m) is kept to other followers."""
        if not (0 <= distance < np.inf and 0 <= slack < np.inf and 0 < speed < np.inf and 0 < acceleration < np.inf):
            raise KinematchError(
                f"following at {distance} m, slack {slack} m, speed {speed} m/s, acceleration {acceleration} m/s^2,"
                " expected positive numbers"
            )
        self.target, self.distance, self.slack = target, distance, slack
        self.speed, self.acceleration = speed, acceleration
        self.filter, self.halflife = filter, halflife
        self.avoidance = Avoidance(room=room)
        self._going, self._wanted = np.zeros(0, bool), np.zeros((0, 2))

    def command(self, body: SimulatedBody, dt: float) -> Command:
        targets = self.target() if callable(self.target) else self.target
        targets = per_body(targets, body.positions.shape, "target")[:, ::2]
        if len(self._going) != len(targets):
            self._going, self._wanted = np.zeros(len(targets), bool), np.zeros(targets.shape)
        points = rest_points(body, self.halflife)
        gaps = targets - points
        beyond = lengths(gaps) - self.distance
        self._going = beyond > np.where(self._going, 0.0, self.slack)
        braking = np.sqrt(2 * self.acceleration * np.maximum(beyond, 0))
        if dt > 0:
            braking = np.minimum(braking, np.maximum(beyond, 0) / dt)  # not beyond the distance, however long the step
        speeds = np.where(self._going, np.minimum(self.speed, braking), 0.0)
        aside = STEP_ASIDE * self.avoidance.pushes(points, self._wanted, dt)
        self._wanted = shortened(speeds[:, None] * directions(gaps) + aside, np.maximum(speeds, STEP_ASIDE))
        looks = np.where(self._going[:, None], self._wanted, targets - body.positions[:, ::2])
        return Command(ground(self._wanted), ground(directions(looks)), self.filter)
