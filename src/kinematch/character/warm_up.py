"""Warming up: the step compiled or loaded before the first character moves."""

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.compile.announce import telling
from kinematch.control.command import move
from kinematch.database.storage import Database


def warm_up(database: Database) -> None:
    """Compile the step, or load it, now."""
    with telling():
        Crowd(database).step(move(np.zeros((1, 3))), 1 / 60)
