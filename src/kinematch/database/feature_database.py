"""FeatureDatabase: normalised features of every frame, their weights, and which frames may be matched."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from kinematch.copies import Unchanging
from kinematch.database.actions import EXIT, FIRST
from kinematch.database.features import BUILT_IN, LARGEST_WEIGHT
from kinematch.database.poses import PoseDatabase
from kinematch.database.schema import FeatureSchema
from kinematch.errors import KinematchError, listed, unknown

Normalisation = Literal["block", "column", "none"]
TAIL = 0.33  # s
MOST_ACTED = 0.25  # of a clip of locomotion, that is actions

# a tenth of a millimetre, of a millimetre a second, or 0.006 degrees: rounding of the source, not motion
SMALLEST_DEVIATION = 1e-4


@dataclass(frozen=True)
class Weights(Unchanging):
    """Factors of the squared distances: one for each feature, one for each of the two groups (thesis eq. 3.16)."""

    features: Mapping[str, float] = field(default_factory=dict)  # those left out keep their feature's own weight
    responsiveness: float = 1.0  # of the trajectory features
    quality: float = 1.0  # of the pose features

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", MappingProxyType(dict(self.features)))
        given = {**self.features, "responsiveness": self.responsiveness, "quality": self.quality}
        for name, value in given.items():
            if not 0 <= value <= LARGEST_WEIGHT:
                raise KinematchError(f"weight {name!r} is {value}, expected 0 to {LARGEST_WEIGHT:g}")


def column_weights(schema: FeatureSchema, weights: Weights) -> np.ndarray:
    """The factor (D,) of each column's squared difference."""
    for name in weights.features:
        schema.feature(name)
    out = np.empty(schema.width, np.float32)
    for feature, columns in zip(schema.features, schema.columns.values()):
        knob = weights.quality if feature.group == "pose" else weights.responsiveness
        out[columns] = weights.features.get(feature.name, feature.weight) * knob
    return out


@dataclass(frozen=True, eq=False)
class FeaturePlan:
    """Which features to measure, and how they are compared."""

    schema: FeatureSchema
    normalisation: Normalisation
    weights: Weights
    tail: float  # s


