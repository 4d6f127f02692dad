"""Crowd: N characters stepped together; a single character is a crowd of one."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinematch.character.database_source import open_sources
from kinematch.character.explain import explain_search
from kinematch.character.kernels import jumps
from kinematch.character.layers import Layer
from kinematch.character.orders import Filters, check_places, copy_command, make_orders
from kinematch.character.pose import Pose, PoseLayout
from kinematch.character.project import follow_plainly, group_by
from kinematch.character.restart import restart_lost
from kinematch.character.runner import Runner
from kinematch.character.settings import Settings, is_number
from kinematch.character.shown_body import Body, find_all_moving, make_shown_rig
from kinematch.character.source import MotionSource, Projection
from kinematch.character.stages.feet import Ground
from kinematch.character.stages.transition import start_transition
from kinematch.character.state import State, make_state
from kinematch.character.step import step_fused
from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command
from kinematch.control.trajectory import Trajectory
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.search import Candidates, Matcher
from kinematch.terrain.terrain import Terrain, find_ground

DAY = 86400.0  # s
LONGEST_STEP = 0.02  # s: longer steps are split, so that a slow application moves like a fast one
MOST_PIECES = 50  # at most so many substeps; beyond a second they get longer
PAST_SAMPLES = 32  # places that are remembered of each root where a feature looks at the past


class Crowd:
    """N characters that play motion as they are commanded, by motion matching; one character is a crowd of one.

    `settings`, `terrain` and `layers` may be replaced at any time, and the arrays of `state` written to.
    """

    _settings: Settings

    def __init__(
        self,
        sources: Database | MotionSource | Sequence[Database | MotionSource],
        count: int = 1,
        *,
        settings: Settings | None = None,
        positions: Any = None,
        yaws: Any = None,
        terrain: Terrain | None = None,
        layers: Sequence[Layer] = (),
        skeleton: Body = None,
        matcher: Callable[[Database], Matcher] | None = None,
    ):
        """`sources`: a database, a model, a motion source or several of them; a command says which one plays.

        `positions` (N, 3) m and `yaws` (N,) rad: where characters start. `skeleton`: show the motion on another body,
        retargeted in every step, by default settings or as a Retargeting has it. `matcher`: makes a database's search.
        """
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
            raise KinematchError(f"a crowd of {count!r}, expected a whole number from 1 on")
        self.sources: list[MotionSource] = open_sources(sources, matcher)
        first = self.sources[0]
        self.moving = find_all_moving(self.sources)
        self.retargeting, self.rig = make_shown_rig(first, skeleton, self.moving)
        self.skeleton = first.skeleton if self.retargeting is None else self.retargeting.target
        self._layout = PoseLayout(
            int(count), self.skeleton.joint_count, len(first.contact_joints), len(self.rig.legs), self.rig.rest
        )
        self.terrain, self.layers = terrain, list(layers)
        self.filters, self.orders = Filters(), make_orders(int(count))
        self.trajectory: Trajectory | None = None  # of the last command
        self.characters = np.arange(count, dtype=np.int32)
        self.restarts = 0  # characters restarted since their state was not finite
        self.longest_step = LONGEST_STEP  # s; longer ones are split
        self.settings = settings or Settings()
        places, turns = check_places(
            np.zeros(3) if positions is None else positions, 0 if yaws is None else yaws, count
        )
        past = first.schema.past
        self.past_spacing = past / (PAST_SAMPLES - 2)
        self._state = make_state(
            places, turns, joints=first.skeleton.joint_count, moving=len(self.moving), legs=len(self.rig.legs),
            columns=first.schema.width, horizons=sum(time >= 0 for time in first.schema.times),
            past=PAST_SAMPLES if past else 0, interval=self.settings.search_interval,
            sources=[source.create_state(int(count)) for source in self.sources],
        )  # fmt: skip
        first.begin(self._state, self.characters)
        self._beginning = self._state.take(self.characters[:1])
        self._out: Pose | None = None
        self._start()

    def _start(self) -> None:
        self.runner = Runner(
            self.sources, self.state, self.orders, self.rig, self.moving, self.retargeting, self._layout
        )
        self.runner.set_knobs(self.settings)

    @property
    def settings(self) -> Settings:
        """May be replaced at any time."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        if not isinstance(settings, Settings):
            raise KinematchError(f"settings of type {type(settings).__name__}, expected Settings")
        for source in self.sources:
            source.change_settings(settings)
        earlier, self._settings = getattr(self, "_settings", settings), settings
        if settings.transition != earlier.transition:  # offsets are stored differently by each kind
            self._translate_offsets(earlier)
        elif settings.transition == "dead" and settings.transition_halflife != earlier.transition_halflife:
            self.state.offsets.ages[:] *= settings.transition_halflife / earlier.transition_halflife  # keeps progress
        if hasattr(self, "runner"):
            self.runner.set_knobs(settings)

    @property
    def state(self) -> State:
        """Everything that evolves: `state.copy()` keeps it, `restore` goes back. Its arrays may be written to."""
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        self.restore(state)  # kernels know the arrays by address

    @property
    def count(self) -> int:
        """N."""
        return len(self.characters)

    def group_everyone(self) -> list[tuple[int, np.ndarray]]:
        """Characters by the source that each plays."""
        everyone = self.characters
        return [(0, everyone)] if len(self.sources) == 1 else group_by(self.state.playing.sources, everyone)

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
    def matcher(self) -> Matcher:
        """The search of the first source, if that is a database."""
        return self.sources[0].matcher  # type: ignore[attr-defined]

    @property
    def database(self) -> Database:
        """The first source, if that is a database."""
        return self.sources[0].database  # type: ignore[attr-defined]

    def step(self, command: Command, dt: float, *, out: Pose | None = None) -> Pose:
        """Move all characters on by dt seconds under a command, and return their pose.

        `out`: an earlier result to write over, which saves memory traffic with thousands of characters.
        """
        if not (type(dt) is float or is_number(dt)) or not 0 <= dt <= DAY:
            raise KinematchError(f"a step of {dt!r} s, expected 0 to {DAY:.0f}")
        self.trajectory = copy_command(command, self.orders, self.filters, len(self.sources))
        pose = self.prepare_pose(out)
        self._check_numbers()
        pieces = min(max(1, math.ceil(dt / self.longest_step - 1e-9)), MOST_PIECES)
        restarted = self._step_once(float(dt) / pieces, pose)
        if pieces > 1:
            displacements, turns, reasons = pose.displacements.copy(), pose.turns.copy(), pose.reasons.copy()
            for piece in range(1, pieces):
                if self.trajectory is not None:
                    self.trajectory = replace(self.trajectory, elapsed=piece * float(dt) / pieces)
                restarted = restarted | self._step_once(float(dt) / pieces, pose)
                displacements += pose.displacements
                turns += pose.turns
                reasons = np.where(pose.reasons, pose.reasons, reasons)  # of the last search
            pose.displacements[:], pose.turns[:], pose.reasons[:] = displacements, turns, reasons
        pose.restarted[:] = restarted
        return pose

    def _step_once(self, dt: float, pose: Pose) -> np.ndarray | bool:
        """One piece of a step; which characters began anew in it."""
        self._run_stages(dt, pose)
        return restart_lost(self, self._beginning, pose) if np.count_nonzero(pose.restarted) else False

    def _run_stages(self, dt: float, pose: Pose) -> None:
        step_fused(self, dt, pose)

    def follow(self, number: int, target: int, characters: np.ndarray, found: Projection, pose: Pose) -> None:
        """Note what source `target` found for characters that play `number`, and jump there where that is better."""
        if self.sources[number].table is None or self.sources[target].table is None:
            follow_plainly(self, number, target, characters, found, pose)
        else:
            scenes, room = self.runner.scenes, self.runner.make_jump_room()
            jumps.jump(scenes[number], scenes[target], target, characters, *found, room)

    def restore(self, state: State) -> None:
        """Go back to a copy of the state taken earlier, bit for bit."""
        if not isinstance(state, State):
            raise KinematchError(f"a state of type {type(state).__name__}, expected a State")
        if len(state.playing.frames) != self.count:
            raise KinematchError(f"a state of {len(state.playing.frames)} characters for a crowd of {self.count}")
        numbers = state.playing.sources
        if (numbers < 0).any() or (numbers >= len(self.sources)).any():
            raise KinematchError(f"a state with sources {numbers.min()} to {numbers.max()} of {len(self.sources)}")
        self.state.assign(state)

    def teleport(self, positions: Any, yaws: Any, characters: np.ndarray | None = None) -> None:
        """Move characters and their bodies to positions (N, 3) m and yaws (N,) rad, at rest; their clips go on."""
        chosen = self.characters if characters is None else self._check_characters(characters)
        places, turns = check_places(positions, yaws, len(chosen))
        body, playing, feet, past = self.state.body, self.state.playing, self.state.feet, self.state.past
        playing.positions[chosen] = body.positions[chosen] = places
        playing.yaws[chosen] = body.yaws[chosen] = turns
        for array in (body.velocities, body.accelerations, body.yaw_rates, feet.offsets, feet.grounds, feet.locked):
            array[chosen] = 0
        feet.grounds[chosen, :, 0] = playing.positions[chosen, 1, None]
        feet.toes[chosen] = np.nan
        past.ages[chosen] = np.inf

    def start_over(self, positions: Any, yaws: Any) -> None:
        """Start over at positions (N, 3) m and yaws (N,) rad, as if just made."""
        since = self.state.schedule.since.copy()
        self.restore(self._beginning.take(np.zeros(self.count, np.int32)))
        self.state.schedule.since[:] = np.nan_to_num(since)  # phases stay spread
        self.teleport(positions, yaws)

    def explain(self, character: int = 0, count: int = 5) -> Candidates:
        """The best frames for the last query of a character, the cost of each by feature, and why one was chosen."""
        return explain_search(self, int(self._check_characters(np.atleast_1d(character))[0]), count)

    def find_ground(self, pose: Pose, dt: float) -> Ground | None:
        """The terrain under roots and toes; under swinging toes, where they will be a little later."""
        if self.terrain is None:
            return None
        state, settings = self.state, self.settings
        toes = pose.global_positions[:, self.rig.legs[:, 3]]
        heights, normals = find_ground(
            self.terrain, state.playing.positions, toes, state.feet.toes, state.feet.locked, state.feet.places,
            settings.ground_halflife, dt,
        )  # fmt: skip
        return Ground(heights, normals)

    def prepare_pose(self, out: Pose | None = None) -> Pose:
        """Where the next step writes to: a new pose, or an earlier one."""
        if out is None:
            pose, address = self._layout.make()
        else:
            pose, address = out, 0 if out is self._out else self._layout.check(out)
            pose.searched[:] = pose.jumped[:] = False
            if out is self._out:
                return out
            pose.positions[:] = self.rig.rest
        self._out = pose
        if hasattr(self, "runner"):
            self.runner.set_pose(pose, address)
        return pose

    def _check_numbers(self) -> None:
        """Clamp source numbers, which users may have written, to those that exist."""
        numbers = self.state.playing.sources
        if len(self.sources) == 1:
            numbers[:] = 0
        else:
            np.clip(numbers, 0, len(self.sources) - 1, out=numbers)

    def _check_characters(self, characters: Any) -> np.ndarray:
        chosen = np.atleast_1d(np.asarray(characters))
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or not ((chosen >= 0) & (chosen < self.count)).all():
            raise KinematchError(f"characters {characters!r}, expected numbers from 0 to {self.count - 1}")
        return chosen

    def _translate_offsets(self, earlier: Settings) -> None:
        """Convert offsets: start a transition from what each character shows to the frame that it plays."""
        state = self.state
        for number, characters in group_by(state.playing.sources, self.characters):
            sample = self.sources[number].decode(state, characters)
            start_transition(state, characters, sample, sample, self.moving, self.rig, earlier, self.settings)
