"""What a policy sees: the robot, the command and the reference, from where the robot is; and its errors."""

from typing import NamedTuple

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.robot.reference.robot_reference import Reference
from kinematch.robot.simulation.rewards import TrackingErrors

DOWN = np.array([0.0, 0.0, -1.0])


class SimulatedState(NamedTuple):
    """N robots in the simulation; Z up."""

    joint_positions: np.ndarray  # (N, D) rad
    joint_velocities: np.ndarray  # (N, D) rad/s
    base_positions: np.ndarray  # (N, 3) m
    base_rotations: np.ndarray  # (N, 4)
    base_velocities: np.ndarray  # (N, 3) m/s in the world
    base_angular_velocities: np.ndarray  # (N, 3) rad/s in the world
    body_positions: np.ndarray  # (N, K, 3) m


def observe(
    state: SimulatedState, shown: Reference, commands: np.ndarray, actions: np.ndarray
) -> dict[str, np.ndarray]:
    """Parts (N, ...) of the observation; ground directions are those of the robot's heading, others of its base."""
    away = quaternion.inverse(state.base_rotations)
    level = quaternion.inverse(find_headings(state.base_rotations))
    times = shown.joint_positions.shape[1]
    level_ahead = np.repeat(level[:, None], times, axis=1)
    ahead = quaternion.multiply(level_ahead, shown.base_rotations.astype(np.float64))
    steer = np.concatenate([commands, np.zeros((len(commands), 1))], axis=1)
    parts = {
        "joint_positions": state.joint_positions,
        "joint_velocities": state.joint_velocities,
        "gravity": quaternion.rotate(away, np.broadcast_to(DOWN, state.base_positions.shape)),
        "base_velocity": quaternion.rotate(away, state.base_velocities),
        "base_angular_velocity": quaternion.rotate(away, state.base_angular_velocities),
        "base_height": state.base_positions[:, 2:],
        "last_action": actions,
        "command": quaternion.rotate(level, steer)[:, :2],
        "reference_joint_positions": shown.joint_positions,
        "reference_joint_velocities": shown.joint_velocities,
        "reference_base_positions": quaternion.rotate(
            level_ahead, shown.base_positions - state.base_positions[:, None]
        ),
        # the first two axes of the rotation matrix: no quaternion, which has two signs
        "reference_base_axes": np.concatenate(
            [quaternion.rotate(ahead, np.broadcast_to(axis, (*ahead.shape[:-1], 3))) for axis in np.eye(3)[:2]], axis=-1
        ),
        "reference_contacts": shown.contacts,
    }
    return {name: np.asarray(values, np.float32) for name, values in parts.items()}


def find_errors(state: SimulatedState, shown: Reference, bodies: np.ndarray, change: np.ndarray) -> TrackingErrors:
    """How far robots are from the reference now; `bodies` are rows of its bodies."""
    apart = shown.base_positions[:, 0] - state.base_positions
    turns = shown.base_rotations[:, 0].astype(np.float64)
    turn = rotation.to_rotation_vector(quaternion.multiply(turns, quaternion.inverse(state.base_rotations)))
    own = state.body_positions - state.base_positions[:, None]
    theirs = shown.body_positions[:, 0, bodies] - shown.base_positions[:, :1]
    up, own_up = (quaternion.rotate(one, np.broadcast_to(-DOWN, apart.shape)) for one in (turns, state.base_rotations))
    return TrackingErrors(
        joint_positions=_mean_root(shown.joint_positions[:, 0] - state.joint_positions),
        joint_velocities=_mean_root(shown.joint_velocities[:, 0] - state.joint_velocities),
        base_position=np.linalg.norm(apart, axis=1),
        base_height=np.abs(apart[:, 2]),
        base_rotation=np.linalg.norm(turn, axis=1),
        base_velocity=np.linalg.norm(shown.base_velocities[:, 0] - state.base_velocities, axis=1),
        body_positions=np.sqrt(np.square(own - theirs).sum(axis=-1).mean(axis=1)),
        tilt=np.arctan2(np.linalg.norm(np.cross(up, own_up), axis=1), (up * own_up).sum(axis=1)),
        action_change=np.square(change).mean(axis=1),
    )


def find_headings(turns: np.ndarray) -> np.ndarray:
    """The part of rotations (N, 4) about the vertical."""
    ahead = quaternion.rotate(turns, np.broadcast_to([1.0, 0.0, 0.0], (*turns.shape[:-1], 3)))
    half = np.arctan2(ahead[..., 1], ahead[..., 0]) / 2
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1)


def _mean_root(values: np.ndarray) -> np.ndarray:
    return np.sqrt(np.square(values).mean(axis=1))
