"""Stage: the characters that are played with, their steering, settings and memory; used by one thread alone."""

from time import perf_counter

import numpy as np

from kinematch.character.command import Command
from kinematch.character.crowd import Crowd
from kinematch.character.path import Path
from kinematch.character.settings import Settings, from_plain, to_plain
from kinematch.character.stick import Stick
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.studio import messages
from kinematch.studio.answers import Ground
from kinematch.studio.gaits import gaits_of
from kinematch.studio.history import History, Moment
from kinematch.studio.picture import Group, frame_of, view_of
from kinematch.studio.wander import places, wandering

STEP_RATE = 60.0  # steps a second
DT = 1 / STEP_RATE
FEW = 4  # characters whose states are kept at every step
KEPT = 15  # steps between the kept states of more than those
REASONS = ("", "interval", "command changed", "clip ends", "filter changed", "database changed", "first")
LOOK = 0.3  # of a second stick, beyond which it tells a facing


class Stage:
    """One steered character (group "a"), those that wander ("others"), and the second one of a comparison ("b")."""

    def __init__(self, database: Database, *, name: str, path: str = ""):
        self.database, self.name, self.path = database, name, path
        self.view = view_of(database)
        self.gaits, self.gait_infos = gaits_of(database.poses)
        self.filters = {info.name: info.filter for info in self.gait_infos}
        self.settings: dict[str, Settings] = {"a": Settings()}
        self.crowds: dict[str, Crowd] = {"a": Crowd(database, settings=self.settings["a"])}
        self.history = History(STEP_RATE)
        self.step, self.playing, self.terrain = 0, True, False
        self.shown: bytes = b""  # the frame that pages see
        self.stick = messages.Stick(0, 0.0, 0.0)
        self.how: str = "stick"
        self.keypoints: list[messages.Keypoint] = []
        self.loops = True
        self.paths: dict[str, Path] = {}
        self.advance()

    @property
    def crowd_size(self) -> int:
        return 1 + (self.crowds["others"].count if "others" in self.crowds else 0)

    def advance(self) -> bytes:
        """One step of everybody; its frame is kept and shown."""
        began = perf_counter()
        self.step += 1
        time = self.step * DT
        commands = {name: self._command(name, time) for name in self.crowds}
        groups = {
            name: Group(crowd, commands[name], crowd.step(commands[name], DT)) for name, crowd in self.crowds.items()
        }
        second = groups.pop("b", None)
        frame = frame_of(
            self.view, list(groups.values()), second, step=self.step, time=time, sequence=self.stick.sequence,
            seconds=perf_counter() - began,
        )  # fmt: skip
        self.history.add(self._moment(frame, commands))
        self.shown = frame
        return frame

    def _moment(self, frame: bytes, commands: dict[str, Command]) -> Moment:
        kept = self.step % KEPT == 0 or sum(crowd.count for crowd in self.crowds.values()) <= FEW
        return Moment(
            self.step,
            frame,
            {name: crowd.state.copy() for name, crowd in self.crowds.items() if hasattr(crowd, "state")}
            if kept
            else {},
            dict(self.settings),
            {name: str(command.filter) for name, command in commands.items()},
            {name: float(path.progress[0]) for name, path in self.paths.items() if len(path.progress)},
        )

    def _command(self, name: str, time: float) -> Command:
        crowd = self.crowds[name]
        walk = self.gait_infos[0]
        if name == "others":
            return wandering(crowd.body, time, speed=min(walk.speed, 1.35), filter=walk.filter)
        if self.how == "path" and self.keypoints:
            if name not in self.paths:
                self._begin_path(name)
            return self.paths[name].command(crowd.body, DT)
        stick = self.stick
        face, target = ("camera" if stick.strafe else "movement"), None
        if np.hypot(stick.look_x, stick.look_y) > LOOK:
            yaw = stick.camera_yaw + np.arctan2(-stick.look_x, stick.look_y)
            face, target = "target", crowd.body.positions + 100 * np.array([np.sin(yaw), 0.0, np.cos(yaw)])
        controller = Stick(
            axes=(stick.x, stick.y), camera_yaw=stick.camera_yaw, gait=stick.gait, face=face, target=target,
            filter=self.filters[stick.gait], gaits=self.gaits,
        )  # fmt: skip
        return controller.command(crowd.body, DT)

    def _begin_path(self, name: str, progress: float | None = None) -> None:
        points = [(point.x, point.z, point.speed) for point in self.keypoints]
        self.paths[name] = Path(
            points, closed=self.loops and len(points) > 2, filter=self.gait_infos[0].filter, progress=progress,
            halflife=self.settings[name].velocity_halflife,
        )  # fmt: skip

    def steer(self, stick: messages.Stick) -> None:
        if stick.gait not in self.gaits:
            raise KinematchError(unknown("gait", stick.gait, self.gaits))
        self.stick = stick

    def steer_by(self, how: str) -> None:
        self.how = how
        self.paths.clear()

    def set_terrain(self, on: bool) -> None:
        raise KinematchError("there is no terrain yet")

    def ground(self) -> Ground:
        return Ground(0.0, 0, [])

    def follow(self, keypoints: list[messages.Keypoint], loops: bool) -> None:
        """Other keypoints; who walks already goes on to the nearest of them."""
        if len(keypoints) > 1:  # refused before anything changes
            Path([(point.x, point.z, point.speed) for point in keypoints], closed=loops and len(keypoints) > 2)
        self.keypoints, self.loops = (keypoints if len(keypoints) > 1 else []), loops
        self.paths.clear()

    def set_settings(self, settings: Settings, side: str) -> None:
        if side not in self.settings:
            raise KinematchError("there is no side b: nothing is compared")
        for feature in settings.weights:
            self.database.features.schema.feature(feature)
        for name, crowd in self.crowds.items():
            if (name == "b") == (side == "b"):
                crowd.settings = settings
        self.settings[side] = settings

    def change_settings(self, values: dict[str, messages.Value], side: str) -> None:
        plain = to_plain(self.settings.get(side, self.settings["a"]))
        weights = values.get("weights", {})
        if isinstance(weights, dict):
            values = {**values, "weights": {**plain["weights"], **weights}}
        self.set_settings(from_plain(plain | values), side)

    def reset_settings(self, names: list[str], side: str) -> None:
        defaults = to_plain(Settings())
        for name in names:
            if name not in defaults:
                raise KinematchError(unknown("setting", name, defaults))
        self.change_settings({name: value for name, value in defaults.items() if not names or name in names}, side)
        if not names or "weights" in names:
            plain = to_plain(self.settings[side]) | {"weights": {}}
            self.set_settings(from_plain(plain), side)

    def compare(self, on: bool) -> None:
        """Side b begins as a copy of a."""
        self.crowds.pop("b", None)
        self.settings.pop("b", None)
        self.paths.pop("b", None)
        if on:
            crowd = self._new_crowd("b", 1)
            crowd.restore(self.crowds["a"].state.copy())

    def set_crowd(self, count: int) -> None:
        if count == self.crowd_size:
            return
        before = self.crowds.pop("others", None)
        if count > 1:
            crowd = self._new_crowd("others", count - 1)
            kept = min(count - 1, before.count if before else 0)
            if before and kept:  # who is there already stays
                for mine, theirs in zip(crowd.state, before.state):
                    for array, values in zip(mine, theirs):
                        array[:kept] = values[:kept]

    def _new_crowd(self, name: str, count: int) -> Crowd:
        side = "b" if name == "b" else "a"
        self.settings.setdefault(side, self.settings["a"])
        middle = self.crowds["a"].root_positions[0] * [1, 0, 1]
        crowd = Crowd(self.database, count, settings=self.settings[side], positions=middle + places(count))
        self.crowds[name] = crowd
        return crowd

    def start_over(self) -> None:
        for name, crowd in self.crowds.items():
            start = places(crowd.count) if name == "others" else np.zeros((1, 3))
            crowd.teleport(start, np.zeros(crowd.count))
        self.paths.clear()

    def pause(self) -> None:
        self.playing = False

    def scrub(self, step: int) -> bytes:
        """Pause, and show a kept step again."""
        moment = self.history.at(step)
        assert moment is not None
        self.playing, self.shown = False, moment.frame
        self.step = moment.step
        return moment.frame

    def resume(self, step: int | None) -> None:
        """Go on from the newest step, or from a past one; what came after that is forgotten."""
        newest = self.history.bounds[1]
        moment = self.history.at(newest if step is None else step)
        assert moment is not None
        if moment.step != newest:
            while not moment.states and moment.step > self.history.bounds[0]:
                moment = self.history.at(moment.step - 1) or moment
            if not moment.states:
                raise KinematchError(f"step {step} is too long ago to go on from")
            self._restore(moment)
            self.history.forget_after(moment.step)
        self.step, self.playing = moment.step, True

    def _restore(self, moment: Moment) -> None:
        others = moment.states.get("others")
        self.set_crowd(1 + (len(others.playing.frames) if others else 0))
        if ("b" in moment.states) != ("b" in self.crowds):
            self.compare("b" in moment.states)
        for name, state in moment.states.items():
            self.crowds[name].restore(state.copy())
        self.paths.clear()
        if self.keypoints:
            for name, progress in moment.progress.items():
                self._begin_path(name, progress)
