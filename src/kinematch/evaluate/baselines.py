"""Baselines: a state machine of looping clips (learned MM 5.1), and playback that searches nothing."""

from dataclasses import dataclass

import numpy as np

from kinematch.character.settings import Settings
from kinematch.control.body import SimulatedBody, place_at_rest, predict_bodies
from kinematch.control.command import Command
from kinematch.database.coverage import measure_root_motion
from kinematch.database.storage import Database
from kinematch.evaluate.course import directions
from kinematch.evaluate.gaits import Gaits, admitted
from kinematch.evaluate.loops import rest, stride
from kinematch.math import quaternion
from kinematch.math.angles import wrap_angle
from kinematch.motion.clip import true_ranges
from kinematch.motion.heading import yaw_of, yaw_rotation
from kinematch.motion.kinematics import forward

CROSS_FADE = 0.25  # s


@dataclass(frozen=True, eq=False)
class BaselinePose:
    """What a baseline's step shows."""

    positions: np.ndarray  # (N, J, 3) m
    rotations: np.ndarray  # (N, J, 4)
    global_positions: np.ndarray  # (N, J, 3) m
    jumped: np.ndarray  # (N,) bool


class StateMachine:
    """Idle and a loop for each gait, chosen by the simulated body's speed, cross-faded, and carried by that body."""

    def __init__(self, database: Database, count: int, *, gaits: Gaits, settings: Settings, filter: str = ""):
        self.skeleton, self.settings = database.poses.skeleton, settings
        self.loops = [rest(database, filter), *(stride(database, speed, filter) for speed in gaits.forward.values())]
        speeds = np.array([0.0, *gaits.forward.values()])
        self.edges = (speeds[1:] + speeds[:-1]) / 2  # m/s between one state and the next
        self.body = place_at_rest(np.zeros((count, 3)), np.zeros(count))
        self.shares = np.zeros((count, len(self.loops)))
        self.shares[:, 0] = 1.0
        self.idle, self.phases = np.zeros(count), np.zeros(count)
        self.states = np.zeros(count, int)
        self.frames = np.full(count, -1)

    @property
    def root_yaws(self) -> np.ndarray:
        return self.body.yaws

    def step(self, command: Command, dt: float) -> BaselinePose:
        self.body = _moved(self.body, command, dt, self.settings)
        speed = np.linalg.norm(self.body.velocities, axis=-1)
        states = np.searchsorted(self.edges, speed)
        jumped, self.states = states != self.states, states
        wanted = np.eye(len(self.loops))[states]
        # linear, as cross-fades are
        self.shares = self.shares + np.clip(wanted - self.shares, -dt / CROSS_FADE, dt / CROSS_FADE)
        shares = self.shares / self.shares.sum(axis=1, keepdims=True)
        seconds = np.array([loop.seconds for loop in self.loops])
        moving = shares[:, 1:] / np.maximum(shares[:, 1:].sum(axis=1, keepdims=True), 1e-9)  # all zero when idle
        stride_seconds = np.where(shares[:, 0] > 1 - 1e-9, seconds[1], moving @ seconds[1:])
        self.idle = (self.idle + dt / seconds[0]) % 1.0
        self.phases = (self.phases + dt / stride_seconds) % 1.0
        positions, rotations = self._blended(shares)
        positions[:, 0], rotations[:, 0] = self.body.positions, yaw_rotation(directions(self.body.yaws))
        return BaselinePose(positions, rotations, forward(self.skeleton, positions, rotations)[0], jumped)

    def _blended(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shown = [loop.at(self.idle if k == 0 else self.phases) for k, loop in enumerate(self.loops)]
        self.frames = np.stack([frames for _, _, frames in shown])[self.states, np.arange(len(shares))]
        weights = shares.T[:, :, None, None]
        first = shown[0][1]
        return (
            sum(w * p for w, (p, _, _) in zip(weights, shown)),
            quaternion.normalize(sum(w * quaternion.nearest(r, first) for w, (_, r, _) in zip(weights, shown))),
        )


class PlainPlayback:
    """The longest clip that moves, played in a loop whatever the command."""

    def __init__(self, database: Database, count: int, *, settings: Settings, filter: str = ""):
        self.poses, self.settings = database.poses, settings
        self.body = place_at_rest(np.zeros((count, 3)), np.zeros(count))
        self.range = _longest(database, filter)
        self.time = 0.0
        self.root_positions, self.root_yaws = np.zeros((count, 3)), np.zeros(count)
        self.frames = np.full(count, self.range[0])

    def step(self, command: Command, dt: float) -> BaselinePose:
        self.body = _moved(self.body, command, dt, self.settings)
        start, stop = self.range
        before, self.time = self.time, self.time + dt * self.poses.frame_rate
        again = self.time >= stop - start - 1
        if again:
            before, self.time = 0.0, dt * self.poses.frame_rate
        p0, yaw0, _ = self._pose(before)
        p1, yaw1, rotations = self._pose(self.time)
        way, turn = p1[0] - p0[0], yaw1 - yaw0
        c, s = np.cos(self.root_yaws - yaw0), np.sin(self.root_yaws - yaw0)
        step = np.stack([c * way[0] + s * way[2], 0 * c, c * way[2] - s * way[0]], axis=-1)
        self.root_positions = self.root_positions + step
        self.root_yaws = wrap_angle(self.root_yaws + turn)
        count = len(self.root_yaws)
        positions, turned = np.tile(p1, (count, 1, 1)), np.tile(rotations, (count, 1, 1))
        positions[:, 0], turned[:, 0] = self.root_positions, yaw_rotation(directions(self.root_yaws))
        self.frames = np.full(count, start + int(self.time))
        shown = forward(self.poses.skeleton, positions, turned)[0]
        return BaselinePose(positions, turned, shown, np.full(count, again))

    def _pose(self, time: float) -> tuple[np.ndarray, float, np.ndarray]:
        """Positions (J, 3), heading and rotations (J, 4) at a fractional frame of the clip."""
        k, t = self.range[0] + int(time), time - int(time)
        p, r = self.poses.positions[k : k + 2].astype(np.float64), self.poses.rotations[k : k + 2].astype(np.float64)
        mixed = quaternion.normalize(r[0] * (1 - t) + quaternion.nearest(r[1], r[0]) * t)
        yaw = yaw_of(mixed[0])
        return p[0] * (1 - t) + p[1] * t, float(yaw), mixed


def _moved(body: SimulatedBody, command: Command, dt: float, settings: Settings) -> SimulatedBody:
    after = predict_bodies(body, command, np.array([dt]), settings.halflives)
    return SimulatedBody(
        after.positions[:, 0], after.velocities[:, 0], after.accelerations[:, 0], wrap_angle(after.yaws[:, 0]),
        after.yaw_rates[:, 0],
    )  # fmt: skip


def _longest(database: Database, filter: str) -> tuple[int, int]:
    """Frames [start, stop) of the admitted stretch that goes farthest."""
    poses, mask = database.poses, admitted(database, filter)
    speed = measure_root_motion(poses)[0]
    stretches = [
        (own.start + a, own.start + b)
        for own in map(poses.clip_frames, range(poses.clip_count))
        for a, b in true_ranges(mask[own])
        if b - a > 2
    ]
    return max(stretches, key=lambda stretch: float(speed[slice(*stretch)].sum()))
