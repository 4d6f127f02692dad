"""Stage: the characters that are played with, how they are steered and set; used by one thread alone."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from kinematch.character import Crowd, Settings
from kinematch.character.settings import from_plain, to_plain
from kinematch.control.command import Command
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.studio.history import History, Moment
from kinematch.studio.picture import Group, frame_of, view_of
from kinematch.studio.pilot import Pilot, start_places
from kinematch.terrain.made import uneven_ground
from kinematch.terrain.terrain import HeightGrid

STEP_RATE = 60.0  # steps a second
DT = 1 / STEP_RATE
FEW = 4  # characters whose states are kept at every step
KEPT = 15  # steps between the kept states of more than those
FLAT = HeightGrid(np.zeros((2, 2)), 1.0)
GROUND_SIZE, GROUND_CELL = 48.0, 0.2  # m


class Stage:
    """One steered character (group "a"), those that wander ("others"), and the second one of a comparison ("b")."""

    def __init__(self, database: Database, *, name: str, path: str = ""):
        self.database, self.name, self.path = database, name, path
        self.pilot = Pilot(database.poses)
        self.settings: dict[str, Settings] = {"a": Settings()}
        self.crowds: dict[str, Crowd] = {"a": Crowd(database, settings=self.settings["a"])}
        self.view = view_of(database, self.crowds["a"].rig.moving)
        self.terrain: HeightGrid | None = None
        self.history = History(STEP_RATE)
        self.playing = True
        self.step = 0  # that the characters are at
        self.shown_step = 0  # that pages see
        self.shown = b""
        self.keep_alive: object = None  # what must not vanish while the database is mapped from it
        self.advance()

    @property
    def crowd_size(self) -> int:
        return 1 + (self.crowds["others"].count if "others" in self.crowds else 0)

    def advance(self) -> bytes:
        """One step of everybody; its frame is kept and shown."""
        began = perf_counter()
        self.step += 1
        bodies = {name: crowd.body for name, crowd in self.crowds.items()}
        commands = {name: self.pilot.command(name, bodies, self.settings, DT) for name in self.crowds}
        groups = {
            name: Group(crowd, commands[name], crowd.step(commands[name], DT)) for name, crowd in self.crowds.items()
        }
        second = groups.pop("b", None)
        self.shown, self.shown_step = frame_of(
            self.view, list(groups.values()), second, step=self.step, time=self.step * DT,
            sequence=self.pilot.stick.sequence, seconds=perf_counter() - began,
        ), self.step  # fmt: skip
        self.history.add(self._moment(commands))
        return self.shown

    def _moment(self, commands: Mapping[str, Command]) -> Moment:
        kept = self.step % KEPT == 0 or sum(crowd.count for crowd in self.crowds.values()) <= FEW
        return Moment(
            self.step,
            self.shown,
            {name: crowd.state.copy() for name, crowd in self.crowds.items()} if kept else {},
            dict(self.settings),
            {name: str(command.filter) for name, command in commands.items()},
            self.pilot.progress(),
        )

    def set_settings(self, settings: Settings, side: str) -> None:
        if side not in self.settings:
            raise KinematchError("there is no side b: nothing is compared")
        self.database.features.with_weights(settings.weights)  # refused before anything changes
        for name, crowd in self.crowds.items():
            if (name == "b") == (side == "b"):
                crowd.settings = settings
        self.settings[side] = settings

    def check_settings(self, values: Mapping[str, Any]) -> None:
        """Refuse what could not be set; changes nothing, and may be asked from any thread."""
        checked = from_plain({**values, "weights": _joined({}, values)})
        self.database.features.with_weights(checked.weights)

    def change_settings(self, values: Mapping[str, Any], side: str) -> None:
        """Some values by name; weights by feature, None for the database's own, those left out as they were."""
        plain = to_plain(self.settings.get(side, self.settings["a"]))
        self.set_settings(from_plain({**plain, **values, "weights": _joined(plain["weights"], values)}), side)

    def reset_settings(self, names: list[str], side: str) -> None:
        """Some back to their defaults, all when none is named."""
        plain, defaults = to_plain(self.settings.get(side, self.settings["a"])), to_plain(Settings())
        for name in names:
            if name not in defaults:
                raise KinematchError(unknown("setting", name, defaults))
        self.set_settings(from_plain({**plain, **{name: defaults[name] for name in names or defaults}}), side)

    def compare(self, on: bool) -> None:
        """Side b begins as a copy of a."""
        self.crowds.pop("b", None)
        self.settings.pop("b", None)
        self.pilot.forget("b")
        if on:
            self.settings["b"] = self.settings["a"]
            self.crowds["b"] = Crowd(self.database, settings=self.settings["b"], terrain=self.terrain)
            self.crowds["b"].restore(self.crowds["a"].state)

    def set_crowd(self, count: int) -> None:
        if count == self.crowd_size:
            return
        before = self.crowds.pop("others", None)
        self.pilot.forget("others")
        if count == 1:
            return
        first = self.crowds["a"]
        crowd = Crowd(
            self.database, count - 1, settings=self.settings["a"], terrain=self.terrain,
            positions=first.root_positions[0] * [1, 0, 1] + start_places(count - 1),
            matcher=lambda _: first.matcher,  # the same weights, so one is enough
        )  # fmt: skip
        kept = min(count - 1, before.count if before else 0)
        if before and kept:  # who is there already stays
            values = before.state.arrays()
            for array_name, array in crowd.state.arrays().items():
                array[:kept] = values[array_name][:kept]
        # side b comes last, also in the order of the groups
        self.crowds = {"a": first, "others": crowd, **{name: self.crowds[name] for name in self.crowds if name == "b"}}

    def set_terrain(self, on: bool) -> None:
        self.terrain = uneven_ground(np.random.default_rng(0), size=GROUND_SIZE, cell=GROUND_CELL) if on else None
        for crowd in self.crowds.values():
            crowd.terrain = self.terrain or FLAT  # who stands on a hill comes down gently

    def start_over(self) -> None:
        """Everybody back to where they began."""
        for name, crowd in self.crowds.items():
            places = start_places(crowd.count) if name == "others" else np.zeros((1, 3))
            if self.terrain is not None:
                places[:, 1] = self.terrain.heights(places[:, [0, 2]])
            crowd.start_over(places, np.zeros(crowd.count))
            self.pilot.forget(name)

    def scrub(self, step: int) -> bytes:
        """Pause, and show a kept step again."""
        moment = self.history.at(step)
        self.playing, self.shown, self.shown_step = False, moment.frame, moment.step
        return moment.frame

    def resume(self, step: int | None) -> None:
        """Go on from the newest step, or from a past one; what came after that is forgotten."""
        newest = self.history.bounds[1]
        moment = self.history.at(newest if step is None else step)
        if moment.step != self.step:
            moment = self.history.with_states(moment.step)
            self._restore(moment)
        self.playing = True

    def remember(self, moments: Sequence[Moment]) -> None:
        """Have other moments for a history, and show the first of them."""
        self.history = History(STEP_RATE)
        for moment in moments:
            self.history.add(moment)
        self.step = -1  # the characters are at none of them yet
        self.settings = dict(moments[-1].settings)
        self.crowds["a"].settings = self.settings["a"]
        self.scrub(moments[0].step)

    def _restore(self, moment: Moment) -> None:
        others = moment.states.get("others")
        self.set_crowd(1 + (len(others.playing.frames) if others else 0))
        if ("b" in moment.states) != ("b" in self.crowds):
            before = self.settings.get("b", moment.settings.get("b"))
            self.compare("b" in moment.states)
            if before and "b" in self.crowds:
                self.set_settings(before, "b")
        for name, state in moment.states.items():
            self.crowds[name].restore(state)
            self.pilot.forget(name)
        self.pilot.begin_again(moment.progress, self.settings)
        self.history.forget_after(moment.step)
        self.step = moment.step


def _joined(weights: Mapping[str, float], values: Mapping[str, Any]) -> Any:
    """Weights by feature with those of some new values; what is no such table is left to be refused."""
    given = values.get("weights", {})
    if not isinstance(given, Mapping):
        return given
    return {name: weight for name, weight in {**weights, **given}.items() if weight is not None}
