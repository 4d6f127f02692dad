"""Wandering: where the characters of a crowd go that nobody steers, as a function of time and place alone."""

import numpy as np

from kinematch.character.command import Command, toward
from kinematch.character.simulation import SimulatedBody

GOLDEN = 2.399963  # rad, the angle of sunflower seeds: it spreads any number of points evenly
SPACING = 1.6  # m between neighbours at the start
HOME = 1.5  # times the crowd's own radius, beyond which wanderers turn back
RESTS = 0.25  # share of the time that a wanderer stands


def places(count: int, *, first: int = 1) -> np.ndarray:
    """Where a crowd stands at the beginning (count, 3), around whoever is in the middle."""
    n = np.arange(first, first + count)
    radius = SPACING * np.sqrt(n)
    return np.stack([radius * np.sin(n * GOLDEN), 0.0 * n, radius * np.cos(n * GOLDEN)], axis=-1)


def wandering(body: SimulatedBody, time: float, *, speed: float, filter: str = "") -> Command:
    """What wanderers (N) want at a time: slow curves of their own, a rest now and then, and back when too far off."""
    n = np.arange(1, len(body.positions) + 1)
    headings = n * GOLDEN + 1.5 * np.sin(0.21 * time + n * 1.7) + 1.1 * np.sin(0.097 * time * (1 + n % 3) + n)
    away = np.hypot(body.positions[:, 0], body.positions[:, 2])
    far = away > HOME * SPACING * np.sqrt(len(n) + 1) + 3.0
    headings = np.where(far, np.arctan2(-body.positions[:, 0], -body.positions[:, 2]), headings)
    resting = ~far & ((time / 17.0 + n * 0.618034) % 1.0 < RESTS)
    speeds = np.where(resting, 0.0, speed * (0.75 + 0.25 * np.sin(n)))
    return toward(np.stack([speeds * np.sin(headings), 0 * n, speeds * np.cos(headings)], axis=-1), filter=filter)
