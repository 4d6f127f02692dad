"""Abilities: what the actions of a database can do in a scene, from their clips alone."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.action_clears import HOP_REACH, ROOM
from kinematch.database.action_table import make_action_table
from kinematch.database.actions import ACTION, FIRST, KIND
from kinematch.database.storage import Database
from kinematch.motion.actions import EVENT_KINDS, FOOT, LANDING, MAX_EVENT_RISE, PASS, SEAT

SEAT_DEPTH = 0.04  # m that a body may be in what it sits on


@dataclass(frozen=True, eq=False)
class Abilities:
    """What each action's stretch can do; 0 (for bars infinity) where it cannot."""

    names: tuple[str, ...]  # (S,) of the action
    climbs: np.ndarray  # (S,) m that the foot of the event is above the ground before it; NaN without such an event
    clears: np.ndarray  # (S, 3) m that it leaves free around its event, see `measure_clears`
    heights: np.ndarray  # (S,) m of a box that the feet clear around the event
    heads: np.ndarray  # (S,) m, the lowest bar that the body passes below
    seats: np.ndarray  # (S,) m, the height of what it sits on without being in it; NaN for none
    lands: np.ndarray  # (S,) bool, the event is the landing

    def can_climb(self, height: float) -> str | None:
        """The action that leads onto ground that is higher, or lower, by a height in m."""
        found = np.flatnonzero(np.abs(self.climbs - height) <= MAX_EVENT_RISE)
        return self.names[int(found[np.argmin(np.abs(self.climbs[found] - height))])] if len(found) else None

    def can_pass_below(self, height: float) -> str | None:
        found = np.flatnonzero(self.heads <= height)
        return self.names[int(found[0])] if len(found) else None

    def can_hop(self, height: float, depth: float) -> str | None:
        fits = (self.heights >= height) & (self.clears[:, :ROOM].min(axis=1) >= depth / 2) & (depth / 2 <= HOP_REACH)
        return self.names[int(np.flatnonzero(fits)[0])] if fits.any() else None

    def can_jump(self, width: float) -> str | None:
        fits = self.lands & (self.clears[:, :ROOM].sum(axis=1) >= width)
        return self.names[int(np.flatnonzero(fits)[0])] if fits.any() else None

    def can_sit(self, height: float) -> bool:
        return bool((np.abs(self.seats - height) <= MAX_EVENT_RISE).any())


def find_abilities(database: Database) -> Abilities:
    """What the actions of a database can do."""
    poses, actions = database.poses, database.poses.actions
    table, count = make_action_table(poses, database.features), len(actions.stretches)
    climbs, heights, heads = np.full(count, np.nan), np.zeros(count), np.full(count, np.inf)
    seats = np.full(count, np.nan)
    lands = np.zeros(count, bool)
    for row in range(count):
        event = int(table.targets[row])
        if event < 0:
            continue
        kind = EVENT_KINDS[actions.events[actions.targets[row], KIND]]
        lands[row] = kind == LANDING
        if kind == FOOT:
            first = int(actions.stretches[row, FIRST])
            climbs[row] = table.heights[event] + table.points[row, 1] - table.heights[first]
        if kind == PASS and table.clears[row, :ROOM].min() > 0:
            heights[row] = table.clears[row, ROOM]
        elif kind == PASS:
            heads[row] = -table.clears[row, ROOM]
        if kind == SEAT and table.clears[row, ROOM] >= -SEAT_DEPTH:
            seats[row] = table.heights[event] + table.points[row, 1] - table.heights[int(actions.stretches[row, FIRST])]
    names = tuple(actions.names[number] for number in actions.stretches[:, ACTION].tolist())
    return Abilities(names, climbs, table.clears, heights, heads, seats, lands)
