"""Feet that stay planted, written like the definition, a foot and a frame at a time; the kernel does the same."""

from dataclasses import dataclass, field

import numpy as np

from kinematch.math import quaternion, rotation, spring
from kinematch.robot.kernels.feet import STEEPEST
from kinematch.robot.plan import RobotPlan


@dataclass
class Foot:
    """What goes on from frame to frame for one foot."""

    planted: bool = False
    anchor: np.ndarray = field(default_factory=lambda: np.zeros(2))  # (2,) m, x and z of the locked tip
    slip: np.ndarray = field(default_factory=lambda: np.zeros(2))  # (2,) m, from the ankle's target to the locked one
    slip_speed: np.ndarray = field(default_factory=lambda: np.zeros(2))  # (2,) m/s
    share: float = 0.0  # from 0, free, to 1, flat on the floor
    heading: float = 0.0  # rad, when it was locked


def plant_foot(
    plan: RobotPlan, k: int, foot: Foot, *, ankle: np.ndarray, raw: np.ndarray, down: bool, dt: float
) -> tuple[np.ndarray, np.ndarray]:
    """The target (3,) of the sole's tip and the rotation (4,) wanted of a foot, from those of the person's ankle."""
    lock, release, heel = plan.numbers[4:7]
    tip, stand = plan.tips[k], plan.foot_axes[k]
    _, pitch = find_heading(quaternion.multiply(raw, quaternion.inverse(stand)))
    pitch = float(np.clip(pitch - heel, 0, STEEPEST))
    if down and not foot.planted:  # lock the tip where the target has it now
        turn = _lay_flat(plan, k, foot, raw, pitch)
        foot.anchor = (ankle + quaternion.rotate(turn, tip))[[0, 2]] + foot.slip
        foot.heading = find_heading(quaternion.multiply(turn, quaternion.inverse(stand)))[0]
    foot.share = 1 - (1 - foot.share) * 0.5 ** (dt / lock) if down else foot.share * 0.5 ** (dt / release)
    turn = _lay_flat(plan, k, foot, raw, pitch)
    away = quaternion.rotate(turn, tip)
    if down:
        slip = foot.anchor - (ankle + away)[[0, 2]]
        foot.slip_speed = (slip - foot.slip) / dt if foot.planted else np.zeros(2)
        foot.slip = slip
    else:
        foot.slip, foot.slip_speed = spring.spring(foot.slip, foot.slip_speed, np.zeros(2), halflife=release, dt=dt)
    foot.planted = down
    at = ankle + np.array([foot.slip[0], 0.0, foot.slip[1]])
    low = float(((at + quaternion.rotate(turn, plan.soles[k]))[:, 1] - plan.sole_radii[k]).min())
    at = at - np.array([0.0, low if low < 0 else foot.share * low, 0.0])
    return at + away, turn


def find_heading(turn: np.ndarray) -> tuple[float, float]:
    """Heading of the axis across a foot, and the pitch of its toes, down being positive."""
    across, ahead = quaternion.rotate(turn, np.eye(3)[[0, 2]])
    heading = float(np.arctan2(-across[2], across[0]))
    return heading, float(np.arctan2(-ahead[1], ahead @ [np.sin(heading), 0.0, np.cos(heading)]))


def _lay_flat(plan: RobotPlan, k: int, foot: Foot, raw: np.ndarray, pitch: float) -> np.ndarray:
    """Between the person's rotation and standing level across with the heel up by the pitch."""
    level = rotation.from_euler(np.array([foot.heading, pitch, 0.0]), "YXZ")
    stand = quaternion.multiply(level, plan.foot_axes[k])
    share = foot.share * plan.flat[k]
    return quaternion.normalize((1 - share) * raw + share * quaternion.nearest(stand, raw))
