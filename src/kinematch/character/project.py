"""Project: group the characters that search, query each target source once, and jump to the results."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.constants import FARTHEST_QUERY, NO_RETURN
from kinematch.character.pose import Pose
from kinematch.character.source import Projection, Search
from kinematch.character.stages.transition import start_transition

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd


def group_by(keys: np.ndarray, characters: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Characters (M,) by the key (N,) that each has."""
    if not len(characters):
        return []
    if len(characters) == 1:
        return [(int(keys[characters[0]]), characters)]
    own = keys[characters]
    if own.min() == own.max():
        return [(int(own[0]), characters)]
    return [(int(key), characters[own == key]) for key in np.unique(own)]


def group_searches(crowd: "Crowd", characters: np.ndarray) -> Iterator[tuple[int, int, bool, np.ndarray]]:
    """Characters (M,) that search alike: the source they are told to play, their filter, and whether they are idle."""
    sources, filters, idle = crowd.orders.sources, crowd.orders.filters, crowd.state.schedule.idle
    if len(characters) == 1:
        n = characters[0]
        yield int(sources[n]), int(filters[n]), bool(idle[n]), characters
        return
    for source, those in group_by(sources, characters):
        for filter_, these in group_by(filters, those):
            for is_idle, some in group_by(idle, these):
                yield source, filter_, bool(is_idle), some


def skip_broken(characters: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Characters and queries without those that are not finite or too far: such characters play on."""
    near = (np.abs(queries) < FARTHEST_QUERY).all(axis=1)
    return characters[near], queries[near]


def project(crowd: "Crowd", number: int, characters: np.ndarray, queries: np.ndarray, pose: Pose) -> None:
    """Put normalised queries (M, D) of characters that play source `number` to the sources they are told to play."""
    for target, filter_, idle, some in group_searches(crowd, characters):
        own = queries if some is characters else crowd.state.schedule.queries[some]
        search = Search(crowd.filters.text(filter_), idle, target == number, crowd.settings)
        _project_some(crowd, number, target, some, own, search, pose)


def _project_some(
    crowd: "Crowd", number: int, target: int, characters: np.ndarray, queries: np.ndarray, search: Search, pose: Pose
) -> None:
    there = crowd.sources[target]
    if target != number:  # queries are put into the units of the source they go to
        queries = there.normalise(crowd.sources[number].restore_units(queries))
        crowd.state.schedule.queries[characters] = queries
    found = there.project(crowd.state, characters, queries, search)
    crowd.follow(number, target, characters, found, pose)


def follow_plainly(
    crowd: "Crowd", number: int, target: int, characters: np.ndarray, found: Projection, pose: Pose
) -> None:
    """Note what a source found for characters (M,), and let those for whom it is better go on from there."""
    schedule = crowd.state.schedule
    schedule.frames[characters], schedule.costs[characters] = found.before, found.costs
    forgotten = characters[crowd.state.offsets.ages[characters] >= NO_RETURN]
    schedule.left[forgotten] = -1
    if found.jumps.any():
        jumping = characters[found.jumps]
        pose.jumped[jumping] = True
        schedule.left[jumping] = found.before[found.jumps]
        jump(crowd, number, target, jumping, found.targets[found.jumps])


def jump(crowd: "Crowd", number: int, target: int, characters: np.ndarray, targets: np.ndarray) -> None:
    """Let characters (M,) go on from targets (M, ...) of a source; the difference becomes an offset."""
    state, here, there = crowd.state, crowd.sources[number], crowd.sources[target]
    before = here.decode(state, characters)
    state.playing.sources[characters] = target
    there.enter(state, characters, targets)
    after = there.decode(state, characters)
    start_transition(state, characters, before, after, crowd.moving, crowd.rig, crowd.settings, crowd.settings)
