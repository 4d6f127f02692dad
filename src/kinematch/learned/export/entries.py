"""The entries of a codebook that an export plays: those that the model's own filter admits, and where it begins."""

from dataclasses import dataclass

import numpy as np

from kinematch.character.idle import IDLE
from kinematch.database.filters import tag_mask
from kinematch.errors import KinematchError
from kinematch.learned.model import Model
from kinematch.learned.projection import TAIL


@dataclass(frozen=True, eq=False)
class Entries:
    numbers: np.ndarray  # (E,) of the codebook
    frames: np.ndarray  # (E, D + Z) float32, normalised features and latents
    cost_factors: np.ndarray  # (E,) float32
    seconds_left: np.ndarray  # (E,) that an entry goes on
    first: int  # where a character begins: standing, if there is an idle entry


def select_entries(model: Model) -> Entries:
    book = model.codebook
    admitted = tag_mask(model.filter, model.tag_names, book.tags)
    if not admitted.any():
        raise KinematchError(f"no entry of the model may be taken: the filter {model.filter!r} admits none")
    numbers = np.flatnonzero(admitted)
    clips = np.repeat(np.arange(len(book.clip_starts)), book.clip_stops - book.clip_starts)
    left = (book.frames[book.clip_stops - 1][clips] - book.frames) / model.frame_rate + TAIL
    idle = np.flatnonzero(book.tags[numbers, model.tag_names.index(IDLE)]) if IDLE in model.tag_names else numbers[:0]
    return Entries(
        numbers=numbers,
        frames=book.restore(numbers),
        cost_factors=book.cost_factor[numbers],
        seconds_left=left[numbers].astype(np.float32),
        first=int(idle[0]) if len(idle) else 0,
    )


def find_trajectory(model: Model) -> np.ndarray:
    """(T,) columns of the features that a command tells."""
    schema = model.schema
    blocks = [
        np.arange(own.start, own.stop)
        for feature, own in zip(schema.features, schema.columns.values())
        if feature.group == "trajectory"
    ]
    return np.concatenate([np.zeros(0, np.int64), *blocks])
