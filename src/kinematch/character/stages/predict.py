"""Predict: where the simulated body will be, by springs or as the controller says; and where the root was."""

from typing import NamedTuple

import numpy as np

from kinematch.character.constants import ALIGNED, NEAR, STANDING_SPEED
from kinematch.character.orders import Orders
from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.control.body import predict_bodies, remaining_turn, step_bodies
from kinematch.control.command import Command
from kinematch.control.trajectory import Trajectory
from kinematch.control.trajectory_plain import locate_bodies
from kinematch.math.angles import wrap_angle


class Standing(NamedTuple):
    """Small offsets from root to body that M standing characters ignore, instead of shuffling to correct them."""

    gaps: np.ndarray  # (M, 3) m, from root to body; zero for others
    turns: np.ndarray  # (M,) rad
    well: np.ndarray  # (M,) bool, whether they stand where and as they should


def measure_standing(state: State, characters: np.ndarray, orders: Orders) -> Standing:
    body, playing = state.body.take(characters), state.playing
    wish, ground = orders.velocities[characters], np.array([1.0, 0.0, 1.0])
    still = ~(wish * ground).any(axis=-1) & (np.linalg.norm(body.velocities * ground, axis=-1) <= STANDING_SPEED)
    gaps = (body.positions - playing.positions[characters]) * ground
    turns = wrap_angle(body.yaws - playing.yaws[characters])
    near = still & (np.linalg.norm(gaps, axis=-1) <= NEAR)
    aligned = still & (np.abs(turns) <= ALIGNED) & (np.abs(body.yaw_rates) <= ALIGNED)
    return Standing(np.where(near[:, None], gaps, 0.0), np.where(aligned, turns, 0.0), near & aligned)


def predict_trajectories(
    state: State, characters: np.ndarray, orders: Orders, given: Trajectory | None, times: np.ndarray,
    ago: np.ndarray, settings: Settings,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Positions (M, H, 3) and yaws (M, H) in the world at times (H,) from a moment `ago` (M,) s before now, as asked.

    Springs predict the body under an unchanging command (digital humans eq. 2-4) unless the controller gave a
    trajectory. Negative times are where the root really was.
    """
    body = state.body.take(characters)
    moments = times - ago[:, None]
    if given is not None:
        positions, yaws = given.sample(moments, characters)
    else:
        command = Command(orders.velocities[characters], orders.facings[characters])
        future = predict_bodies(body, command, np.maximum(moments, 0.0), settings.halflives)
        back = np.minimum(moments, 0.0)  # springs that run backwards diverge
        positions = future.positions + back[..., None] * body.velocities[:, None]
        yaws = future.yaws + back * body.yaw_rates[:, None]
    standing = measure_standing(state, characters, orders)
    positions, yaws = positions - standing.gaps[:, None], yaws - standing.turns[:, None]
    was = times < 0
    if was.any():
        positions[:, was], yaws[:, was] = recall_roots(state, characters, -moments[:, was])
    return positions, yaws


def find_idle(
    state: State, characters: np.ndarray, orders: Orders, resting: np.ndarray, settings: Settings
) -> np.ndarray:
    """Whether characters (M,) stand, are to stand, and play something that stands (M,)."""
    turn = remaining_turn(state.body.take(characters), orders.facings[characters], settings.halflives)
    return measure_standing(state, characters, orders).well & (np.abs(turn) < ALIGNED) & resting


def move_bodies(
    state: State, characters: np.ndarray, orders: Orders, given: Trajectory | None, dt: float, settings: Settings
) -> None:
    """The simulated bodies follow their command for dt, or are where the controller's trajectory says."""
    if given is not None:
        after = locate_bodies(given, characters, dt)
    else:
        command = Command(orders.velocities[characters], orders.facings[characters])
        after = step_bodies(state.body.take(characters), command, dt, settings.halflives)
    for array, values in zip(state.body, after):
        array[characters] = values


def recall_roots(state: State, characters: np.ndarray, ages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (M, H, 3) and yaws (M, H) of roots so many seconds ago (M, H); before what is known they stood."""
    playing, past = state.playing, state.past
    now = np.concatenate([playing.positions[characters], playing.yaws[characters][:, None]], axis=1)
    known_ages = np.concatenate([np.zeros((len(now), 1)), past.ages[characters]], axis=1)  # (M, P + 1), increasing
    roots = np.concatenate([now[:, None], past.roots[characters]], axis=1)
    last = np.isfinite(known_ages).sum(axis=1) - 1
    after = np.minimum((known_ages[:, None, :] < ages[:, :, None]).sum(axis=-1), last[:, None])
    before = np.maximum(after - 1, 0)
    rows = np.arange(len(now))[:, None]
    start, stop = known_ages[rows, before], known_ages[rows, after]
    t = np.clip((ages - start) / np.where(stop > start, stop - start, 1.0), 0.0, 1.0)
    here, there = roots[rows, before], roots[rows, after]
    turn = wrap_angle(there[..., 3] - here[..., 3])
    return here[..., :3] + t[..., None] * (there - here)[..., :3], here[..., 3] + t * turn


def remember_roots(state: State, dt: float, spacing: float) -> None:
    """Note where all roots are now, once every `spacing` seconds; everything noted grows older by dt."""
    past, playing = state.past, state.playing
    if not past.ages.shape[1]:
        return
    due = ~(past.ages[:, 0] < spacing)
    past.ages[due, 1:], past.roots[due, 1:] = past.ages[due, :-1], past.roots[due, :-1]
    past.ages[due, 0] = 0.0
    past.roots[due, 0, :3], past.roots[due, 0, 3] = playing.positions[due], playing.yaws[due]
    past.ages[...] += dt
