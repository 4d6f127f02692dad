"""Walking: which bodies are commanded to walk, so that a filter can exclude runs for them."""

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command

FASTEST_WALK, SLOWEST_RUN = 2.0, 2.2  # m/s, where people change gait, with hysteresis


def find_walkers(command: Command, body: SimulatedBody) -> np.ndarray:
    """Bodies (N,) that are commanded to walk or stand and no longer run.

    A search compares feet, hips and the way ahead: a slow stretch of a run fits a fast walk, and brings its arms along.
    A body that slows down from a run keeps the run's motion until it is as slow as a walk.
    """
    asked = np.linalg.norm(command.velocities, axis=-1)
    return (asked <= FASTEST_WALK) & (np.linalg.norm(body.velocities, axis=-1) < SLOWEST_RUN)
