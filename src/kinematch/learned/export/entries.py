"""Codebook entries of an export: where jumps may lead, how long an entry lasts, and where a character starts."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.filters import tag_mask
from kinematch.database.idle import IDLE
from kinematch.errors import KinematchError
from kinematch.learned.model import Model
from kinematch.learned.projection import Projector

REFUSED_COST = 1e30  # cost factor of entries that the model's own filter does not admit


@dataclass(frozen=True, eq=False)
class Entries:
    """E entries of the codebook; `projector` is what plays them here."""

    projector: Projector
    frames: np.ndarray  # (E, D + Z) float32, normalised features and latents
    cost_factors: np.ndarray  # (E,) float32
    first: int  # where a character begins: standing, if there is an idle entry

    @property
    def steps_left(self) -> np.ndarray:
        """(E,) frames that an entry lasts."""
        return self.projector.steps_left

    @property
    def last(self) -> np.ndarray:
        """(E,) the last entry that each leads to without a gap."""
        return self.projector.last


def select_entries(model: Model) -> Entries:
    book = model.codebook
    admitted = tag_mask(model.filter, model.tag_names, book.tags)
    if not admitted.any():
        raise KinematchError(f"no entry of the model may be taken: the filter {model.filter!r} admits none")
    idle = admitted & book.tags[:, model.tag_names.index(IDLE)] if IDLE in model.tag_names else admitted
    return Entries(
        projector=Projector(model),
        frames=book.restore(),
        cost_factors=np.where(admitted, book.cost_factor, REFUSED_COST).astype(np.float32),
        first=int(np.flatnonzero(idle if idle.any() else admitted)[0]),
    )


def find_trajectory(model: Model) -> np.ndarray:
    """(T,) columns of the features that a command sets."""
    schema = model.schema
    blocks = [
        np.arange(own.start, own.stop)
        for feature, own in zip(schema.features, schema.columns.values())
        if feature.group == "trajectory"
    ]
    return np.concatenate([np.zeros(0, np.int64), *blocks])
