"""RobotReference: commands in; joint angles, base, bodies and contacts of robots out, now and at future times."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.character.state import put_at_rest
from kinematch.control.checks import check_characters
from kinematch.control.command import Command
from kinematch.control.request import Request
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y
from kinematch.robot.kernels.show import ShownArrays, fade_offsets, show_robots
from kinematch.robot.model import RobotModel
from kinematch.robot.reference.robot_frames import RobotFrames, retarget_database
from kinematch.robot.reference.shown_tables import STIFFNESS, make_arrays, make_tables, make_work
from kinematch.robot.tasks import RobotSettings
from kinematch.threads import run_in_pieces

MAX_FRAMES_A_STEP = 4  # by which a clip goes on; more is a jump
MIN_SHARED_ROBOTS = 64  # from which it pays to wake other threads


class Reference(NamedTuple):
    """N robots at T times, the present one first. The world has Z up, quaternions w first; joints and bodies stand in
    the model's order, which is MuJoCo's. Arrays are float32."""

    times: np.ndarray  # (T,) s from now
    joint_positions: np.ndarray  # (N, T, D) rad
    joint_velocities: np.ndarray  # (N, T, D) rad/s
    base_positions: np.ndarray  # (N, T, 3) m
    base_rotations: np.ndarray  # (N, T, 4)
    base_velocities: np.ndarray  # (N, T, 3) m/s in the world
    base_angular_velocities: np.ndarray  # (N, T, 3) rad/s in the world
    contacts: np.ndarray  # (N, T, 2) bool, left and right foot
    body_positions: np.ndarray  # (N, T, B, 3) m
    body_rotations: np.ndarray  # (N, T, B, 4)


class RobotReference:
    """Motion matching on robots: the database is solved once, transitions fade in joint angles.

    `source` is a database, or frames made of one by `retarget_database`. Velocities and targets of commands are in
    metres of the robot's own world.
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
        self._tables = make_tables(self.frames, horizon)
        self._work = make_work(count, robot.hinge_count)
        width = robot.hinge_count + 6
        self.offsets, self.rates = np.zeros((count, width)), np.zeros((count, width))
        self._last_frames = self.crowd.frames.copy()
        self._beginning = self.crowd.state.copy()
        self._fresh = np.ones(count, bool)

    @property
    def count(self) -> int:
        """N."""
        return self.crowd.count

    @property
    def times(self) -> np.ndarray:
        """(T,) s from now."""
        return np.array(self._tables.ages)

    def make_result(self) -> Reference:
        """Room for a result, to be filled by `step(command, out=...)` again and again."""
        bodies = len(self.model.body_names)
        return Reference(self.times, *make_arrays(self.count, len(self.times), self.model.hinge_count, bodies))

    def step(self, command: Command, *, out: Reference | None = None) -> Reference:
        """Go on by one step of 1 / rate seconds; `out` is overwritten, if given, which saves time."""
        scale = self.frames.scale
        request = command.request
        scaled = (
            _scale_request(request, 1 / scale)
            if request is None or isinstance(request, Request)
            else [_scale_request(one, 1 / scale) for one in request]
        )
        velocities = np.asarray(command.velocities) / scale
        self.crowd.step(replace(command, velocities=velocities, request=scaled), self.dt)
        self._fade()
        return self.show(out=out)

    def reset(
        self, robots: Sequence[int] | np.ndarray | None = None, *, frames: np.ndarray | None = None,
        positions: np.ndarray | float = 0.0, yaws: np.ndarray | float = 0.0,
    ) -> Reference:  # fmt: skip
        """Begin again at frames of the database (M,), or where they are, with roots at positions (M, 3) m and yaws."""
        chosen = np.arange(self.count) if robots is None else check_characters(robots, self.count)
        places, turns = np.empty((len(chosen), 3)), np.empty(len(chosen))
        places[:], turns[:] = np.asarray(positions) / self.frames.scale, yaws
        if frames is not None:
            frames = np.asarray(frames)
            if frames.dtype.kind not in "iu" or not ((frames >= 0) & (frames < len(self.frames.angles))).all():
                raise KinematchError(f"frames {frames!r}, expected whole numbers, 0 to {len(self.frames.angles) - 1}")
        state = self.crowd.state
        started = state.playing.frames[chosen] if frames is None else frames
        beginning = self._beginning.arrays()
        for name, array in state.arrays().items():  # so that the same frames and commands give the same motion
            array[chosen] = beginning[name][chosen]
        put_at_rest(state, chosen, places, turns)
        state.playing.frames[chosen] = started
        steps = self.frames.root_steps[state.playing.frames[chosen]] * self.frames.frame_rate / self.frames.scale
        speed = rotate_about_y(np.stack([steps[:, 0], np.zeros(len(chosen)), steps[:, 1]], axis=1), turns)
        state.body.velocities[chosen] = speed
        self.offsets[chosen] = self.rates[chosen] = 0.0
        self._fresh[chosen] = True
        self._last_frames = self.crowd.frames.copy()
        return self.show()

    def show(self, *, out: Reference | None = None) -> Reference:
        """The present moment and those ahead, without going on."""
        shown = self.make_result() if out is None else out
        arrays = ShownArrays(*shown[1:])
        playing = self.crowd.state.playing
        now = (playing.frames, playing.fractions, playing.positions, playing.yaws)
        given = (self.frames.plan, self._tables, now, self.offsets, self.rates, self._work, arrays)
        run_in_pieces(
            self.count, lambda rows: show_robots(*given, rows.start, rows.stop), worth=MIN_SHARED_ROBOTS
        )  # fmt: skip
        return shown

    def _fade(self) -> None:
        """Age the offsets by a step; where the search jumped, they take over what was shown."""
        frames, last = self.crowd.frames, self._last_frames
        fade_offsets(self.offsets, self.rates, STIFFNESS, self.dt)
        gone = frames - last
        on = (gone >= 0) & (gone <= MAX_FRAMES_A_STEP)
        for row in np.flatnonzero(~on):
            frame = int(last[row])
            for _ in range(MAX_FRAMES_A_STEP):
                frame = int(self.frames.following[frame])
                on[row] |= frame == frames[row]
        jumped = np.flatnonzero(~on & ~self._fresh)
        if len(jumped):
            self._take_over(jumped)
        self._fresh[:] = False
        self._last_frames = frames.copy()

    def _take_over(self, robots: np.ndarray) -> None:
        """Offsets of robots (M,) from the frames they jumped to, to what they showed, going on for one step."""
        frames, work, dt, hinges = self.frames, self._work, self.dt, self.model.hinge_count
        first = self.crowd.frames[robots]
        second = frames.following[first]
        share = self.crowd.state.playing.fractions[robots, None]
        low = np.concatenate([frames.angles[first], frames.base_positions[first]], axis=1)
        high = np.concatenate([frames.angles[second], frames.base_positions[second]], axis=1)
        turn = frames.base_rotations[first]
        turning = rotation.to_rotation_vector(
            quaternion.multiply(frames.base_rotations[second], quaternion.inverse(turn))
        )
        turn = quaternion.multiply(rotation.from_rotation_vector(share * turning), turn)
        rates = work.rates[robots]
        shown = work.values[robots] + dt * rates[:, : hinges + 3]
        before = quaternion.multiply(rotation.from_rotation_vector(dt * rates[:, hinges + 3 :]), work.turns[robots])
        self.offsets[robots, : hinges + 3] = shown - low - share * (high - low)
        self.offsets[robots, hinges + 3 :] = rotation.to_rotation_vector(
            quaternion.multiply(before, quaternion.inverse(turn))
        )
        slopes = np.concatenate([high - low, turning], axis=1) * frames.frame_rate
        self.rates[robots] = rates - slopes


def _scale_request(request: Request | None, by: float) -> Request | None:
    """An action's target in the database's metres instead of the robot's."""
    if request is None:
        return None
    target, clear = request.target, request.clear
    return replace(
        request, target=None if target is None else np.asarray(target) * by,
        clear=None if clear is None else (clear[0] * by, clear[1] * by, clear[2] * by),
    )  # fmt: skip
