"""Acts: what pages ask the steered character to do, and the playground in which it acts on what is near."""

from dataclasses import replace

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.control.command import Command
from kinematch.control.request import Request
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.scene.abilities import find_abilities
from kinematch.scene.planner import Planner
from kinematch.scene.playground import make_playground
from kinematch.scene.terrain import HeightGrid

PATIENCE = 0.6  # s for which a request is repeated until it is entered
CELL = 0.1  # m of the playground as it is drawn
HALF = 12.0  # m from the middle of the playground to its edges


class Acts:
    """The requests of one stage, and its planner where it has a scene."""

    def __init__(self, database: Database):
        self.names = database.poses.actions.names
        self._database = database
        self._action, self._left = "", 0.0
        self._planner: Planner | None = None
        self._seated = False

    def do(self, action: str, crowd: Crowd) -> None:
        """Have the steered character do an action, or without a name use what is near."""
        if action:
            self.ask(action)
        else:
            self.use(crowd)

    def ask(self, action: str) -> None:
        """Have the steered character do an action as soon as it can."""
        if action not in self.names:
            raise KinematchError(unknown("action", action, self.names))
        self._action, self._left = action, PATIENCE

    def enter(self, playground: bool) -> None:
        """Act on the playground from now on, or on nothing."""
        able = playground and bool(self.names)
        self._planner = Planner(make_playground(), find_abilities(self._database)) if able else None
        self._seated = False

    def use(self, crowd: Crowd) -> None:
        """Sit on the nearest seat, or stand up from it."""
        if self._planner is None:
            raise KinematchError("nothing is near to use: choose the playground, and motion with actions")
        seat = None if self._seated else self._planner.scene.find_seat(crowd.root_positions[0])
        if seat is None and not self._seated:
            raise KinematchError("no seat is within 3 m")
        self._seated = seat is not None
        self._planner.use(seat)

    def change(self, command: Command, crowd: Crowd, dt: float) -> Command:
        """The command with what was asked for, and with what the scene asks for."""
        if self._left > 0:
            self._left -= dt
            if crowd.acting[0]:
                self._left = 0.0
            command = replace(command, request=Request(self._action))
        if self._seated and np.abs(command.velocities[0]).max() > 0.5 and crowd.acting[0]:
            self._seated = False  # a stick that is pushed stands up
            assert self._planner is not None
            self._planner.use(None)
        return command if self._planner is None else self._planner.plan(command, crowd, dt)


def make_ground() -> HeightGrid:
    """The playground as a grid, to be drawn."""
    count = round(2 * HALF / CELL) + 1
    along = np.linspace(-HALF, HALF, count)
    points = np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1).reshape(-1, 2)
    return HeightGrid(make_playground().heights(points).reshape(count, count), CELL, (-HALF, -HALF))
