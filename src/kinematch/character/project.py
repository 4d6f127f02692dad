"""Project: group the characters that search, query each target source once, and jump to the results."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.pose import Pose
from kinematch.character.source import Search
from kinematch.character.stages.transition import start_transition

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd

FARTHEST_QUERY = 1e15  # standard deviations; larger values overflow float32 when squared


def group_by(keys: np.ndarray, characters: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Characters (M,) by the key (N,) that each has."""
    if not len(characters):
        return
    own = keys[characters]
    if len(own) == 1 or own.min() == own.max():
        yield int(own[0]), characters
        return
    for key in np.unique(own):
        yield int(key), characters[own == key]


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


def project(crowd: "Crowd", number: int, characters: np.ndarray, queries: np.ndarray, pose: Pose) -> None:
    """Put normalised queries (M, D) of characters that play source `number` to the sources they are told to play."""
    if not abs(queries.sum()) < FARTHEST_QUERY:
        near = (np.abs(queries) < FARTHEST_QUERY).all(axis=1)  # broken queries are skipped: those characters play on
        characters, queries = characters[near], queries[near]
    for target, filter_, idle, some in group_searches(crowd, characters):
        own = queries if some is characters else crowd.state.schedule.queries[some]
        search = Search(crowd.filters.text(filter_), idle, target == number, crowd.settings)
        _project_some(crowd, number, target, some, own, search, pose)


def _project_some(
    crowd: "Crowd", number: int, target: int, characters: np.ndarray, queries: np.ndarray, search: Search, pose: Pose
) -> None:
    schedule, there = crowd.state.schedule, crowd.sources[target]
    if target != number:  # queries are put into the units of the source they go to
        queries = there.normalise(crowd.sources[number].restore_units(queries))
        schedule.queries[characters] = queries
    found = there.project(crowd.state, characters, queries, search)
    schedule.frames[characters], schedule.costs[characters] = found.before, found.costs
    count = np.count_nonzero(found.jumps)
    if not count:
        return
    jumping, targets = characters, found.targets
    if count < len(characters):
        jumping, targets = characters[found.jumps], found.targets[found.jumps]
    pose.jumped[jumping] = True
    crowd.jump(number, target, jumping, targets)


def jump_plainly(crowd: "Crowd", number: int, target: int, characters: np.ndarray, targets: np.ndarray) -> None:
    """Let characters (M,) go on from targets (M, ...) of a source; the difference becomes an offset."""
    state, here, there = crowd.state, crowd.sources[number], crowd.sources[target]
    before = here.decode(state, characters)
    state.playing.sources[characters] = target
    there.enter(state, characters, targets)
    after = there.decode(state, characters)
    start_transition(state, characters, before, after, crowd.moving, crowd.rig, crowd.settings, crowd.settings)
