"""What a controller costs: time a frame of one character, measured in turn with all others, and memory."""

import time
from collections.abc import Mapping

import numpy as np

from kinematch.control.command import Command
from kinematch.database.storage import Database
from kinematch.evaluate.comparison.footprint import measure_footprint
from kinematch.evaluate.run import Mover
from kinematch.learned.model import Model

SECONDS, RATE, WARMING = 20.0, 60.0, 60  # of stick; steps a second; first steps that do not count
CHANGE = (0.4, 2.0)  # s between commands


def time_steps(movers: Mapping[str, Mover], speeds: list[float], *, seconds: float = SECONDS) -> dict[str, np.ndarray]:
    """Seconds of each step of one character under a random stick; all take turns, so that they share what disturbs.

    Of the processor, not of the clock: other programs do not count. One character runs in one thread.
    """
    rng, steps = np.random.default_rng(7), round(seconds * RATE)
    times = {name: np.empty(steps) for name in movers}
    velocity, until = np.zeros((1, 3)), 0.0
    for step in range(-WARMING, steps):
        if step / RATE >= until:
            angle, speed = rng.uniform(-np.pi, np.pi), rng.choice([0.0, *speeds])
            velocity = np.array([[np.sin(angle) * speed, 0.0, np.cos(angle) * speed]])
            until = step / RATE + rng.uniform(*CHANGE)
        size = float(np.linalg.norm(velocity))
        command = Command(velocity, velocity / size if size else velocity)
        for name, mover in movers.items():
            before = time.thread_time()
            mover.step(command, 1 / RATE)
            if step >= 0:
                times[name][step] = time.thread_time() - before
    return times


def measure_resident(source: Database | Model) -> int:
    """Bytes of poses, features and what plays them, or of networks and codebook, without the index of the search."""
    return source.nbytes if isinstance(source, Model) else measure_footprint(source).resident
