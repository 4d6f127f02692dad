"""Idle clips: what a character that stands, with no command to move, searches, and one that is to move never does."""

from weakref import WeakKeyDictionary

import numpy as np

from kinematch.compile.jit import inner
from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database

IDLE = "idle"  # the tag of idle clips
MIN_IDLE_SECONDS = 3.0  # around the playing frame that an idle search ignores; else an idle's last second would repeat
STANDING_SPEED = 0.1  # m/s, below which a body commanded to stand counts as standing, and a command as one to stand
MODES = 3
ANY, IDLING, MOVING = range(MODES)  # what is searched: all that the filter admits, idle clips alone, all but idle clips
_NARROWED: WeakKeyDictionary[Database, dict[tuple[str, int], str]] = WeakKeyDictionary()


@inner
def find_mode(idle, x, z):
    """What a character searches, by whether it idles and the velocity that it was commanded."""
    mode = MOVING if x * x + z * z > STANDING_SPEED * STANDING_SPEED else ANY
    return IDLING if idle else mode


def find_search_terms(database: Database, expression: str, mode: int, *, ignore: float) -> tuple[str, int]:
    """The filter that a character searches with, and how many frames on either side of the playing one it ignores.

    `ignore`: seconds of them for a character that is not idle.
    """
    known = _NARROWED.setdefault(database, {})
    if (expression, mode) not in known:
        narrow = narrow_filter(expression, mode)
        known[expression, mode] = narrow if len(find_targets(database, narrow)) else expression
    filter_ = known[expression, mode]
    seconds = max(ignore, MIN_IDLE_SECONDS) if mode == IDLING and filter_ != expression else ignore
    return filter_, round(seconds * database.poses.frame_rate)


def narrow_filter(expression: str, mode: int) -> str:
    """A filter that admits idle clips alone, or none of them."""
    own = f"({expression}) & " if expression.strip() else ""
    return expression if mode == ANY else f"{own}{IDLE}" if mode == IDLING else f"{own}!{IDLE}"


def find_targets(database: Database, expression: str) -> np.ndarray:
    """The frames that a filter admits and a search may take; none where it names the idle tag and there is none."""
    tags = database.poses.tags
    if IDLE not in tags.names:
        return np.zeros(0, np.int64)
    return np.flatnonzero(database.features.targets & tag_mask(expression, tags.names, tags.frames))


def find_idle_frames(database: Database, expression: str = "") -> np.ndarray:
    """The frames of idle clips that a filter admits and a search may take."""
    return find_targets(database, narrow_filter(expression, IDLING))
