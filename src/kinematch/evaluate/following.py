"""Following: how far a character is from the simulated body, and how soon it answers a command."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.evaluate.course import CommandChange
from kinematch.evaluate.run import Take
from kinematch.math.angles import wrap_angle

DONE = 0.9  # of a change that count as its answer
STEADY = 0.2  # s over which speeds are averaged: a step's own sway is no answer


@dataclass(frozen=True)
class Response:
    scenario: str
    event: CommandChange
    seconds: float  # until 90 % of the change; infinite when the next command came first
    simulated: float  # the same for the simulated body, which no character can outrun


def position_errors(take: Take) -> np.ndarray:
    """Metres (T,) along the ground between root and simulated body."""
    apart = take.global_positions[:, 0] - take.body_positions
    return np.hypot(apart[:, 0], apart[:, 2])


def facing_errors(take: Take) -> np.ndarray:
    """Radians (T,) between their facings."""
    return np.abs(wrap_angle(take.root_yaws - take.body_yaws))


def responses(take: Take) -> list[Response]:
    """How long the character and its simulated body take for each event."""
    roots, rate = take.global_positions[:, 0].astype(np.float64), take.rate
    answers = []
    for event in take.scenario.events:
        first, last = round(event.time * rate), min(round(event.until * rate), len(roots))
        if last <= first:
            continue
        measure = _turned if event.kind == "turn" else _sped
        own = measure(take, take.root_yaws, roots, first, last, event)
        simulated = measure(take, take.body_yaws, take.body_positions, first, last, event)
        answers.append(Response(take.scenario.name, event, own, simulated))
    return answers


def _turned(take: Take, yaws: np.ndarray, places: np.ndarray, first: int, last: int, event: CommandChange) -> float:
    wanted = np.arctan2(take.facings[first, 0], take.facings[first, 2])
    left = np.abs(wrap_angle(wanted - yaws[first:last]))
    return _first(left <= (1 - DONE) * abs(event.change), take.rate)


def _sped(take: Take, yaws: np.ndarray, places: np.ndarray, first: int, last: int, event: CommandChange) -> float:
    speeds = steady_speeds(places, take.rate)[first:last]
    wanted = np.linalg.norm(take.velocities[first])
    return _first(np.abs(wanted - speeds) <= (1 - DONE) * abs(event.change), take.rate)


def _first(reached: np.ndarray, rate: float) -> float:
    """Seconds to the end of the first step in which it is so."""
    return float(np.argmax(reached) + 1) / rate if reached.any() else float("inf")


def steady_speeds(places: np.ndarray, rate: float, *, seconds: float = STEADY) -> np.ndarray:
    """Ground speeds (T,) of places (T, 3): over a window of `seconds` around each step."""
    half = max(1, round(seconds * rate / 2))
    padded = np.concatenate([np.repeat(places[:1], half, axis=0), places, np.repeat(places[-1:], half, axis=0)])
    way = padded[2 * half :] - padded[: -2 * half]
    steps = np.arange(len(places))
    span = np.minimum(steps + half, len(places) - 1) - np.maximum(steps - half, 0)
    return np.hypot(way[:, 0], way[:, 2]) * rate / np.maximum(span, 1)


def times_of(answers: Sequence[Response], kind: str) -> np.ndarray:
    """Seconds (n,) of all events of a kind; those without an answer count as long as they lasted."""
    own = [r for r in answers if r.event.kind == kind]
    return np.array([min(r.seconds, r.event.until - r.event.time) for r in own], np.float64)
