"""Correction: how runtimes of an exported model keep a run near its clip: the stepper predicts, the codebook corrects.

Our own step needs no stepper there: it follows the clip itself, see database/run_path_kernels.py.
"""

import numpy as np

from kinematch.learned.projection import Projector

CORRECTION = np.float32(0.1)  # of the distance to the clip that is closed in a frame: a half-life of 0.11 s


def correct(projector: Projector, frames: np.ndarray, entries: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Draw features and latents (M, D + Z) towards the clip that they follow, between two entries of the codebook.

    `steps` (M,) frames lie between the entry that a run began from and these. Errors fade instead of adding up.
    """
    book = projector.model.codebook
    known = (entries >= 0) & (entries < book.entry_count)
    start = np.where(known, entries, 0)
    before = start + steps // projector.stride
    known &= before < projector.last[start]
    if not known.any():
        return frames
    before, share = before[known], (steps[known] % projector.stride / projector.stride)[:, None].astype(np.float32)
    track = book.restore(before) * (1 - share) + book.restore(before + 1) * share
    out = frames.copy()
    out[known] += CORRECTION * (track - out[known])
    return out
