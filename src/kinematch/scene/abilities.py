"""Abilities: what the actions of a database can do in a scene, from their clips alone."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.action_table import make_action_table
from kinematch.database.actions import ACTION, EXIT, FIRST, KIND
from kinematch.database.storage import Database
from kinematch.motion.actions import EVENT_KINDS, FOOT, LANDING, MAX_EVENT_RISE, PASS
from kinematch.motion.kinematics import forward

HEAD_MARGIN = 0.12  # m of a head above its joint, and air above it
PASS_REACH = 0.35  # m before and after the event that a body passes below a bar or above a box
SOLE = 0.05  # m of a foot below the joint of its toes, and air below it


@dataclass(frozen=True, eq=False)
class Abilities:
    """What each action's stretch can do; 0 (for bars infinity) where it cannot."""

    names: tuple[str, ...]  # (S,) of the action
    climbs: np.ndarray  # (S,) m that the foot of the event is above the ground before it; NaN without such an event
    clears: np.ndarray  # (S, 2) m before and after the event that feet do not touch
    heights: np.ndarray  # (S,) m of a box that the feet clear around the event
    heads: np.ndarray  # (S,) m, the lowest bar that the body passes below
    lands: np.ndarray  # (S,) bool, the event is the landing

    def can_climb(self, height: float) -> str | None:
        """The action that leads onto ground that is higher, or lower, by a height in m."""
        found = np.flatnonzero(np.abs(self.climbs - height) <= MAX_EVENT_RISE)
        return self.names[int(found[np.argmin(np.abs(self.climbs[found] - height))])] if len(found) else None

    def can_pass_below(self, height: float) -> str | None:
        found = np.flatnonzero(self.heads <= height)
        return self.names[int(found[0])] if len(found) else None

    def can_hop(self, height: float, depth: float) -> str | None:
        fits = (self.heights >= height) & (self.clears.min(axis=1) >= depth / 2)
        return self.names[int(np.flatnonzero(fits)[0])] if fits.any() else None

    def can_jump(self, width: float) -> str | None:
        fits = self.lands & (self.clears.sum(axis=1) >= width)
        return self.names[int(np.flatnonzero(fits)[0])] if fits.any() else None


def find_abilities(database: Database) -> Abilities:
    """What the actions of a database can do."""
    poses, actions = database.poses, database.poses.actions
    table, count = make_action_table(poses, database.features), len(actions.stretches)
    climbs, heights, heads = np.full(count, np.nan), np.zeros(count), np.full(count, np.inf)
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
        if kind == PASS:
            heads[row], heights[row] = _measure_pass(database, row, event)
            if table.clears[row].min() <= 0:
                heights[row] = 0.0  # it walks
            else:
                heads[row] = np.inf
    names = tuple(actions.names[number] for number in actions.stretches[:, ACTION].tolist())
    return Abilities(names, climbs, table.clears, heights, heads, lands)


def _measure_pass(database: Database, row: int, event: int) -> tuple[float, float]:
    """The height of the body and of its lower foot, above the ground, while it passes its event."""
    poses = database.poses
    first, stop = (int(poses.actions.stretches[row, k]) for k in (FIRST, EXIT))
    frames = np.arange(first, stop)
    away = np.linalg.norm((poses.positions[frames, 0] - poses.positions[event, 0])[:, [0, 2]], axis=-1)
    frames = frames[away <= PASS_REACH]
    positions, _ = forward(poses.skeleton, poses.positions[frames], poses.rotations[frames])
    above = positions[..., 1] - positions[:, :1, 1]
    head = float(above[:, 1:].max()) + HEAD_MARGIN
    centre = np.abs(frames - event) <= 0.06 * poses.frame_rate
    return head, float(max(above[centre][:, poses.contact_joints].min() - SOLE, 0.0))
