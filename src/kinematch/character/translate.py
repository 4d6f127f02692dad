"""Translate: a change of settings, and offsets that one kind of transition remembers, as another kind does."""

from typing import TYPE_CHECKING, get_args

from kinematch.character.seams import check_numbers, take_sample
from kinematch.character.settings import Settings, Transition
from kinematch.character.step.transition import ROW_AFTER, ROW_BEFORE

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd


def change_settings(crowd: "Crowd", settings: Settings) -> None:
    """Have the sources and the step of a crowd take over new settings, or its first ones."""
    for source in crowd.sources:
        source.change_settings(settings)
    earlier, crowd._settings = getattr(crowd, "_settings", settings), settings
    if hasattr(crowd, "runner"):
        crowd.runner.set_knobs(settings)
    if settings.transition != earlier.transition:  # offsets are stored differently by each kind
        translate_offsets(crowd, earlier)
    elif settings.transition == "dead" and settings.transition_halflife != earlier.transition_halflife:
        crowd.state.offsets.ages[:] *= settings.transition_halflife / earlier.transition_halflife  # keeps progress


def translate_offsets(crowd: "Crowd", earlier: Settings) -> None:
    """Start a transition from what each character shows to the frame that it plays."""
    kind = get_args(Transition).index(earlier.transition)
    crowd.runner.refresh(crowd.settings, crowd.filters)
    check_numbers(crowd)
    for n, number in enumerate(crowd.state.playing.sources.tolist()):
        for row in (ROW_BEFORE, ROW_AFTER):
            take_sample(crowd, number, n, row)
        crowd.runner.start_transition(n, kind, earlier.transition_halflife)
