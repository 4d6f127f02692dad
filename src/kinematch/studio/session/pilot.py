"""Pilot: the commands of a stage's characters, from the stick, along a path, or wandering on their own."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinematch.character import Settings
from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command
from kinematch.control.path import Path
from kinematch.control.stick import Gait, Stick
from kinematch.control.walking import find_walkers
from kinematch.control.wander import Wander
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.studio.server import messages
from kinematch.studio.server.answers import GaitInfo
from kinematch.studio.session.stick_gaits import find_gaits, leave_out_runs

MIN_LOOK = 0.3  # of a second stick, beyond which it sets the facing
TARGET_DISTANCE = 1000.0  # m, where a facing's target is, so that no character passes it
GOLDEN_ANGLE = 2.399963  # rad, the angle of sunflower seeds: it spreads any number of points evenly
SPACING_METRES = 1.6  # m between neighbours at the start
ROAM_RADII = 1.6  # times the crowd's own radius that it may wander
STROLL_SPEEDS = (0.9, 1.4)  # m/s, of the slowest and the fastest


class Pilot:
    """What pages asked last, and the controllers that do it."""

    def __init__(self, database: Database):
        self.offer_gaits(*find_gaits(database), database)
        self.how: str = "stick"
        self.keypoints: list[messages.PathPoint] = []
        self.loops = True
        self._paths: dict[str, Path] = {}
        self._wander: Wander | None = None

    def offer_gaits(self, gaits: dict[str, Gait], infos: list[GaitInfo], database: Database) -> None:
        self.gaits, self.gait_infos = gaits, infos
        self.filters = {info.name: info.filter for info in infos}
        self._walks = {used: leave_out_runs(used, database) for used in self.filters.values()}
        self.steer(messages.StickMessage(0, 0.0, 0.0, gait=infos[0].name))

    @property
    def stick(self) -> messages.StickMessage:
        """The last one that was heeded."""
        return self._steering[0]

    def steer(self, stick: messages.StickMessage) -> None:
        """Follow the stick from the next step on; any thread may call this."""
        if stick.gait not in self.gaits:
            raise KinematchError(unknown("gait", stick.gait, self.gaits))
        looks = np.hypot(stick.look_x, stick.look_y) > MIN_LOOK
        controller = Stick(
            axes=(stick.x, stick.y), camera_yaw=stick.camera_yaw, gait=stick.gait, gaits=self.gaits,
            face="target" if looks else "camera" if stick.strafe else "movement", filter=self.filters[stick.gait],
        )  # fmt: skip
        self._steering = stick, controller  # at once, for a step that is running

    def find_walks(self, filter_: str) -> str | None:
        """The filter in place of a gait's while its character walks, without the motion of runs."""
        return self._walks.get(filter_)

    def let_go(self) -> None:
        """The stick back to its middle; all else as it was."""
        last = self.stick
        self.steer(messages.StickMessage(last.sequence, 0.0, 0.0, last.camera_yaw, gait=last.gait, strafe=last.strafe))

    def steer_by(self, how: str) -> None:
        self.how = how
        self._paths.clear()

    def follow(self, keypoints: list[messages.PathPoint], loops: bool) -> None:
        """Other keypoints; a single one is no path yet."""
        if len(keypoints) > 1:
            self._path(keypoints, loops, Settings())  # refused before anything changes
        self.keypoints, self.loops = keypoints, loops
        self._paths.clear()

    def command(
        self, name: str, bodies: Mapping[str, SimulatedBody], settings: Mapping[str, Settings], dt: float
    ) -> Command:
        """The command of one group of characters, given the bodies of all."""
        told = self._told(name, bodies, settings, dt)
        walks = self._walks.get(str(told.filter))
        if walks is None or not find_walkers(told, bodies[name]).all():
            return told
        return replace(told, filter=walks)

    def _told(
        self, name: str, bodies: Mapping[str, SimulatedBody], settings: Mapping[str, Settings], dt: float
    ) -> Command:
        if name == "others":
            return self._wandering(bodies["a"], bodies["others"], settings["a"], dt)
        if self.how == "path" and len(self.keypoints) > 1:
            if name not in self._paths:
                self._paths[name] = self._path(self.keypoints, self.loops, settings.get(name, settings["a"]))
            return self._paths[name].command(bodies[name], dt)
        return self._sticking(bodies[name], dt)

    def progress(self) -> dict[str, float]:
        """How far along the path each group is, in metres."""
        return {name: float(path.progress[0]) for name, path in self._paths.items() if len(path.progress)}

    def forget(self, name: str) -> None:
        """A group was put elsewhere: it starts again from there."""
        self._paths.pop(name, None)
        if name == "others":
            self._wander = None

    def begin_again(self, progress: Mapping[str, float], settings: Mapping[str, Settings]) -> None:
        """Go on along the path from where each group was."""
        if self.how == "path" and len(self.keypoints) > 1:
            for name, metres in progress.items():
                own = settings.get(name, settings["a"])
                path = self._path(self.keypoints, self.loops, own, min(metres, self._length()))
                self._paths[name] = path

    def _length(self) -> float:
        route = self._path(self.keypoints, self.loops, Settings()).route
        return np.inf if route.closed else route.length

    def _path(
        self, keypoints: list[messages.PathPoint], loops: bool, settings: Settings, progress: float | None = None
    ) -> Path:
        points = [(point.x, point.z, point.speed) for point in keypoints]
        return Path(
            points, closed=loops and len(points) > 2, filter=self.gait_infos[0].filter, progress=progress,
            halflife=settings.velocity_halflife,
        )  # fmt: skip

    def _sticking(self, body: SimulatedBody, dt: float) -> Command:
        stick, controller = self._steering
        if controller.face == "target":
            yaw = stick.camera_yaw + np.arctan2(-stick.look_x, stick.look_y)
            controller.target = body.positions + TARGET_DISTANCE * np.array([np.sin(yaw), 0.0, np.cos(yaw)])
        return controller.command(body, dt)

    def _wandering(self, first: SimulatedBody, others: SimulatedBody, settings: Settings, dt: float) -> Command:
        """Wandering characters avoid each other and the steered one."""
        count = 1 + len(others.yaws)
        if self._wander is None:
            self._wander = Wander(
                np.random.default_rng(count), inside=SPACING_METRES * (2 + ROAM_RADII * np.sqrt(count)),
                centre=tuple(first.positions[0, [0, 2]].tolist()), speeds=STROLL_SPEEDS,
                filter=self.gait_infos[0].filter, halflife=settings.velocity_halflife,
            )  # fmt: skip
        everyone = SimulatedBody(*(np.concatenate([one, many]) for one, many in zip(first, others)))
        told = self._wander.command(everyone, dt)
        return Command(told.velocities[1:], told.facings[1:], told.filter)


def start_places(count: int) -> np.ndarray:
    """Where wandering characters start (count, 3), around the steered one."""
    n = np.arange(1, count + 1)
    radius = SPACING_METRES * np.sqrt(n)
    return np.stack([radius * np.sin(n * GOLDEN_ANGLE), 0.0 * n, radius * np.cos(n * GOLDEN_ANGLE)], axis=-1)
