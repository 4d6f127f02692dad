"""Stand loops: a short range in which the performer stands, played to and fro, as a clip without end."""

import numpy as np

from kinematch.math import quaternion
from kinematch.math.quaternion import Array
from kinematch.motion.clip import Clip

TURN_SECONDS = 0.4  # over which playback slows down before either end, and over which it is as fast again
MIN_LOOP_SECONDS = 0.2  # of a stretch; a shorter one is a pose


def play_to_and_fro(clip: Clip, contacts: Array) -> tuple[Clip, Array]:
    """The clip forwards and then backwards, ending with its first pose, and its contacts (F, K) alike.

    Breathing and swaying look alike in both directions, and the range has no seam: every joint and the root return to
    where they were, and slow down before they reverse.
    """
    moments = _find_moments(clip.frame_count - 1, TURN_SECONDS * clip.frame_rate)
    before = np.minimum(moments.astype(int), clip.frame_count - 2)
    share = (moments - before)[:, None, None]
    positions, rotations = clip.positions.astype(np.float64), quaternion.unroll(clip.rotations.astype(np.float64))
    mixed = rotations[before] * (1 - share) + rotations[before + 1] * share
    looped = clip.with_(
        positions=positions[before] * (1 - share) + positions[before + 1] * share,
        rotations=quaternion.normalize(mixed),
        actions=(),
    )
    return looped, contacts[np.round(moments).astype(int)]


def _find_moments(last: int, turn: float) -> Array:
    """Frames of a stretch, which ends with frame `last`, that are shown one after another; `turn` in frames."""
    eased = max(1, min(round(turn), last))
    t = np.arange(last + eased + 1, dtype=float)  # one way: at rest at both ends, one frame a frame between
    way = np.where(t < eased, t**2 / (2 * eased), t - eased / 2)
    left = last + eased - t
    way = np.where(left < eased, last - left**2 / (2 * eased), way)
    return np.concatenate([way, way[-2::-1]]).clip(0, last)
