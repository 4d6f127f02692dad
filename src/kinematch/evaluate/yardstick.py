"""The yardstick: the same measures on the source clips themselves, which no character made of them can surpass."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.evaluate.feet import Floor, FootMeasures, feet, floor_of
from kinematch.evaluate.gaits import admitted
from kinematch.evaluate.mix import weigh_frames
from kinematch.evaluate.sampling import SCORED, seen_values, shown_at
from kinematch.evaluate.smoothness import Limits, find_body_joints, limits_of
from kinematch.evaluate.usual import Usual, find_usual
from kinematch.evaluate.variety import MOVING, pose_motion
from kinematch.motion.clip import true_ranges
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import forward

MIN_RANGE_SECONDS = 0.5  # s of a stretch that the filter leaves in one piece


@dataclass(frozen=True, eq=False)
class Yardstick:
    rate: float  # Hz at which it is seen
    floor: Floor
    limits: Limits
    motion: float  # m, median motion of the pose in half a second while the root moves
    usual: Usual
    positions: tuple[np.ndarray, ...]  # global (F, J, 3) m of each stretch
    yaws: tuple[np.ndarray, ...]  # (F,) rad of each stretch's root
    weights: tuple[np.ndarray, ...]  # (F,) of each stretch's frames, by which the source has the course's mix of gaits
    feet: tuple[FootMeasures, ...]


def yardstick(database: Database, filter: str, mix: np.ndarray, *, rate: float = 60.0) -> Yardstick:
    """Measured on the frames that the filter admits, shown at the rate of the course and seen as takes are.

    `mix`: shares (4,) of the course's time in each gait, in which frames count towards the limits of smoothness.
    """
    poses = database.poses
    mask = admitted(database, filter)
    motions, yaws = [], []
    for c in range(poses.clip_count):
        own = poses.clip_frames(c)
        for start, stop in true_ranges(mask[own]):
            clip = poses.clip(c).frames(start, stop)
            if clip.frame_count < MIN_RANGE_SECONDS * poses.frame_rate:
                continue
            clip = shown_at(clip, rate)
            facing = yaw_of(clip.rotations[:, 0])
            motions.append(seen_values(forward(clip.skeleton, clip.positions, clip.rotations)[0], rate))
            yaws.append(seen_values(np.unwrap(facing), rate))
    if not motions:
        raise KinematchError(f"the filter {filter!r} leaves no stretch of {MIN_RANGE_SECONDS:g} s")
    if not len(poses.contact_joints):
        raise KinematchError("the database has no contact joints: feet cannot be scored")
    floor = floor_of(motions, poses.contact_joints)
    moving, speeds = [], []
    for positions, yaw in zip(motions, yaws):
        speed = np.linalg.norm(np.gradient(positions[:, 0].astype(np.float64), 1 / SCORED, axis=0), axis=-1)
        speeds.append(speed)
        spread = pose_motion(positions, yaw, SCORED)
        moving.append(spread[(speed > MOVING) & np.isfinite(spread)])
    pooled, weights = np.concatenate(moving), weigh_frames(speeds, mix)
    return Yardstick(
        SCORED,
        floor,
        limits_of(motions, SCORED, weights, find_body_joints(poses.skeleton), poses.skeleton.parents),
        float(np.median(pooled)) if len(pooled) else 0.0,
        find_usual(poses.skeleton, motions, yaws, SCORED),
        tuple(motions),
        tuple(yaws),
        weights,
        tuple(feet(positions, SCORED, floor) for positions in motions),
    )
