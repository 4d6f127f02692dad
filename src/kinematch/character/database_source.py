"""DatabaseSource: the frames of a database, and the search that finds among them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kinematch.character.checked_source import CheckedSource
from kinematch.character.constants import NO_RETURN, RESTING_PACE
from kinematch.character.idle import find_idle_frames, find_search_terms
from kinematch.character.rig import make_rig
from kinematch.character.settings import Settings
from kinematch.character.source import Projection, Sample, Search, Status
from kinematch.character.state import State
from kinematch.character.table import DIRECTION, Table, index_by_frame, make_table
from kinematch.database.feature_database import column_weights
from kinematch.database.features import QueryInput
from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, failure
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.search import Matcher, Matches, WideMatcher, search_space
from kinematch.search.matcher import admission, fit_kernels

EXAMPLES = 5000  # frames that tell how knees bend


class DatabaseSource:
    def __init__(
        self, database: Database, *, moving: np.ndarray | None = None,
        matcher: Callable[[Database], Matcher] | None = None,
    ):  # fmt: skip
        """`moving`: joints whose places transitions remember, where those are more than move in this database."""
        poses = database.poses
        self.database, self.poses, self.features = database, poses, database.features
        self.skeleton, self.contact_joints = poses.skeleton, poses.contact_joints
        self.schema = database.features.schema
        self.table: Table = make_table(database, moving)
        self.by_frame = index_by_frame(self.table, poses)
        self.rig = make_rig(poses.skeleton, poses.contact_joints, *self.give_examples(), moving=self.table.moving)
        self.matcher: Matcher = matcher(database) if matcher else WideMatcher(search_space(database))
        self._weights: tuple = ()
        self._stays: dict[str, np.ndarray] = {}  # by filter, the frames that may play on

    def create_state(self, count: int) -> Mapping[str, np.ndarray]:
        return {}  # frames and fractions are every state's

    def give_examples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        poses = self.poses
        some = slice(None, None, max(1, poses.frame_count // EXAMPLES))
        return poses.positions[some], poses.rotations[some], poses.contacts[some]

    def begin(self, state: State, characters: np.ndarray) -> None:
        """The first frame of the first idle clip, or else an average pose that goes nowhere."""
        idle = find_idle_frames(self.database, self.default_filter)
        state.playing.frames[characters] = idle[0] if len(idle) else self._find_standing()
        state.playing.fractions[characters] = 0.0

    @property
    def default_filter(self) -> str:
        """The filter of commands that name none."""
        return self.database.filter

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

    def describe_status(self, state: State, characters: np.ndarray) -> Status:
        frames = self.clamp_frames(state, characters)
        table = self.by_frame
        clips = table.clip_of[frames]
        paces = table.paces[frames]
        return Status(
            ended=(frames == table.stops[clips] - 1) & ~table.loops[clips],
            committed=table.no_exit[frames],
            resting=(paces < RESTING_PACE) & table.contacts[frames].all(axis=1),
            paces=paces,
        )

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        frames = self.clamp_frames(state, characters)
        return QueryInput(self.skeleton, self.poses.pose(frames), self.features.physical(frames))

    def frame_seconds(self, state: State, characters: np.ndarray) -> np.ndarray:
        return state.playing.fractions[characters] / self.table.frame_rate

    def normalise(self, queries: np.ndarray) -> np.ndarray:
        return self.features.normalise(queries)

    def restore_units(self, queries: np.ndarray) -> np.ndarray:
        return queries * self.features.scale + self.features.offset

    def project(self, state: State, characters: np.ndarray, queries: np.ndarray, search: Search) -> Projection:
        current = state.playing.frames[characters] if search.here else np.full(len(characters), -1, np.int32)
        found = self.find(queries, current, search)
        jumps = found.frames != current
        if search.here and jumps.any():
            jumps &= ~self._find_returns(state, characters, current, found.frames, search)
        return Projection(found.frames, jumps, found.costs, current)

    def _find_returns(
        self, state: State, characters: np.ndarray, current: np.ndarray, targets: np.ndarray, search: Search
    ) -> np.ndarray:
        """Who (M,) would go back to where the last jump left, though what plays may play on.

        Else a clip and its mirror image, which `ignore` does not keep apart, may play one moment by turns for ever.
        """
        filter_, ignore = self._find_terms(search)
        if filter_ not in self._stays:
            self._stays[filter_] = admission(self.matcher.space, filter_).stays
        left = state.schedule.left[characters].astype(np.int64)
        near = (left >= 0) & (np.abs(targets - left) <= ignore)
        return near & (state.offsets.ages[characters] < NO_RETURN) & self._stays[filter_][current]

    def _find_terms(self, search: Search) -> tuple[str, int]:
        expression = self.default_filter if search.filter is None else search.filter
        return find_search_terms(self.database, expression, search.idle, search.settings)

    def find(self, queries: np.ndarray, current: np.ndarray, search: Search) -> Matches:
        """The best frames; the nearer past is searched too where nothing else may be taken."""
        filter_, ignore = self._find_terms(search)
        bias = search.settings.stay_bias
        found, missed = self._find(queries, current, filter_, bias, ignore)
        if not missed:
            return found
        for nearer in (self._find_terms(search._replace(idle=False))[1], 0):
            lost = found.frames < 0
            if lost.any():  # a short clip may have no other way on than back into its last seconds
                again, _ = self._find(queries[lost], current[lost], filter_, bias, nearer)
                found.frames[lost], found.costs[lost] = again.frames, again.costs
        lost = found.frames < 0
        if lost.any():
            tags = self.poses.tags
            if not (self.features.targets & tag_mask(filter_, tags.names, tags.frames)).any():
                raise KinematchError(f"no frame of the database may be taken: the filter {filter_!r} admits none")
            found.frames[lost] = current[lost]  # a query too far away for a finite cost: the clip plays on
        return found

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        state.playing.frames[characters] = targets

    def advance(self, state: State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        """From the root's places themselves, not from velocities: steps of any length lead to the same spot."""
        playing, table = state.playing, self.by_frame
        frames, fractions = self.clamp_frames(state, characters), playing.fractions[characters]
        new_frames, new_fractions, rounds = self.move_time(frames, fractions, seconds)
        place, yaw = self._locate_root(frames, fractions)
        new_place, new_yaw = self._locate_root(new_frames, new_fractions)
        clips = table.clip_of[frames]
        for n in np.flatnonzero(rounds):  # a round further on: the loop's displacement is in its first frame's axes
            first, clip = table.starts[clips[n]], clips[n]
            origin = np.array([table.root_paths[first, 0], 0.0, table.root_paths[first, 1]])
            shift = rotate_about_y(table.loop_shifts[clip] * [1, 0, 1], table.root_paths[first, 2])
            for _ in range(rounds[n]):
                new_place[n] = origin + shift + rotate_about_y(new_place[n] - origin, table.loop_turns[clip])
                new_yaw[n] += table.loop_turns[clip]
        playing.frames[characters], playing.fractions[characters] = new_frames, new_fractions
        shift = rotate_about_y(new_place - place, -yaw)
        return np.stack([shift[:, 0], shift[:, 2], wrap_angle(new_yaw - yaw)], axis=-1)

    def decode(self, state: State, characters: np.ndarray, look: float = 0.0) -> Sample:
        """Between a frame and the next: positions and velocities linearly, rotations along the shorter arc."""
        table, poses = self.by_frame, self.poses
        frames, fractions = self.clamp_frames(state, characters), state.playing.fractions[characters]
        after, t = table.next_frames[frames], fractions[:, None, None]

        def mix(values: np.ndarray, t: np.ndarray = t) -> np.ndarray:
            return values[frames].astype(np.float64) * (1 - t) + values[after] * t

        rotations = poses.rotations[frames].astype(np.float64)
        rotations = quaternion.normalize(
            rotations * (1 - t) + quaternion.nearest(poses.rotations[after], rotations) * t
        )
        _, yaws = self._locate_root(frames, fractions)
        velocities, spins = mix(poses.velocities), mix(poses.angular_velocities)
        root = rotate_about_y(velocities[:, 0], -yaws)
        soon, part, _ = self.move_time(frames, fractions, np.full(len(frames), look))
        soon = np.where(part < 0.5, soon, table.next_frames[soon])
        heights = table.toe_heights
        # a clip's last frame, which has no next, is left as it was reached
        before = np.where(after == frames, np.maximum(frames - 1, 0), frames)
        return Sample(
            positions=mix(poses.positions), rotations=rotations, velocities=velocities, angular_velocities=spins,
            root_velocities=np.stack([root[:, 0], root[:, 2], spins[:, 0, 1]], axis=-1),
            contacts=table.contacts[np.where(fractions < 0.5, frames, after)],
            soon_contacts=table.contacts[soon], soon_contact_left=table.contact_left[soon],
            toe_heights=mix(heights, t[..., 0]) - table.toe_rests,
            toe_rates=(heights[after] - heights[before]).astype(np.float64) * table.frame_rate,
        )  # fmt: skip

    def move_time(
        self, frames: np.ndarray, fractions: np.ndarray, seconds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frames and fractions after a while, and how many rounds of a loop were completed; time stops at clip ends."""
        table = self.by_frame
        clips = table.clip_of[frames]
        start, length = table.starts[clips], (table.stops - table.starts)[clips].astype(np.float64)
        times = np.maximum((frames - start) + fractions + seconds * table.frame_rate, 0.0)
        rounds = np.where(table.loops[clips], np.floor(times / length), 0).astype(int)
        times = np.where(table.loops[clips], times - rounds * length, np.minimum(times, length - 1))
        whole = np.minimum(np.floor(times), length - 1).astype(np.int32)
        return start + whole, times - whole, rounds

    def clamp_frames(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Have characters play frames (M,) that exist, and between two of them, whatever was written into the state."""
        playing = state.playing
        fractions, frames = playing.fractions[characters], playing.frames[characters]
        playing.fractions[characters] = np.where((fractions >= 0) & (fractions <= 1), fractions, 0.0)
        playing.frames[characters] = frames = np.clip(frames, 0, self.poses.frame_count - 1)
        return frames

    def _locate_root(self, frames: np.ndarray, fractions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (M, 3) and yaws (M,) of the root in its clip's world; past the last frame it stays there."""
        paths = self.by_frame.root_paths[frames]
        x, z, yaw = (paths[:, :3] + fractions[:, None] * paths[:, 3:]).T
        return np.stack([x, np.zeros_like(x), z], axis=-1), yaw

    def _find_standing(self) -> int:
        query = np.zeros((1, self.features.width), np.float32)
        for column, which, _ in self.table.trajectory_columns:
            value = 1.0 if which == DIRECTION + 2 else 0.0
            query[0, column] = (value - self.features.offset[column]) / self.features.scale[column]
        frame = self._find(query, np.full(1, -1, np.int32), self.default_filter, 0.0, 0)[0].frames[0]
        if frame < 0:
            raise KinematchError("no frame of the database may be taken: every clip is barred or too short")
        return int(frame)

    def _find(
        self, queries: np.ndarray, current: np.ndarray, filter_: str, bias: float, ignore: int
    ) -> tuple[Matches, int]:
        """What the matcher finds, and for how many it finds nothing; one that users wrote is checked."""
        if type(self.matcher) is WideMatcher and fit_kernels(self.matcher.space, queries, current):
            return self.matcher.find_checked(queries, current, filter_, bias, ignore)
        name = type(self.matcher).__name__
        try:
            found = self.matcher.find(queries, current, filter=filter_, stay_bias=bias, ignore=ignore)
            frames, costs = np.asarray(found.frames), np.asarray(found.costs, np.float32)
        except KinematchError:
            raise
        except Exception as error:
            raise KinematchError(f"{name}: {failure(error)}") from error
        if frames.shape != (len(queries),) or costs.shape != (len(queries),) or frames.dtype.kind not in "iu":
            raise KinematchError(
                f"{name} found {frames.dtype} frames {frames.shape} and costs {costs.shape}, "
                f"expected whole numbers ({len(queries)},) and as many costs"
            )
        if (frames < -1).any() or (frames >= self.poses.frame_count).any():
            raise KinematchError(f"{name} found frames {frames.min()} to {frames.max()} of {self.poses.frame_count}")
        return Matches(np.array(frames, np.int32), np.array(costs)), int(np.count_nonzero(frames < 0))


def open_sources(given: Any, matcher: Callable[[Database], Matcher] | None = None) -> list:
    """Databases and sources of motion as sources that characters can go between, checked."""
    items = list(given) if isinstance(given, Sequence) and not isinstance(given, str | bytes) else [given]
    if not items:
        raise KinematchError("a crowd needs a database or another source of motion")
    items = [item.make_source() if hasattr(item, "make_source") else item for item in items]  # trained models
    for item in items:
        if not isinstance(item, Database) and not hasattr(item, "decode"):
            kind = type(item).__name__
            raise KinematchError(f"a crowd needs databases, as km.load opens them, or motion sources, not {kind}")
    # what transitions remember of a joint's place must fit every source
    own = [make_table(one).moving if isinstance(one, Database) else one.rig.moving for one in items]
    moving = np.unique(np.concatenate(own)).astype(np.int32)
    sources: list = []
    for number, one in enumerate(items):
        if isinstance(one, Database):
            sources.append(DatabaseSource(one, moving=moving, matcher=matcher))
        else:  # those of another crowd are checked already
            sources.append(one if type(one) in (DatabaseSource, CheckedSource) else CheckedSource(one, number))
    first = sources[0]
    for number, other in enumerate(sources[1:], 1):
        difference = first.skeleton.difference(other.skeleton)
        if difference:
            raise KinematchError(f"source {number} has another skeleton than the first: {difference}")
        if not np.array_equal(first.contact_joints, other.contact_joints):
            raise KinematchError(f"source {number} has other contact joints than the first")
        if first.schema != other.schema:
            raise KinematchError(f"source {number} has other features than the first")
    return sources
