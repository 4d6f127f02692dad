"""RobotReference: commands in; joint angles, base, bodies and contacts of robots out, now and at future times."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.character.state import put_at_rest
from kinematch.control.checks import check_characters
from kinematch.control.command import Command
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y
from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.robot.kernels.bodies import place_robots
from kinematch.robot.model import TO_FILE, RobotModel
from kinematch.robot.reference.robot_frames import RobotFrames, retarget_database
from kinematch.robot.tasks import RobotSettings

FUTURE_SAMPLES = 5  # future times, evenly spread over the horizon
TRANSITION_HALFLIFE = 0.1  # s, in which a jump of the search fades from the joints
MAX_FRAMES_A_STEP = 4  # by which a clip goes on; more is a jump


class Reference(NamedTuple):
    """N robots at T times, the present one first. The world has Z up, quaternions w first, joints the model's order."""

    times: np.ndarray  # (T,) s from now
    joint_positions: np.ndarray  # (N, T, D) rad
    joint_velocities: np.ndarray  # (N, T, D) rad/s
    base_positions: np.ndarray  # (N, T, 3) m
    base_rotations: np.ndarray  # (N, T, 4)
    base_velocities: np.ndarray  # (N, T, 3) m/s in the world
    base_angular_velocities: np.ndarray  # (N, T, 3) rad/s in the world
    contacts: np.ndarray  # (N, T, 2) bool, left and right foot
    body_positions: np.ndarray  # (N, B, 3) m, now
    body_rotations: np.ndarray  # (N, B, 4), now


class _Sample(NamedTuple):
    """Robots at one moment, in our axes."""

    angles: np.ndarray  # (N, D)
    places: np.ndarray  # (N, 3) of the base, in the root's axes
    turns: np.ndarray  # (N, 4)
    roots: np.ndarray  # (N, 3)
    yaws: np.ndarray  # (N,)


