"""TrainingData: a database as the networks see it: features, poses in columns, windows that stay within clips."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.storage import Database
from kinematch.database.table import make_table
from kinematch.errors import KinematchError
from kinematch.learned.model import PoseColumns, lay_out_pose
from kinematch.learned.scoring import find_true_joints
from kinematch.math.angles import rotate_about_y
from kinematch.math.rotation import to_two_axis
from kinematch.motion.rig import find_moving
from kinematch.motion.skeleton import Skeleton

MIN_FRAMES = 600  # ten seconds at 60 fps: less motion than that is played, not learned
MIN_LEVER_METRES = 0.05  # m, so that hands and heads keep their direction
MAX_CONTACT_SECONDS = 0.5  # s that contacts are counted ahead; nothing needs to know of more
HELD_SECONDS = 4.0  # of each stretch that is held out
HELD_SHARE = 0.04  # of all frames, in stretches
HELD_CLIPS = 0.04  # of all frames, as whole clips


@dataclass(frozen=True, eq=False)
class TrainingData:
    database: Database
    columns: PoseColumns
    moving: np.ndarray  # (M,) int32
    features: np.ndarray  # (F, D) float32, normalised
    poses: np.ndarray  # (F, P) float32, see PoseColumns
    changes: np.ndarray  # (F, W) float32, what rotations and places change by until the next frame, 0 at clip ends
    global_positions: np.ndarray  # (F, J, 3) float32 m in the root's frame
    levers: np.ndarray  # (P,) float32, metres that a joint moves when the column changes by one
    held: np.ndarray  # (F,) bool, stretches and whole clips that no network learns from
    held_clips: np.ndarray  # (F,) bool, the whole clips among them
    left: np.ndarray  # (F,) int32, frames that follow in the same clip and on the same side of `held`

    @property
    def skeleton(self) -> Skeleton:
        return self.database.skeleton

    @property
    def frame_rate(self) -> float:
        return self.database.poses.frame_rate

    @property
    def body(self) -> slice:
        """The columns that make the pose itself: rotations and places."""
        return slice(0, self.columns.places.stop)

    def find_windows(self, length: int, *, held: bool = False) -> np.ndarray:
        """First frames of all windows that stay within a clip and do not cross the border of held-out frames."""
        return np.flatnonzero((self.left >= length - 1) & (self.held == held))


def prepare_data(
    database: Database, *, seed: int = 0, held_share: float = HELD_SHARE, held_clips: float = HELD_CLIPS
) -> TrainingData:
    """Measure a database for training; stretches and whole clips chosen by the seed are held out, to score on."""
    poses, features = database.poses, database.features
    if poses.frame_count < MIN_FRAMES:
        raise KinematchError(
            f"the database has {poses.frame_count} frames, expected {MIN_FRAMES} or more: "
            "so little motion is played from the database itself, not learned"
        )
    if not len(poses.contact_joints):
        raise KinematchError("the database has no contact joints; learned characters need to know when feet stand")
    if not np.isfinite(features.values).all() or not np.isfinite(poses.rotations).all():
        raise KinematchError("the database holds values that are not finite; build it again")
    table = make_table(database)
    moving = find_moving(poses.skeleton, poses.positions)
    columns = lay_out_pose(poses.skeleton.joint_count, len(moving), len(poses.contact_joints))
    rows = np.empty((poses.frame_count, columns.count), np.float32)
    rows[:, columns.rotations] = to_two_axis(poses.rotations[:, 1:]).reshape(poses.frame_count, -1)
    rows[:, columns.places] = poses.positions[:, moving].reshape(poses.frame_count, -1)
    rows[:, columns.root] = _measure_root_motion(table.root_paths, poses.clip_stops, poses.frame_rate)
    rows[:, columns.contacts] = poses.contacts
    rows[:, columns.contact_left] = np.minimum(table.contact_left, MAX_CONTACT_SECONDS)
    whole = _hold_clips(poses.clip_starts, poses.clip_stops, seed, held_clips)
    held = whole | _hold_out(poses.clip_starts, poses.clip_stops, poses.frame_rate, seed, held_share)
    left = _count_left(poses.clip_starts, poses.clip_stops, held)
    body = slice(0, columns.places.stop)
    changes = np.diff(rows[:, body], axis=0, append=rows[-1:, body])
    changes[poses.clip_stops - 1] = 0.0
    return TrainingData(
        database=database, columns=columns, moving=moving, features=np.array(features.values), poses=rows,
        changes=changes, global_positions=find_true_joints(database, slice(None))[0],
        levers=_measure_levers(poses.skeleton, columns, moving), held=held,
        held_clips=whole, left=left,
    )  # fmt: skip


def _measure_root_motion(paths: np.ndarray, stops: np.ndarray, rate: float) -> np.ndarray:
    """The way to the next frame per second (F, 3), in the axes of the frame itself; the last repeats the one before.

    Differences, not velocities: steps then add up to the clip's own path.
    """
    changes = np.zeros((len(paths), 3))
    changes[:, ::2] = paths[:, 3:5]
    changes = rotate_about_y(changes, -paths[:, 2])
    motion = np.stack([changes[:, 0], changes[:, 2], paths[:, 5]], axis=-1) * rate
    motion[stops - 1] = motion[np.maximum(stops - 2, 0)]
    return motion


def _measure_levers(skeleton: Skeleton, columns: PoseColumns, moving: np.ndarray) -> np.ndarray:
    """How far a joint moves the end of its chain, for each of its columns; 1 for places, in metres already."""
    reach = np.zeros(skeleton.joint_count)
    lengths = np.linalg.norm(skeleton.offsets, axis=-1)
    ends = np.linalg.norm(skeleton.end_offsets, axis=-1)
    for parent, length in zip(skeleton.end_parents.tolist(), ends.tolist()):
        reach[parent] = max(reach[parent], length)
    for joint in range(skeleton.joint_count - 1, 0, -1):
        parent = skeleton.parents[joint]
        reach[parent] = max(reach[parent], reach[joint] + lengths[joint])
    levers = np.ones(columns.count, np.float32)
    levers[columns.rotations] = np.repeat(np.maximum(reach[1:], MIN_LEVER_METRES), 6)
    return levers


def _hold_out(starts: np.ndarray, stops: np.ndarray, rate: float, seed: int, share: float) -> np.ndarray:
    """Stretches of a few seconds spread over all clips, so that no kind of motion is left out as a whole."""
    rng, held = np.random.default_rng([seed, 11]), np.zeros(int(stops[-1]), bool)
    length = round(HELD_SECONDS * rate)
    every = round(length / share) if share > 0 else 0
    due = rng.integers(every) if every else 0
    for start, stop in zip(starts.tolist(), stops.tolist()):
        position = start
        while every and stop - position > due:
            position += due
            first = min(position, stop - length)
            if first > start + length:  # short clips are learned from as a whole
                held[first : first + length] = True
            due = every
        due -= stop - position
        due = max(due, 0)
    return held


def _hold_clips(starts: np.ndarray, stops: np.ndarray, seed: int, share: float) -> np.ndarray:
    """Clips in random order, as many as make up a share; clips longer than that are needed to learn from."""
    rng, held = np.random.default_rng([seed, 13]), np.zeros(int(stops[-1]), bool)
    room = share * len(held)
    for clip in rng.permutation(len(starts)).tolist():
        length = int(stops[clip] - starts[clip])
        if length <= room:
            held[starts[clip] : stops[clip]] = True
            room -= length
    return held


def _count_left(starts: np.ndarray, stops: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Frames (F,) that do not follow a border of clips or of held-out frames."""
    border = np.zeros(len(held), bool)
    border[stops - 1] = True
    border[:-1] |= held[:-1] != held[1:]
    frames = np.arange(len(held))
    ends = np.minimum.accumulate(np.where(border, frames, len(held))[::-1])[::-1]
    return (ends - frames).astype(np.int32)
