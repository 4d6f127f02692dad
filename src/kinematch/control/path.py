"""Path: bodies walk along keypoints, each segment at its speed, round the corners, wait at stops and arrive."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.control.body import Halflives, SimulatedBody
from kinematch.control.command import Command
from kinematch.control.route import Keypoint, Route, make_route
from kinematch.control.steering import directions, ground, lengths, per_body, rest_points, shortened
from kinematch.errors import KinematchError

RETURN = 0.4  # s in which most of the way back to the path is made
HAIR = 1e-9  # m before a stop the path has its old direction, as much behind it the new one
ARRIVED = 0.05  # m from a stop
STANDING = 0.05  # m/s, below which a body is not turned along its way


@dataclass(eq=False)
class Way:
    """How far N bodies are; what changes from step to step."""

    progress: np.ndarray  # (N,) m, laps counted
    stops: np.ndarray  # (N,) m, the next ones
    waits: np.ndarray  # (N,) s to stand there
    waited: np.ndarray  # (N,) s
    points: np.ndarray  # (N, 2) m, where the bodies would have come to rest


class Path:
    """Keeps the point where a body would come to rest on the path: then the body follows it and never overshoots.

    Thesis 3.5.1 and 5.1.2 name the controller. Progress only grows, and little by little: where the path crosses
    itself, a body stays on its own branch. Bodies set out for the first keypoint of an open path, and for the
    nearest point of a closed one; `progress` (m) has them start elsewhere.
    """

    def __init__(
        self,
        keypoints: Sequence[Keypoint | Sequence[float]],
        *,
        closed: bool = False,
        radius: float = 1.0,
        acceleration: float = 3.0,
        progress: np.ndarray | float | None = None,
        filter: str | Sequence[str] = "",
        halflife: float = Halflives().velocity,
    ):
        """halflife (s) is the velocity spring's, as in the settings of the character that is to follow."""
        self.route: Route = make_route(
            keypoints, closed=closed, radius=radius, acceleration=acceleration, halflife=halflife
        )
        self.filter, self.halflife = filter, halflife
        self._yaws = np.array([np.nan if one.facing is None else one.facing for one in self.route.keypoints])
        self._start = progress
        self._way: Way | None = None

    @property
    def progress(self) -> np.ndarray:
        """How far along the path (N,) bodies are, in metres, laps counted."""
        return np.zeros(0) if self._way is None else self._way.progress.copy()

    @property
    def done(self) -> np.ndarray:
        """Which bodies (N,) have arrived at the end of an open path; before the first command, none."""
        return np.zeros(1, bool) if self._way is None else np.isinf(self._way.waits) & (self._way.waited > 0)

    def restart(self) -> None:
        self._way = None

    def command(self, body: SimulatedBody, dt: float) -> Command:
        route, points = self.route, rest_points(body, self.halflife)
        way = self._way = self._begun(points) if self._way is None else self._way
        if len(way.progress) != len(points):
            raise KinematchError(f"{len(points)} bodies on a path that {len(way.progress)} have begun; restart it")
        _make_progress(route, way, points, dt)
        _wait(route, way, body.positions[:, ::2], dt)
        rows = route.at(way.progress)
        to_stop = np.maximum(way.stops - way.progress, 0)
        limits = np.sqrt(rows[:, 4])
        speeds = np.minimum(limits, np.sqrt(2 * route.acceleration * to_stop))
        if dt > 0:
            speeds = np.minimum(speeds, to_stop / dt)  # not beyond the stop, however long the step
        back = (rows[:, :2] - points) * (-np.expm1(-dt / RETURN) / dt if dt > 0 else 1 / RETURN)
        wanted = shortened(speeds[:, None] * rows[:, 2:4] + back, limits)
        return Command(ground(wanted), ground(self._facings(way, wanted)), self.filter)

    def _begun(self, points: np.ndarray) -> Way:
        route, count = self.route, len(points)
        progress = np.zeros(count)
        if self._start is not None:
            progress = np.array(per_body(self._start, (count,), "progress"))
            if (progress < 0).any() or (not route.closed and (progress > route.length).any()):
                raise KinematchError(f"progress {self._start} on a path of {route.length:.2f} m")
        elif route.closed:
            progress = np.array([route.distances[_nearest(route.points, point)] for point in points])
        stops, waits = route.next_stop(progress)
        return Way(progress, stops, waits, np.zeros(count), points)

    def _facings(self, way: Way, wanted: np.ndarray) -> np.ndarray:
        """As the keypoint last passed, or waited at, has it; else along the way."""
        at = np.where(way.waited > 0, way.stops, way.progress)
        yaws = self._yaws[self.route.owner(at)]
        told = np.stack([np.sin(yaws), np.cos(yaws)], axis=-1)
        return np.where(np.isnan(told), directions(wanted, STANDING), told)


def _nearest(points: np.ndarray, point: np.ndarray) -> int:
    return int(np.argmin(((points - point) ** 2).sum(axis=-1)))


def _make_progress(route: Route, way: Way, points: np.ndarray, dt: float) -> None:
    """On to the nearest point of the path, but forward only, and no faster than the point moves or should move."""
    rows = route.at(np.minimum(way.progress, way.stops - HAIR))
    ahead = ((points - rows[:, :2]) * rows[:, 2:4]).sum(axis=-1)
    most = np.maximum(lengths(points - way.points), np.sqrt(rows[:, 4]) * dt)
    way.progress = np.minimum(way.progress + np.clip(ahead, 0, most), way.stops)
    way.points = points


def _wait(route: Route, way: Way, places: np.ndarray, dt: float) -> None:
    """Count the time at a stop from the moment the body is there, and let it go on when that is over."""
    near = way.stops - way.progress < ARRIVED
    if not near.any():
        return
    stops = np.where(near, way.stops, 0.0)
    there = near & (lengths(route.at(stops)[:, :2] - places) < ARRIVED)
    over = there & (way.waited >= way.waits)
    way.waited = np.where(over, 0.0, np.where(there, way.waited + dt, way.waited))
    way.progress = np.where(over, way.stops + HAIR, way.progress)
    stops, waits = route.next_stop(way.progress)
    way.stops, way.waits = np.where(over, stops, way.stops), np.where(over, waits, way.waits)
