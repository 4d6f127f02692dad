"""Tracking: robots in MuJoCo that follow their references; one episode's step, reset and observation."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinematch.control.command import move
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.robot.model import TO_OURS, RobotModel
from kinematch.robot.reference.robot_frames import RobotFrames
from kinematch.robot.reference.robot_reference import RobotReference
from kinematch.robot.simulation.observations import SimulatedState, find_errors, observe
from kinematch.robot.simulation.rewards import TrackingErrors, TrackingSettings, find_lost, find_rewards
from kinematch.robot.simulation.simulated_robot import TIMESTEP_SECONDS, open_in_mujoco
from kinematch.threads import run_in_pieces

MIN_SHARED_ROBOTS, PIECE = 4, 4  # simulated robots: a step of one takes a third of a millisecond


class Tracking:
    """N robots, their references, and the commands that steer these."""

    def __init__(
        self, robot: RobotModel, source: Database | tuple[Database, RobotFrames], *, count: int = 1,
        rate: float = 50.0, horizon: float = 1.0, settings: TrackingSettings | None = None,
    ):  # fmt: skip
        import mujoco

        self.settings = settings or TrackingSettings()
        self.robot = open_in_mujoco(robot)
        self.reference = RobotReference(robot, source, rate=rate, horizon=horizon, count=count)
        self.substeps = max(round(self.reference.dt / TIMESTEP_SECONDS), 1)
        self.robot.model.opt.timestep = self.reference.dt / self.substeps
        self.data = [mujoco.MjData(self.robot.model) for _ in range(count)]
        self.shown = self.reference.reset()
        hinges = robot.hinge_count
        self.actions = np.zeros((count, hinges))
        self.commands = np.zeros((count, 2))  # m/s along x and y of the world
        self.held = np.zeros(count, bool)  # whose command was given, so that chance does not change it
        self.steps = np.zeros(count, np.int64)
        self.spring = (0.0, 0.0)  # 1/s^2 and 1/s by which the base is drawn to the reference's
        self.spring_forces = np.zeros((count, 2))  # N and N m that it took in the last step

    @property
    def count(self) -> int:
        """N."""
        return len(self.data)

    @property
    def frame_count(self) -> int:
        """Frames that episodes can begin in."""
        return len(self.reference.frames.angles)

    def reset(
        self, robots: Sequence[int] | np.ndarray, random: np.random.Generator, *, frames: np.ndarray | None = None,
        commands: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """Begin episodes of some robots at frames (M,) with commands (M, 2) m/s; random ones where not given."""
        robots = np.asarray(robots)
        if frames is None:
            frames = random.integers(self.frame_count, size=len(robots))
        self.shown = self.reference.reset(robots, frames=frames)
        self.actions[robots], self.steps[robots] = 0.0, 0
        self.held[robots] = commands is not None
        self.commands[robots] = self._draw_commands(len(robots), random) if commands is None else commands
        for n in robots:
            self._place(int(n))

    def step(self, actions: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """Rewards (N,), who is lost (N,), and the terms of the rewards, after one step of 1 / rate seconds."""
        dt, settings = self.reference.dt, self.settings
        new = ~self.held & (random.random(self.count) < dt / max(settings.command_seconds, dt))
        self.commands[new] = self._draw_commands(int(new.sum()), random)
        velocities = np.column_stack([self.commands, np.zeros(self.count)])[:, TO_OURS]
        self.shown = self.reference.step(move(velocities))
        # the controller damps speeds; a target that is ahead by as much has it damp the difference from the reference's
        leads = self.robot.lags * self.shown.joint_velocities[:, 0]
        targets = self.shown.joint_positions[:, 0] + leads + settings.action_scale * actions
        run_in_pieces(
            self.count, lambda rows: self._simulate(rows, targets), worth=MIN_SHARED_ROBOTS, piece=PIECE
        )  # fmt: skip
        self.steps += 1
        errors = self.find_errors(actions)
        self.actions[:] = actions
        rewards, terms = find_rewards(errors, settings)
        lost = find_lost(errors, settings)
        return np.where(np.isfinite(rewards), rewards, 0.0), lost, terms

    def hold_base(self, stiffness: float, damping: float) -> None:
        """Draw bases to those of the references by a spring, 1/s^2 and 1/s for each unit of mass; zeros let go."""
        self.spring = (float(stiffness), float(damping))
        first = self.robot.base_velocity
        self.robot.model.dof_damping[first : first + 3] = damping * self.robot.mass
        self.robot.model.dof_damping[first + 3 : first + 6] = damping * self.robot.inertia
        if not stiffness and not damping:
            for data in self.data:
                data.qfrc_applied[:] = 0.0

    @property
    def late(self) -> np.ndarray:
        """Whose episode is as long as it may be (N,)."""
        return self.steps * self.reference.dt >= self.settings.episode_seconds - 1e-9

    def find_errors(self, actions: np.ndarray) -> TrackingErrors:
        """How far the robots are from the reference now."""
        return find_errors(self.read_state(), self.shown, self.robot.body_rows, actions - self.actions)

    def observe(self) -> dict[str, np.ndarray]:
        """Parts of the observation (N, ...), float32."""
        return observe(self.read_state(), self.shown, self.commands, self.actions)

    def read_state(self) -> SimulatedState:
        """The simulation's state of all robots."""
        robot, data = self.robot, self.data
        at, v = robot.base_position, robot.base_velocity
        positions, speeds = (np.array([getattr(one, what) for one in data]) for what in ("qpos", "qvel"))
        turns = positions[:, at + 3 : at + 7]
        return SimulatedState(
            positions[:, robot.positions], speeds[:, robot.velocities], positions[:, at : at + 3], turns,
            speeds[:, v : v + 3], quaternion.rotate(turns, speeds[:, v + 3 : v + 6]),
            np.array([one.xpos[robot.bodies] for one in data]),
        )  # fmt: skip

    def _draw_commands(self, count: int, random: np.random.Generator) -> np.ndarray:
        speeds, ways = random.uniform(0, self.settings.max_speed, count), random.uniform(-np.pi, np.pi, count)
        return speeds[:, None] * np.column_stack([np.cos(ways), np.sin(ways)])

    def _place(self, n: int) -> None:
        import mujoco

        shown = self.shown
        self.robot.write_state(
            self.data[n], shown.joint_positions[n, 0], shown.joint_velocities[n, 0], shown.base_positions[n, 0],
            shown.base_rotations[n, 0], shown.base_velocities[n, 0], shown.base_angular_velocities[n, 0],
        )  # fmt: skip
        self.data[n].ctrl[:] = shown.joint_positions[n, 0]
        mujoco.mj_forward(self.robot.model, self.data[n])

    def _simulate(self, rows: slice, targets: np.ndarray) -> None:
        import mujoco

        model = self.robot.model
        for n in range(rows.start, rows.stop):
            data = self.data[n]
            data.ctrl[:] = targets[n]
            if self.spring == (0.0, 0.0):
                mujoco.mj_step(model, data, self.substeps)
            else:
                for done in range(self.substeps):
                    self._pull(n, self.reference.dt * (1 - done / self.substeps))
                    mujoco.mj_step(model, data)
            mujoco.mj_kinematics(model, data)

    def _pull(self, n: int, before: float) -> None:
        """A spring from the base to where the reference's was so many seconds ago, and a damper between them.

        The damper against the base's own velocity is MuJoCo's, which is implicit: light bases stay stable.
        """
        robot, data, shown = self.robot, self.data[n], self.shown
        at, v = robot.base_position, robot.base_velocity
        turn, speed, spin = data.qpos[at + 3 : at + 7], data.qvel[v : v + 3], data.qvel[v + 3 : v + 6]
        back = quaternion.inverse(turn)
        stiffness, damping = self.spring
        going, turning = (
            values[n, 0].astype(float) for values in (shown.base_velocities, shown.base_angular_velocities)
        )
        target = shown.base_positions[n, 0] - before * going
        turned = quaternion.multiply(rotation.from_rotation_vector(-before * turning), shown.base_rotations[n, 0])
        away = rotation.to_rotation_vector(quaternion.multiply(back, turned))
        force = stiffness * (target - data.qpos[at : at + 3]) + damping * going
        torque = stiffness * away + damping * quaternion.rotate(back, turning)
        data.qfrc_applied[v : v + 3], data.qfrc_applied[v + 3 : v + 6] = robot.mass * force, robot.inertia * torque
        self.spring_forces[n] = (
            robot.mass * np.linalg.norm(force - damping * speed),
            robot.inertia * np.linalg.norm(torque - damping * spin),
        )


def check_actions(actions: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Actions as an array within -1 and 1."""
    values = np.asarray(actions, np.float64)
    if values.shape != shape or not np.isfinite(values).all():
        raise KinematchError(f"actions have shape {values.shape}, expected {shape}, finite numbers from -1 to 1")
    return np.clip(values, -1.0, 1.0)
