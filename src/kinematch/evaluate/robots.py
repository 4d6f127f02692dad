"""Many motion files on one robot: a row each, and totals of those that stay on their feet and those that lie down."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from kinematch.errors import KinematchError
from kinematch.files import read_clips
from kinematch.motion import kinematics
from kinematch.motion.clean.floor import floor_height
from kinematch.motion.clip import Clip
from kinematch.robot.model import RobotModel
from kinematch.robot.quality import RobotQuality
from kinematch.robot.simulation.feasibility import Feasibility
from kinematch.robot.simulation.simulated_robot import SimulatedRobot
from kinematch.robot.tasks import RobotSettings
from kinematch.robot.trial import try_robot

LYING = 0.5  # of the hips' height in T-pose: below it a robot falls, lies or crawls


def evaluate_robot(
    paths: Sequence[Path],
    model: RobotModel,
    settings: RobotSettings | None = None,
    *,
    simulated: SimulatedRobot | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[RobotQuality], list[RobotQuality], list[str]]:
    """Rows of motions on foot, rows of motions with falling and lying, and files left out with the reason."""
    standing: list[RobotQuality] = []
    lying: list[RobotQuality] = []
    left_out = []
    for k, path in enumerate(paths):
        try:
            for clip in read_clips(path):
                (lying if lies_down(clip) else standing).append(
                    try_robot(clip, model, settings, simulated=simulated)[1]
                )
        except KinematchError as error:
            left_out.append(str(error))
        if progress is not None:
            progress(k + 1, len(paths))
    return standing, lying, left_out


def lies_down(clip: Clip) -> bool:
    """Whether the hips come below half of their height in T-pose."""
    if clip.skeleton.tpose is None:
        raise KinematchError(f"clip {clip.name!r}: no humanoid, so no robot can follow it")
    hips = clip.skeleton.roles["hips"]
    heights = kinematics.global_pose(clip)[0][:, hips, 1] - floor_height(clip)
    return bool(heights.min() < LYING * kinematics.tpose(clip.skeleton)[0][hips, 1])


def pool_rows(rows: Sequence[RobotQuality], name: str) -> RobotQuality:
    """Rows as one: means weighted by frames, depths and speeds the largest."""
    frames = np.array([row.frames for row in rows], np.float64)

    def mean(what: str) -> float:
        return float(np.average([getattr(row, what) for row in rows], weights=frames))

    def most(what: str) -> float:
        return float(max(getattr(row, what) for row in rows))

    return RobotQuality(
        name=name,
        frames=int(frames.sum()),
        deviation=mean("deviation"),
        deviation_by_task={
            task: float(np.average([row.deviation_by_task[task] for row in rows], weights=frames))
            for task in rows[0].deviation_by_task
        },
        standing_deviation=mean("standing_deviation"),
        penetration=most("penetration"),
        deep_share=mean("deep_share"),
        sole_height=mean("sole_height"),
        sole_height_high=most("sole_height_high"),
        slip=mean("slip"),
        source_slip=mean("source_slip"),
        collision_share=mean("collision_share"),
        collision_depth=most("collision_depth"),
        limit_violations=sum(row.limit_violations for row in rows),
        limit_share=mean("limit_share"),
        joint_speed=most("joint_speed"),
        speed_share=mean("speed_share"),
        joint_acceleration=most("joint_acceleration"),
        reversal_share=mean("reversal_share"),
        leg_length=rows[0].leg_length,
        rate=float(frames.sum() / np.sum(frames / [max(row.rate, 1e-9) for row in rows])),
        feasibility=_pool_feasibility(rows),
    )


def _pool_feasibility(rows: Sequence[RobotQuality]) -> Feasibility | None:
    """Means weighted by frames, over those rows that have a figure."""
    measured = [(row.frames, row.feasibility) for row in rows if row.feasibility is not None]
    if not measured:
        return None
    pooled = {}
    for field in fields(Feasibility):
        found = [(getattr(one, field.name), frames) for frames, one in measured if getattr(one, field.name) is not None]
        values, weights = zip(*found) if found else ((), ())
        pooled[field.name] = float(np.average(values, weights=weights)) if found else None
    return Feasibility(**pooled)
