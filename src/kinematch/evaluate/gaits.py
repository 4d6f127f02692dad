"""The speeds that a course asks for: those that the database itself holds, so that no one is blamed for its gaps."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinematch.database.coverage import measure_root_motion
from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database
from kinematch.errors import KinematchError

BANDS = {"walk": (0.8, 1.8), "jog": (1.8, 3.0), "sprint": (3.0, np.inf)}  # m/s, as in database.coverage
ENOUGH = 2.0  # s of a motion that make it worth asking for
AHEAD = np.radians(30)  # from straight ahead, within which motion is forward


@dataclass(frozen=True)
class Gaits:
    forward: Mapping[str, float]  # m/s by gait, slowest first
    strafe: float  # m/s, sideways and backward


def admitted(database: Database, filter: str) -> np.ndarray:
    """The frames (F,) that a filter lets through."""
    tags = database.poses.tags
    return tag_mask(filter, tags.names, tags.frames)


def find_gaits(database: Database, filter: str = "") -> Gaits:
    """The median forward speed in each band of speeds, and the median speed sideways and backward."""
    mask = admitted(database, filter)
    speed, direction, turn = measure_root_motion(database.poses)
    enough = ENOUGH * database.poses.frame_rate
    straight = mask & (np.abs(direction) < AHEAD) & (np.abs(turn) < np.radians(60))
    found = {}
    for name, (low, high) in BANDS.items():
        own = speed[straight & (speed >= low) & (speed < high)]
        if len(own) >= enough:
            found[name] = round(float(np.median(own)), 2)
    if not found:
        raise KinematchError(
            f"the database holds less than {ENOUGH:g} s of walking, jogging or running forward"
            + (f" under the filter {filter!r}" if filter else "")
        )
    aside = speed[mask & (np.abs(direction) > np.radians(60)) & (speed > 0.3)]
    slowest = next(iter(found.values()))
    strafe = float(np.median(aside)) if len(aside) >= enough else 0.6 * slowest
    return Gaits(found, round(min(strafe, slowest), 2))
