"""The path of a body over the floor: where it is, how it moves and where it faces, at every frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np
from numpy.typing import ArrayLike

from kinematch.errors import KinematchError
from kinematch.synth.gait import RUN_ABOVE, WALK_BELOW

WALK_ACCELERATION, RUN_ACCELERATION = 1.2, 2.3  # m/s^2, comfortable and brisk
MIN_FRAME_RATE, MAX_FRAME_RATE = 5, 1000  # frames per second: a step takes several, and more show nothing
VELOCITY_SMOOTHING, TURN_SMOOTHING, GAIT_SMOOTHING = 0.45, 0.5, 0.5  # s, whole width of the window


@dataclass(frozen=True)
class GroundPath:
    """Angles are about +Y from +Z, so that a positive turn is to the left; planes are (x, z)."""

    positions: np.ndarray  # (F, 2) m
    velocities: np.ndarray  # (F, 2) m/s
    local_velocities: np.ndarray  # (F, 2) m/s, forward and to the left of the facing
    accelerations: np.ndarray  # (F, 2) m/s^2
    facings: np.ndarray  # (F,) rad, never wrapped
    turn_rates: np.ndarray  # (F,) rad/s
    running: np.ndarray  # (F,) 0 walks, 1 runs
    frame_rate: float

    @property
    def times(self) -> np.ndarray:
        return np.arange(len(self.positions)) / self.frame_rate


@dataclass(frozen=True)
class Move:
    """A stretch of time with one wish; ramps between wishes are the path's business."""

    seconds: float
    speed: float = 0.0  # m/s
    turn: float = 0.0  # rad, how far the facing turns in this stretch
    direction: float = 0.0  # rad, of the movement from the facing; pi/2 is to the left, pi backward


def directions(angles: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (x, z) ahead and to the left of facings."""
    sine, cosine = np.sin(angles), np.cos(angles)
    return np.stack([sine, cosine], -1), np.stack([cosine, -sine], -1)


def smooth(x: np.ndarray, seconds: float, frame_rate: float) -> np.ndarray:
    """Raised-cosine average along time over a window of this whole width; ends are held."""
    from scipy.ndimage import convolve1d  # here, since it is slow to import

    half = max(1, round(seconds * frame_rate / 2))
    weights = 1 + np.cos(np.pi * np.arange(-half, half + 1) / (half + 1))
    return convolve1d(np.asarray(x, float), weights / weights.sum(), axis=0, mode="nearest")


def _check_rate(frame_rate: float) -> None:
    if not MIN_FRAME_RATE <= frame_rate <= MAX_FRAME_RATE:
        raise KinematchError(
            f"frame rate {frame_rate}, expected {MIN_FRAME_RATE} to {MAX_FRAME_RATE} frames per second"
        )


def path_of_moves(moves: Sequence[Move], *, frame_rate: float = 60.0, facing: float = 0.0) -> GroundPath:
    """String moves together; it starts at the origin at the first move's velocity."""
    _check_rate(frame_rate)
    counts = [max(1, round(move.seconds * frame_rate)) for move in moves]
    wish = np.repeat([[m.speed * np.cos(m.direction), m.speed * np.sin(m.direction)] for m in moves], counts, axis=0)
    rates = np.repeat([m.turn / n * frame_rate for m, n in zip(moves, counts)], counts)
    local = smooth(_limit_rate(wish, frame_rate), VELOCITY_SMOOTHING, frame_rate)
    turn_rates = smooth(rates, TURN_SMOOTHING, frame_rate)
    facings = facing + np.concatenate([[0.0], np.cumsum(turn_rates[:-1])]) / frame_rate
    ahead, left = directions(facings)
    return _finish(local[:, :1] * ahead + local[:, 1:] * left, facings, frame_rate)


def path_through(
    points: ArrayLike, speed: float = 1.35, *, frame_rate: float = 60.0, settle: float = 1.5
) -> GroundPath:
    """A smooth curve through floor points (N, 2), from a stand to a stand, facing along it."""
    from scipy.interpolate import CubicSpline

    _check_rate(frame_rate)
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
        raise KinematchError(f"path points have shape {points.shape}, expected (N, 2) with N at least 2")
    chords = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    if (chords == 0).any() or speed <= 0:
        raise KinematchError(f"path needs distinct points and a positive speed, not speed {speed}, steps {chords}")
    knots = np.concatenate([[0.0], np.cumsum(chords)])
    curve = CubicSpline(knots, points, bc_type="natural")
    fine = np.linspace(0.0, knots[-1], max(200, int(knots[-1] * 100)))
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve(fine), axis=0), axis=-1))])
    tangents = curve(fine, 1)
    headings = np.unwrap(np.arctan2(tangents[:, 0], tangents[:, 1]))
    # slow down where the heading would turn faster than two radians a second
    bends = np.abs(np.gradient(headings, lengths))
    allowed = np.minimum(speed, 2.0 / np.maximum(bends, 1e-9))  # straight lines bend 1e-16
    travelled = _travel(lengths, allowed, frame_rate)
    hold = np.zeros(round(settle * frame_rate))
    travelled = smooth(np.concatenate([hold, travelled, hold + lengths[-1]]), VELOCITY_SMOOTHING, frame_rate)
    at = np.interp(travelled, lengths, fine)
    velocities = np.gradient(curve(at), 1 / frame_rate, axis=0)
    facings = smooth(np.interp(travelled, lengths, headings), TURN_SMOOTHING, frame_rate)
    path = _finish(velocities, facings, frame_rate)
    return GroundPath(**{**path.__dict__, "positions": path.positions + points[0]})


