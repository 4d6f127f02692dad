"""Projector: from a query to features and latents, by the nearest entry of the codebook or by a network."""

import numpy as np

from kinematch.character.idle import IDLE, SHORTEST_IDLE
from kinematch.character.settings import Settings
from kinematch.character.source import Search
from kinematch.character.table import DIRECTION, POSITION, find_trajectory_columns
from kinematch.database.filters import tag_mask
from kinematch.database.schema import FeatureSchema
from kinematch.errors import KinematchError
from kinematch.learned.codebook import Codebook
from kinematch.learned.kernels import Compiled
from kinematch.learned.model import Model
from kinematch.search import SearchSpace, WideMatcher

NOWHERE = -1  # an entry that no character plays
LONGEST_RUN = 1.0  # s that a run without a clip is trusted
CORRECTION = np.float32(0.1)  # of the distance to the clip that is closed in a frame: a half-life of 0.11 s
TAIL = 0.2  # s past the last entry of a clip that a run is trusted: databases end clips with a tail of no targets


class Projector:
    """Searches the codebook exactly, under any filter; a model with a projector network asks that instead."""

    def __init__(self, model: Model):
        self.model, book = model, model.codebook
        self.stride = int(np.median(np.diff(book.frames))) if book.entry_count > 1 else 1
        self.last = _find_last(book, self.stride)
        self.steps_left = book.frames[self.last] - book.frames + round(TAIL * model.frame_rate)
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

    def change_settings(self, settings: Settings) -> None:
        self.matcher.set_weights(find_weights(self.model.schema, self.model.feature_weights, settings))

    def find_ended(self, entries: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Whether runs (M,) of some frames since their entries have passed the end of their clips.

        A network's targets belong to no clip; such runs end after a while, before they stray from the data.
        """
        known = (entries >= 0) & (entries < self.model.codebook.entry_count)
        most = np.where(known, self.steps_left[np.where(known, entries, 0)], round(LONGEST_RUN * self.model.frame_rate))
        return steps >= most

    def correct(self, frames: np.ndarray, entries: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Draw features and latents (M, D + Z) towards the clip that they follow, between two entries of the codebook.

        `steps` (M,) frames lie between the entry that a run began from and these. The stepper predicts, the codebook
        corrects: errors fade instead of adding up.
        """
        book = self.model.codebook
        known = (entries >= 0) & (entries < book.entry_count)
        start = np.where(known, entries, 0)
        before = start + steps // self.stride
        known &= before < self.last[start]
        if not known.any():
            return frames
        before, share = before[known], (steps[known] % self.stride / self.stride)[:, None].astype(np.float32)
        track = book.restore(before) * (1 - share) + book.restore(before + 1) * share
        out = frames.copy()
        out[known] += CORRECTION * (track - out[known])
        return out

    def find_beginning(self) -> np.ndarray:
        """A target (D + Z + 1,) that stands: an idle entry, or else an average pose that goes nowhere."""
        filter_ = self._narrow(self.model.filter, idle=True)
        if filter_ != self.model.filter:
            return self._take(np.flatnonzero(self._mask(filter_))[:1])[0]
        query = np.zeros((1, self.model.schema.width), np.float32)
        for column, which, _ in self.columns:
            value = 1.0 if which == DIRECTION + 2 else 0.0
            query[0, column] = (value - self.model.feature_offset[column]) / self.model.feature_scale[column]
        return self._take(self.matcher.find(query, filter=self.model.filter, ignore=0).frames)[0]

    def measure_paces(self, frames: np.ndarray, roots: np.ndarray) -> np.ndarray:
        """m/s (M,) over the first horizon of the trajectory, or of now where the schema has none."""
        if not len(self.horizons) or self.horizons[0] <= 0:
            return np.hypot(roots[:, 0], roots[:, 1])
        total = np.zeros(len(frames))
        for column, which, horizon in self.columns:
            if horizon == 0 and which in (POSITION, POSITION + 2):
                value = frames[:, column] * self.model.feature_scale[column] + self.model.feature_offset[column]
                total += value.astype(np.float64) ** 2
        return np.sqrt(total) / self.horizons[0]

    def project(
        self, queries: np.ndarray, features: np.ndarray, entries: np.ndarray, steps: np.ndarray, bounded: np.ndarray,
        search: Search,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Targets (M, D + Z + 1), whether they are better than going on, and their costs.

        `features` (M, D) are those that play, begun at `entries` (M,) some `steps` (M,) ago; where not `bounded`,
        whatever is found is taken.
        """
        expression = self.model.filter if search.filter is None else search.filter
        filter_ = self._narrow(expression, idle=search.idle)
        mask = self._mask(filter_)
        if not mask.any():
            raise KinematchError(f"no entry of the model may be taken: the filter {filter_!r} admits none")
        weights, bias = self.matcher.weights, search.settings.stay_bias
        own = ((features - queries) ** 2 * weights).sum(axis=1)
        current = self.find_current(entries, steps)
        bounded = bounded & ((current == NOWHERE) | mask[np.maximum(current, 0)])
        if self.network is not None:
            return self._ask_network(queries, own, bounded, bias)
        seconds = max(search.settings.ignore, SHORTEST_IDLE) if filter_ != expression else search.settings.ignore
        ignored = round(seconds * self.model.frame_rate / self.stride)
        queries = np.ascontiguousarray(queries, np.float32)
        found = self.matcher.find(
            queries, np.where(bounded, current, NOWHERE).astype(np.int32), filter=filter_, ignore=ignored
        )
        frames, costs = found.frames.copy(), found.costs.copy()
        lost = frames < 0  # a short clip may have no other way on than back into its last seconds
        if lost.any():
            again = self.matcher.find(queries[lost], filter=filter_, ignore=0)
            frames[lost], costs[lost] = again.frames, again.costs
        jumps = (frames >= 0) & (~bounded | ((frames != current) & (costs < own - bias)))
        costs = np.where(jumps, costs, own).astype(np.float32)
        return self._take(np.maximum(frames, 0)), jumps, costs

    def _ask_network(
        self, queries: np.ndarray, own: np.ndarray, bounded: np.ndarray, bias: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        assert self.network is not None
        found = self.network.apply(queries)
        costs = ((found[:, : queries.shape[1]] - queries) ** 2 * self.matcher.weights).sum(axis=1)
        jumps = ~bounded | (costs < own - bias)
        targets = np.concatenate([found, np.full((len(found), 1), NOWHERE, np.float32)], axis=1)
        return targets, jumps, np.where(jumps, costs, own).astype(np.float32)

    def find_current(self, entries: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """The entry (M,) int32 that each character is nearest to in its clip; NOWHERE past its end."""
        known = (entries >= 0) & (entries < self.model.codebook.entry_count) & ~self.find_ended(entries, steps)
        start = np.where(known, entries, 0)
        moved = np.minimum(start + (steps + self.stride // 2) // self.stride, self.last[start])
        return np.where(known, moved, NOWHERE).astype(np.int32)

    def _take(self, entries: np.ndarray) -> np.ndarray:
        """Targets (M, D + Z + 1) of entries; with a network no run follows a clip."""
        numbers = entries if self.network is None else np.full(len(entries), NOWHERE)
        return np.concatenate([self.model.codebook.restore(entries), numbers[:, None]], axis=1).astype(np.float32)

    def _narrow(self, expression: str, *, idle: bool) -> str:
        """For idle characters, a filter that admits idle entries alone, if there are any."""
        if not idle or IDLE not in self.model.tag_names:
            return expression
        both = f"({expression}) & {IDLE}" if expression.strip() else IDLE
        return both if self._mask(both).any() else expression

    def _mask(self, expression: str) -> np.ndarray:
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