@dataclass(frozen=True, eq=False)
class FeatureDatabase(Unchanging):
    schema: FeatureSchema
    values: np.ndarray  # (F, D) float32, normalised, without weights
    offset: np.ndarray  # (D,) float32
    scale: np.ndarray  # (D,) float32; value = (physical - offset) / scale
    targets: np.ndarray  # (F,) bool, which frames a search may jump to
    clip_starts: np.ndarray  # (C,) int32
    clip_stops: np.ndarray  # (C,) int32
    weights: Weights = field(default_factory=Weights)
    normalisation: Normalisation = "block"
    tail: float = TAIL  # s

    def __post_init__(self) -> None:
        frames, width = self.values.shape
        if width != self.schema.width:
            raise KinematchError(f"the schema has {self.schema.width} columns, the values {width}")
        for name, shape in {"offset": (width,), "scale": (width,), "targets": (frames,)}.items():
            if getattr(self, name).shape != shape:
                raise KinematchError(f"{name} has shape {getattr(self, name).shape}, expected {shape}")
        column_weights(self.schema, self.weights)  # which name its features alone
        for array in (self.values, self.offset, self.scale, self.targets):
            if isinstance(array, np.ndarray):  # a packed database unpacks its own
                array.flags.writeable = False

    @property
    def frame_count(self) -> int:
        return len(self.values)

    @property
    def width(self) -> int:
        return self.values.shape[1]

    def column_weights(self) -> np.ndarray:
        return column_weights(self.schema, self.weights)

    def weighted_values(self) -> np.ndarray:
        """(F, D) whose plain squared distances are the costs: scaled by the roots of the weights."""
        return np.ascontiguousarray(self.values * np.sqrt(self.column_weights()))

    def weigh(self, normalised: np.ndarray) -> np.ndarray:
        """Normalised queries (N, D) as the weighted values are."""
        return np.ascontiguousarray(normalised * np.sqrt(self.column_weights()), np.float32)

    def normalise(self, physical: np.ndarray) -> np.ndarray:
        """Physical queries (N, D), whichever database they come from, in this one's units."""
        return (physical.astype(np.float32, copy=False) - self.offset) / self.scale

    def physical(self, frames: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Features in metres, metres a second and so on."""
        return self.values[frames] * self.scale + self.offset

    def with_weights(
        self,
        features: Mapping[str, float] | None = None,
        *,
        responsiveness: float | None = None,
        quality: float | None = None,
    ) -> "FeatureDatabase":
        """The same values, shared, under other weights; what is left out stays as it was."""
        old = self.weights
        changed = Weights(
            features={**old.features, **(features or {})},
            responsiveness=old.responsiveness if responsiveness is None else responsiveness,
            quality=old.quality if quality is None else quality,
        )
        return replace(self, weights=changed)


def build_features(
    poses: PoseDatabase,
    schema: FeatureSchema,
    *,
    normalisation: Normalisation = "block",
    weights: Weights | None = None,
    tail: float = TAIL,
    warn: Callable[[str], None] = warnings.warn,
) -> FeatureDatabase:
    """Measure, normalise, and say which frames may be matched."""
    weights = weights or Weights()
    column_weights(schema, weights)
    values = schema.build(poses)
    offset, scale = find_normaliser(poses, schema, lambda own: values[own], normalisation=normalisation, warn=warn)
    values -= offset  # in place, to save a copy of all features
    values /= scale
    targets = find_known_targets(poses, schema, tail=tail, warn=warn)
    return FeatureDatabase(
        schema=schema,
        values=values,
        offset=offset,
        scale=scale,
        targets=targets,
        clip_starts=poses.clip_starts,
        clip_stops=poses.clip_stops,
        weights=weights,
        normalisation=normalisation,
        tail=tail,
    )


def find_known_targets(
    poses: PoseDatabase, schema: FeatureSchema, *, tail: float, warn: Callable[[str], None]
) -> np.ndarray:
    """Frames (F,) a search may jump to; an error where there is none, and a warning of clips without any."""
    targets = find_targets(poses, tail=tail, past=schema.past)
    if not targets.any():
        longest = (poses.clip_stops - poses.clip_starts).max() / poses.frame_rate
        raise KinematchError(
            f"no frame may be matched: the longest clip lasts {longest:.2f} s, of which {tail:g} s are tail, "
            "or all is marked no_entry"
        )
    dead = [poses.clip_names[c] for c in range(poses.clip_count) if not targets[poses.clip_frames(c)].any()]
    if dead:
        warn(f"no frame may be matched in {listed(dead, 3)}: shorter than the tail of {tail:g} s, or marked no_entry")
    return targets


def _find_acted(poses: PoseDatabase) -> np.ndarray:
    """Frames (F,) of actions, and of clips with little else: a few jumps leave the scale of locomotion as it is."""
    acted = np.zeros(poses.frame_count, bool)
    if not len(poses.actions.stretches):
        return acted
    for stretch in poses.actions.stretches:
        acted[stretch[FIRST] : stretch[EXIT] + 1] = True
    for clip in np.unique(poses.clip_of(poses.actions.stretches[:, FIRST])):
        own = poses.clip_frames(int(clip))
        acted[own] |= acted[own].mean() > MOST_ACTED
    return acted


def find_targets(poses: PoseDatabase, *, tail: float, past: float = 0.0) -> np.ndarray:
    """Frames (F,) a search may jump to: not in a clip's tail, nor in its head where the past matters, nor marked."""
    targets = ~poses.no_entry
    last, first = round(tail * poses.frame_rate), round(min(tail, past) * poses.frame_rate)
    for c in range(poses.clip_count):
        if not poses.clip_loops[c]:
            own = poses.clip_frames(c)
            targets[max(own.start, own.stop - last) : own.stop] = False
            targets[own.start : min(own.stop, own.start + first)] = False
    return targets


def find_normaliser(
    poses: PoseDatabase, schema: FeatureSchema, read: Callable[[slice], np.ndarray], *,
    normalisation: Normalisation, warn: Callable[[str], None],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Offset and scale (D,) of physical features, which `read` gives for a slice of frames: a clip at a time."""
    if normalisation not in get_args(Normalisation):
        raise KinematchError(unknown("normalisation", normalisation, get_args(Normalisation)))
    width = schema.width
    if normalisation == "none":
        return np.zeros(width, np.float32), np.ones(width, np.float32)
    known = ~_find_acted(poses)
    if not known.any():
        known[:] = True

    def read_known() -> Iterator[np.ndarray]:
        for clip in range(poses.clip_count):
            own = poses.clip_frames(clip)
            yield read(own)[known[own]].astype(np.float64)

    largest, offset, deviation = np.zeros(width), np.zeros(width), np.zeros(width)
    for block in read_known():
        offset += block.sum(axis=0)
        largest = np.maximum(largest, np.abs(block).max(axis=0, initial=0.0))
    offset /= known.sum()
    for block in read_known():
        deviation += ((block - offset) ** 2).sum(axis=0)
    deviation = np.sqrt(deviation / known.sum())
    rounding = np.finfo(np.float32).eps * largest
    scale = np.empty(width)
    for feature, columns in zip(schema.features, schema.columns.values()):
        # one deviation for a block, the mean of its columns', keeps the block's axes in proportion (Holden et al. 2020)
        found = deviation[columns]
        block = np.full(len(found), found.mean()) if normalisation == "block" else found
        flat = block <= np.maximum(rounding[columns], SMALLEST_DEVIATION if feature.kind in BUILT_IN else 0)
        if flat.any():
            which = "" if flat.all() else f" (columns {np.flatnonzero(flat).tolist()})"
            warn(f"feature {feature.name!r}{which} is the same on every frame: it can tell no frames apart")
        scale[columns] = np.where(flat, 1, block)
    return offset.astype(np.float32), scale.astype(np.float32)
