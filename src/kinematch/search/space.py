"""SearchSpace: the data to search: unweighted features, targets, clips, tags and cost factors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kinematch.database.feature_database import column_weights
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.search.vector_kernels import QUERY_COLUMNS

MOST_COLUMNS = QUERY_COLUMNS  # more could overflow the 32-bit sums of the quantised boxes
MOST_FRAMES = 2**31 - 64  # frame numbers are 32 bits, and a leaf of 16 must not run past them
FACTOR_RANGE = (1e-6, 1e6)  # cost factors beyond these could turn a cost into zero or infinity


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """Arrays are kept read-only, and copied only where they are unaligned or not contiguous."""

    values: np.ndarray  # (F, D) float32, normalised, without weights
    weights: np.ndarray  # (D,) float32, factors of the squared differences
    targets: np.ndarray  # (F,) bool, which frames may be jumped to
    clip_starts: np.ndarray  # (C,) int32
    clip_stops: np.ndarray  # (C,) int32
    ends: np.ndarray  # (F,) bool, frames after which playback cannot continue
    cost_factor: np.ndarray  # (F,) float32, multiplies the cost of jumping here
    tags: np.ndarray  # (F, T) bool
    tag_names: tuple[str, ...] = ()
    features: Mapping[str, slice] = field(default_factory=dict)  # the columns of each feature, for costs by feature
    frame_rate: float = 60.0
    tail: int = 0  # frames before the end of what a filter admits that are not jumped to, as at the end of a clip

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.ndim != 2 or not 1 <= len(values) <= MOST_FRAMES or not 1 <= values.shape[1] <= MOST_COLUMNS:
            raise KinematchError(
                f"features of shape {values.shape}: expected 1 or more frames, 1 to {MOST_COLUMNS} columns"
            )
        frames, columns = values.shape
        clips = np.size(self.clip_starts)
        for name, dtype, shape in (
            ("values", np.float32, (frames, columns)),
            ("weights", np.float32, (columns,)),
            ("targets", np.bool_, (frames,)),
            ("clip_starts", np.int32, (clips,)),
            ("clip_stops", np.int32, (clips,)),
            ("ends", np.bool_, (frames,)),
            ("cost_factor", np.float32, (frames,)),
            ("tags", np.bool_, (frames, len(self.tag_names))),
        ):
            object.__setattr__(self, name, _tidy(name, getattr(self, name), np.dtype(dtype), shape))
        if not np.isfinite(self.largest).all():
            frame = int(np.argmax(~np.isfinite(self.values).all(axis=1)))
            raise KinematchError(f"the features of frame {frame} are not finite")
        roots_of(self, self.weights)
        least, most = FACTOR_RANGE
        if not ((self.cost_factor >= least) & (self.cost_factor <= most)).all():
            raise KinematchError(f"cost factors must be numbers from {least:g} to {most:g}")
        edges = np.concatenate([[0], self.clip_stops])
        if edges[-1] != frames or (self.clip_starts != edges[:-1]).any() or (np.diff(edges) < 1).any():
            raise KinematchError("clips must cover the frames one after another, each with a frame or more")

    @property
    def frame_count(self) -> int:
        return self.values.shape[0]

    @property
    def column_count(self) -> int:
        return self.values.shape[1]

    @cached_property
    def largest(self) -> np.ndarray:
        """The largest magnitude (D,) in each column; not finite where a value is not."""
        return np.maximum(self.values.max(axis=0), -self.values.min(axis=0))


def _tidy(name: str, array: np.ndarray, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """A read-only plain array of the one type that kernels are compiled for."""
    array = np.asarray(array)
    if array.dtype != dtype or array.shape != shape:
        raise KinematchError(f"{name} is {array.dtype} of shape {array.shape}, expected {dtype} of {shape}")
    tidy = np.require(array, requirements=["C", "A"]).view(np.ndarray)
    tidy.flags.writeable = False
    return tidy


def roots_of(space: SearchSpace, weights: np.ndarray) -> np.ndarray:
    """Square roots (D,) of weights: squared distances of features scaled by these are the costs."""
    weights = np.asarray(weights)
    if weights.shape != (space.column_count,) or weights.dtype.kind not in "fiu":
        raise KinematchError(
            f"weights are {weights.dtype} of shape {weights.shape}, expected {space.column_count} numbers"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        roots = np.sqrt(np.ascontiguousarray(weights, np.float32))
        fitting = np.isfinite(roots) & np.isfinite(roots * space.largest)
    if not fitting.all():
        column = int(np.argmin(fitting))
        raise KinematchError(
            f"weight {column} is {weights[column]}, expected a number of zero or more that keeps the features finite"
        )
    return roots


def search_space(database: Database) -> SearchSpace:
    """The search space of a database, under its own weights."""
    poses, features = database.poses, database.features
    ends = np.zeros(poses.frame_count, bool)
    ends[poses.clip_stops[~poses.clip_loops] - 1] = True
    return SearchSpace(
        values=features.values,
        weights=column_weights(features.schema, features.weights),
        targets=features.targets,
        clip_starts=poses.clip_starts,
        clip_stops=poses.clip_stops,
        ends=ends,
        cost_factor=poses.cost_factor,
        tags=poses.tags.frames,
        tag_names=poses.tags.names,
        features=features.schema.columns,
        frame_rate=poses.frame_rate,
        tail=round(features.tail * poses.frame_rate),
    )


def plain_space(values: np.ndarray, **given: Any) -> SearchSpace:
    """A space of values alone: one clip, weights of one, every frame a target; keyword arguments replace these."""
    values = np.ascontiguousarray(values, np.float32)
    if values.ndim != 2:
        raise KinematchError(f"features of shape {values.shape}: expected frames and columns")
    frames, columns = values.shape
    defaults: dict[str, Any] = {
        "weights": np.ones(columns, np.float32),
        "targets": np.ones(frames, bool),
        "clip_starts": np.array([0], np.int32),
        "clip_stops": np.array([frames], np.int32),
        "ends": np.zeros(frames, bool),
        "cost_factor": np.ones(frames, np.float32),
        "tags": np.zeros((frames, 0), bool),
        "features": {"values": slice(0, columns)},
    }
    return SearchSpace(values=values, **(defaults | given))
