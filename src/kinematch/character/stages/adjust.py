"""Adjust: roots go the way of their clips and are drawn to their simulated bodies, and never far from them."""

import numpy as np

from kinematch.character.constants import CLAMP_PULL, CLAMP_SOFTNESS, SLOWEST_PACE
from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.math.angles import rotate_about_y, wrap_angle


def find_rates(state: State, characters: np.ndarray, paces: np.ndarray, settings: Settings) -> np.ndarray:
    """How fast sources play (M,): towards the body's speed, within the given change; slow clips play as they are."""
    speeds = np.linalg.norm(state.body.velocities[characters][:, [0, 2]], axis=-1)
    change = settings.rate_change
    rates = np.clip(speeds / np.maximum(paces, SLOWEST_PACE), 1 - change, 1 + change)
    return np.where(paces < SLOWEST_PACE, 1.0, rates)


def adjust_roots(
    state: State, characters: np.ndarray, motions: np.ndarray, turns: np.ndarray, dt: float, settings: Settings
) -> tuple[np.ndarray, np.ndarray]:
    """Move roots by their motions (M, 3) and towards their bodies; displacements (M, 3) and turns (M,) of this step.

    Velocity-proportional adjustment is a decay limited to a share of how far and by what angle the animation itself
    moved in this step (thesis 3.3.2): a character that stands still is not dragged. `turns` (M,) are the clips' own:
    when a jump enters a fast turn, the transition holds most of it back, and the adjustment makes up for that.
    Synchronization (digital humans 3.5) drags. The clamp keeps the rest of the gap below its limit.
    """
    playing, body = state.playing, state.body
    before, before_yaw = playing.positions[characters], playing.yaws[characters]
    shift = np.stack([motions[:, 0], np.zeros(len(motions)), motions[:, 1]], axis=-1)
    turn, target, facing = motions[:, 2], body.positions[characters], body.yaws[characters]
    gap = (target - (before + rotate_about_y(shift, before_yaw))) * [1, 0, 1]
    angle = wrap_angle(facing - (before_yaw + turn))

    size, span = np.linalg.norm(gap, axis=-1), np.abs(angle)
    kept = size * _remaining(settings.synchronization_halflife, dt)
    kept_angle = span * _remaining(settings.synchronization_halflife, dt)
    pull = kept * (1 - _remaining(settings.adjustment_halflife, dt))
    kept = kept - np.minimum(pull, settings.adjustment_ratio * np.linalg.norm(shift, axis=-1))
    pull = kept_angle * (1 - _remaining(settings.turn_halflife, dt))
    kept_angle = kept_angle - np.minimum(pull, settings.turn_ratio * np.abs(turns))
    kept = clamp_gap(kept, settings.clamp_distance, dt)
    kept_angle = clamp_gap(kept_angle, settings.clamp_angle, dt)

    share = np.divide(kept, size, out=np.zeros_like(size), where=size > 0)
    places = target - gap * share[:, None]
    places[:, 1] = before[:, 1]  # heights are the terrain's
    yaws = wrap_angle(facing - np.copysign(kept_angle, angle))
    playing.positions[characters], playing.yaws[characters] = places, yaws
    return places - before, wrap_angle(yaws - before_yaw)


def clamp_gap(gaps: np.ndarray, most: float, dt: float) -> np.ndarray:
    """Limit gaps (M,) to `most` (0 is off); a pull that ramps up from CLAMP_SOFTNESS of it makes the limit soft."""
    if most == 0:
        return gaps
    over = np.maximum((gaps - CLAMP_SOFTNESS * most) / (most - CLAMP_SOFTNESS * most), 0)
    return np.minimum(gaps * np.exp(-CLAMP_PULL * over**2 * dt), most)


def _remaining(halflife: float, dt: float) -> float:
    """What is left after dt; all of it where there is no half-life."""
    return 0.5 ** (dt / halflife) if halflife > 0 else 1.0
