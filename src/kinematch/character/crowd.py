"""Crowd: N characters stepped together by one fused step; a single character is a crowd of one."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from kinematch.character.kernels import step as k
from kinematch.character.kernels.poses import jump
from kinematch.character.knobs import knobs_of, opened_knobs
from kinematch.character.settings import Settings
from kinematch.character.settling import terms
from kinematch.character.shown import Shown, checked, nothing_shown, opened_shown
from kinematch.character.source import source
from kinematch.character.state import State, fresh, opened_state
from kinematch.character.track import Track, check_alike, track
from kinematch.character.wanted import Expressions, Wanted, checked_layer, checked_places, wanted_of
from kinematch.compile.handle import handle
from kinematch.compile.threads import in_two, shares
from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.math.spring import HALF
from kinematch.search import Candidates, Matcher, candidates
from kinematch.terrain.terrain import Terrain, ground_under, soon

DAY = 86400.0  # s
LONGEST = 0.02  # s that one piece of a step lasts: a slow application moves like a fast one, a pause is walked through
MOST_PIECES = 50  # after a second pieces grow longer instead
MANY = 200  # characters from which all cores are worth waking
SPARE = 1.25  # how many more searches than on average a step may hold; the rest wait their turn
FEWEST = 32  # searches that a step may always hold
NOBODY = np.zeros(0, np.int32)
NO_LAYER = np.zeros((0, 0, 4), np.float32), np.zeros((0, 0), np.float32)
FLAT = np.zeros((0, 0)), np.zeros((0, 0, 3))


class Crowd:
    """The motion-matching loop: command, search, transition, root, adjustment, feet.

    `settings` and `terrain` may be replaced at any time.
    """

    _settings: Settings
    _knobs: np.ndarray  # their handle

    def __init__(
        self,
        databases: Database | Sequence[Database],
        count: int = 1,
        *,
        settings: Settings | None = None,
        positions: np.ndarray | None = None,
        yaws: np.ndarray | None = None,
        terrain: Terrain | None = None,
        matcher: Callable[[Database], Matcher] | None = None,
    ):
        if count < 1:
            raise KinematchError(f"a crowd of {count}, expected 1 or more")
        self.databases = list(databases) if isinstance(databases, Sequence) else [databases]
        check_alike(self.databases)
        # what transitions remember of a joint's place must fit every database
        moving = np.unique(np.concatenate([source(one.poses).moving for one in self.databases]))
        self.tracks: list[Track] = [track(one, moving, matcher) for one in self.databases]
        self.terrain = terrain
        self.settings = settings or Settings()
        self._everyone = np.arange(count, dtype=np.int32)
        places, turns = checked_places(
            np.zeros(3) if positions is None else positions, np.zeros(1) if yaws is None else yaws, count
        )
        first = self.tracks[0].source
        self._own: State = fresh(
            places, turns, joints=len(first.parents), moving=len(moving), toes=len(first.legs),
            columns=self.database.features.width, interval=self.settings.search_interval,
        )  # fmt: skip
        self._state = handle(self._own, opened_state)
        self.state.playing.frames[:] = self.tracks[0].standing(self.state)
        self._beginning = self._own.take(self._everyone[:1])
        self._expressions = Expressions()
        self._ground = np.zeros((count, len(first.legs) + 1)), np.zeros((count, len(first.legs), 3))
        self._shown: tuple[Shown | None, np.ndarray] = None, np.zeros(0, np.int64)

    @property
    def settings(self) -> Settings:
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        for one in self.tracks:
            one.weigh(settings)
        earlier, knobs = getattr(self, "_settings", settings), getattr(self, "_knobs", None)
        self._settings, self._knobs = settings, handle(knobs_of(settings), opened_knobs)
        if settings.transition != earlier.transition:  # what is remembered means something else to each kind
            for number, who in self._parts(self.state.playing.databases, self._everyone):
                own = self.tracks[number].handle
                jump(self._state, own, own, knobs, self._knobs, who, self.state.playing.frames[who])

    @property
    def state(self) -> State:
        """Everything that changes; its arrays may be written to."""
        return self._own

    @state.setter
    def state(self, state: State) -> None:
        self.restore(state)  # kernels know the arrays by address

    @property
    def count(self) -> int:
        return len(self.state.playing.frames)

    @property
    def database(self) -> Database:
        return self.databases[0]

    @property
    def matcher(self) -> Matcher:
        return self.tracks[0].matcher

    @property
    def body(self) -> SimulatedBody:
        return self.state.body

    @property
    def root_positions(self) -> np.ndarray:
        """(N, 3) m; the state's own, so it may be written to."""
        return self.state.playing.positions

    @property
    def root_yaws(self) -> np.ndarray:
        return self.state.playing.yaws

    @property
    def frames(self) -> np.ndarray:
        return self.state.playing.frames

    @property
    def fractions(self) -> np.ndarray:
        return self.state.playing.fractions

    def restore(self, state: State) -> None:
        """Go back to a copy of the state taken earlier, bit for bit."""
        if len(state.playing.frames) != self.count:
            raise KinematchError(f"a state of {len(state.playing.frames)} characters for a crowd of {self.count}")
        numbers = state.playing.databases
        if (numbers < 0).any() or (numbers >= len(self.tracks)).any():
            raise KinematchError(f"a state with databases {numbers.min()} to {numbers.max()} of {len(self.tracks)}")
        self.state.assign(state)

    def teleport(self, positions: np.ndarray, yaws: np.ndarray, who: np.ndarray | None = None) -> None:
        """Put characters and their simulated bodies elsewhere, at rest; their pose goes on."""
        who = self._everyone if who is None else np.atleast_1d(who)
        positions, yaws = checked_places(positions, yaws, len(who))
        body, playing, feet = self.state.body, self.state.playing, self.state.feet
        playing.positions[who] = body.positions[who] = positions
        playing.yaws[who] = body.yaws[who] = yaws
        for array in (body.velocities, body.accelerations, body.yaw_rates, feet.offsets, feet.grounds, feet.locked):
            array[who] = 0
        feet.grounds[who, :, 0] = playing.positions[who, 1, None]
        feet.toes[who] = np.nan

    def start_over(self, positions: np.ndarray, yaws: np.ndarray) -> None:
        """As if just made, at these places; whatever was wrong is gone."""
        since = self.state.schedule.since.copy()
        self.restore(self._beginning.take(np.zeros(self.count, np.int32)))
        self.state.schedule.since[:] = np.nan_to_num(since)  # phases stay spread
        self.teleport(positions, yaws)

    def explain(self, character: int = 0, count: int = 5) -> Candidates:
        """The best frames for a character's last query, what each costs by feature, and why one was taken."""
        schedule, settings = self.state.schedule, self.settings
        one = self.tracks[int(self.state.playing.databases[character])]
        how = self._expressions.text(int(schedule.filters[character])), bool(schedule.settled[character])
        filter_, ignore = terms(one.database, *how, settings)
        return candidates(
            one.matcher, schedule.queries[character], int(schedule.frames[character]), count=count, filter=filter_,
            stay_bias=settings.stay_bias, ignore=ignore,
        )  # fmt: skip

    def step(
        self,
        command: Command,
        dt: float,
        *,
        layer: tuple[np.ndarray, np.ndarray] | None = None,
        out: Shown | None = None,
    ) -> Shown:
        """Everything moves on by dt seconds under a command.

        `layer`: another source's local rotations (N, J, 4), and how much of each joint (N, J) it owns, 0 to 1.
        `out`: an earlier result to write over, which saves memory traffic with thousands of characters.
        """
        wanted = wanted_of(command, self.count, len(self.databases), self._expressions)
        if not 0 <= dt <= DAY:
            raise KinematchError(f"a step of {dt} s, expected 0 to {DAY:.0f}")
        if out is None or out is not self._shown[0]:
            first = self.tracks[0].source
            sizes = self.count, len(first.parents), first.contacts.shape[1], len(first.legs)
            out = nothing_shown(*sizes) if out is None else checked(out, *sizes)
            self._shown = out, handle(out, opened_shown)
        pieces = min(max(1, math.ceil(dt / LONGEST - 1e-9)), MOST_PIECES)
        own_layer = NO_LAYER if layer is None else checked_layer(*layer, *out.positions.shape[:2])
        out.searched[:] = out.jumped[:] = False
        parts = []
        for _ in range(pieces):
            self._move_on(wanted, dt / pieces, own_layer, out)
            if pieces > 1:
                parts.append((out.displacements.copy(), out.turns.copy(), out.reasons.copy()))
        if parts:
            ways, turns, reasons = zip(*parts)
            out.displacements[:], out.turns[:], out.reasons[:] = sum(ways), sum(turns), np.max(reasons, axis=0)
        return out

    def _move_on(self, wanted: Wanted, dt: float, layer: tuple[np.ndarray, np.ndarray], out: Shown) -> None:
        """Each core takes its share of the characters through the whole step; who is done early helps the others."""
        searching = self._due(wanted, dt, out)
        if self.count < MANY:
            self._search(searching, wanted, dt, out)
            self._animate(self._everyone, np.zeros((len(self.tracks), 1), np.int64), wanted, dt, layer, out)
            return
        parts = shares(self.count, worth=MANY)
        begun = np.zeros((len(parts), len(self.tracks), 1), np.int64)

        def search(part: int) -> None:
            first, last = np.searchsorted(searching, (parts[part].start, parts[part].stop))
            self._search(searching[first:last], wanted, dt, out)

        def animate(part: int) -> None:
            who = self._everyone[parts[part]]
            if begun[part].sum() < len(who):
                self._animate(who, begun[part], wanted, dt, layer, out)

        in_two(len(parts), search, animate, shared=self.terrain is None)

    def _parts(self, numbers: np.ndarray, who: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Characters by the number that they have."""
        if len(self.tracks) == 1 and numbers is self.state.playing.databases:
            yield 0, who
            return
        own = numbers[who]
        if len(own) and (own == own[0]).all():
            yield int(own[0]), who
            return
        for number in np.unique(own):
            yield int(number), who[own == number]

    def _due(self, wanted: Wanted, dt: float, out: Shown) -> np.ndarray:
        """Which characters (M,) search now, in their order; not more than a step may hold."""
        state, reasons, count = self.state, out.reasons, 0
        for number, who in self._parts(state.playing.databases, self._everyone):
            count += k.due(self._state, self.tracks[number].handle, self._knobs, who, *wanted, reasons)
        if not count:
            return NOBODY
        who = np.flatnonzero(reasons).astype(np.int32)
        most = max(FEWEST, math.ceil(SPARE * self.count * dt / self.settings.search_interval))
        if len(who) > most:  # those at an end first, then whoever has waited longest
            urgency = state.schedule.since[who] + 1e6 * (reasons[who] >= k.END)
            late = np.argpartition(-urgency, most)
            reasons[who[late[most:]]] = k.NOT_YET
            who = np.sort(who[late[:most]])
        out.searched[who] = True
        return who

    def _search(self, who: np.ndarray, wanted: Wanted, dt: float, out: Shown) -> None:
        state = self.state
        for number, some in self._parts(state.playing.databases, who) if len(who) else ():
            own = self.tracks[number]
            queries = own.queries(state, some, wanted, self.settings, dt, self._state, self._knobs)
            for target, those in self._parts(wanted.databases, some):
                for filter_, these in self._parts(wanted.filters, those):
                    for settled, part in self._parts(state.schedule.settled, these):
                        asked = queries if part is some else state.schedule.queries[part]
                        self._ask(number, target, (self._expressions.text(filter_), bool(settled)), part, asked, out)

    def _ask(self, number: int, target: int, how: tuple[str, bool], who: np.ndarray, queries: np.ndarray, out: Shown):
        """Search one database for characters that play another or the same, and let them jump; how: with which filter,
        and whether they have settled."""
        state, here, there = self.state, self.tracks[number], self.tracks[target]
        current = state.playing.frames[who]
        if target != number:  # the query is put in physical units, then in those of the database it is put to
            old, new = here.database.features, there.database.features
            queries = new.normalise(queries * old.scale + old.offset)
            state.schedule.queries[who] = queries
            current = np.full(len(who), -1, np.int32)
        found = there.find(queries, current, *how, self.settings)
        jumping = np.empty(len(who), np.int32)
        count = k.note_found(self._state, who, current, found.frames, found.costs, out.jumped, jumping)
        if count:
            self._jump(here, there, who[jumping[:count]], found.frames[jumping[:count]])
            if target != number:
                state.playing.databases[who[jumping[:count]]] = target

    def _jump(self, here: Track, there: Track, who: np.ndarray, frames: np.ndarray) -> None:
        jump(self._state, here.handle, there.handle, self._knobs, self._knobs, who, frames)

    def _animate(
        self, who: np.ndarray, begun: np.ndarray, wanted: Wanted, dt: float, layer: tuple[np.ndarray, np.ndarray],
        out: Shown,
    ) -> None:  # fmt: skip
        """`begun` (D, 1): how many of those who play each database were taken on, by any thread."""
        for number, some in self._parts(self.state.playing.databases, who):
            track = self.tracks[number]
            records = self._state, track.handle, self._knobs
            given, result = (*wanted[:2], *layer), (self._shown[1], *track.scratch(), dt)
            if self.terrain is None:
                k.animate(*records, some, begun[number], *given, *FLAT, *result, k.POSE | k.FEET)
            else:
                k.animate(*records, some, begun[number], *given, *FLAT, *result, k.POSE)
                self._look_down(some, track.source.legs, dt, out)
                k.animate(*records, some, np.zeros(1, np.int64), *given, *self._ground, *result, k.FEET)

    def _look_down(self, who: np.ndarray, legs: np.ndarray, dt: float, out: Shown) -> None:
        """Ask the terrain for heights under root and toes, and slopes under the toes: those of locked ones where they
        stand, of others where they will be by the time they have followed."""
        assert self.terrain is not None
        feet, (heights, normals) = self.state.feet, self._ground
        lag = self.settings.ground_halflife / HALF  # s that stand_on's spring is late
        toes = soon(out.global_positions[who][:, legs[:, 3]], feet.toes[who], lag, dt)
        toes = np.where(feet.locked[who][..., None], feet.places[who], toes)
        heights[who], normals[who] = ground_under(self.terrain, self.state.playing.positions[who], toes)