class RobotReference:
    """Motion matching on robots: the database is solved once, transitions fade in joint angles.

    `source` is a database, or frames made of one by `retarget_database`. Velocities of commands are the robot's own.
    """

    def __init__(
        self, robot: RobotModel, source: Database | tuple[Database, RobotFrames], *, rate: float = 50.0,
        horizon: float = 1.0, count: int = 1, settings: RobotSettings | None = None, compiled: bool = True,
    ):  # fmt: skip
        if not 1 <= rate <= 1000 or not 0 <= horizon <= 10:
            raise KinematchError(f"rate {rate} Hz and horizon {horizon} s, expected 1 to 1000 and 0 to 10")
        self.database, self.frames = (
            source if isinstance(source, tuple) else (source, retarget_database(source, robot, settings))
        )
        self.model, self.rate, self.dt = robot, float(rate), 1.0 / rate
        # feet are planted in the robot's frames already
        self.crowd = Crowd(self.database, count, settings=Settings(foot_lock=False), compiled=compiled)
        ahead = np.unique(
            np.round(np.linspace(0, horizon, FUTURE_SAMPLES + 1)[1:] * self.frames.frame_rate).astype(int)
        )
        self.ahead = [int(frames) for frames in ahead if frames > 0]
        self._tables = [self._look_ahead(frames) for frames in self.ahead]
        self._next = self._look_ahead(1)
        width = robot.hinge_count + 6
        self.offsets, self.rates = np.zeros((count, width)), np.zeros((count, width))
        self._shown: _Sample | None = None
        self._speeds = np.zeros((count, robot.hinge_count))
        self._last_frames = self.crowd.frames.copy()
        self._fresh = np.ones(count, bool)

    @property
    def count(self) -> int:
        """N."""
        return self.crowd.count

    @property
    def times(self) -> np.ndarray:
        """(T,) s from now."""
        return np.array([0, *self.ahead]) / self.frames.frame_rate

    def step(self, command: Command) -> Reference:
        """Go on by one step of 1 / rate seconds."""
        scale = self.frames.scale
        self.crowd.step(Command(
            np.asarray(command.velocities) / scale, command.facings, command.filter, command.source,
            command.trajectory, command.request,
        ), self.dt)  # fmt: skip
        self._fade()
        return self.show()

    def reset(
        self, robots: Sequence[int] | np.ndarray | None = None, *, frames: np.ndarray | None = None,
        positions: np.ndarray | float = 0.0, yaws: np.ndarray | float = 0.0,
    ) -> Reference:  # fmt: skip
        """Begin again at frames of the database (M,), or where they are, with roots at positions (M, 3) m and yaws."""
        chosen = np.arange(self.count) if robots is None else check_characters(robots, self.count)
        places, turns = np.empty((len(chosen), 3)), np.empty(len(chosen))
        places[:], turns[:] = np.asarray(positions) / self.frames.scale, yaws
        state = self.crowd.state
        put_at_rest(state, chosen, places, turns)
        if frames is not None:
            if not ((np.asarray(frames) >= 0) & (np.asarray(frames) < len(self.frames.angles))).all():
                raise KinematchError(f"frames {frames!r}, expected 0 to {len(self.frames.angles) - 1}")
            state.playing.frames[chosen] = frames
            state.playing.fractions[chosen] = 0.0
        steps = self.frames.root_steps[state.playing.frames[chosen]] * self.frames.frame_rate / self.frames.scale
        speed = rotate_about_y(np.stack([steps[:, 0], np.zeros(len(chosen)), steps[:, 1]], axis=1), turns)
        state.body.velocities[chosen] = speed
        self.offsets[chosen] = self.rates[chosen] = 0.0
        self._fresh[chosen] = True
        self._last_frames = self.crowd.frames.copy()
        return self.show()

    def show(self) -> Reference:
        """The present moment and those ahead, without going on."""
        moments = [(None, 0), *zip(self._tables, self.ahead)]
        shown = [self._look(table, frames / self.frames.frame_rate) for table, frames in moments]
        self._shown = shown[0][0]
        self._speeds = shown[0][2]
        joined = [np.stack(part, axis=1) for part in zip(*[one[1:] for one in shown])]
        angles, speeds, base, turns, moves, spins, contacts = joined
        bodies = self._place_bodies(angles[:, 0], base[:, 0], turns[:, 0])
        base[:, 0, 1] += bodies[2]
        return Reference(
            self.times, angles, speeds, base[..., TO_FILE], _to_file(turns), moves[..., TO_FILE], spins[..., TO_FILE],
            contacts, bodies[0][..., TO_FILE], _to_file(bodies[1]),
        )  # fmt: skip

    def _place_bodies(self, angles: np.ndarray, base: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, ...]:
        """Positions and rotations of bodies, lifted out of the floor, and by how much."""
        links = len(self.model.parents)
        places, rotations = np.empty((self.count, links, 3)), np.empty((self.count, links, 4))
        lifts = np.empty(self.count)
        place_robots(self.frames.plan, base, turns, angles, places, rotations, lifts)
        places[:, :, 1] += lifts[:, None]
        return *self.model.place_bodies(places, rotations), lifts

    def _look_ahead(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """For each frame the one so many frames later, and the root's way there (F, 3)."""
        frames = np.arange(len(self.frames.following))
        way = np.zeros((len(frames), 3))
        for _ in range(count):
            steps = self.frames.root_steps[frames]
            cos, sin = np.cos(way[:, 2]), np.sin(way[:, 2])
            way[:, 0] += cos * steps[:, 0] + sin * steps[:, 1]
            way[:, 1] += cos * steps[:, 1] - sin * steps[:, 0]
            way[:, 2] += steps[:, 2]
            frames = self.frames.following[frames]
        return frames, way

    def _sample(self, table: tuple[np.ndarray, np.ndarray] | None, age: float, share: float = 0.0) -> _Sample:
        """Robots in the frames of a table, offsets of transitions faded for a time; `share` of a frame later still."""
        playing, frames = self.crowd.state.playing, self.frames
        first = playing.frames
        roots, yaws = frames.scale * playing.positions, playing.yaws
        if table is not None:
            way = table[1][first]
            roots = roots + rotate_about_y(np.stack([way[:, 0], np.zeros(len(way)), way[:, 1]], axis=1), yaws)
            first, yaws = table[0][first], yaws + way[:, 2]
        part = (playing.fractions + share)[:, None]
        beyond = part >= 1.0
        first = np.where(beyond[:, 0], frames.following[first], first)
        part = np.where(beyond, part - 1.0, part)
        second = frames.following[first]
        if share:
            step = frames.root_steps[first] * share
            roots = roots + rotate_about_y(np.stack([step[:, 0], np.zeros(len(step)), step[:, 1]], axis=1), yaws)
            yaws = yaws + step[:, 2]
        angles = frames.angles[first] + part * (frames.angles[second] - frames.angles[first])
        places = frames.base_positions[first]
        places = places + part * (frames.base_positions[second] - places)
        turns = quaternion.nearest(frames.base_rotations[second], frames.base_rotations[first])
        turns = quaternion.normalize((1 - part) * frames.base_rotations[first] + part * turns)
        offsets = self._fade_offsets(age)[0]
        hinges = self.model.hinge_count
        angles = np.clip(angles + offsets[:, :hinges], *frames.plan.limits.T)
        places = places + offsets[:, hinges : hinges + 3]
        turns = quaternion.multiply(rotation.from_rotation_vector(offsets[:, hinges + 3 :]), turns)
        return _Sample(angles, places, turns, roots, yaws)

    def _look(self, table: tuple[np.ndarray, np.ndarray] | None, age: float) -> tuple:
        """A sample, and from it and one a step later: angles, speeds, base, its rotation and velocities, contacts."""
        dt, frames = self.dt, self.frames
        share = min(dt * frames.frame_rate, 0.999)
        here, later = self._sample(table, age), self._sample(table, age + share / frames.frame_rate, share)
        span = share / frames.frame_rate
        (base, turns), (next_base, next_turns) = (_place_base(one) for one in (here, later))
        playing = self.crowd.frames if table is None else table[0][self.crowd.frames]
        spins = rotation.to_rotation_vector(quaternion.multiply(next_turns, quaternion.inverse(turns))) / span
        return (
            here, here.angles, (later.angles - here.angles) / span, base, turns, (next_base - base) / span, spins,
            frames.contacts[playing],
        )  # fmt: skip

    def _fade(self) -> None:
        """Age the offsets by a step; where the search jumped, they take over what was shown."""
        frames, last = self.crowd.frames, self._last_frames
        self.offsets, self.rates = self._fade_offsets(self.dt)
        gone = frames - last
        on = (gone >= 0) & (gone <= MAX_FRAMES_A_STEP)
        for row in np.flatnonzero(~on):
            frame = int(last[row])
            for _ in range(MAX_FRAMES_A_STEP):
                frame = int(self.frames.following[frame])
                on[row] |= frame == frames[row]
        jumped = np.flatnonzero(~on & ~self._fresh)
        if len(jumped) and self._shown is not None:
            self.offsets[jumped] = self.rates[jumped] = 0.0
            now, hinges = self._sample(None, 0.0), self.model.hinge_count
            before = self._shown
            speeds = self._speeds[jumped]
            rows = self.crowd.frames[jumped]
            step = self.frames.angles[self.frames.following[rows]] - self.frames.angles[rows]
            self.offsets[jumped, :hinges] = before.angles[jumped] + self.dt * speeds - now.angles[jumped]
            self.rates[jumped, :hinges] = speeds - step * self.frames.frame_rate
            self.offsets[jumped, hinges : hinges + 3] = (before.places - now.places)[jumped]
            turn = quaternion.multiply(before.turns, quaternion.inverse(now.turns))[jumped]
            self.offsets[jumped, hinges + 3 :] = rotation.to_rotation_vector(turn)
        self._fresh[:] = False
        self._last_frames = frames.copy()

    def _fade_offsets(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Offsets and their rates after a time: a critically damped spring."""
        stiffness = HALFLIFE_FACTOR / TRANSITION_HALFLIFE
        pull = self.rates + self.offsets * stiffness
        fade = np.exp(-stiffness * time)
        return fade * (self.offsets + pull * time), fade * (self.rates - pull * stiffness * time)


def _place_base(one: _Sample) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation of the base in the world, in our axes."""
    half = one.yaws / 2
    zero = np.zeros_like(half)
    turn = np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1)
    return one.roots + rotate_about_y(one.places, one.yaws), quaternion.multiply(turn, one.turns)


def _to_file(turns: np.ndarray) -> np.ndarray:
    return np.concatenate([turns[..., :1], turns[..., 1:][..., TO_FILE]], axis=-1)
