"""Track: a database ready to be played and searched by characters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinematch.character.kernels import step as k
from kinematch.character.kernels.poses8 import scratch
from kinematch.character.settings import Settings
from kinematch.character.settling import idle_frames, terms
from kinematch.character.source import Source, opened_source, remembering
from kinematch.character.state import State
from kinematch.character.wanted import Wanted
from kinematch.compile.handle import handle
from kinematch.control.body import SimulatedBody, asked
from kinematch.control.command import Command
from kinematch.database.feature_database import column_weights
from kinematch.database.features import BUILT_IN, QueryInput
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.motion.heading import yaw_direction
from kinematch.search import Matcher, Matches, WideMatcher, search_space


@dataclass(eq=False)
class Track:
    database: Database
    source: Source
    handle: np.ndarray  # of the source
    values: np.ndarray  # (F, D) float32, the features as kernels take them
    matcher: Matcher
    columns: np.ndarray  # (T, 3) int32: column, which number of the trajectory, which time; see step_kernels.ask
    times: np.ndarray  # (H,) s
    custom: bool  # a user's own trajectory feature is asked through its Python function
    weighted: tuple = field(default=())  # the weights in use, to see a change

    def scratch(self) -> tuple[np.ndarray, np.ndarray]:
        """What a thread needs to animate."""
        return scratch(len(self.source.parents), len(self.source.legs))

    def weigh(self, settings: Settings) -> None:
        """Search by the settings' weights from now on."""
        asked = (settings.responsiveness, settings.quality, tuple(settings.weights.items()))
        if asked != self.weighted:
            own = self.database.features.weights
            features = self.database.features.with_weights(
                settings.weights,
                responsiveness=own.responsiveness * settings.responsiveness,
                quality=own.quality * settings.quality,
            )
            self.matcher.set_weights(column_weights(features.schema, features.weights))
            self.weighted = asked

    def find(
        self, queries: np.ndarray, current: np.ndarray, expression: str, settled: bool, settings: Settings
    ) -> Matches:
        filter, ignore = terms(self.database, expression, settled, settings)
        bias, frames = settings.stay_bias, self.database.poses.frame_count
        found = self.matcher.find(queries, current, filter=filter, stay_bias=bias, ignore=ignore)
        for nearer in (terms(self.database, expression, False, settings)[1], 0):
            lost = found.frames < 0
            if lost.any():  # a short clip may have no other way on than back into its last seconds
                anew = self.matcher.find(queries[lost], current[lost], filter=filter, stay_bias=bias, ignore=nearer)
                found.frames[lost], found.costs[lost] = anew.frames, anew.costs
        if (found.frames < 0).any():
            raise KinematchError(
                f"no frame of the database may be taken: the filter {filter!r} admits none, or all are too far"
            )
        if (found.frames >= frames).any():  # as a matcher of one's own may say
            raise KinematchError(f"{type(self.matcher).__name__} found frame {found.frames.max()} of {frames}")
        # in the very types that the kernels were compiled for
        return Matches(np.ascontiguousarray(found.frames, np.int32), np.ascontiguousarray(found.costs, np.float32))

    def queries(
        self, state: State, who: np.ndarray, wanted: Wanted, settings: Settings, dt: float, states: np.ndarray,
        knobs: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """What some characters (M,) ask, normalised (M, D), and note in their state that they did.

        `states` and `knobs` are the handles of the state and the settings.
        """
        features = self.database.features
        queries = np.empty((len(who), features.width), np.float32)
        lost = k.ask(
            states, self.handle, knobs, who, wanted.velocities, wanted.facings, wanted.filters, self.values,
            features.offset, features.scale, self.columns, self.times, queries, dt,
        )  # fmt: skip
        if self.custom:
            queries = features.normalise(features.schema.query(self._input(state, who, wanted, settings)))
            state.schedule.queries[who] = queries
            finite = np.isfinite(queries).all(axis=1)
            lost = -1 if finite.all() else who[np.argmin(finite)]
        if lost >= 0:
            raise KinematchError(f"character {lost}: its simulated body, root or command is no longer finite")
        return queries

    def standing(self, state: State) -> np.ndarray:
        """The frames (N,) in which characters begin: the first of the first idle, else an average pose that goes
        nowhere."""
        features, idle = self.database.features, idle_frames(self.database)
        if len(idle):
            return np.full(len(state.playing.frames), idle[0], np.int32)
        query = np.zeros((1, features.width), np.float32)
        for column, which, _ in self.columns:
            value = 1.0 if which == k.DIRECTION_Z else 0.0
            query[0, column] = (value - features.offset[column]) / features.scale[column]
        frame = self.matcher.find(query).frames[0]
        if frame < 0:
            raise KinematchError("no frame of the database may be taken: every clip is barred or too short")
        return np.full(len(state.playing.frames), frame, np.int32)

    def _input(self, state: State, who: np.ndarray, wanted: Wanted, settings: Settings) -> QueryInput:
        """The plain way to ask, for features that kernels do not know."""
        body = SimulatedBody(*(array[who] for array in state.body))
        command = Command(wanted.velocities[who], wanted.facings[who])
        playing, rate = state.playing, self.database.poses.frame_rate

        def trajectory(times: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
            positions, facings = asked(
                body, command, np.array(times), settings.halflives, places=playing.positions[who],
                yaws=playing.yaws[who], past=playing.fractions[who] / rate,
            )  # fmt: skip
            return positions, yaw_direction(facings)

        return QueryInput(current=self.database.features.physical(state.playing.frames[who]), trajectory=trajectory)


def track(database: Database, moving: np.ndarray, matcher: Callable[[Database], Matcher] | None = None) -> Track:
    """`moving`: which joints' places transitions have to remember."""
    schema = database.features.schema
    times = tuple(time for time in schema.times if time >= 0)
    columns = []
    for feature, place in zip(schema.features, schema.columns.values()):
        if feature.kind in ("trajectory_position", "trajectory_direction"):
            base = 0 if feature.kind == "trajectory_position" else 3
            axes = (0, 1, 2) if feature.dimensions == 3 else (0, 2)
            spots = [(time, axis) for time in feature.times for axis in axes]
            columns += [
                (place.start + i, base + axis, times.index(time)) for i, (time, axis) in enumerate(spots) if time >= 0
            ]
    own = remembering(database.poses, moving)
    columns.sort(key=lambda one: one[2])  # one time after the other, so that each is predicted once
    return Track(
        database,
        own,
        handle(own, opened_source),
        database.features.values.view(np.ndarray),
        matcher(database) if matcher else WideMatcher(search_space(database)),
        np.array(columns, np.int32).reshape(-1, 3),
        np.array(times, np.float64),
        any(f.group == "trajectory" and f.kind not in BUILT_IN for f in schema.features),
    )


def check_alike(databases: Sequence[Database]) -> None:
    """Characters can go from one database to another only if these have joints and features in common."""
    if not databases:
        raise KinematchError("a crowd needs a database")
    for given in databases:
        if not isinstance(given, Database):
            kind = type(given).__name__
            raise KinematchError(f"a crowd needs databases, as kinematch.database.storage.load opens them, not {kind}")
    first = databases[0]
    for number, other in enumerate(databases[1:], 1):
        difference = first.poses.skeleton.difference(other.poses.skeleton)
        if difference:
            raise KinematchError(f"database {number} has another skeleton than the first: {difference}")
        if not np.array_equal(first.poses.contact_joints, other.poses.contact_joints):
            raise KinematchError(f"database {number} has other contact joints than the first")
        if first.features.schema != other.features.schema:
            raise KinematchError(f"database {number} has other features than the first")
