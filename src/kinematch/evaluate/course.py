"""A course: what is asked of characters over time, one scenario each, with the moments at which an answer is due."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinematch.control.command import Controller

SETTLING = 3.0  # s after a stop from which a character counts as standing
Wanted = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # times (T,) -> velocities (T, 3), facings (T, 3)


@dataclass(frozen=True)
class CommandChange:
    """A sharp change of the command; the answer counts until the next one."""

    kind: Literal["turn", "speed"]
    time: float  # s
    until: float  # s
    change: float  # rad of facing, or m/s of speed


@dataclass(frozen=True)
class Need:
    """What the source must have something like for a scenario to be fair."""

    turn: float = 0.0  # rad of facing within a second
    slowest: float = 0.0  # m/s at the beginning or the end of that second
    fastest: float = np.inf  # m/s
    any_way: bool = False  # movement in all eight directions
    stands: float = 0.0  # s of standing still in one piece


@dataclass(frozen=True, eq=False)
class Scenario:
    name: str
    group: str
    seconds: float
    wanted: Wanted
    events: tuple[CommandChange, ...] = ()
    terrain: bool = False  # on uneven ground
    steer: Callable[[], Controller] | None = None  # makes what commands it by where it is, in place of `wanted`
    need: Need | None = None
    lack: str = ""  # why the source has nothing like it; it is run and scored, and not held to targets


@dataclass(frozen=True)
class CommandSpan:
    """A while of one command."""

    seconds: float
    speed: float  # m/s
    heading: float = 0.0  # rad of the velocity, from +Z to +X
    facing: float | None = None  # rad; along the velocity, or kept while standing, when left out


def directions(angles: np.ndarray) -> np.ndarray:
    """Unit ground vectors (..., 3) of headings."""
    angles = np.asarray(angles, np.float64)
    return np.stack([np.sin(angles), np.zeros_like(angles), np.cos(angles)], axis=-1)


def of_legs(
    name: str, group: str, legs: Sequence[CommandSpan], *, answers: bool = True, terrain: bool = False
) -> Scenario:
    """A scenario of one command after the other; where it answers, sharp changes of facing or speed are its events."""
    edges = np.cumsum([leg.seconds for leg in legs])
    speeds = np.array([leg.speed for leg in legs])
    headings = np.array([leg.heading for leg in legs])
    facing = np.array([np.nan if leg.facing is None else leg.facing for leg in legs])
    facing = np.where(np.isnan(facing) & (speeds > 0), headings, facing)
    velocities = directions(headings) * speeds[:, None]
    facings = np.where(np.isnan(facing)[:, None], 0.0, directions(np.nan_to_num(facing)))

    def wanted(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        which = np.minimum(np.searchsorted(edges, times, side="right"), len(legs) - 1)
        return velocities[which], facings[which]

    events = _events(edges, speeds, facing) if answers else ()
    return Scenario(name, group, float(edges[-1]), wanted, events, terrain=terrain)


def _events(edges: np.ndarray, speeds: np.ndarray, facing: np.ndarray) -> tuple[CommandChange, ...]:
    events: list[CommandChange] = []
    held = 0.0  # the facing wanted so far: characters begin facing +Z
    for k, (time, until) in enumerate(zip(np.concatenate([[0.0], edges[:-1]]), edges)):
        turn = 0.0 if np.isnan(facing[k]) else float((facing[k] - held + np.pi) % (2 * np.pi) - np.pi)
        held = held + turn
        change = float(speeds[k] - speeds[k - 1]) if k else float(speeds[0])
        if abs(turn) > np.radians(20):
            events.append(CommandChange("turn", float(time), float(until), turn))
        elif abs(change) > 0.3:
            events.append(CommandChange("speed", float(time), float(until), change))
    return tuple(events)


def of_heading(
    name: str, group: str, seconds: float, speed: float, heading: Callable[[np.ndarray], np.ndarray]
) -> Scenario:
    """Steady speed along a heading that changes smoothly with time."""

    def wanted(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        way = directions(heading(times))
        return speed * way, way

    return Scenario(name, group, seconds, wanted)
