"""Feasibility: torques that a motion takes by inverse dynamics, and whether it is balanced on its soles."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion
from kinematch.robot.model import TO_FILE
from kinematch.robot.motion import RobotMotion
from kinematch.robot.plan import RobotPlan
from kinematch.robot.simulation.simulated_robot import SimulatedRobot
from kinematch.robot.simulation.support import Sole, find_distance, find_soles, share_force

SUPPORT_MARGIN = 0.01  # m beyond the edge of the soles that still counts: shapes of soles have rounded corners
MIN_SUPPORT_FORCE = 0.1  # of the weight; with less, the point at which the floor pushes is anywhere


@dataclass(frozen=True)
class Feasibility:
    """Shares of frames; None where the model names no torques, or no frame counts."""

    weak_share: float | None  # in which a hinge needs more torque than it has
    torque_ratio: float | None  # 95th percentile over frames of the largest torque over its limit
    support_share: float | None  # of those with a planted foot: the zero-moment point lies inside the support


@dataclass(frozen=True)
class NeededForces:
    """What the floor and the hinges must give in each frame."""

    torques: np.ndarray  # (F, D) N m
    floor: np.ndarray  # (F, 6) N, and N m about the world's origin; Z up
    moment_points: np.ndarray  # (F, 2) m, zero-moment point; NaN where the floor pushes too little


def measure_feasibility(
    robot: SimulatedRobot, motion: RobotMotion, contacts: np.ndarray, plan: RobotPlan
) -> Feasibility:
    """By MuJoCo's inverse dynamics; contacts (F, 2) say which foot is planted."""
    soles = find_soles(motion, contacts, plan)
    needed = find_needed_forces(robot, motion, soles)
    margin = SUPPORT_MARGIN + float(plan.sole_radii.max(initial=0.0))
    inside = [
        find_distance(point, np.concatenate([sole.points[:, :2] for sole in planted])) <= margin
        for point, planted in zip(needed.moment_points, soles)
        if planted and np.isfinite(point).all()
    ]
    known = np.isfinite(robot.torques)
    worst = (np.abs(needed.torques[:, known]) / robot.torques[known]).max(axis=1) if known.any() else None
    return Feasibility(
        weak_share=None if worst is None else float((worst > 1).mean()),
        torque_ratio=None if worst is None else float(np.quantile(worst, 0.95)),
        support_share=float(np.mean(inside)) if inside else None,
    )


def find_needed_forces(robot: SimulatedRobot, motion: RobotMotion, soles: list[list[Sole]]) -> NeededForces:
    """Whatever force accelerates the base must come from the floor; hinges have what is left with it on the soles."""
    import mujoco

    model, v = robot.model, robot.base_velocity
    given = model.opt.disableflags
    for flag in (mujoco.mjtDisableBit.mjDSBL_CONTACT, mujoco.mjtDisableBit.mjDSBL_LIMIT):
        model.opt.disableflags |= int(flag)
    positions, speeds, accelerations = _find_coordinates(robot, motion)
    data, weight = mujoco.MjData(model), robot.mass * np.linalg.norm(model.opt.gravity)
    torques, floor = np.empty((motion.frame_count, motion.model.hinge_count)), np.empty((motion.frame_count, 6))
    points = np.full((motion.frame_count, 2), np.nan)
    moving, turning = np.empty((3, model.nv)), np.empty((3, model.nv))
    for f in range(motion.frame_count):
        data.qpos[:], data.qvel[:], data.qacc[:] = positions[f], speeds[f], accelerations[f]
        mujoco.mj_inverse(model, data)
        total = data.qfrc_inverse.copy()
        base = positions[f, robot.base_position : robot.base_position + 7]
        force = total[v : v + 3].copy()
        moment = quaternion.rotate(base[3:], total[v + 3 : v + 6]) + np.cross(base[:3], force)
        floor[f] = *force, *moment
        if force[2] > MIN_SUPPORT_FORCE * weight:
            points[f] = -moment[1] / force[2], moment[0] / force[2]
        for sole, share in zip(soles[f], share_force(points[f], soles[f]) if soles[f] else ()):
            middle = sole.points.mean(axis=0)
            mujoco.mj_jac(model, data, moving, turning, middle, robot.link_bodies[sole.link])
            total -= share * (moving.T @ force + turning.T @ (moment - np.cross(middle, force)))
        torques[f] = total[robot.velocities]
    model.opt.disableflags = given
    return NeededForces(torques, floor, points)


def _find_coordinates(robot: SimulatedRobot, motion: RobotMotion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """MuJoCo's positions, velocities and accelerations of each frame, by differences of neighbours."""
    import mujoco

    model, at = robot.model, robot.base_position
    turns = quaternion.normalize(quaternion.unroll(motion.base_rotations))
    positions = np.tile(model.qpos0, (motion.frame_count, 1))
    positions[:, at : at + 3] = motion.base_positions[:, TO_FILE]
    positions[:, at + 3], positions[:, at + 4 : at + 7] = turns[:, 0], turns[:, 1:][:, TO_FILE]
    positions[:, robot.positions] = motion.angles
    between = np.zeros((motion.frame_count + 1, model.nv))  # velocities from each frame's neighbour to it
    for f in range(1, motion.frame_count):
        mujoco.mj_differentiatePos(model, between[f], 1 / motion.frame_rate, positions[f - 1], positions[f])
    if motion.frame_count > 1:
        between[0], between[-1] = between[1], between[-2]
    speeds = (between[1:] + between[:-1]) / 2
    return positions, speeds, np.diff(between, axis=0) * motion.frame_rate
