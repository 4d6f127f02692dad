"""Follow: bodies go after a moving target and stop at a distance from it."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinematch.control.avoidance import Avoidance
from kinematch.control.body import Halflives, SimulatedBody
from kinematch.control.command import Command
from kinematch.control.steering import (
    expand_per_body,
    find_directions,
    find_lengths,
    find_rest_points,
    limit_lengths,
    to_ground_vectors,
)
from kinematch.errors import KinematchError

STEP_ASIDE = 1.0  # m/s, to avoid another follower


class Follow:
    """A controller that goes after a target and stops at a distance from it.

    `target` is a point (3,) or one per body (N, 3), in metres, and may be set at any time; or a function that returns
    it. A body sets out when the target is more than `distance` + `slack` away, brakes so as to stop at `distance`, and
    faces the target while it stands.
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
        filter: str | Sequence[str] | None = None,
        halflife: float = Halflives().velocity,
    ):
        """speed (m/s) is the top speed, acceleration (m/s^2) limits braking, room (m) is kept to other followers.

        halflife (s) is the `velocity_halflife` of the character's settings.
        """
        if not (0 <= distance < np.inf and 0 <= slack < np.inf and 0 < speed < np.inf and 0 < acceleration < np.inf):
            raise KinematchError(
                f"following at {distance} m, slack {slack} m, speed {speed} m/s, acceleration {acceleration} m/s^2,"
                " expected positive numbers"
            )
        self.target, self.distance, self.slack = target, distance, slack
        self.speed, self.acceleration = speed, acceleration
        self.filter, self.halflife = filter, halflife
        self.avoidance = Avoidance(room=room)
        self._moving, self._desired = np.zeros(0, bool), np.zeros((0, 2))

    def command(self, body: SimulatedBody, dt: float) -> Command:
        targets = self.target() if callable(self.target) else self.target
        targets = expand_per_body(targets, body.positions.shape, "target")[:, ::2]
        if len(self._moving) != len(targets):
            self._moving, self._desired = np.zeros(len(targets), bool), np.zeros(targets.shape)
        points = find_rest_points(body, self.halflife)
        gaps = targets - points
        beyond = find_lengths(gaps) - self.distance
        self._moving = beyond > np.where(self._moving, 0.0, self.slack)
        braking = np.sqrt(2 * self.acceleration * np.maximum(beyond, 0))
        if dt > 0:
            braking = np.minimum(braking, np.maximum(beyond, 0) / dt)  # a long step does not overshoot
        speeds = np.where(self._moving, np.minimum(self.speed, braking), 0.0)
        aside = STEP_ASIDE * self.avoidance.update(points, self._desired, dt)
        self._desired = limit_lengths(speeds[:, None] * find_directions(gaps) + aside, np.maximum(speeds, STEP_ASIDE))
        views = np.where(self._moving[:, None], self._desired, targets - body.positions[:, ::2])
        return Command(to_ground_vectors(self._desired), to_ground_vectors(find_directions(views)), self.filter)
