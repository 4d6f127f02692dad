"""Path: bodies walk along keypoints, each segment at its own speed, with rounded corners and stops."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.control.body import Halflives, SimulatedBody
from kinematch.control.command import Command
from kinematch.control.route import Keypoint, Route, make_route
from kinematch.control.steering import (
    expand_per_body,
    find_directions,
    find_lengths,
    find_rest_points,
    limit_lengths,
    to_ground_vectors,
)
from kinematch.errors import KinematchError

RETURN = 0.4  # s, time constant of the return to the path
HAIR = 1e-9  # m; a path turns at a stop: this far before it, it has its old direction, this far behind the new one
ARRIVED = 0.05  # m from a stop that count as being there
STANDING = 0.05  # m/s; slower bodies are not turned along the path


@dataclass(eq=False)
class Way:
    """Where N bodies are on the path: the state of the controller."""

    progress: np.ndarray  # (N,) m along the path; laps add up
    stops: np.ndarray  # (N,) m along the path, the next stop of each body
    waits: np.ndarray  # (N,) s to wait there
    waited: np.ndarray  # (N,) s waited so far
    points: np.ndarray  # (N, 2) m, rest points at the last command


class Path:
    """A controller that walks along keypoints, each segment at its own speed, and waits at stops.

    It keeps the point where a body would come to rest on the path, so that the body never overshoots (thesis 3.5.1 and
    5.1.2 name the controller). Progress only grows, and in small steps: where the path crosses itself, a body stays on
    its branch. Bodies walk to the first keypoint of an open path and to the nearest point of a closed one; `progress`
    (m) starts them elsewhere.
    """

    def __init__(
        self,
        keypoints: Sequence[Keypoint | Sequence[float]],
        *,
        closed: bool = False,
        radius: float = 1.0,
        acceleration: float = 3.0,
        progress: np.ndarray | float | None = None,
        filter: str | Sequence[str] | None = None,
        halflife: float = Halflives().velocity,
    ):
        """Keypoints, or tuples (x, z), (x, z, speed), ...; radius (m) of corners; acceleration (m/s^2) limits speeds.

        halflife (s) is the `velocity_halflife` of the character's settings.
        """
        self.route: Route = make_route(
            keypoints, closed=closed, radius=radius, acceleration=acceleration, halflife=halflife
        )
        self.filter, self.halflife = filter, halflife
        self._yaws = np.array([np.nan if one.facing is None else one.facing for one in self.route.keypoints])
        self._start = progress
        self._way: Way | None = None

    @property
    def progress(self) -> np.ndarray:
        """Distances (N,) along the path, in metres; laps add up."""
        return np.zeros(0) if self._way is None else self._way.progress.copy()

    @property
    def done(self) -> np.ndarray:
        """Whether bodies (N,) have arrived at the end of an open path; false before the first command."""
        return np.zeros(1, bool) if self._way is None else np.isinf(self._way.waits) & (self._way.waited > 0)

    def restart(self) -> None:
        """Start again from the beginning with the next command."""
        self._way = None

    def command(self, body: SimulatedBody, dt: float) -> Command:
        route, points = self.route, find_rest_points(body, self.halflife)
        way = self._way = self._begin(points) if self._way is None else self._way
        if len(way.progress) != len(points):
            raise KinematchError(
                f"{len(points)} bodies on a path that was started with {len(way.progress)}; call restart first"
            )
        _make_progress(route, way, points, dt)
        _wait(route, way, body.positions[:, ::2], dt)
        rows = route.at(way.progress)
        to_stop = np.maximum(way.stops - way.progress, 0)
        limits = np.sqrt(rows[:, 4])
        speeds = np.minimum(limits, np.sqrt(2 * route.acceleration * to_stop))
        if dt > 0:
            speeds = np.minimum(speeds, to_stop / dt)  # a long step does not overshoot
        back = (rows[:, :2] - points) * (-np.expm1(-dt / RETURN) / dt if dt > 0 else 1 / RETURN)
        wanted = limit_lengths(speeds[:, None] * rows[:, 2:4] + back, limits)
        return Command(to_ground_vectors(wanted), to_ground_vectors(self._facings(way, wanted)), self.filter)

    def _begin(self, points: np.ndarray) -> Way:
        route, count = self.route, len(points)
        progress = np.zeros(count)
        if self._start is not None:
            progress = np.array(expand_per_body(self._start, (count,), "progress"))
            if (progress < 0).any() or (not route.closed and (progress > route.length).any()):
                raise KinematchError(f"progress {self._start} on a path of {route.length:.2f} m")
        elif route.closed:
            progress = np.array([route.distances[_find_nearest(route.points, point)] for point in points])
        stops, waits = route.next_stop(progress)
        return Way(progress, stops, waits, np.zeros(count), points)

    def _facings(self, way: Way, wanted: np.ndarray) -> np.ndarray:
        """The facing of the keypoint last passed or waited at; else along the path."""
        at = np.where(way.waited > 0, way.stops, way.progress)
        yaws = self._yaws[self.route.owner(at)]
        given = np.stack([np.sin(yaws), np.cos(yaws)], axis=-1)
        return np.where(np.isnan(given), find_directions(wanted, STANDING), given)


def _find_nearest(points: np.ndarray, point: np.ndarray) -> int:
    return int(np.argmin(((points - point) ** 2).sum(axis=-1)))


def _make_progress(route: Route, way: Way, points: np.ndarray, dt: float) -> None:
    """Advance to the nearest point of the path: forward only, no faster than the rest point moves or should move."""
    rows = route.at(np.minimum(way.progress, way.stops - HAIR))
    ahead = ((points - rows[:, :2]) * rows[:, 2:4]).sum(axis=-1)
    most = np.maximum(find_lengths(points - way.points), np.sqrt(rows[:, 4]) * dt)
    way.progress = np.minimum(way.progress + np.clip(ahead, 0, most), way.stops)
    way.points = points


def _wait(route: Route, way: Way, places: np.ndarray, dt: float) -> None:
    """Count the time at a stop from the moment the body is there, and go on when the wait is over."""
    near = way.stops - way.progress < ARRIVED
    if not near.any():
        return
    stops = np.where(near, way.stops, 0.0)
    there = near & (find_lengths(route.at(stops)[:, :2] - places) < ARRIVED)
    over = there & (way.waited >= way.waits)
    way.waited = np.where(over, 0.0, np.where(there, way.waited + dt, way.waited))
    way.progress = np.where(over, way.stops + HAIR, way.progress)
    stops, waits = route.next_stop(way.progress)
    way.stops, way.waits = np.where(over, stops, way.stops), np.where(over, waits, way.waits)
