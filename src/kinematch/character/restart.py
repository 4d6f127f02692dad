"""Restart: characters whose state is not finite begin anew; the others go on."""

import logging
from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.pose import Pose
from kinematch.character.project import group_by
from kinematch.character.stages.pose import find_global_pose, place_roots
from kinematch.character.state import State
from kinematch.control.body import WORLD_RADIUS

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd

LOG = logging.getLogger("kinematch")
MOST_NAMED = 10  # characters in a warning


def restart_lost(crowd: "Crowd", beginning: State, pose: Pose) -> np.ndarray:
    """Have characters that `pose.restarted` marks begin anew, and show them; the mark (N,).

    They stand where they or their bodies are, if that is anywhere; `beginning` is the state of one new character.
    """
    restarted = pose.restarted.copy()
    characters = np.flatnonzero(restarted).astype(np.int32)
    crowd.restarts += len(characters)
    named = characters[:MOST_NAMED].tolist()
    LOG.warning("%d characters began anew, since their state was not finite: %s", len(characters), named)
    state, fresh = crowd.state, beginning.take(np.zeros(len(characters), np.int32))
    places, yaws = fresh.playing.positions.copy(), fresh.playing.yaws.copy()
    for position, yaw in ((state.body.positions, state.body.yaws), (state.playing.positions, state.playing.yaws)):
        given = np.column_stack([position[characters], yaw[characters]])
        good = (np.abs(given) < WORLD_RADIUS).all(axis=1)
        places[good], yaws[good] = given[good, :3], given[good, 3]
    for mine, new in zip(state.arrays().values(), fresh.arrays().values()):
        mine[characters] = new
    crowd.teleport(places, yaws, characters)
    show_at_rest(crowd, characters, pose)
    return restarted


def show_at_rest(crowd: "Crowd", characters: np.ndarray, pose: Pose) -> None:
    """Poses as their source has them, without layers and feet until the next step."""
    state = crowd.state
    for number, own in group_by(state.playing.sources, characters):
        sample = crowd.sources[number].decode(state, own)
        positions, rotations = np.array(sample.positions, np.float64), np.array(sample.rotations, np.float64)
        if crowd.retargeting is not None:
            positions, rotations = crowd.retargeting.apply_plainly(positions, rotations)
        place_roots(state, own, positions, rotations)
        pose.positions[own], pose.rotations[own] = positions, rotations
        pose.global_positions[own], pose.global_rotations[own] = find_global_pose(crowd.rig, positions, rotations)
        pose.contacts[own] = sample.contacts
    pose.displacements[characters], pose.turns[characters], pose.locked[characters] = 0.0, 0.0, False
    tables = np.array([source.table is not None for source in crowd.sources])
    frames = np.where(tables[state.playing.sources[characters]], state.playing.frames[characters], -1)
    pose.frames[characters], pose.fractions[characters] = frames, 0.0
    pose.sources[characters], pose.costs[characters] = state.playing.sources[characters], np.inf
