"""Explain: why a character's last search chose its frame."""

from typing import TYPE_CHECKING, Any

import numpy as np

from kinematch.character.database_source import DatabaseSource
from kinematch.database.idle import find_mode
from kinematch.errors import KinematchError
from kinematch.search import Candidates, candidates

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd


def explain_search(crowd: "Crowd", character: int, count: int) -> Candidates:
    """The best frames for the last query, what each costs by feature, and why one was taken."""
    schedule, settings = crowd.state.schedule, crowd.settings
    number = int(np.clip(crowd.state.playing.sources[character], 0, len(crowd.sources) - 1))
    source: Any = crowd.sources[number]
    if not isinstance(source, DatabaseSource):
        kind = type(getattr(source, "source", source)).__name__
        raise KinematchError(f"character {character} plays a {kind}, which does not search frames")
    if schedule.filters[character] < 0:
        raise KinematchError(f"character {character} has not searched yet")
    mode = find_mode(bool(schedule.idle[character]), *schedule.commands[character, [0, 2]].tolist())
    filter_, ignore = source.find_terms(crowd.filters.text(int(schedule.filters[character])), mode, settings)
    current = int(np.clip(schedule.frames[character], -1, source.poses.frame_count - 1))
    return candidates(
        source.matcher, schedule.queries[character], current, count=count, filter=filter_,
        stay_bias=settings.stay_bias, ignore=ignore, left=int(schedule.left[character]),
    )  # fmt: skip
