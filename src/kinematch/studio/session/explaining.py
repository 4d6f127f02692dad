"""Explaining: why the search of a past step chose its frame, from what was kept of that step."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.idle import find_mode, find_search_terms
from kinematch.errors import KinematchError
from kinematch.search.candidates import Candidates, candidates
from kinematch.search.space import SearchSpace, search_space
from kinematch.studio.server.answers import Candidate, Explanation
from kinematch.studio.server.messages import Explain
from kinematch.studio.session.history import Moment
from kinematch.studio.session.stage import Stage

SEARCHED = 1  # bit of a character's bits
# why a search was made, by kinematch.character.reason.Reason
REASONS = (
    "",
    "interval",
    "velocity changed",
    "facing changed",
    "end of the clip",
    "tags changed",
    "source changed",
    "first search",
)


@dataclass(frozen=True, eq=False)
class Weighed:
    """The part of a matcher that ranking candidates needs."""

    space: SearchSpace
    weights: np.ndarray  # (D,)


def explain(stage: Stage, question: Explain) -> Explanation:
    """What a character's last search at or before a step wanted, what it found, and why it decided as it did."""
    moment, bits = _search_before(stage, question.step, question.character)
    group, index = _find_character(moment, question.character)
    schedule = moment.states[group].schedule
    database, settings = stage.database, moment.settings["b" if group == "b" else "a"]
    features = database.features
    weighed = features.with_weights(
        settings.weights,
        responsiveness=features.weights.responsiveness * settings.responsiveness,
        quality=features.weights.quality * settings.quality,
    )
    query = schedule.queries[index]
    mode = find_mode(bool(schedule.idle[index]), *schedule.commands[index, [0, 2]].tolist())
    filter_, ignore = find_search_terms(database, moment.filters.get(group, ""), mode, ignore=settings.ignore)
    found = candidates(
        Weighed(search_space(database), weighed.column_weights()),  # type: ignore[arg-type]
        query,
        int(schedule.frames[index]),
        count=question.count,
        filter=filter_,
        stay_bias=settings.stay_bias,
        ignore=ignore,
        left=int(schedule.left[index]),
    )
    return Explanation(
        request=question.request,
        step=moment.step,
        character=question.character,
        searched_because=REASONS[bits >> 24],
        query=(query * features.scale + features.offset).tolist(),
        features=list(found.features),
        staying=_staying(stage, found),
        candidates=[
            _candidate(stage, int(frame), float(cost), shares)
            for frame, cost, shares in zip(found.frames, found.costs, found.feature_costs)
        ],
        chosen=found.chosen,
        reason=found.reason,
        returns=found.returns,
    )


def _search_before(stage: Stage, step: int, character: int) -> tuple[Moment, int]:
    """The last kept moment at which the character searched, and its bits."""
    for moment in reversed(stage.history.between(0, step + 1)):
        known = moment.picture.arrays["bits"]
        if character >= len(known):
            raise KinematchError(f"no character {character} at step {moment.step}")
        bits = int(known[character])
        if bits & SEARCHED and moment.states:
            return moment, bits
    raise KinematchError(f"no search of character {character} up to step {step} is kept")


def _find_character(moment: Moment, character: int) -> tuple[str, int]:
    """A character's group and its place there: side a comes first, side b last."""
    for name, state in moment.states.items():
        count = len(state.playing.frames)
        if character < count and name.startswith("compared"):
            raise KinematchError(f"character {character} plays another file; play that alone to see why")
        if character < count:
            return name, character
        character -= count
    raise KinematchError(f"no character {character}")


def _staying(stage: Stage, found: Candidates) -> Candidate | None:
    if found.staying < 0 or not np.isfinite(found.staying_cost):
        return None
    return _candidate(stage, found.staying, found.staying_cost, found.staying_feature_costs)


def _candidate(stage: Stage, frame: int, cost: float, shares: np.ndarray) -> Candidate:
    poses = stage.database.poses
    clip = int(poses.clip_of(frame))
    return Candidate(
        frame,
        poses.clip_names[clip],
        frame - int(poses.clip_starts[clip]),
        cost,
        shares.tolist(),
        stage.database.features.physical(np.array([frame]))[0].tolist(),
    )
