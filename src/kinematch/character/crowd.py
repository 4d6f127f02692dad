"""Crowd: N characters on one database, stepped together; a single character is a crowd of one."""

from dataclasses import dataclass

import numpy as np

from kinematch.character.adjustment import adjusted
from kinematch.character.command import Command
from kinematch.character.feet import legs_of, no_locks, place_feet, wanted_toes
from kinematch.character.playback import moved_on, playback, root_rates, root_step, sample, turned
from kinematch.character.settings import Settings
from kinematch.character.simulation import SimulatedBody, advance, ahead, at_rest, wrapped
from kinematch.character.transition import Offsets, begin, decay, no_offsets, shown
from kinematch.database.features import QueryInput
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.kinematics import forward, local_rotations
from kinematch.search import Matcher, WideMatcher, search_space

UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Shown:
    """What a step gives: poses with the root as joint 0, local and in the world."""

    positions: np.ndarray  # (N, J, 3) m
    rotations: np.ndarray  # (N, J, 4)
    global_positions: np.ndarray  # (N, J, 3) m
    global_rotations: np.ndarray  # (N, J, 4)
    contacts: np.ndarray  # (N, K) bool, from the database
    searched: np.ndarray  # (N,) bool
    jumped: np.ndarray  # (N,) bool
    costs: np.ndarray  # (N,) of the last search


