"""Crowd: N characters stepped together; a single character is a crowd of one."""

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any

import numpy as np

from kinematch.character.copying import copy_crowd, list_parts, open_parts
from kinematch.character.database_source import open_sources
from kinematch.character.describe import Motion
from kinematch.character.explain import explain_search
from kinematch.character.layers import Layer
from kinematch.character.lookups import needs_seams
from kinematch.character.mishaps import look_closer
from kinematch.character.pose import Pose, PoseLayout
from kinematch.character.runner import Runner
from kinematch.character.seams import step_with_seams
from kinematch.character.settings import Settings, is_number
from kinematch.character.shown_body import Body, find_all_moving, make_shown_rig
from kinematch.character.state import State, check_state, make_state, put_at_rest
from kinematch.character.translate import change_settings
from kinematch.control.body import SimulatedBody
from kinematch.control.checks import check_characters, check_moments, check_places
from kinematch.control.command import Command
from kinematch.control.orders import Filters, Last, copy_command, make_orders
from kinematch.control.requests import copy_requests
from kinematch.control.trajectory import Trajectory
from kinematch.database.schema import FeatureSchema
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.scene.terrain import Terrain
from kinematch.search import Candidates, Matcher

Ask = Callable[[np.ndarray, np.ndarray, FeatureSchema], np.ndarray]
DAY = 86400.0  # s
PAST_SAMPLES = 32  # places that are remembered of each root where a feature looks at the past


