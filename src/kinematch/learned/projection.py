"""Projector: from a query to features and latents, by the nearest entry of the codebook or by a network."""

import numpy as np

from kinematch.character.settings import Settings
from kinematch.database.filters import tag_mask
from kinematch.database.idle import ANY, IDLE, IDLING, MIN_IDLE_SECONDS, narrow_filter
from kinematch.database.run_path_kernels import NOWHERE
from kinematch.database.schema import FeatureSchema
from kinematch.database.table import DIRECTION, POSITION, find_trajectory_columns
from kinematch.learned.codebook import Codebook
from kinematch.learned.kernels import Compiled
from kinematch.learned.model import Model
from kinematch.search import SearchSpace, WideMatcher

MAX_RUN_SECONDS = 1.0  # s that a run without a clip is trusted
# s past the last entry of a clip that a run is trusted: databases end clips with a tail of no targets
TAIL_SECONDS = 0.2


class Projector:
    """Searches the codebook exactly, under any filter; a model with a projector network asks that instead."""

    def __init__(self, model: Model):
        self.model, book = model, model.codebook
        self.stride = int(np.median(np.diff(book.frames))) if book.entry_count > 1 else 1
        self.last = _find_last(book, self.stride)
        self.steps_left = book.frames[self.last] - book.frames + round(TAIL_SECONDS * model.frame_rate)
        self.network = None if model.projector is None else Compiled(model.projector)
        width = model.schema.width
        self.matcher = WideMatcher(
            SearchSpace(
                values=np.ascontiguousarray(book.restore()[:, :width]), weights=model.feature_weights,
                targets=np.ones(book.entry_count, bool), clip_starts=book.clip_starts, clip_stops=book.clip_stops,
                ends=np.zeros(book.entry_count, bool), cost_factor=book.cost_factor, tags=book.tags,
                tag_names=model.tag_names, features=model.schema.columns, frame_rate=model.frame_rate / self.stride,
            )
        )  # fmt: skip
        self.columns, self.horizons = find_trajectory_columns(model.schema)
        self._masks: dict[str, np.ndarray] = {}
        self._settings = Settings()

    def change_settings(self, settings: Settings) -> None:
        if settings == self._settings:
            return
        self._settings = settings
        self.matcher.set_weights(find_weights(self.model.schema, self.model.feature_weights, settings))

    def find_ended(self, entries: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Whether runs (M,) of some frames since their entries have passed the end of their clips.

        A network's targets belong to no clip; such runs end after MAX_RUN_SECONDS, before they stray from the data.
        """
        known = (entries >= 0) & (entries < self.model.codebook.entry_count)
        most = np.where(
            known, self.steps_left[np.where(known, entries, 0)], round(MAX_RUN_SECONDS * self.model.frame_rate)
        )
        return steps >= most

    def find_beginning(self) -> int:
        """An entry that stands: an idle one, or else an average pose that goes nowhere."""
        filter_ = self._narrow(self.model.filter, IDLING)
        if filter_ != self.model.filter:
            return int(np.flatnonzero(self.find_mask(filter_))[0])
        query = np.zeros((1, self.model.schema.width), np.float32)
        for column, which, _ in self.columns:
            value = 1.0 if which == DIRECTION + 2 else 0.0
            query[0, column] = (value - self.model.feature_offset[column]) / self.model.feature_scale[column]
        return int(max(self.matcher.find(query, filter=self.model.filter, ignore=0).frames[0], 0))

    def find_terms(self, expression: str | None, mode: int, settings: Settings) -> tuple[str, int]:
        """The filter that a search uses, None being the model's own, and how many entries to ignore."""
        own = self.model.filter if expression is None else expression
        filter_ = self._narrow(own, mode)
        seconds = max(settings.ignore, MIN_IDLE_SECONDS) if mode == IDLING and filter_ != own else settings.ignore
        return filter_, round(seconds * self.model.frame_rate / self.stride)

    def measure_paces(self, frames: np.ndarray, roots: np.ndarray) -> np.ndarray:
        """m/s (M,) over the first horizon of the trajectory, or of now where the schema has none."""
        future = np.flatnonzero(self.horizons > 0)[:1]
        if not len(future):
            return np.hypot(roots[:, 0], roots[:, 1])
        total = np.zeros(len(frames))
        for column, which, horizon in self.columns:
            if horizon == future[0] and which in (POSITION, POSITION + 2):
                value = frames[:, column] * self.model.feature_scale[column] + self.model.feature_offset[column]
                total += value.astype(np.float64) ** 2
        return np.sqrt(total) / self.horizons[future[0]]

    def project(self, queries: np.ndarray, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
        """Features and latents (M, D + Z) from which the step continues, for queries (M, D), and costs."""
        queries = np.ascontiguousarray(queries, np.float32)
        if self.network is not None:
            found = self.network.apply(queries)
            return found, ((found[:, : queries.shape[1]] - queries) ** 2 * self.matcher.weights).sum(axis=1)
        filter_, ignored = self.find_terms(None, ANY, settings)
        nearest = self.matcher.find(queries, filter=filter_, ignore=ignored)
        return self.model.codebook.restore(np.maximum(nearest.frames, 0)), nearest.costs

    def find_current(self, entries: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """The entry (M,) int32 that each character is nearest to in its clip; NOWHERE past its end."""
        known = (entries >= 0) & (entries < self.model.codebook.entry_count) & ~self.find_ended(entries, steps)
        start = np.where(known, entries, 0)
        moved = np.minimum(start + (steps + self.stride // 2) // self.stride, self.last[start])
        return np.where(known, moved, NOWHERE).astype(np.int32)

    def _narrow(self, expression: str, mode: int) -> str:
        """A filter that admits idle entries alone, or none of them, if that leaves any."""
        narrow = narrow_filter(expression, mode if IDLE in self.model.tag_names else ANY)
        return narrow if self.find_mask(narrow).any() else expression

    def find_mask(self, expression: str) -> np.ndarray:
        """Which entries (E,) pass a filter."""
        if expression not in self._masks:
            self._masks[expression] = tag_mask(expression, self.model.tag_names, self.model.codebook.tags)
        return self._masks[expression]


def _find_last(book: Codebook, stride: int) -> np.ndarray:
    """The last entry (E,) that each leads to without a gap."""
    ends = np.append(np.diff(book.frames) != stride, True)
    ends[book.clip_stops - 1] = True
    numbers = np.arange(book.entry_count)
    return np.minimum.accumulate(np.where(ends, numbers, book.entry_count)[::-1])[::-1]


def find_weights(schema: FeatureSchema, weights: np.ndarray, settings: Settings) -> np.ndarray:
    """Column weights (D,) under settings: those that settings name replace a feature's own."""
    for name in settings.weights:
        schema.feature(name)
    out = np.array(weights, np.float32)
    for feature, columns in zip(schema.features, schema.columns.values()):
        if feature.name in settings.weights:
            out[columns] = settings.weights[feature.name]
        out[columns] *= settings.quality if feature.group == "pose" else settings.responsiveness
    return out
