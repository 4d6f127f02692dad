"""The mix of gaits: how much of its time a course stands, walks, jogs and runs, and source frames weighed alike."""

from collections.abc import Sequence

import numpy as np

from kinematch.evaluate.course import Scenario

EDGES = (0.3, 1.8, 3.0)  # m/s between standing, walking, jogging and running
SAMPLED = 10.0  # times a second at which a course is asked for its speed


def measure_mix(scenarios: Sequence[Scenario]) -> np.ndarray:
    """Shares (4,) of the time of a course that asks for standing, walking, jogging and running.

    Scenarios that steer by where a character is are walks, most of them, and are left out.
    """
    seconds = np.zeros(len(EDGES) + 1)
    for scenario in scenarios:
        if scenario.steer is None:
            times = np.arange(0.5 / SAMPLED, scenario.seconds, 1 / SAMPLED)
            seconds += _count(np.linalg.norm(scenario.wanted(times)[0], axis=-1))
    return seconds / seconds.sum() if seconds.any() else np.full(len(seconds), 1 / len(seconds))


def weigh_frames(speeds: Sequence[np.ndarray], mix: np.ndarray) -> tuple[np.ndarray, ...]:
    """Weights (F,) of each stretch's frames, by the speeds (F,) of their roots, with which the source has that mix.

    All together weigh 1; a gait that the source does not have weighs nothing.
    """
    frames = _count(np.concatenate(speeds))
    weights = np.divide(mix, frames, out=np.zeros(len(frames)), where=frames > 0)
    if not weights.any():
        weights = np.ones(len(frames))
    weights = weights / (weights * frames).sum()
    return tuple(weights[np.searchsorted(EDGES, speed, side="right")] for speed in speeds)


def _count(speeds: np.ndarray) -> np.ndarray:
    return np.bincount(np.searchsorted(EDGES, speeds, side="right"), minlength=len(EDGES) + 1)
