"""DatabaseSource: the frames of a database, which the step plays, and the search that finds among them."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from kinematch.character.checked_source import CheckedSource
from kinematch.character.describe import describe_motion, open_motion
from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.database.description import pick_examples
from kinematch.database.feature_database import column_weights
from kinematch.database.features import QueryInput
from kinematch.database.filters import tag_mask
from kinematch.database.idle import find_idle_frames, find_search_terms
from kinematch.database.storage import Database
from kinematch.database.table import DIRECTION, Table, index_by_frame, make_table
from kinematch.errors import KinematchError, call_own
from kinematch.motion.rig import make_rig
from kinematch.search import Matcher, WideMatcher, search_space
from kinematch.search.matcher import admission

COMPILED: list[type] = []  # further sources whose tables kernels may read: each makes one of its state


class DatabaseSource:
    def __init__(
        self, database: Database, *, moving: np.ndarray | None = None,
        matcher: Callable[[Database], Matcher] | None = None,
    ):  # fmt: skip
        """`moving`: joints whose places transitions remember, where those are more than move in this database."""
        poses = database.poses
        self.database, self.poses, self.features = database, poses, database.features
        self.description = describe_motion(database)
        self.table: Table = make_table(database, moving)
        self.by_frame = index_by_frame(self.table, poses)
        self.rig = make_rig(
            poses.skeleton, poses.contact_joints, *pick_examples(self.description), moving=self.table.moving
        )
        self.matcher: Matcher = matcher(database) if matcher else WideMatcher(search_space(database))
        self.make_matcher = matcher
        self._weights: tuple[Any, ...] = ()
        self._stays: dict[str, np.ndarray] = {}  # by filter, the frames that may play on

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(DatabaseSource, moving=self.table.moving, matcher=self.make_matcher), (self.database,)

    def make_table(self, own: Mapping[str, np.ndarray], moving: np.ndarray, count: int) -> Table:
        return self.table  # shared by all characters

    def create_state(self, count: int) -> Mapping[str, np.ndarray]:
        return {}  # frames and fractions are every state's

    def begin(self, state: State, characters: np.ndarray) -> None:
        """The first frame of the first idle clip, or else an average pose that goes nowhere."""
        idle = find_idle_frames(self.database, self.database.filter)
        state.playing.frames[characters] = idle[0] if len(idle) else self._find_standing()
        state.playing.fractions[characters] = 0.0

    def change_settings(self, settings: Settings) -> None:
        weights = (settings.responsiveness, settings.quality, tuple(settings.weights.items()))
        if weights != self._weights:
            own = self.features.weights
            features = self.features.with_weights(
                settings.weights,
                responsiveness=own.responsiveness * settings.responsiveness,
                quality=own.quality * settings.quality,
            )
            self.matcher.set_weights(column_weights(features.schema, features.weights))
            self._weights = weights

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        """The frames that play, as features see them."""
        frames, features = self._find_frames(state, characters), self.describe_features(state, characters)
        return QueryInput(self.poses.skeleton, self.poses.pose(frames), features)

    def describe_features(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Physical features (M, D) of the frames that play."""
        return self.features.physical(self._find_frames(state, characters))

    def _find_frames(self, state: State, characters: np.ndarray) -> np.ndarray:
        return np.clip(state.playing.frames[characters], 0, self.poses.frame_count - 1)

    def find_stays(self, filter_: str) -> np.ndarray:
        """Which frames (F,) may keep playing under a filter."""
        if filter_ not in self._stays:
            self._stays[filter_] = admission(self.matcher.space, filter_).stays
        return self._stays[filter_]

    def find_terms(self, expression: str | None, mode: int, settings: Settings) -> tuple[str, int]:
        """The filter expression, None being the database's own, and how many frames to ignore."""
        own = self.database.filter if expression is None else expression
        return find_search_terms(self.database, own, mode, ignore=settings.ignore)

    def admits(self, filter_: str) -> bool:
        """Whether any frame may be taken."""
        tags = self.poses.tags
        return bool((self.features.targets & tag_mask(filter_, tags.names, tags.frames)).any())

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        state.playing.frames[characters] = targets

    def _find_standing(self) -> int:
        query = np.zeros((1, self.features.width), np.float32)
        for column, which, _ in self.table.trajectory_columns:
            value = 1.0 if which == DIRECTION + 2 else 0.0
            query[0, column] = (value - self.features.offset[column]) / self.features.scale[column]
        frame, _ = self.find(query[0], -1, self.database.filter, 0.0, 0)
        if frame < 0:
            raise KinematchError("no frame of the database may be taken: every clip is barred or too short")
        return frame

    def find(self, query: np.ndarray, current: int, filter_: str, bias: float, ignore: int) -> tuple[int, float]:
        """The frame that the matcher finds, -1 for none, and its cost; a matcher that users wrote is checked."""
        name = type(self.matcher).__name__
        search = partial(self.matcher.find, filter=filter_, stay_bias=bias, ignore=ignore)
        found = call_own(name, search, query[None], np.array([current], np.int32))
        frames, costs = call_own(name, lambda: (np.asarray(found.frames), np.asarray(found.costs, np.float32)))
        if frames.shape != (1,) or costs.shape != (1,) or frames.dtype.kind not in "iu":
            raise KinematchError(
                f"{name} found {frames.dtype} frames {frames.shape} and costs {costs.shape}, "
                "expected whole numbers (1,) and as many costs"
            )
        if not -1 <= frames[0] < self.poses.frame_count:
            raise KinematchError(f"{name} found frame {frames[0]} of {self.poses.frame_count}")
        return int(frames[0]), costs[0]


def open_sources(given: Any, matcher: Callable[[Database], Matcher] | None = None) -> list[Any]:
    """Databases and sources of motion as sources that characters can go between, checked."""
    items = list(given) if isinstance(given, Sequence) and not isinstance(given, str | bytes) else [given]
    if not items:
        raise KinematchError("a crowd needs a database or another source of motion")
    items = [open_motion(item) for item in items]
    opened = (Database, DatabaseSource, CheckedSource, *COMPILED)  # those of another crowd are checked already
    items = [one if isinstance(one, opened) else CheckedSource(one, number) for number, one in enumerate(items)]
    # what transitions remember of a joint's place must fit every source
    own = [make_table(one).moving if isinstance(one, Database) else one.rig.moving for one in items]
    moving = np.unique(np.concatenate(own)).astype(np.int32)
    sources: list[Any] = []
    for number, one in enumerate(items):
        if isinstance(one, Database):
            one = DatabaseSource(one, moving=moving, matcher=matcher)
        elif type(one) is DatabaseSource and not np.array_equal(one.table.moving, moving):
            one = DatabaseSource(one.database, moving=moving, matcher=one.make_matcher)
        elif type(one) in COMPILED and not (one.number == number and np.array_equal(one.moving, moving)):
            one = copy(one)  # another crowd may play it as another number
            one.moving, one.number = moving, number
        sources.append(one)
    first = sources[0].description
    for number, source in enumerate(sources[1:], 1):
        other = source.description
        difference = first.skeleton.difference(other.skeleton)
        if difference:
            raise KinematchError(f"source {number} has another skeleton than the first: {difference}")
        if not np.array_equal(first.contact_joints, other.contact_joints):
            raise KinematchError(f"source {number} has other contact joints than the first")
        if first.schema != other.schema:
            raise KinematchError(f"source {number} has other features than the first")
    return sources
