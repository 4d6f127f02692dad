"""Variety: how often a character jumps, how much of the database it uses, and whether it repeats itself or hangs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.evaluate.following import steady_speeds
from kinematch.evaluate.run import Take
from kinematch.math.angles import wrap_angle

REPETITION_SECONDS = 1.0  # s of the past that a repetition goes back to
NEIGHBOUR_SECONDS = 0.1  # s of the database around a frame that are as good as the frame
WINDOW = 0.5  # s over which a pose is seen to move
FROZEN = 0.1  # of the source's median motion, below which a body that should move is frozen
MOVING = 0.5  # m/s commanded, from which on a body should move
STUCK = 0.25  # of the commanded speed, below which a command counts as ignored
PATIENCE = 1.5  # s after which a command should be followed
MAX_FACING_ERROR = np.radians(60)  # from the commanded facing, beyond which a turn counts as ignored


@dataclass(frozen=True)
class Variety:
    transitions: float  # per second
    repetition: float  # share of jumps that go back to what was just played
    distinct: float  # frames of the database
    used: float  # share of the admitted frames
    dead: float  # share of the frames that a search may take and never did, nor played on to


def variety(takes: Sequence[Take], admitted: np.ndarray, targets: np.ndarray, frame_rate: float) -> Variety:
    """Of all takes together, on a database whose admitted frames and targets (F,) are given."""
    seconds = sum(len(take.frames) / take.rate for take in takes)
    jumps = sum(int(take.jumped.sum()) for take in takes)
    back = sum(_repeats(take, frame_rate) for take in takes)
    seen = np.zeros(len(admitted), bool)
    for take in takes:
        seen[_played(take, frame_rate)] = True
    if not seen.any():  # poses that networks make are no frames of the database
        return Variety(jumps / seconds, np.nan, np.nan, np.nan, np.nan)
    allowed = admitted & targets
    return Variety(
        jumps / seconds,
        back / jumps if jumps else 0.0,
        int(seen.sum()),
        float((seen & admitted).sum() / max(admitted.sum(), 1)),
        float((allowed & ~seen).sum() / max(allowed.sum(), 1)),
    )


def _played(take: Take, frame_rate: float) -> np.ndarray:
    """Frames (M,) that were shown, and those played through between two moments, however far apart these are."""
    before, way = take.frames[:-1], np.diff(take.frames)
    on = ~take.jumped[1:] & (before >= 0) & (way > 1) & (way <= NEIGHBOUR_SECONDS * frame_rate)
    between = [np.arange(first + 1, first + steps) for first, steps in zip(before[on], way[on])]
    return np.concatenate([take.frames[take.frames >= 0], *between])


def _repeats(take: Take, frame_rate: float) -> int:
    """Jumps to within a tenth of a second of a frame played in the last second: the looping of digital humans 4.2."""
    past, near = round(REPETITION_SECONDS * take.rate), NEIGHBOUR_SECONDS * frame_rate
    count = 0
    for moment in np.flatnonzero(take.jumped & (take.frames >= 0)):
        before = take.frames[max(0, moment - past) : moment]
        count += bool((np.abs(before - take.frames[moment]) <= near).any())
    return count


def looping(take: Take, frame_rate: float) -> np.ndarray:
    """Steps (T,) in which less than a second of the database plays for the third time in a row (digital humans 4.2)."""
    moments, near = np.flatnonzero(take.jumped & (take.frames >= 0)), NEIGHBOUR_SECONDS * frame_rate
    landed = take.frames[moments]
    again = (np.abs(np.diff(landed)) <= near) & (np.diff(moments) <= REPETITION_SECONDS * take.rate)
    out = np.zeros(len(take.frames), bool)
    for k in np.flatnonzero(again[1:] & again[:-1]):
        stop = moments[k + 3] if k + 3 < len(moments) else len(out)
        out[moments[k + 2] : min(stop, moments[k + 2] + round(REPETITION_SECONDS * take.rate))] = True
    return out


def pose_motion(positions: np.ndarray, yaws: np.ndarray, rate: float) -> np.ndarray:
    """How much a pose moves within half a second around each frame (T,), m: the mean deviation of its joints in the
    root's frame."""
    p = positions.astype(np.float64) - positions[:, :1]
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    local = np.stack([c * p[..., 0] - s * p[..., 2], p[..., 1], s * p[..., 0] + c * p[..., 2]], axis=-1)
    half = max(1, round(WINDOW * rate / 2))
    if len(local) <= 2 * half:
        return np.full(len(local), np.inf)
    total = np.cumsum(np.concatenate([np.zeros_like(local[:1]), local]), axis=0)
    squares = np.cumsum(np.concatenate([np.zeros_like(local[:1]), local**2]), axis=0)
    count = 2 * half
    mean = (total[count:] - total[:-count]) / count
    variance = (squares[count:] - squares[:-count]) / count - mean**2
    spread = np.sqrt(np.maximum(variance, 0).sum(axis=-1)).mean(axis=-1)
    return np.pad(spread, (half, len(local) - len(spread) - half), mode="edge")


def frozen(take: Take, usual: float) -> np.ndarray:
    """Steps (T,) in which the body should move, and its pose does not."""
    return _asked_to_move(take) & (pose_motion(take.global_positions, take.root_yaws, take.rate) < FROZEN * usual)


def stuck(take: Take) -> np.ndarray:
    """Steps (T,) in which a velocity or facing was commanded PATIENCE ago and is still ignored."""
    # over a second: sidesteps halt between any two
    speeds = steady_speeds(take.global_positions[:, 0].astype(np.float64), take.rate, seconds=1.0)
    wanted = np.hypot(take.velocities[:, 0], take.velocities[:, 2])
    facing = np.arctan2(take.facings[:, 0], take.facings[:, 2])
    told = np.abs(take.facings).sum(axis=-1) > 0
    away = told & _held(take) & (np.abs(wrap_angle(facing - take.root_yaws)) > MAX_FACING_ERROR)
    return (_asked_to_move(take) & (speeds < STUCK * wanted)) | away


def _asked_to_move(take: Take) -> np.ndarray:
    return _held(take) & (np.hypot(take.velocities[:, 0], take.velocities[:, 2]) > MOVING)


def _held(take: Take) -> np.ndarray:
    """Steps (T,) whose command has been much the same for a while: within 0.3 m/s and 30 degrees."""
    past = round(PATIENCE * take.rate)
    asked = np.concatenate([take.velocities[:, [0, 2]], take.facings[:, [0, 2]]], axis=1).tolist()
    since, out = 0, np.zeros(len(asked), bool)
    x, z, across, ahead = asked[0]
    for t, (x1, z1, across1, ahead1) in enumerate(asked):
        if (x1 - x) ** 2 + (z1 - z) ** 2 > 0.3**2 or (across1 - across) ** 2 + (ahead1 - ahead) ** 2 > 0.5**2:
            since, x, z, across, ahead = t, x1, z1, across1, ahead1
        out[t] = t - since >= past
    return out
