"""Schedule: which characters search in a step, and why."""

import math

import numpy as np

from kinematch.character.constants import INTERVAL_SLACK
from kinematch.character.orders import Orders
from kinematch.character.reason import Reason
from kinematch.character.settings import Settings
from kinematch.character.source import Status
from kinematch.character.state import State
from kinematch.math.angles import wrap_angle

SPARE = 1.25  # times the average number of searches that a step may hold; the rest wait their turn
FEWEST = 32  # searches that a step may always hold
URGENT = 1e6  # s of waiting that the end of a clip counts as


def find_reasons(
    state: State, characters: np.ndarray, orders: Orders, status: Status, settings: Settings
) -> np.ndarray:
    """Why characters have to search now (M,) int8, NONE where they need not."""
    schedule, playing = state.schedule, state.playing
    since, commands = schedule.since[characters], schedule.commands[characters]
    velocities, facings = orders.velocities[characters], orders.facings[characters]
    with np.errstate(invalid="ignore"):
        change = np.linalg.norm(velocities - commands[:, :3], axis=-1)
        turn = np.abs(wrap_angle(np.arctan2(facings[:, 0], facings[:, 2]) - commands[:, 3]))
        sharp = (since >= settings.forced_interval) & (change > settings.velocity_change)
        turned = (since >= settings.forced_interval) & (turn > settings.facing_change) & has_facing(facings)
    retagged = (since >= settings.forced_interval) & (orders.filters[characters] != schedule.filters[characters])
    schedule.idle[characters] &= ~status.committed  # a committed clip is never idle, whatever the command
    # the first true condition wins; NaN in `since`, which users may have written, counts as due
    conditions = {
        Reason.SOURCE: orders.sources[characters] != playing.sources[characters],
        Reason.END: status.ended,
        Reason.NONE: status.committed,
        Reason.INTERVAL: ~(since < settings.search_interval - INTERVAL_SLACK),
        Reason.FIRST: np.isnan(commands[:, 0]),
        Reason.VELOCITY: sharp,
        Reason.FACING: turned,
        Reason.TAGS: retagged,
    }
    return np.select(list(conditions.values()), list(map(int, conditions)), int(Reason.NONE)).astype(np.int8)


def limit_searches(reasons: np.ndarray, since: np.ndarray, dt: float, settings: Settings) -> np.ndarray:
    """The characters (M,) int32 that search now, in order; `reasons` (N,) of those who have to wait become NONE."""
    characters = reasons.nonzero()[0].astype(np.int32)
    most = max(FEWEST, math.ceil(SPARE * len(reasons) * dt / settings.search_interval))
    if len(characters) > most:  # ends of clips, new tags and sources first, then the longest wait
        urgency = np.nan_to_num(since[characters], nan=URGENT) + URGENT * np.isin(
            reasons[characters], (Reason.END, Reason.TAGS, Reason.SOURCE)
        )
        order = np.argpartition(-urgency, most)
        reasons[characters[order[most:]]] = Reason.NONE
        characters = np.sort(characters[order[:most]])
    return characters


def note_search(state: State, characters: np.ndarray, orders: Orders, dt: float, settings: Settings) -> None:
    """Note when characters searched and what they were told.

    Time beyond the interval is carried over, so that the search rate does not depend on the step rate. A character that
    waited longer than a step starts its interval anew, and one that never searched keeps its phase: crowds must not
    search all at once.
    """
    schedule = state.schedule
    since, commands = schedule.since[characters], schedule.commands[characters]
    over = since - settings.search_interval
    kept = np.where((over >= 0) & (over < dt), over, 0.0)
    schedule.since[characters] = np.where(np.isnan(commands[:, 0]), since % settings.search_interval, kept)
    facings = orders.facings[characters]
    before = np.where(np.isnan(commands[:, 3]), state.body.yaws[characters], commands[:, 3])
    yaws = np.where(has_facing(facings), np.arctan2(facings[:, 0], facings[:, 2]), before)
    schedule.commands[characters] = np.concatenate([orders.velocities[characters], yaws[:, None]], axis=1)
    schedule.filters[characters] = orders.filters[characters]


def has_facing(facings: np.ndarray) -> np.ndarray:
    """Whether facings (M, 3) say anything."""
    return (facings[:, 0] != 0) | (facings[:, 2] != 0)
