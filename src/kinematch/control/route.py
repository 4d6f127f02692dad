"""Route: a smooth line through keypoints, with rounded corners, and the desired speed along it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinematch.control.body import WORLD_RADIUS, Halflives
from kinematch.errors import KinematchError
from kinematch.math.spring import omega

SPACING = 0.02  # m between samples: an arc of radius 0.5 m is off by 0.1 mm
REVERSAL = np.radians(150)  # a sharper turn is not rounded: the body stops and turns back
MOST_SAMPLES = 100_000  # a path of kilometres gets a larger spacing
MIN_CORNER_SPEED = 0.3  # m/s, in corners too tight for any other speed


@dataclass(frozen=True)
class Keypoint:
    """A point of a path, and how to go on from it."""

    x: float  # m
    z: float  # m
    speed: float = 1.4  # m/s on the segment to the next keypoint
    stop: float = 0.0  # s to wait here
    facing: float | None = None  # rad about +Y, while waiting and on the segment to the next; None: along the path


@dataclass(frozen=True, eq=False)
class Route:
    """Samples along the line. At a stop two samples share a place: one arriving, one leaving."""

    keypoints: tuple[Keypoint, ...]
    closed: bool
    distances: np.ndarray  # (M,) m from the first keypoint
    points: np.ndarray  # (M, 2) x, z
    rows: np.ndarray  # (M, 5) x, z to steer by; unit tangent; desired squared speed, which is linear in distance
    owners: np.ndarray  # (M,) index of the keypoint last passed
    acceleration: float  # m/s^2
    stops: np.ndarray  # (S,) m, increasing
    waits: np.ndarray  # (S,) s; infinite at the end of an open route

    @property
    def length(self) -> float:
        return float(self.distances[-1])

    def at(self, distances: np.ndarray) -> np.ndarray:
        """Rows (N, 5) at distances (N,): point to steer by, tangent and squared speed."""
        within = self._within(distances)
        low = np.minimum(np.searchsorted(self.distances, within, side="right"), len(self.distances) - 1) - 1
        start, below = self.distances[low], self.rows[low]
        share = (within - start) / (self.distances[low + 1] - start)
        return below + share[:, None] * (self.rows[low + 1] - below)

    def owner(self, distances: np.ndarray) -> np.ndarray:
        """The keypoints (N,) last passed."""
        return self.owners[np.searchsorted(self.distances, self._within(distances), side="right") - 1]

    def next_stop(self, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances (N,) of the next stops, laps included, and waits (N,) in s; infinite where there is no stop."""
        count = len(self.stops)
        if not count:
            return np.full(len(distances), np.inf), np.full(len(distances), np.inf)
        laps = np.floor(distances / self.length) if self.closed else np.zeros(len(distances))
        n = np.searchsorted(self.stops, distances - laps * self.length, side="right")
        if not self.closed:
            n = np.minimum(n, count - 1)
        return (laps + n // count) * self.length + self.stops[n % count], self.waits[n % count]

    def _within(self, distances: np.ndarray) -> np.ndarray:
        return distances % self.length if self.closed else distances


def make_route(
    keypoints: Sequence[Keypoint | Sequence[float]],
    *,
    closed: bool = False,
    radius: float = 1.0,
    acceleration: float = 3.0,
    halflife: float = Halflives().velocity,
) -> Route:
    """A line through keypoints, or tuples of their values, with corners of `radius` m, or less where space is short.

    acceleration (m/s^2) limits braking, speeding up and centripetal acceleration in corners; halflife (s) is that of
    the followers' velocity spring.
    """
    all_points = tuple(_keypoint(n, one) for n, one in enumerate(keypoints))
    fewest = 3 if closed else 2
    if len(all_points) < fewest:
        raise KinematchError(f"a path of {len(all_points)} keypoints, expected {fewest} or more")
    if not (0 < radius < np.inf and 0 < acceleration < np.inf and 0 < halflife < np.inf):
        raise KinematchError(
            f"a path with radius {radius}, acceleration {acceleration}, half-life {halflife}: expected positive numbers"
        )
    places = np.array([[point.x, point.z] for point in all_points], np.float64)
    if not abs(places).max() <= WORLD_RADIUS:
        raise KinematchError(f"a path with a keypoint at {abs(places).max():g} m, expected at most {WORLD_RADIUS:g}")
    ways = np.roll(places, -1, axis=0) - places
    lengths = np.linalg.norm(ways, axis=-1)
    segments = len(places) if closed else len(places) - 1
    if (lengths[:segments] < SPACING).any():
        n = int(np.argmin(lengths[:segments]))
        raise KinematchError(f"keypoints {n} and {(n + 1) % len(places)} of the path are at one place")
    ways /= np.where(lengths > 0, lengths, 1)[:, None]
    line = _Line(places, ways, lengths, max(SPACING, float(lengths.sum()) / MOST_SAMPLES))
    inner = set(range(len(places)) if closed else range(1, len(places) - 1))
    stopping = {n for n in inner if all_points[n].stop > 0 or abs(line.turn(n)) > REVERSAL}
    trims = np.zeros(len(places))
    for n in inner - stopping:
        trims[n] = min(radius * np.tan(0.5 * abs(line.turn(n))), 0.5 * lengths[n - 1], 0.5 * lengths[n])
    if not closed:
        stopping.add(len(places) - 1)
    route = _assemble_route(all_points, line, trims, stopping, closed=closed, acceleration=acceleration)
    return _widen_corners(route, float(omega(halflife)))


@dataclass(frozen=True, eq=False)
class _Line:
    """Keypoints and the straight segments between them."""

    places: np.ndarray  # (K, 2) m
    ways: np.ndarray  # (K, 2) unit directions, from each keypoint to the next
    lengths: np.ndarray  # (K,) m
    spacing: float  # m between samples

    def turn(self, n: int) -> float:
        """The signed angle at a keypoint."""
        a, b = self.ways[n - 1], self.ways[n]
        return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))

    def straight(self, n: int, begin: float, end: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distances, points and tangents on the segment from keypoint n, trimmed at both ends."""
        room = self.lengths[n] - begin - end
        along = np.linspace(0, room, 2 + int(room / self.spacing))
        return along, self.places[n] + (begin + along)[:, None] * self.ways[n], np.tile(self.ways[n], (len(along), 1))

    def corner(self, n: int, trim: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same around keypoint n: an arc tangent to both segments."""
        angle = self.turn(n)
        bend = trim / np.tan(0.5 * abs(angle))
        turned = np.linspace(0, abs(angle), 2 + int(bend * abs(angle) / self.spacing))[:, None]
        way = self.ways[n - 1]
        inward = np.sign(angle) * np.array([-way[1], way[0]])
        points = self.places[n] - trim * way + bend * (np.sin(turned) * way + (1 - np.cos(turned)) * inward)
        return bend * turned[:, 0], points, np.cos(turned) * way + np.sin(turned) * inward


def _assemble_route(
    keypoints: tuple[Keypoint, ...],
    line: _Line,
    trims: np.ndarray,
    stopping: set[int],
    *,
    closed: bool,
    acceleration: float,
) -> Route:
    """Alternate straights and corners; a keypoint counts as passed in the middle of its corner."""
    parts, stops, waits, travelled = [], [], [], 0.0
    count = len(keypoints)
    for n in range(count if closed else count - 1):
        after = (n + 1) % count
        along, points, tangents = line.straight(n, trims[n], trims[after])
        parts.append((travelled + along, points, tangents, np.full(len(along), n), np.full(len(along), np.inf)))
        travelled += along[-1]
        if trims[after] > 0:
            along, points, tangents = line.corner(after, trims[after])
            owners = np.where(along < 0.5 * along[-1], n, after)
            tightest = np.sqrt(acceleration * along[-1] / abs(line.turn(after)))
            parts.append(
                (travelled + along, points, tangents, owners, np.full(len(along), max(tightest, MIN_CORNER_SPEED)))
            )
            travelled += along[-1]
        if after in stopping:
            stops.append(travelled)
            waits.append(keypoints[after].stop if closed or after < count - 1 else np.inf)
    distances, points, tangents, owners, limits = (np.concatenate(column) for column in zip(*parts))
    if not closed:
        owners[-1] = count - 1
    speeds = np.array([point.speed for point in keypoints])
    squared = np.minimum(limits, speeds[np.minimum(owners, count - 1 if closed else count - 2)]) ** 2
    squared = _ease_speeds(distances, squared, acceleration, closed=closed)
    rows = np.concatenate([points, tangents, squared[:, None]], axis=1)
    return Route(keypoints, closed, distances, points, rows, owners, acceleration, np.array(stops), np.array(waits))


def _widen_corners(route: Route, w: float) -> Route:
    """Move the steering line outwards in corners, to compensate for the body cutting them.

    On a circle the body runs inside the point it follows by v^2 / (R w^2), since y = x + 2 v / w + a / w^2. Averaging
    over the distance by which the body lags, mostly ahead of the point, keeps the line smooth; it is zero at stops.
    """
    distances, (tangents, squared) = route.distances, (route.rows[:, 2:4], route.rows[:, 4])
    sine, cosine = (
        tangents[:-1, 0] * tangents[1:, 1] - tangents[:-1, 1] * tangents[1:, 0],
        (tangents[:-1] * tangents[1:]).sum(axis=-1),
    )
    turns = np.where(np.diff(distances) > 0, np.arctan2(sine, cosine), 0.0)  # none where two samples share a place
    pull = np.concatenate(
        [[0.0], np.cumsum(turns * 0.5 * (squared[:-1] + squared[1:]))]
    )  # integral of v^2 / R along the route

    def up_to(places: np.ndarray) -> np.ndarray:
        laps = np.floor(places / route.length) if route.closed else np.zeros(len(places))
        return laps * pull[-1] + np.interp(places - laps * route.length, distances, pull)

    behind = 2 * np.sqrt(squared) / w
    outward = -(up_to(distances + 0.75 * behind) - up_to(distances - 0.25 * behind)) / behind / w**2
    for stop in route.stops:
        away = np.abs(distances - stop)
        away = np.minimum(away, route.length - away) if route.closed else away
        outward *= np.minimum(away / behind, 1)
    rows = route.rows.copy()
    rows[:, :2] += outward[:, None] * np.stack([-tangents[:, 1], tangents[:, 0]], axis=-1)
    return replace(route, rows=rows)


def _ease_speeds(distances: np.ndarray, squared: np.ndarray, acceleration: float, *, closed: bool) -> np.ndarray:
    """The largest squared speeds (M,) within all limits under a bounded acceleration: v^2 changes by at most 2 a s."""
    laps = np.arange(-1, 2)[:, None] if closed else np.zeros((1, 1))
    slope = 2 * acceleration * (distances + laps * distances[-1]).ravel()
    limits = np.tile(squared, len(laps))
    limits = slope + np.minimum.accumulate(limits - slope)
    limits = np.minimum.accumulate((limits + slope)[::-1])[::-1] - slope
    return limits.reshape(len(laps), -1)[len(laps) // 2]


def _keypoint(n: int, given: Keypoint | Sequence[float]) -> Keypoint:
    try:
        point = given if isinstance(given, Keypoint) else Keypoint(*given)
    except TypeError:
        raise KinematchError(f"keypoint {n} is {given!r}, expected x, z and at most speed, stop and facing") from None
    numbers = [point.x, point.z, point.speed, point.stop, 0.0 if point.facing is None else point.facing]
    if not np.isfinite(numbers).all() or point.speed <= 0 or point.stop < 0:
        raise KinematchError(f"keypoint {n} is {point}, expected finite numbers, a positive speed and no negative stop")
    return point
