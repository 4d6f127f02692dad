"""Gymnasium environments in which a policy tracks a reference that obeys commands: one robot, or many."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.robot.model import RobotModel
from kinematch.robot.reference.robot_frames import RobotFrames
from kinematch.robot.simulation.rewards import TrackingSettings
from kinematch.robot.simulation.tracking import Tracking, check_actions

try:
    import gymnasium
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise KinematchError("environments need gymnasium: pip install 'kinematch[gym]'") from None

Source = Database | tuple[Database, RobotFrames]


Observation = dict[str, np.ndarray]
Info = dict[str, Any]


class RobotEnv(gymnasium.Env):
    """One robot. Observations are a dictionary of arrays; an action moves each hinge's target from the reference.

    `reset(options={"frame": 120, "velocity": (1.0, 0.0)})` begins at a frame of the database, and commands a velocity
    in m/s along x and y of the world; without them, both are random.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (gymnasium has it so)

    def __init__(self, robot: RobotModel, source: Source, *, rate: float = 50.0, horizon: float = 1.0,
                 settings: TrackingSettings | None = None):  # fmt: skip
        self.tracking = Tracking(robot, source, rate=rate, horizon=horizon, settings=settings)
        self.observation_space = _make_observation_space(self.tracking)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (robot.hinge_count,), np.float32)
        self.metadata = {**type(self).metadata, "render_fps": round(rate)}

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Observation, Info]:
        super().reset(seed=seed)
        frames, commands = _read_options(options, 1)
        self.tracking.reset([0], self.np_random, frames=frames, commands=commands)
        return _row(self.tracking.observe(), 0), {"frame": int(self.tracking.reference.crowd.frames[0])}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        actions = check_actions(action, self.tracking.actions.shape[1:])[None]
        rewards, lost, terms = self.tracking.step(actions, self.np_random)
        info = {"reward_terms": {name: float(values[0]) for name, values in terms.items()}}
        late = bool(self.tracking.late[0])
        return _row(self.tracking.observe(), 0), float(rewards[0]), bool(lost[0]), late, info


class RobotVectorEnv(gymnasium.vector.VectorEnv):
    """Many robots with one reference and a thread for each core. A robot whose episode ended is reset by the next step.

    Options are those of RobotEnv: frames (N,) as `frame`, velocities (N, 2) as `velocity`, one for all or one each.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
    }

    def __init__(self, robot: RobotModel, source: Source, count: int, *, rate: float = 50.0, horizon: float = 1.0,
                 settings: TrackingSettings | None = None):  # fmt: skip
        self.tracking = Tracking(robot, source, count=count, rate=rate, horizon=horizon, settings=settings)
        self.num_envs = count
        self.single_observation_space = _make_observation_space(self.tracking)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (robot.hinge_count,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        self._ended = np.zeros(count, bool)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Observation, Info]:
        super().reset(seed=seed)
        frames, commands = _read_options(options, self.num_envs)
        self.tracking.reset(np.arange(self.num_envs), self.np_random, frames=frames, commands=commands)
        self._ended[:] = False
        return self.tracking.observe(), {"frame": self.tracking.reference.crowd.frames.copy()}

    def step(self, actions: Any) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        values = check_actions(actions, self.tracking.actions.shape)
        rewards, lost, terms = self.tracking.step(values, self.np_random)
        late = self.tracking.late & ~lost
        begun = np.flatnonzero(self._ended)
        if len(begun):
            self.tracking.reset(begun, self.np_random)
            rewards[begun], lost[begun], late[begun] = 0.0, False, False
        self._ended = lost | late
        return self.tracking.observe(), rewards, lost, late, {"reward_terms": terms}


def _make_observation_space(tracking: Tracking) -> gymnasium.spaces.Dict:
    parts = tracking.observe()
    return gymnasium.spaces.Dict(
        {name: gymnasium.spaces.Box(-np.inf, np.inf, values.shape[1:], np.float32) for name, values in parts.items()}
    )


def _row(parts: Mapping[str, np.ndarray], n: int) -> dict[str, np.ndarray]:
    return {name: values[n] for name, values in parts.items()}


def _read_options(options: Mapping[str, Any] | None, count: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Frames (N,) and velocities (N, 2) of the options of a reset."""
    options = dict(options or {})
    frame, velocity = options.pop("frame", None), options.pop("velocity", None)
    if options:
        raise KinematchError(f"options {', '.join(map(repr, options))}, expected 'frame' and 'velocity'")
    frames = None if frame is None else np.broadcast_to(np.asarray(frame), (count,))
    if velocity is None:
        return frames, None
    commands = np.asarray(velocity, np.float64)
    if commands.shape not in ((2,), (count, 2)) or not np.isfinite(commands).all():
        raise KinematchError(f"the option 'velocity' is {velocity!r}, expected two numbers, m/s along x and y")
    return frames, np.broadcast_to(commands, (count, 2))
