"""Idle clips: what a character that is standing, with no command to move, searches and stays in."""

from weakref import WeakKeyDictionary

import numpy as np

from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database

IDLE = "idle"  # the tag of idle clips
MIN_IDLE_SECONDS = 3.0  # around the playing frame that an idle search ignores; else an idle's last second would repeat
_NARROWED: WeakKeyDictionary[Database, dict[str, str]] = WeakKeyDictionary()


def find_search_terms(database: Database, expression: str, *, idle: bool, ignore: float) -> tuple[str, int]:
    """The filter that a character searches with, and how many frames on either side of the playing one it ignores.

    `ignore`: seconds of them for a character that is not idle.
    """
    filter_ = narrow_to_idle(database, expression) if idle else expression
    seconds = max(ignore, MIN_IDLE_SECONDS) if filter_ != expression else ignore
    return filter_, round(seconds * database.poses.frame_rate)


def narrow_to_idle(database: Database, expression: str) -> str:
    """A filter that admits idle clips alone, if any frame is left; else the filter itself."""
    known = _NARROWED.setdefault(database, {})
    if expression not in known:
        both = f"({expression}) & {IDLE}" if expression.strip() else IDLE
        known[expression] = both if len(find_idle_frames(database, expression)) else expression
    return known[expression]


def find_idle_frames(database: Database, expression: str = "") -> np.ndarray:
    """The frames of idle clips that a filter admits and a search may take."""
    tags = database.poses.tags
    if IDLE not in tags.names:
        return np.zeros(0, np.int64)
    idle = tags.frames[:, tags.names.index(IDLE)]
    return np.flatnonzero(idle & database.features.targets & tag_mask(expression, tags.names, tags.frames))
