"""A clip retargeted to a robot and scored, for the command line."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.floor import put_on_floor
from kinematch.motion.clip import Clip
from kinematch.robot.model import RobotModel
from kinematch.robot.motion import RobotMotion
from kinematch.robot.quality import RobotQuality, measure_quality
from kinematch.robot.retargeting import CHUNK_FRAMES, RobotRetargeting
from kinematch.robot.simulation.feasibility import measure_feasibility
from kinematch.robot.simulation.simulated_robot import SimulatedRobot
from kinematch.robot.tasks import RobotSettings


def try_robot(
    clip: Clip,
    model: RobotModel,
    settings: RobotSettings | None = None,
    *,
    simulated: SimulatedRobot | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[RobotMotion, RobotQuality]:
    """The clip, put on the floor, as motion of a robot, and how good that is; its rate is that of one core's time.

    With the robot opened by `open_in_mujoco`, also what torques and balance it would take.
    """
    clip = put_on_floor(clip)
    contacts = find_contacts(clip)
    retargeting = RobotRetargeting(clip.skeleton, model, settings or RobotSettings())
    retargeting.step(clip.positions[:1], clip.rotations[:1], contacts[:1], clip.dt)  # compiled before it is timed
    retargeting.restart()
    parts = []
    begin = time.thread_time()
    for start in range(0, clip.frame_count, CHUNK_FRAMES):
        rows = slice(start, start + CHUNK_FRAMES)
        parts.append(retargeting.step(clip.positions[rows], clip.rotations[rows], contacts[rows], clip.dt))
        if progress is not None:
            progress(min(start + CHUNK_FRAMES, clip.frame_count), clip.frame_count)
    rate = clip.frame_count / max(time.thread_time() - begin, 1e-9)
    base, turns, angles = (np.concatenate([part[k] for part in parts]) for k in range(3))
    motion = RobotMotion(model, base, turns, angles, clip.frame_rate, clip.name)
    quality = measure_quality(motion, clip, contacts, retargeting.plan, rate=rate)
    if simulated is not None:
        quality = replace(quality, feasibility=measure_feasibility(simulated, motion, contacts, retargeting.plan))
    return motion, quality
