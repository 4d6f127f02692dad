"""Height levels: which part of a database fits how high the head is carried, from tip-toe to crouch (MMVR 5.5)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.motion import kinematics

LEVEL_TAG = re.compile(r"level\d+|tiptoe")
TAKEN = 0.7  # share of the way to the next level at which it is taken: more than half, so that walking changes none
UPRIGHT = "level0"
EXAMPLES = 500  # frames of a level that tell its height


@dataclass(frozen=True, eq=False)
class Levels:
    """Filters of a database by rising height of the head, as a share of its height in an upright stand."""

    filters: tuple[str | None, ...]  # tag expressions; None is the database's own
    ratios: np.ndarray  # (L,) rising
    heads: np.ndarray  # (L, 3) m, where the head is in the root's axes: who crouches carries it ahead
    upright: int  # the level at which people stand

    def __post_init__(self):
        ratios = np.array(self.ratios, np.float64)
        if len(self.filters) != len(ratios) or not len(ratios) or not (np.diff(ratios) > 0).all():
            raise KinematchError(f"levels {self.filters} at ratios {ratios.tolist()}, expected one rising ratio each")
        object.__setattr__(self, "ratios", ratios)

    def find_offsets(self, ratios: np.ndarray) -> np.ndarray:
        """From the root to below the head (N, 3) m of users whose head is at these shares (N,) of its height."""
        x, z = (np.interp(ratios, self.ratios, self.heads[:, axis]) for axis in (0, 2))
        return np.stack([x, np.zeros_like(x), z], axis=-1)

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
    heads = {one: np.median(places, axis=0) for one in given if len(places := _find_heads(database, one))}
    if len(heads) < 2:
        return Levels((None,), np.ones(1), _measure_stance(database)[None], 0)
    upright = UPRIGHT if UPRIGHT in heads else max(heads, key=lambda one: heads[one][1])
    ordered = sorted(heads, key=lambda one: heads[one][1])
    places = np.array([heads[one] for one in ordered])
    return Levels(tuple(ordered), places[:, 1] / heads[upright][1], places, ordered.index(upright))


def _measure_stance(database: Database) -> np.ndarray:
    """Where the head is above the root (3,) m in an upright stand or walk, of a database without levels."""
    heads = _find_heads(database, database.filter)
    return np.median(heads[heads[:, 1] >= np.median(heads[:, 1])], axis=0)


def _find_heads(database: Database, filter_: str) -> np.ndarray:
    """Places of the head (E, 3) in the root's axes, in some frames that a filter admits."""
    poses = database.poses
    frames = np.flatnonzero(tag_mask(filter_, poses.tags.names, poses.tags.frames))
    frames = frames[:: max(1, len(frames) // EXAMPLES)]
    positions, rotations = poses.positions[frames].copy(), poses.rotations[frames].copy()
    positions[:, 0], rotations[:, 0] = 0.0, [1, 0, 0, 0]
    return kinematics.forward(poses.skeleton, positions, rotations)[0][:, poses.skeleton.roles["head"]]
