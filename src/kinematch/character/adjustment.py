"""Adjustment: draws the animated root to the simulated body, as far as nobody sees it, and never lets it stray far."""

import numpy as np

from kinematch.character.settings import Settings
from kinematch.character.simulation import wrapped


def adjusted(
    positions: np.ndarray, yaws: np.ndarray, target_positions: np.ndarray, target_yaws: np.ndarray,
    *, ways: np.ndarray, turns: np.ndarray, settings: Settings, dt: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Roots (N, 3) and (N,) moved towards the simulated bodies.

    The step is a decay, limited to a share of how far (ways, N) and by what angle (turns, N) the animation itself
    moved in this step (thesis 3.3.2): a character that stands still is not dragged.
    """
    if settings.adjustment_halflife > 0:
        share = 1 - 0.5 ** (dt / settings.adjustment_halflife)
        gap = target_positions - positions
        size = np.linalg.norm(gap, axis=-1)
        step = np.minimum(size * share, settings.adjustment_ratio * ways)
        positions = positions + gap * np.divide(step, size, out=np.zeros_like(size), where=size > 0)[:, None]
        angle = wrapped(target_yaws - yaws)
        yaws = yaws + np.sign(angle) * np.minimum(np.abs(angle) * share, settings.adjustment_ratio * np.abs(turns))
    if settings.clamp_distance > 0:
        gap = positions - target_positions
        size = np.linalg.norm(gap, axis=-1)
        kept = np.divide(settings.clamp_distance, size, out=np.ones_like(size), where=size > settings.clamp_distance)
        positions = target_positions + gap * kept[:, None]
        angle = np.clip(wrapped(yaws - target_yaws), -settings.clamp_angle, settings.clamp_angle)
        yaws = target_yaws + angle
    return positions, wrapped(yaws)
