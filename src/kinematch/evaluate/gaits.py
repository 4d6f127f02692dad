"""The speeds that a course asks for: those that the database itself holds, so that no one is blamed for its gaps."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinematch.database.coverage import measure_root_motion
from kinematch.database.filters import tag_mask
from kinematch.database.poses import PoseDatabase
from kinematch.database.storage import Database
from kinematch.errors import KinematchError

BANDS = {"walk": (0.8, 1.8), "jog": (1.8, 3.0), "sprint": (3.0, np.inf)}  # m/s, as in database.coverage
MIN_GAIT_SECONDS = 2.0  # s of a motion that make it worth asking for
FORWARD_ANGLE = np.radians(30)  # from straight ahead, within which motion is forward


MOVING = 0.3  # m/s from which a direction of movement says something
WAYS = np.arange(8) * np.pi / 4  # rad, of strafing
WAY = np.pi / 8  # rad from one of them within which movement goes that way
EACH_WAY = 0.5  # s of movement in each that make strafing worth asking for
LOOP_SECONDS = 10.0  # that a looping clip counts for at least, since it plays for as long as it is needed


@dataclass(frozen=True)
class Gaits:
    forward: Mapping[str, float]  # m/s by gait, slowest first
    strafe: float  # m/s, sideways and backward
    any_way: bool = True  # whether there is movement in all eight directions


def admitted(database: Database, filter: str) -> np.ndarray:
    """The frames (F,) that a filter lets through."""
    tags = database.poses.tags
    return tag_mask(filter, tags.names, tags.frames)


def find_gaits(database: Database, filter: str = "") -> Gaits:
    """The median forward speed in each band of speeds, and the median speed sideways and backward."""
    mask = admitted(database, filter)
    speed, direction, turn = measure_root_motion(database.poses)
    speed, seconds = steady_loops(database.poses, speed), measure_frame_seconds(database.poses)
    straight = mask & (np.abs(direction) < FORWARD_ANGLE) & (np.abs(turn) < np.radians(60))
    found = {}
    for name, (low, high) in BANDS.items():
        own = straight & (speed >= low) & (speed < high)
        if seconds[own].sum() >= MIN_GAIT_SECONDS:
            found[name] = round(float(np.median(speed[own])), 2)
    if not found:
        raise KinematchError(
            f"the database holds less than {MIN_GAIT_SECONDS:g} s of walking, jogging or running forward"
            + (f" under the filter {filter!r}" if filter else "")
        )
    aside = mask & (np.abs(direction) > np.radians(60)) & (speed > 0.3)
    slowest = next(iter(found.values()))
    strafe = float(np.median(speed[aside])) if seconds[aside].sum() >= MIN_GAIT_SECONDS else 0.6 * slowest
    return Gaits(found, round(min(strafe, slowest), 2), bool(measure_ways(database, mask).min() >= EACH_WAY))


def measure_ways(database: Database, mask: np.ndarray) -> np.ndarray:
    """Seconds (8,) of movement of admitted frames (F,) in each direction of WAYS."""
    speed, direction, _ = measure_root_motion(database.poses)
    own = mask & (speed > MOVING)
    apart = np.abs((direction[own, None] - WAYS + np.pi) % (2 * np.pi) - np.pi)
    return measure_frame_seconds(database.poses)[own] @ (apart < WAY)


def steady_loops(poses: PoseDatabase, speeds: np.ndarray) -> np.ndarray:
    """Speeds (F,), those of a loop's frames the speed at which the whole of it goes on, m/s."""
    steady = speeds.copy()
    for clip in np.flatnonzero(poses.clip_loops):
        own = poses.clip_frames(int(clip))
        steady[own] = np.linalg.norm(poses.loop_positions[clip]) * poses.frame_rate / (own.stop - own.start)
    return steady


def measure_frame_seconds(poses: PoseDatabase) -> np.ndarray:
    """How long each frame (F,) can be shown: those of loops come back."""
    lengths = (poses.clip_stops - poses.clip_starts) / poses.frame_rate
    longer = np.where(poses.clip_loops, np.maximum(LOOP_SECONDS / lengths, 1.0), 1.0)
    return longer[poses.clip_of(np.arange(poses.frame_count))] / poses.frame_rate
