"""Height levels: which part of a database fits how high the head is carried, from tip-toe to crouch (MMVR 5.5)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.motion import kinematics

LEVEL_TAG = re.compile(r"level\d+|tiptoe")
TAKEN = 0.7  # share of the way to the next level at which it is taken: more than half, so that walking changes none
EXAMPLES = 500  # frames of a level that tell its height


@dataclass(frozen=True, eq=False)
class Levels:
    """Filters of a database by rising height of the head, as a share of its height in an upright stand."""

    filters: tuple[str | None, ...]  # tag expressions; None is the database's own
    ratios: np.ndarray  # (L,) rising

    def __post_init__(self):
        ratios = np.array(self.ratios, np.float64)
        if len(self.filters) != len(ratios) or not len(ratios) or not (np.diff(ratios) > 0).all():
            raise KinematchError(f"levels {self.filters} at ratios {ratios.tolist()}, expected one rising ratio each")
        object.__setattr__(self, "ratios", ratios)

    def choose(self, ratios: np.ndarray, current: np.ndarray) -> np.ndarray:
        """The level (N,) of users whose head is at these shares (N,) of its standing height.

        A user stays at the current level (N,) until well past the middle to the next one; -1 has none yet.
        """
        if len(self.ratios) == 1:
            return np.zeros(len(ratios), np.int64)
        nearest = np.abs(ratios[:, None] - self.ratios).argmin(axis=1)
        current = np.where(current < 0, nearest, np.minimum(current, len(self.ratios) - 1))
        here = self.ratios[current]
        up, down = self.ratios[np.minimum(current + 1, len(self.ratios) - 1)], self.ratios[np.maximum(current - 1, 0)]
        leave_up = ratios > here + TAKEN * (up - here)
        leave_down = ratios < here - TAKEN * (here - down)
        leaves = (leave_up & (up > here)) | (leave_down & (down < here))
        return np.where(leaves, nearest, current)


def find_levels(database: Database, filters: Sequence[str] | None = None) -> Levels:
    """The levels of a database: by given filters, or by its tags level0, level1, ... and tiptoe; else a single one."""
    tags = database.poses.tags
    given = list(filters) if filters is not None else [name for name in tags.names if LEVEL_TAG.fullmatch(name)]
    heights: Mapping[str, float] = {one: height for one in given if (height := _measure_height(database, one)) > 0}
    if len(heights) < 2:
        return Levels((None,), np.ones(1))
    upright = heights.get("level0", max(heights.values()))
    ordered = sorted(heights, key=lambda one: heights[one])
    return Levels(tuple(ordered), np.array([heights[one] / upright for one in ordered]))


def measure_stance(database: Database) -> np.ndarray:
    """Where the head is above the root in an upright stand or slow walk: (3,) m in the root's axes."""
    heads = _find_heads(database, database.filter)
    upright = heads[:, 1] >= np.median(heads[:, 1])
    return np.median(heads[upright], axis=0)


def _measure_height(database: Database, filter_: str) -> float:
    heads = _find_heads(database, filter_)
    return float(np.median(heads[:, 1])) if len(heads) else 0.0


def _find_heads(database: Database, filter_: str) -> np.ndarray:
    """Places of the head (E, 3) in the root's axes, in some frames that a filter admits."""
    poses = database.poses
    frames = np.flatnonzero(tag_mask(filter_, poses.tags.names, poses.tags.frames))
    frames = frames[:: max(1, len(frames) // EXAMPLES)]
    positions, rotations = poses.positions[frames].copy(), poses.rotations[frames].copy()
    positions[:, 0], rotations[:, 0] = 0.0, [1, 0, 0, 0]
    return kinematics.forward(poses.skeleton, positions, rotations)[0][:, poses.skeleton.roles["head"]]