class Crowd:
    """N characters that play motion as they are commanded, by motion matching; one character is a crowd of one.

    `settings`, `terrain` and `layers` may be replaced at any time, and the arrays of `state` written to. Threads may
    share a crowd: whatever steps, changes or explains it waits for the others, behind one lock per crowd.
    """

    _settings: Settings

    def __init__(
        self,
        sources: Motion | Sequence[Motion],
        count: int = 1,
        *,
        settings: Settings | None = None,
        positions: Any = None,
        yaws: Any = None,
        terrain: Terrain | None = None,
        layers: Sequence[Layer] = (),
        skeleton: Body = None,
        matcher: Callable[[Database], Matcher] | None = None,
        asks: Sequence[Ask] = (),
        compiled: bool = True,
    ):
        """`sources`: a database, a model, a motion source or several of them; a command says which one plays.

        `positions` (N, 3) m and `yaws` (N,) rad: where characters start. `skeleton`: show the motion on another body,
        retargeted in every step, by default settings or as a Retargeting has it. `matcher`: makes a database's search.
        `asks`: each is given the physical queries (M, D) of characters (M,) and the schema, and returns other ones.
        `compiled=False` runs the very functions of the step as plain Python, slowly, for a debugger.
        """
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
            raise KinematchError(f"a crowd of {count!r}, expected a whole number from 1 on")
        self.sources = open_sources(sources, matcher)
        first, about = self.sources[0], self.sources[0].description
        self._open_body(skeleton, int(count))
        self._terrain, self._layers, self.asks = terrain, list(layers), tuple(asks)
        self.filters, self.orders, self._last = Filters(), make_orders(int(count)), Last()
        self.trajectory: Trajectory | None = None  # of the last command
        self.restarts = 0  # characters restarted since their state was not finite
        self.settings = settings or Settings()
        start = [0.0, 0.0, 0.0] if positions is None else positions
        places, turns = check_places(start, 0 if yaws is None else yaws, count)
        self._state = make_state(
            places, turns, joints=about.skeleton.joint_count, moving=len(self.moving), legs=len(self.rig.legs),
            columns=about.schema.width, horizons=sum(time >= 0 for time in about.schema.times),
            past=PAST_SAMPLES if about.schema.past else 0, interval=self.settings.search_interval,
            sources=[source.create_state(int(count)) for source in self.sources],
        )  # fmt: skip
        first.begin(self._state, self.characters)
        self.beginning = self._state.take(self.characters[:1])
        self._open_runner(compiled)

    def _open_body(self, skeleton: Body, count: int) -> None:
        """What follows from the sources and the skeleton alone."""
        self._lock = RLock()  # a layer or source may use the crowd that steps it
        self.characters = np.arange(count, dtype=np.int32)
        self.moving = find_all_moving(self.sources)
        self.retargeting, self.rig = make_shown_rig(self.sources[0], skeleton, self.moving)
        about = self.sources[0].description
        self.skeleton = about.skeleton if self.retargeting is None else self.retargeting.target
        self._layout = PoseLayout(
            count, self.skeleton.joint_count, len(about.contact_joints), len(self.rig.legs), self.rig.rest
        )

    def _open_runner(self, compiled: bool) -> None:
        """What knows the arrays of this crowd by address."""
        self._out: Pose | None = None
        self.computed: list[tuple[np.ndarray, np.ndarray]] = []  # characters that users' sources pose, their contacts
        self.runner = Runner(
            self.sources, self.state, self.orders, self.rig, self.beginning, self.moving,
            self.retargeting, self._layout, compiled=compiled,
        )  # fmt: skip
        self.runner.set_knobs(self.settings)
        self.has_own_parts = needs_seams(self)

    def __getstate__(self) -> dict[str, Any]:
        return list_parts(self)

    def __setstate__(self, parts: dict[str, Any]) -> None:
        open_parts(self, parts)

    def __copy__(self) -> "Crowd":
        return copy_crowd(self)

    @property
    def settings(self) -> Settings:
        """May be replaced at any time."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        if not isinstance(settings, Settings):
            raise KinematchError(f"settings of type {type(settings).__name__}, expected Settings")
        with self._lock:
            change_settings(self, settings)

    @property
    def terrain(self) -> Terrain | None:
        """The ground, None for flat ground; may be replaced at any time."""
        return self._terrain

    @terrain.setter
    def terrain(self, terrain: Terrain | None) -> None:
        with self._lock:
            self._terrain = terrain

    @property
    def layers(self) -> list[Layer]:
        """Layers in the order they run; may be replaced at any time."""
        return self._layers

    @layers.setter
    def layers(self, layers: list[Layer]) -> None:
        with self._lock:
            self._layers = layers

    @property
    def state(self) -> State:
        """Everything that evolves: `state.copy()` keeps it, `restore` goes back. Its arrays may be written to."""
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        self.restore(state)  # kernels know the arrays by address

    @property
    def longest_step(self) -> float:
        """Seconds; longer steps are split, so that a slow application moves like a fast one."""
        return float(self.orders.longest_step[0])

    @longest_step.setter
    def longest_step(self, seconds: float) -> None:
        if not is_number(seconds) or not 0 < seconds <= DAY:
            raise KinematchError(f"a longest step of {seconds!r} s, expected more than 0 and at most {DAY:.0f}")
        self.orders.longest_step[0] = seconds

    @property
    def count(self) -> int:
        """N."""
        return len(self.characters)

    @property
    def body(self) -> SimulatedBody:
        """The simulated bodies, which controllers see; the arrays may be written to."""
        return self.state.body

    @property
    def root_positions(self) -> np.ndarray:
        """(N, 3) m in the world; the state's own array, so it may be written to."""
        return self.state.playing.positions

    @property
    def root_yaws(self) -> np.ndarray:
        """(N,) rad about +Y; may be written to."""
        return self.state.playing.yaws

    @property
    def frames(self) -> np.ndarray:
        """(N,) frames of the database that play."""
        return self.state.playing.frames

    @property
    def fractions(self) -> np.ndarray:
        """(N,) of the way to the next frame."""
        return self.state.playing.fractions

    @property
    def acting(self) -> np.ndarray:
        """(N,) bool, in an action that was requested."""
        return self.state.acting.stretches >= 0

    @property
    def matcher(self) -> Matcher:
        """The search of the first source, if that is a database."""
        return self.sources[0].matcher

    @property
    def database(self) -> Database:
        """The first source, if that is a database."""
        return self.sources[0].database

    def step(self, command: Command, dt: float, *, out: Pose | None = None) -> Pose:
        """Move all characters on by dt seconds under a command, and return their pose.

        `out`: an earlier result to write over, which saves memory traffic with thousands of characters.
        """
        if not (type(dt) is float or is_number(dt)) or not 0 <= dt <= DAY:
            raise KinematchError(f"a step of {dt!r} s, expected 0 to {DAY:.0f}")
        self._lock.acquire()  # `with` takes 0.05 us longer, of 4 us
        try:
            pose = self.prepare(command, out)
            if self._layers or self._terrain is not None or self.trajectory is not None or self.has_own_parts:
                step_with_seams(self, float(dt), pose)
            else:  # one call
                runner = self.runner
                if len(runner.work.heights):  # of a terrain until now
                    runner.set_ground(None, None)
                if runner.run_whole(float(dt)):
                    look_closer(self, pose)
        finally:
            self._lock.release()
        return pose

    def prepare(self, command: Command, out: Pose | None = None) -> Pose:
        """Take a command over; the pose that the step under it writes to."""
        self.trajectory = copy_command(command, self.orders, self.filters, len(self.sources), self._last)
        self.orders.given[0] = self.trajectory is not None
        copy_requests(command.request, self.orders, self.sources, self._last)
        self.runner.refresh(self._settings, self.filters)
        return self.prepare_pose(out)

    def predict(self, times: np.ndarray, characters: np.ndarray, ages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (M, H, 3) and yaws (M, H) in the world at times (H,) from a moment (M,) s ago.

        By springs under the last command, or as the controller's trajectory has it; negative times: where roots were.
        """
        moments, chosen, since = check_moments(times, characters, ages, self.count)
        places = np.zeros((len(chosen), len(moments), 4))
        with self._lock:
            if self.trajectory is not None:
                places[..., :3], places[..., 3] = self.trajectory.sample(moments - since[:, None], chosen)
            self.runner.predict(moments, chosen, since, places)
        return places[..., :3], places[..., 3]

    def restore(self, state: State) -> None:
        """Go back to a copy of the state taken earlier, bit for bit."""
        check_state(state, self.count, len(self.sources))
        with self._lock:
            self.state.assign(state)

    def teleport(self, positions: Any, yaws: Any, characters: np.ndarray | None = None) -> None:
        """Move characters and their bodies to positions (N, 3) m and yaws (N,) rad, at rest; their clips go on."""
        chosen = self.characters if characters is None else check_characters(characters, self.count)
        places, turns = check_places(positions, yaws, len(chosen))
        with self._lock:
            put_at_rest(self.state, chosen, places, turns)

    def start_over(self, positions: Any, yaws: Any) -> None:
        """Start over at positions (N, 3) m and yaws (N,) rad, as if just made."""
        with self._lock:
            since = self.state.schedule.since.copy()
            self.restore(self.beginning.take(np.zeros(self.count, np.int32)))
            self.state.schedule.since[:] = np.nan_to_num(since)  # phases stay spread
            self.teleport(positions, yaws)

    def explain(self, character: int = 0, count: int = 5) -> Candidates:
        """The best frames for the last query of a character, the cost of each by feature, and why one was chosen."""
        with self._lock:
            return explain_search(self, int(check_characters(character, self.count)[0]), count)

    def prepare_pose(self, out: Pose | None = None) -> Pose:
        """Where the next step writes to: a new pose, or an earlier one."""
        if out is not None and out is self._out:
            return out
        pose, address = self._layout.make() if out is None else (out, self._layout.check(out))
        if out is not None:
            pose.positions[:] = self.rig.rest
        self._out = pose
        self.runner.set_pose(pose, address)
        return pose
