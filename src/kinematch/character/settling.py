"""Settling: who stands, and is to stand, takes an idle instead of the end of one stop after another."""

from weakref import WeakKeyDictionary

import numpy as np

from kinematch.character.settings import Settings
from kinematch.database.storage import Database
from kinematch.search.filters import tag_mask

IDLE = "idle"  # the tag of stretches to stand in
LONG = 3.0  # s around the playing frame that are no targets then, lest an idle's last second is played for ever
_NARROWED: WeakKeyDictionary[Database, dict[str, str]] = WeakKeyDictionary()


def terms(database: Database, expression: str, settled: bool, settings: Settings) -> tuple[str, int]:
    """How a character searches that has settled or not: with which filter, and how many frames on either side of the
    playing one are no targets."""
    filter_ = narrowed(database, expression) if settled else expression
    seconds = max(settings.ignore, LONG) if filter_ != expression else settings.ignore
    return filter_, round(seconds * database.poses.frame_rate)


def narrowed(database: Database, expression: str) -> str:
    """A filter that admits idles alone, if that leaves any frame to take; else as it is."""
    known = _NARROWED.setdefault(database, {})
    if expression not in known:
        both = f"({expression}) & {IDLE}" if expression.strip() else IDLE
        known[expression] = both if len(idle_frames(database, expression)) else expression
    return known[expression]


def idle_frames(database: Database, expression: str = "") -> np.ndarray:
    """The frames of idles that a filter admits and a search may take."""
    tags = database.poses.tags
    if IDLE not in tags.names:
        return np.zeros(0, np.int64)
    idle = tags.frames[:, tags.names.index(IDLE)]
    return np.flatnonzero(idle & database.features.targets & tag_mask(expression, tags.names, tags.frames))
