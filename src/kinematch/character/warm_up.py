"""Warming up: the step compiled or loaded before the first character moves."""

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.control.command import move
from kinematch.database.storage import Database
from kinematch.search.announce import telling


def warm_up(database: Database) -> None:
    """Compile the step, or load it, now."""
    with telling():
        Crowd(database).step(move(np.zeros((1, 3))), 1 / 60)
