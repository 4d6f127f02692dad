"""What a source of motion is: its body, its features with their units, and poses that it can show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinematch.database.features import QueryInput
from kinematch.database.poses import PoseDatabase
from kinematch.database.schema import FeatureSchema, needs_call
from kinematch.database.storage import Database
from kinematch.database.tags import Tags
from kinematch.motion.skeleton import Skeleton

EXAMPLES = 5000  # poses from which the hinges of knees are found
NO_TAGS = Tags((), np.zeros((0, 0), bool))


@dataclass(frozen=True, eq=False)
class SourcePoses:
    """S poses that a source can show: the body is measured by them, and controllers read their tags."""

    positions: np.ndarray  # (S, J, 3) m, in parent space
    rotations: np.ndarray  # (S, J, 4)
    contacts: np.ndarray  # (S, K) bool
    tags: Tags = NO_TAGS  # (S, T)
    frame_rate: float = 0.0  # poses for each second of motion; 0 where they have no order in time

    def __post_init__(self) -> None:
        if not self.tags.names:
            object.__setattr__(self, "tags", Tags((), np.zeros((len(self.rotations), 0), bool)))


@dataclass(frozen=True, eq=False)
class SourceDescription:
    """What a crowd and its controllers know of a source of motion."""

    skeleton: Skeleton
    contact_joints: np.ndarray  # (K,) int32
    schema: FeatureSchema  # what queries describe
    feature_offset: np.ndarray  # (D,) float32
    feature_scale: np.ndarray  # (D,) float32; normalised = (physical - offset) / scale
    poses: SourcePoses | PoseDatabase  # some, or all
    state: Mapping[str, ArrayLike]  # what evolves, by name: its value for one character that begins
    frame_rate: float | None = None  # None where poses are computed for any time
    filter: str = ""  # of commands that name none

    def normalise(self, features: np.ndarray) -> np.ndarray:
        """Physical features (M, D) in the source's units."""
        return (features.astype(np.float32, copy=False) - self.feature_offset) / self.feature_scale

    def restore_units(self, features: np.ndarray) -> np.ndarray:
        """The inverse of normalise."""
        return features * self.feature_scale + self.feature_offset

    def measure_features(self, sample: Any) -> np.ndarray:
        """Physical features (M, D) of a Sample's poses; NaN in columns of trajectories and of features with their own
        query."""
        values = np.full((len(sample.rotations), self.schema.width), np.nan, np.float32)
        given = QueryInput(self.skeleton, sample.pose)
        for feature, columns in zip(self.schema.features, self.schema.columns.values()):
            if feature.group == "pose" and not needs_call(feature):
                values[:, columns] = FeatureSchema((feature,)).query(given)
        return values


def pick_examples(description: SourceDescription) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Local positions (S, J, 3), rotations (S, J, 4) and contacts (S, K) of some poses, to measure the body by."""
    poses = description.poses
    some = slice(None, None, max(1, len(poses.rotations) // EXAMPLES))
    return poses.positions[some], poses.rotations[some], poses.contacts[some]


def describe_source(
    database: Database, *, poses: SourcePoses | PoseDatabase, state: Mapping[str, ArrayLike],
    frame_rate: float | None = None, filter: str = "",
) -> SourceDescription:  # fmt: skip
    """The description of a source that has the body, the features and the units of a database.

    `poses`: some that it can show. `state`: what evolves, by name, each with the value of one character that begins.
    """
    own, features = database.poses, database.features
    return SourceDescription(
        own.skeleton, own.contact_joints, features.schema, features.offset, features.scale, poses, state, frame_rate,
        filter,
    )  # fmt: skip