class Crowd:
    """The motion-matching loop in plain numpy, one readable step for all: command, search, transition, root, feet."""

    def __init__(
        self,
        database: Database,
        count: int = 1,
        *,
        settings: Settings | None = None,
        positions: np.ndarray | None = None,
        yaws: np.ndarray | None = None,
        matcher: Matcher | None = None,
    ):
        if count < 1:
            raise KinematchError(f"a crowd of {count}, expected 1 or more")
        self.database, self.settings = database, settings or Settings()
        self.source = playback(database.poses)
        self.matcher = matcher or WideMatcher(search_space(database))
        self.legs = legs_of(database.poses.skeleton, database.poses.contact_joints)
        self.root_positions = np.zeros((count, 3)) if positions is None else np.array(positions, np.float64)
        self.root_yaws = np.zeros(count) if yaws is None else np.array(yaws, np.float64)
        self.body: SimulatedBody = at_rest(self.root_positions, self.root_yaws)
        self.offsets: Offsets = no_offsets(count, database.poses.skeleton.joint_count)
        self.locks = no_locks(count, len(self.legs))
        self.fractions = np.zeros(count)
        self.toes: np.ndarray | None = None  # (N, K, 3) m, as animated in the last step
        interval = self.settings.search_interval
        # staggered phases: a crowd does not search all at once
        self.since_search = (np.arange(count) * 0.618034 % 1.0) * interval
        self.asked = np.full((count, 4), np.inf)  # velocity and facing at the last search
        self.costs = np.full(count, np.inf)
        standing = Command(np.zeros((count, 3)), np.zeros((count, 3)))
        start = self._find(standing, np.arange(count), np.full(count, -1, np.int32))
        self.frames = start.frames.astype(np.int32)
        if (self.frames < 0).any():
            raise KinematchError("no frame of the database may be taken: every clip is barred or too short")

    @property
    def count(self) -> int:
        return len(self.frames)

    def step(self, command: Command, dt: float) -> Shown:
        """Everything moves on by dt seconds under a command."""
        if command.velocities.shape != (self.count, 3) or not np.isfinite(command.velocities).all():
            raise KinematchError(f"command velocities of shape {command.velocities.shape}, expected ({self.count}, 3)")
        if not 0 <= dt < np.inf:
            raise KinematchError(f"a step of {dt} s, expected zero or more")
        settings = self.settings
        searched, jumped = self._search(command, dt)
        advance(self.body, command, dt, settings)

        before = (self.frames, self.fractions)
        self.frames, self.fractions, rounds = moved_on(self.source, *before, dt)
        way, turn = root_step(self.source, before, (self.frames, self.fractions), rounds)
        extra = decay(self.offsets, settings.transition_halflife, dt)
        way, turn = way + extra[:, :3], turn + extra[:, 3]
        self.root_positions = self.root_positions + turned(way, self.root_yaws)
        self.root_yaws = wrapped(self.root_yaws + turn)
        self.root_positions, self.root_yaws = adjusted(
            self.root_positions, self.root_yaws, self.body.positions, self.body.yaws,
            ways=np.linalg.norm(way, axis=-1), turns=turn, settings=settings, dt=dt,
        )  # fmt: skip
        return self._shown(dt, searched, jumped)

    def _search(self, command: Command, dt: float) -> tuple[np.ndarray, np.ndarray]:
        settings = self.settings
        facing = np.arctan2(command.facings[:, 0], command.facings[:, 2])
        asked = np.concatenate([command.velocities, facing[:, None]], axis=1)
        with np.errstate(invalid="ignore"):
            change = np.linalg.norm(asked[:, :3] - self.asked[:, :3], axis=-1)
            sharp = ~(change < settings.velocity_change) | (
                np.abs(wrapped(asked[:, 3] - self.asked[:, 3])) > settings.facing_change
            )
        ends = (self.frames == self.source.last_of[self.frames]) & (self.source.next_frames[self.frames] == self.frames)
        due = (self.since_search >= settings.search_interval) | ends
        due |= sharp & (self.since_search >= settings.forced_interval)
        self.since_search = np.where(due, 0.0, self.since_search) + dt
        who = np.flatnonzero(due)
        jumped = np.zeros(self.count, bool)
        if len(who):
            self.asked[who] = asked[who]
            found = self._find(command, who, self.frames[who])
            new = (found.frames >= 0) & (found.frames != self.frames[who])
            self._jump(who[new], found.frames[new])
            jumped[who[new]] = True
            self.costs[who] = found.costs
        return due, jumped

    def _find(self, command: Command, who: np.ndarray, current: np.ndarray):
        """The best frames (M,) for some characters: their pose as it is, the trajectory as it should be."""
        features, settings = self.database.features, self.settings
        part = Command(command.velocities[who], command.facings[who], command.filter)
        body = SimulatedBody(*(getattr(self.body, name)[who] for name in SimulatedBody.__dataclass_fields__))
        yaws, places = self.root_yaws[who, None], self.root_positions[who, None]

        def trajectory(times: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
            future = ahead(body, part, np.array(times), settings)
            directions = np.stack([np.sin(future.yaws), 0 * future.yaws, np.cos(future.yaws)], axis=-1)
            return turned(future.positions - places, -yaws), turned(directions, -yaws)

        pose = features.physical(np.maximum(current, 0))
        if (current < 0).all():  # nothing plays yet: the mean pose stands for it
            pose = np.tile(features.offset, (len(who), 1))
        queries = features.normalise(features.schema.query(QueryInput(current=pose, trajectory=trajectory)))
        ignore = round(settings.ignore * self.database.poses.frame_rate)
        return self.matcher.find(queries, current, filter=command.filter, stay_bias=settings.stay_bias, ignore=ignore)

    def _jump(self, who: np.ndarray, frames: np.ndarray) -> None:
        """Go on from other frames, the difference becoming an offset; the fraction of a frame is kept."""
        if not len(who):
            return
        part = Offsets(*(getattr(self.offsets, name)[who] for name in Offsets.__dataclass_fields__))
        before = shown(sample(self.source, self.frames[who], self.fractions[who]), part)
        shown_rates = self._rates(self.frames[who], self.fractions[who]) + part.root_velocities
        after = sample(self.source, frames, self.fractions[who])
        begin(self.offsets, who, before, after, (shown_rates, self._rates(frames, self.fractions[who])))
        self.frames = self.frames.copy()
        self.frames[who] = frames

    def _rates(self, frames: np.ndarray, fractions: np.ndarray) -> np.ndarray:
        velocity, turn = root_rates(self.source, frames, fractions)
        return np.concatenate([velocity, turn[:, None]], axis=1)

    def _shown(self, dt: float, searched: np.ndarray, jumped: np.ndarray) -> Shown:
        skeleton = self.database.poses.skeleton
        pose = shown(sample(self.source, self.frames, self.fractions), self.offsets)
        positions, rotations = np.array(pose.positions, np.float64), np.array(pose.rotations)
        positions[:, 0] = self.root_positions
        rotations[:, 0] = from_axis_angle(UP, self.root_yaws)
        rotations = quaternion.normalize(rotations)
        global_positions, global_rotations = forward(skeleton, positions, rotations)
        if self.settings.foot_lock and self.legs:
            toe_joints = [leg.toe for leg in self.legs]
            toes = global_positions[:, toe_joints]
            velocities = np.zeros_like(toes) if self.toes is None or dt == 0 else (toes - self.toes) / dt
            self.toes = toes
            wanted = wanted_toes(self.locks, toes, velocities, pose.contacts, self.settings, dt)
            turned_legs = place_feet(
                skeleton, self.legs, global_positions, global_rotations, wanted, self.settings.extension
            )
            rotations = quaternion.normalize(local_rotations(skeleton, turned_legs))
            global_positions, global_rotations = forward(skeleton, positions, rotations)
        return Shown(
            positions, rotations, global_positions, global_rotations, pose.contacts, searched, jumped, self.costs
        )
