"""Stage: the characters that are played with, how they are steered and set; used by one thread alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from kinematch.character import Crowd, Settings
from kinematch.character.pose import Pose
from kinematch.character.settings import from_plain, to_plain
from kinematch.control.command import Command
from kinematch.control.orders import Filters
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.learned.model import Model
from kinematch.learned.sketch import SketchCrowd
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.skeleton import Skeleton
from kinematch.stream.layout import DT, STEP_RATE
from kinematch.stream.picture import Group, Picture, View, make_view, take_picture
from kinematch.studio.server.messages import TerrainKind
from kinematch.studio.session.acts import Acts
from kinematch.studio.session.avatar_mesh import OwnCharacter, continue_motion, fit_character
from kinematch.studio.session.compared import Admissions, ComparedSource, check_compared, find_place, name_groups
from kinematch.studio.session.grounds import GROUNDS, find_terrain
from kinematch.studio.session.history import History, Moment
from kinematch.studio.session.lineup import Lineup, pack_lineup
from kinematch.studio.session.pilot import Pilot, start_places
from kinematch.studio.session.robots import RobotActors, WornRobot

SMALL_CROWD = 4  # characters whose states are kept at every step
STATE_STEPS = 15  # steps between the kept states of more than those


class Stage:
    """One steered character (group "a"), those that wander ("others"), those of other files that are steered alike
    ("compared 1" and so on), and the second one of a comparison ("b")."""

    def __init__(
        self, database: Database, *, name: str, path: str = "", worn: OwnCharacter | None = None,
        model: Model | None = None, compared: tuple[ComparedSource, ...] = (),
    ):  # fmt: skip
        """`model`: plays in place of the database, which is its sketch then."""
        check_compared(database, compared)
        self.database, self.name, self.path, self.model = database, name, path, model
        self.pilot, self.compared, self._admissions = Pilot(database), name_groups(compared), Admissions()
        self.acts = Acts(database)
        self.settings: dict[str, Settings] = {"a": Settings()}
        self.terrain: TerrainKind = "flat"
        self.ground = GROUNDS["flat"]()
        self._level = True  # no character has been on any other ground
        self.filters = Filters()  # one for all crowds, so that states can go from one to another
        self.worn, (retargeting, self.scale, self.robots) = worn, self._fit(worn)
        self.crowds: dict[str, Crowd] = {"a": self._make_crowd("a", 1, retargeting)}
        for number, group in enumerate(self.compared, 1):
            self.crowds[group] = self._make_crowd(group, 1, retargeting, positions=find_place(number))
        self.view, self.source_view = self._make_views()
        self.lineup, self.history = Lineup(), History(STEP_RATE)
        self.playing = True
        self.step = self.shown_step = 0  # that the characters are at, and that pages see
        self.shown = b""
        self.keep_alive: object = None  # what must not vanish while the database is mapped from it
        self.advance()

    @property
    def crowd_size(self) -> int:
        return 1 + (self.crowds["others"].count if "others" in self.crowds else 0)

    @property
    def skeleton(self) -> Skeleton:
        """The one that is shown: the database's, or the worn character's."""
        return self.crowds["a"].skeleton if self.robots is None else self.robots.skeleton

    def _fit(self, worn: OwnCharacter | None) -> tuple[Retargeting | None, float, RobotActors | None]:
        """How motion comes onto the body, the scale of the avatar, and the solver of robots."""
        if worn is None:
            return None, 1.0, None
        if isinstance(worn, WornRobot):
            robots = RobotActors(worn, self.database.poses.skeleton)
            return None, robots.scale, robots
        return *fit_character(worn, self.database.poses.skeleton), None

    def _make_crowd(self, name: str, count: int, body: Retargeting | None, **options: Any) -> Crowd:
        settings = self.settings["b" if name == "b" else "a"]
        terrain = None if self._level else find_terrain(self.terrain, self.ground)
        options |= {"settings": settings, "terrain": terrain, "skeleton": body}
        plays = self.compared.get(name, ComparedSource(self.name, self.database, self.model))
        if plays.model is None:
            crowd = Crowd(plays.database, count, **options)
        else:
            crowd = SketchCrowd(plays.model, plays.database, count, **options)
        crowd.filters = self.filters
        return crowd

    def _make_views(self) -> tuple[View, View]:
        """Of the shown skeleton, and of the database's own."""
        crowd, schema = self.crowds["a"], self.database.features.schema
        own = crowd.sources[0].rig
        robots = self.robots
        moves = (crowd.rig.rest, crowd.rig.moving) if robots is None else (robots.skeleton.offsets, robots.moving)
        return (
            make_view(self.skeleton, schema, *moves),
            make_view(self.database.poses.skeleton, schema, own.rest, own.moving),
        )

    def advance(self) -> bytes:
        """One step of all characters; its picture is kept, and returned packed."""
        began = perf_counter()
        self.step += 1
        bodies = {name: crowd.body for name, crowd in self.crowds.items()}
        commands = {
            name: _scale_speed(self.pilot.command(name, bodies, self.settings, DT), crowd.rig.scale)
            for name, crowd in self.crowds.items()
        }
        commands["a"] = self.acts.change(commands["a"], self.crowds["a"], DT)
        commands |= {name: self._admissions.fit(name, source, commands[name]) for name, source in self.compared.items()}
        groups = {name: Group(crowd, self._step_crowd(name, commands[name])) for name, crowd in self.crowds.items()}
        pack_lineup(self.lineup, self.crowds["a"], groups["a"].pose, self.step, DT)
        second = groups.pop("b", None)
        picture = take_picture(
            self.view, list(groups.values()), second, step=self.step, dt=DT, sequence=self.pilot.stick.sequence,
            seconds=perf_counter() - began,
        )  # fmt: skip
        self.history.add(self._make_moment(picture, commands))
        self.shown, self.shown_step = picture.pack(), self.step
        return self.shown

    def _step_crowd(self, name: str, command: Command) -> Pose:
        pose = self.crowds[name].step(command, DT)
        return pose if self.robots is None else self.robots.show(name, pose, DT)

    def _make_moment(self, picture: Picture, commands: Mapping[str, Command]) -> Moment:
        kept = self.step % STATE_STEPS == 0 or sum(crowd.count for crowd in self.crowds.values()) <= SMALL_CROWD
        return Moment(
            self.step,
            picture,
            {name: crowd.state.copy() for name, crowd in self.crowds.items()} if kept else {},
            dict(self.settings),
            {name: self._find_filter(command) for name, command in commands.items()},
            self.pilot.progress(),
            self.lineup.frame,
        )

    def _find_filter(self, command: Command) -> str:
        """The filter expression of a command: the database's own where it names none."""
        return self.database.filter if command.filter is None else str(command.filter)

    def wear(self, worn: OwnCharacter | None) -> None:
        """Show the motion on a user's own character, or on the database's figure again.

        Characters continue where they are. The history starts again, since its pictures are of another skeleton.
        """
        body, scale, robots = self._fit(worn)
        crowds = {}
        for name, before in self.crowds.items():
            matcher = before.matcher  # its weights stay the same
            crowds[name] = self._make_crowd(name, before.count, body, matcher=lambda _, own=matcher: own)
            continue_motion(crowds[name], before.state)
        self.crowds, self.worn, self.scale, self.robots = crowds, worn, scale, robots
        self.view, self.source_view = self._make_views()
        self.history = History(STEP_RATE)
        self.advance()

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
            self.crowds["b"] = self._make_crowd("b", 1, self.crowds["a"].retargeting)
            self.crowds["b"].restore(self.crowds["a"].state)

    def set_crowd(self, count: int) -> None:
        if count == self.crowd_size:
            return
        if self.robots is not None:
            self.robots.check_count(count)
        before = self.crowds.pop("others", None)
        self.pilot.forget("others")
        if count == 1:
            return
        first = self.crowds["a"]
        crowd = self._make_crowd(
            "others", count - 1, first.retargeting, matcher=lambda _: first.matcher,  # the same weights: one is enough
            positions=first.root_positions[0] * [1, 0, 1] + start_places(count - 1),
        )  # fmt: skip
        kept = min(count - 1, before.count if before else 0)
        if before and kept:  # present characters stay
            values = before.state.arrays()
            for array_name, array in crowd.state.arrays().items():
                array[:kept] = values[array_name][:kept]
        # side b comes last, also in the order of the groups
        self.crowds = {"a": first, "others": crowd, **{n: own for n, own in self.crowds.items() if n != "a"}}

    def set_terrain(self, kind: TerrainKind) -> None:
        self.terrain, self.ground = kind, GROUNDS[kind]()
        self._level = self._level and kind == "flat"
        self.acts.enter(kind == "playground")
        if not self._level:  # flat ground too: a character on a hill comes down gently
            for crowd in self.crowds.values():
                crowd.terrain = find_terrain(kind, self.ground)

    def start_over(self) -> None:
        """Move all characters back to where they began."""
        for name, crowd in self.crowds.items():
            places = start_places(crowd.count) if name == "others" else np.zeros((1, 3))
            if name in self.compared:
                places = find_place(1 + list(self.compared).index(name))
            places[:, 1] = self.ground.heights(places[:, [0, 2]])
            crowd.start_over(places, np.zeros(crowd.count))
            self.pilot.forget(name)
        if self.robots is not None:
            self.robots.forget()

    def scrub(self, step: int) -> bytes:
        """Pause, and show a kept step again."""
        moment = self.history.at(step)
        self.playing, self.shown, self.shown_step = False, moment.picture.pack(), moment.step
        return self.shown

    def resume(self, step: int | None) -> None:
        """Go on from the newest step, or from a past one; what came after that is forgotten."""
        newest = self.history.bounds[1]
        moment = self.history.at(newest if step is None else step)
        if moment.step != self.step:
            self._restore(self.history.with_states(moment.step))
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
        if self.robots is not None:
            self.robots.forget()
        self.pilot.begin_again(moment.progress, self.settings)
        self.history.forget_after(moment.step)
        self.step = moment.step


def _scale_speed(command: Command, scale: float) -> Command:
    """Short legs take short steps: a worn character is asked for speeds in proportion to its legs."""
    return command if scale == 1 else replace(command, velocities=command.velocities * scale)


def _joined(weights: Mapping[str, float], values: Mapping[str, Any]) -> Any:
    """Weights by feature with those of some new values; another type is left for the check to refuse."""
    given = values.get("weights", {})
    if not isinstance(given, Mapping):
        return given
    return {name: weight for name, weight in {**weights, **given}.items() if weight is not None}
