"""Loops: a stride of each gait and a while of standing, cut from a database and closed, for the state machine."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.coverage import measure_root_motion
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.evaluate.gaits import FORWARD_ANGLE, admitted
from kinematch.math import quaternion

BLEND = 0.15  # s at the end of a loop that lead over to its beginning


class NoLoop(KinematchError):
    """A database has nothing that a loop could be cut from."""


@dataclass(frozen=True, eq=False)
class GaitLoop:
    """Poses of one round without the root's motion."""

    start: int  # frame of the database
    positions: np.ndarray  # (L, J, 3) m
    rotations: np.ndarray  # (L, J, 4)
    seconds: float

    def at(self, phases: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, rotations and frames of the database at phases (N,) in [0, 1)."""
        times = phases * len(self.positions)
        k = times.astype(int) % len(self.positions)
        after, t = (k + 1) % len(self.positions), (times - times.astype(int))[:, None, None]
        turned = quaternion.nearest(self.rotations[after], self.rotations[k])
        mixed = quaternion.normalize(self.rotations[k] * (1 - t) + turned * t)
        return self.positions[k] * (1 - t) + self.positions[after] * t, mixed, self.start + k


def stride(database: Database, speed: float, filter: str = "") -> GaitLoop:
    """The best closed straight stride at a speed; it begins when the left foot is farthest ahead."""
    moving, direction, turn = measure_root_motion(database.poses)
    for slack in (0.1, 0.2, 0.4):  # of the speed: the nearest that there is
        steady = (np.abs(moving - speed) < slack * speed) & (np.abs(direction) < FORWARD_ANGLE)
        steady &= (np.abs(turn) < np.radians(60)) & admitted(database, filter)
        # a stride takes 1.1 s at a walk and 0.65 s in a run
        found = _closed(database, steady, shortest=0.5, longest=1.4)
        if found is not None:
            return _from_left_foot(database, _cut(database, *found))
    raise NoLoop(f"the database has no straight stride at {speed:g} m/s")


def rest(database: Database, filter: str = "") -> GaitLoop:
    """The best closed while of standing."""
    moving, _, turn = measure_root_motion(database.poses)
    still = (moving < 0.12) & (np.abs(turn) < np.radians(10)) & admitted(database, filter)
    found = _closed(database, still, shortest=1.0, longest=4.0)
    if found is None:
        raise NoLoop("the database has no second of standing still")
    return _cut(database, *found)


def _closed(database: Database, good: np.ndarray, *, shortest: float, longest: float) -> tuple[int, int] | None:
    """Frames (start, stop) of one clip, good all the way, whose ends are most alike in the pose features."""
    poses, features = database.poses, database.features
    columns = [c for f, c in zip(features.schema.features, features.schema.columns.values()) if f.group == "pose"]
    values = np.concatenate([features.values[:, c] for c in columns], axis=1)
    clip, lead = poses.clip_of(np.arange(poses.frame_count)), round(BLEND * poses.frame_rate)
    count = np.concatenate([[0], np.cumsum(good)])
    best, found = np.inf, None
    for length in range(round(shortest * poses.frame_rate), round(longest * poses.frame_rate) + 1):
        starts = np.arange(lead, poses.frame_count - length)
        whole = (count[starts + length] - count[starts - lead] == length + lead) & (
            clip[starts - lead] == clip[starts + length]
        )
        starts = starts[whole]
        if len(starts):
            apart = np.square(values[starts] - values[starts + length]).sum(axis=1)
            k = int(np.argmin(apart))
            if apart[k] < best:
                best, found = float(apart[k]), (int(starts[k]), int(starts[k]) + length)
    return found


def _cut(database: Database, start: int, stop: int) -> GaitLoop:
    """Towards its end the loop becomes what led to its beginning, so that it closes without a step."""
    poses = database.poses
    positions, rotations = (np.array(a[start:stop], np.float64) for a in (poses.positions, poses.rotations))
    lead = round(BLEND * poses.frame_rate)
    share = (np.arange(1, lead + 1) / (lead + 1))[:, None, None]
    before = np.arange(start - lead, start)
    positions[-lead:] = positions[-lead:] * (1 - share) + poses.positions[before] * share
    turned = quaternion.nearest(poses.rotations[before], rotations[-lead:])
    rotations[-lead:] = quaternion.normalize(rotations[-lead:] * (1 - share) + turned * share)
    return GaitLoop(start, positions, rotations, (stop - start) / poses.frame_rate)


def _from_left_foot(database: Database, loop: GaitLoop) -> GaitLoop:
    """So that loops of all gaits are in step."""
    schema = database.features.schema
    name = next((f.name for f in schema.features if f.kind == "position" and "left" in f.joint), None)
    if name is None:
        return loop
    ahead = database.features.physical(slice(loop.start, loop.start + len(loop.positions)))[:, schema.columns[name]]
    shift = -int(np.argmax(ahead[:, -1]))
    return GaitLoop(
        loop.start, np.roll(loop.positions, shift, axis=0), np.roll(loop.rotations, shift, axis=0), loop.seconds
    )
