"""FeatureSchema: the ordered features of a database, and the default of the papers."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.features import BUILT_IN, KINDS, Feature, QueryInput, find_kind
from kinematch.database.poses import PoseDatabase
from kinematch.errors import FileError, KinematchError, failure, unknown
from kinematch.threads import run_each

HORIZONS = (20 / 60, 40 / 60, 60 / 60)  # s: 20, 40 and 60 frames at 60 fps


@dataclass(frozen=True)
class FeatureSchema:
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        if not self.features:
            raise KinematchError("a schema needs at least one feature")
        names = [feature.name for feature in self.features]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise KinematchError(f"two features are named {twice[0]!r}; give one of them another `name`")

    @property
    def columns(self) -> dict[str, slice]:
        """Where each feature stands in the vector."""
        stops = np.cumsum([feature.width for feature in self.features]).tolist()
        return {f.name: slice(a, b) for f, a, b in zip(self.features, [0, *stops], stops)}

    @property
    def width(self) -> int:
        return sum(feature.width for feature in self.features)

    @property
    def times(self) -> tuple[float, ...]:
        """All trajectory times in order; a controller predicts these."""
        return tuple(sorted({time for feature in self.features for time in feature.times}))

    @property
    def past(self) -> float:
        """Seconds of the past that the features look at."""
        return max((-time for time in self.times if time < 0), default=0.0)

    def feature(self, name: str) -> Feature:
        found = {feature.name: feature for feature in self.features}
        if name not in found:
            raise KinematchError(unknown("feature", name, found))
        return found[name]

    def build(self, poses: PoseDatabase) -> np.ndarray:
        """Physical features (F, D) of every frame."""
        values = np.empty((poses.frame_count, self.width), np.float32)

        def fill(feature: Feature) -> None:
            values[:, self.columns[feature.name]] = _build_block(feature, poses)

        run_each([feature for feature in self.features if feature.kind in BUILT_IN], fill)
        for feature in self.features:  # one thread for users' own, which may not be made for several
            if feature.kind not in BUILT_IN:
                fill(feature)
        return values

    def query(self, input_: QueryInput) -> np.ndarray:
        """Physical features (N, D) to search for: the pose of the frame that plays, and the desired trajectory.

        Built-in pose features are copied from `current` where it is given, as are those of users that have no query of
        their own, or whose kind is not registered in this process.
        """
        blocks = []
        for feature, columns in zip(self.features, self.columns.values()):
            if input_.current is not None and _is_stored(feature):
                blocks.append(input_.current[:, columns])
            else:
                blocks.append(_query_block(feature, input_))
        if len({len(block) for block in blocks}) > 1:
            counts = {feature.name: len(block) for feature, block in zip(self.features, blocks)}
            raise KinematchError(f"features ask for different numbers of characters: {counts}")
        return np.concatenate(blocks, axis=-1).astype(np.float32, copy=False)


def _is_stored(feature: Feature) -> bool:
    """Whether a query copies the feature from the frame that plays."""
    if feature.group != "pose":
        return False
    return feature.kind in BUILT_IN or feature.kind not in KINDS or KINDS[feature.kind].query is None


def needs_call(feature: Feature) -> bool:
    """Whether the query of a feature is made by a function of users."""
    return feature.kind not in BUILT_IN and not _is_stored(feature)


def _query_block(feature: Feature, input_: QueryInput) -> np.ndarray:
    """The columns (N, width) of one feature, made by its kind; users' own are checked."""
    query = find_kind(feature).query
    if query is None:
        raise KinematchError(f"feature {feature.name!r} has no query of its own and needs current features")
    if feature.kind in BUILT_IN:
        return np.asarray(query(feature, input_))
    try:
        block = np.asarray(query(feature, input_), np.float32)
    except KinematchError as error:
        raise KinematchError(f"feature {feature.name!r}: {error}") from None
    except Exception as error:
        raise KinematchError(f"feature {feature.name!r}: {failure(error)}") from error
    if block.ndim != 2 or block.shape[1] != feature.width:
        raise KinematchError(
            f"feature {feature.name!r}: its query has shape {block.shape}, expected (N, {feature.width})"
        )
    if not np.isfinite(block).all():
        character = int(np.argmin(np.isfinite(block).all(axis=-1)))
        raise KinematchError(f"feature {feature.name!r}: its query is not finite for character {character}")
    return block


def _build_block(feature: Feature, poses: PoseDatabase) -> np.ndarray:
    """The columns (F, width) of one feature; whatever is wrong is named with the feature."""
    try:
        block = np.asarray(find_kind(feature).build(feature, poses), np.float32)
    except FileError:
        raise
    except KinematchError as error:
        raise KinematchError(f"feature {feature.name!r}: {error}") from None
    except Exception as error:
        if feature.kind in BUILT_IN:
            raise
        raise KinematchError(f"feature {feature.name!r}: {failure(error)}") from error
    expected = (poses.frame_count, feature.width)
    if block.shape != expected:
        raise KinematchError(f"feature {feature.name!r} was built with shape {block.shape}, expected {expected}")
    if not np.isfinite(block).all():
        frame = int(np.argmin(np.isfinite(block).all(axis=-1)))
        clip = int(poses.clip_of(frame))
        where = f"frame {frame - poses.clip_starts[clip]} of clip {poses.clip_names[clip]!r}"
        raise KinematchError(f"feature {feature.name!r} is not finite at {where}")
    return block


def default_features() -> tuple[Feature, ...]:
    """The 27 numbers of the papers: foot positions and velocities, hip velocity, trajectory ahead."""
    return (
        Feature("position", "left_foot"),
        Feature("position", "right_foot"),
        Feature("velocity", "left_foot"),
        Feature("velocity", "right_foot"),
        Feature("velocity", "hips"),
        Feature("trajectory_position", times=HORIZONS, dimensions=2),
        Feature("trajectory_direction", times=HORIZONS, dimensions=2),
    )
