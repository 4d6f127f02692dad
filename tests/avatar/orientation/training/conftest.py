"""A few people of the built-in motion under several names, so that some can be held out."""

from dataclasses import replace

import pytest

from kinematch.avatar.orientation.training.people import Person, make_people
from kinematch.synth import motions, perform

CLIPS = ("walk_turn_right_135", "walk_turn_left_90", "turn_right_90", "sidestep_left", "idle", "walk_start_stop")


@pytest.fixture(scope="session")
def people() -> list[Person]:
    """Six people, each of a subject of their own."""
    card = {motion.name: motion for motion in motions()}
    names = [name for name in CLIPS if name in card]
    names += [name for name in card if name not in names][: 6 - len(names)]
    made = make_people([perform(card[name]).clip for name in names], "")
    return [replace(person, subject=str(number)) for number, person in enumerate(made)]
