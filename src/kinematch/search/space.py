"""SearchSpace: what is searched. Features without weights, which frames may be found, clips, tags and cost factors."""

from dataclasses import dataclass, field

import numpy as np

from kinematch.database.feature_database import column_weights
from kinematch.database.storage import Database
from kinematch.errors import KinematchError

MOST_COLUMNS = 128  # beyond this the sums of the quantised boxes could overflow 32 bits


@dataclass(frozen=True, eq=False)
class SearchSpace:
    values: np.ndarray  # (F, D) float32, normalised, without weights
    weights: np.ndarray  # (D,) float32, factors of the squared differences
    targets: np.ndarray  # (F,) bool, which frames may be jumped to
    clip_starts: np.ndarray  # (C,) int32
    clip_stops: np.ndarray  # (C,) int32
    ends: np.ndarray  # (F,) bool, frames after which playback cannot go on
    cost_factor: np.ndarray  # (F,) float32, multiplies the cost of jumping here
    tag_names: tuple[str, ...] = ()
    tags: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), bool))  # (F, T) bool

    def __post_init__(self):
        frames, columns = self.values.shape
        if not frames or not 1 <= columns <= MOST_COLUMNS:
            raise KinematchError(
                f"features of shape {self.values.shape}: expected 1 or more frames, 1 to {MOST_COLUMNS} columns"
            )
        if not np.isfinite(self.values).all():
            frame = int(np.argmax(~np.isfinite(self.values).all(axis=1)))
            raise KinematchError(f"the features of frame {frame} are not finite")
        check_weights(self.weights, columns)
        if not ((self.cost_factor > 0) & np.isfinite(self.cost_factor)).all():
            raise KinematchError("cost factors must be positive numbers")
        edges = np.concatenate([[0], self.clip_stops])
        if edges[-1] != frames or (self.clip_starts != edges[:-1]).any():
            raise KinematchError("clips must cover the frames one after another")

    @property
    def frame_count(self) -> int:
        return self.values.shape[0]

    @property
    def column_count(self) -> int:
        return self.values.shape[1]


def check_weights(weights: np.ndarray, columns: int) -> np.ndarray:
    weights = np.ascontiguousarray(weights, np.float32)
    if weights.shape != (columns,) or not ((weights >= 0) & np.isfinite(weights)).all():
        raise KinematchError(f"weights of shape {weights.shape}: expected {columns} numbers of zero or more")
    return weights


def search_space(database: Database) -> SearchSpace:
    """The search space of a database, under its own weights."""
    poses, features = database.poses, database.features
    ends = np.zeros(poses.frame_count, bool)
    ends[poses.clip_stops[~poses.clip_loops] - 1] = True
    return SearchSpace(
        values=features.values,
        weights=column_weights(features.schema, features.weights),
        targets=np.asarray(features.targets),
        clip_starts=np.asarray(poses.clip_starts),
        clip_stops=np.asarray(poses.clip_stops),
        ends=ends,
        cost_factor=np.asarray(poses.cost_factor),
        tag_names=poses.tags.names,
        tags=np.asarray(poses.tags.frames),
    )


def plain_space(values: np.ndarray, **given) -> SearchSpace:
    """A space of values alone: one clip, weights of one, every frame a target; what is given replaces that."""
    values = np.ascontiguousarray(values, np.float32)
    frames = len(values)
    defaults = {
        "weights": np.ones(values.shape[1], np.float32),
        "targets": np.ones(frames, bool),
        "clip_starts": np.array([0], np.int32),
        "clip_stops": np.array([frames], np.int32),
        "ends": np.zeros(frames, bool),
        "cost_factor": np.ones(frames, np.float32),
        "tags": np.zeros((frames, 0), bool),
    }
    return SearchSpace(values=values, **(defaults | given))
