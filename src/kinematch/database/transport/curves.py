"""Curves in whole steps: every sixteenth frame first, then the frames half way between, as far as they miss a cubic.

What a cubic through the neighbours predicts well enough is stored as zero, so that most of a smooth curve is zeros and
the curve that comes back is smooth too. Errors do not add up: a frame is predicted from frames as they come back.
"""

import numpy as np

TOP = 16  # frames between the first ones, a power of two
DEAD = 0.7  # steps that a frame may miss its prediction by and still be stored as zero


def encode_curves(curves: np.ndarray, steps: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Levels of whole numbers (N, C) from curves (F, C) and the steps of each (C,), and the curves that come back."""
    length = count_frames(len(curves))
    padded = np.concatenate([curves, np.repeat(curves[-1:], length - len(curves), axis=0)])
    levels = [np.round(padded[::TOP] / steps)]
    known, stride = levels[0] * steps, TOP
    while stride > 1:
        stride //= 2
        predicted = predict_between(known)
        missed = (padded[stride :: 2 * stride] - predicted) / steps
        levels.append(np.where(np.abs(missed) <= DEAD, 0.0, np.round(missed)))
        known = weave(known, predicted + levels[-1] * steps)
    return [level.astype(np.int64) for level in levels], known[: len(curves)]


def decode_curves(levels: list[np.ndarray], steps: np.ndarray, frames: int) -> np.ndarray:
    """Curves (F, C) from their levels."""
    known = levels[0] * steps
    for level in levels[1:]:
        known = weave(known, predict_between(known) + level * steps)
    return known[:frames]


def count_frames(frames: int) -> int:
    """Frames with those behind the last one that the levels take to be whole."""
    return -(-(frames - 1) // TOP) * TOP + 1


def list_sizes(frames: int) -> list[int]:
    """Rows of each level of a curve, by its frame count."""
    spans = (count_frames(frames) - 1) // TOP
    return [spans + 1] + [spans << level for level in range(TOP.bit_length() - 1)]


def predict_between(known: np.ndarray) -> np.ndarray:
    """Half way between rows (N, C), on the cubic through four of them; at either end the curve goes on straight."""
    if len(known) < 2:
        return known[:0]
    wide = np.concatenate([2 * known[:1] - known[1:2], known, 2 * known[-1:] - known[-2:-1]])
    return (9 * (wide[1:-2] + wide[2:-1]) - wide[:-3] - wide[3:]) / 16


def weave(known: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Rows (N, C) with others (N - 1, C) between them."""
    out = np.empty((len(known) + len(between), known.shape[1]))
    out[::2], out[1::2] = known, between
    return out