def _travel(lengths: np.ndarray, allowed: np.ndarray, frame_rate: float) -> np.ndarray:
    """Distance by frame under a speed limit along the way, with bounded acceleration at both ends."""
    limit = RUN_ACCELERATION if allowed.max() > RUN_ABOVE else WALK_ACCELERATION
    squared = allowed**2
    squared[[0, -1]] = 0.0
    gains = 2 * limit * np.diff(lengths)
    for k in range(1, len(squared)):
        squared[k] = min(squared[k], squared[k - 1] + gains[k - 1])
    for k in range(len(squared) - 2, -1, -1):
        squared[k] = min(squared[k], squared[k + 1] + gains[k])
    speeds = np.sqrt(squared)
    between = np.diff(lengths) / np.maximum((speeds[1:] + speeds[:-1]) / 2, 1e-3)  # 1 mm/s: the two resting ends
    clock = np.concatenate([[0.0], np.cumsum(between)])
    return np.interp(np.arange(0.0, clock[-1] + 1 / frame_rate, 1 / frame_rate), clock, lengths)


def _limit_rate(wish: np.ndarray, frame_rate: float) -> np.ndarray:
    """Follow a velocity wish (F, 2) with the acceleration people use at that speed."""
    out = []
    x, y = wish[0]
    for wish_x, wish_y in wish.tolist():
        step_x, step_y = wish_x - x, wish_y - y
        fast = max(hypot(wish_x, wish_y), hypot(x, y)) > RUN_ABOVE
        most = (RUN_ACCELERATION if fast else WALK_ACCELERATION) / frame_rate
        share = most / max(hypot(step_x, step_y), most)
        x, y = x + step_x * share, y + step_y * share
        out.append((x, y))
    return np.array(out)


def _finish(velocities: np.ndarray, facings: np.ndarray, frame_rate: float) -> GroundPath:
    dt = 1 / frame_rate
    # the trapezoid rule keeps the position at the same order as the velocity's central difference
    steps = (velocities[1:] + velocities[:-1]) * (dt / 2)
    positions = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    speeds = np.linalg.norm(velocities, axis=-1)
    ahead, left = directions(facings)
    runs = np.zeros(len(speeds))
    for f in range(len(speeds)):
        was = runs[f - 1] if f else float(speeds[0] > RUN_ABOVE)
        runs[f] = float(speeds[f] > (WALK_BELOW if was else RUN_ABOVE))
    return GroundPath(
        positions=positions,
        velocities=velocities,
        local_velocities=np.stack([np.sum(velocities * ahead, -1), np.sum(velocities * left, -1)], -1),
        accelerations=smooth(np.gradient(velocities, dt, axis=0), 0.3, frame_rate),
        facings=facings,
        turn_rates=np.gradient(facings, dt),
        running=smooth(runs, GAIT_SMOOTHING, frame_rate),
        frame_rate=frame_rate,
    )
