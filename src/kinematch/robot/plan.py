"""The constants of retargeting from a skeleton to a robot: all that does not depend on the pose."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.role_names import SIDES
from kinematch.motion.roles import missing_roles
from kinematch.motion.skeleton import Skeleton
from kinematch.robot.contact_pairs import find_pairs
from kinematch.robot.joint_speeds import find_joint_speeds
from kinematch.robot.measures import find_half_vectors, measure_feet, measure_scales, place_tasks
from kinematch.robot.model import RobotModel
from kinematch.robot.parts import chain_to
from kinematch.robot.segments import Anatomy
from kinematch.robot.solids import find_capsules, find_floor_points
from kinematch.robot.tasks import CHEST, ELBOWS, FEET, TASK_NAMES, RobotSettings

_CHESTS = ("upper_chest", "chest", "spine")  # the person's joint that carries the arms, the highest of these
LANDMARKS = tuple(f"{side}_{part}" for part in ("upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand")
                  for side in SIDES)  # fmt: skip


class RobotPlan(NamedTuple):
    """Read-only arrays for the kernels; the plain definitions use the same."""

    # robot
    parents: np.ndarray  # (L,) int32
    offsets: np.ndarray  # (L, 3) m
    turns: np.ndarray  # (L, 4)
    axes: np.ndarray  # (L, 3)
    limits: np.ndarray  # (D, 2) rad
    speeds: np.ndarray  # (D,) rad/s
    accelerations: np.ndarray  # (D,) rad/s^2
    above: np.ndarray  # (L, A) int32, the links above each and itself that turn, from the base down; -1 for none
    # source
    source_parents: np.ndarray  # (Js,) int32
    landmarks: np.ndarray  # (12,) int32, source joints in the order of LANDMARKS
    # segments, parents first
    segment_links: np.ndarray  # (S,) int32
    segment_joints: np.ndarray  # (S,) int32, source joint
    segment_axes: np.ndarray  # (S, 4), the link's rotation in the source joint's space
    chains: np.ndarray  # (S, C) int32, links that turn a segment against the one above, -1 for none
    # targets
    scales: np.ndarray  # (8,) scale, lift m, widening m, trunk scale, thigh m, upper arm m, forearm m, crouch m
    hip_vectors: np.ndarray  # (2, 3) m, from the middle of the hips to each hip joint, in T-pose
    shoulder_vectors: np.ndarray  # (2, 3) m
    trunk_segments: np.ndarray  # (2,) int32, segments of hips and chest
    trunk_axes: np.ndarray  # (2, 4), their links' rotations in T-pose
    shin: float  # m
    # tasks
    task_links: np.ndarray  # (T,) int32
    task_points: np.ndarray  # (T, 3) m, in the link's space
    task_segments: np.ndarray  # (T,) int32, segment of each rotation task
    costs: np.ndarray  # (T, 2) of position and orientation
    swinging: np.ndarray  # (2,) the same of feet in the air
    # feet
    foot_axes: np.ndarray  # (2, 4), the link's rotation when the foot stands flat, facing +Z
    flat: np.ndarray  # (2,) 1 where the foot turns against the shin
    tips: np.ndarray  # (2, 3) m, from the ankle to the front of the sole, in the foot's link space
    soles: np.ndarray  # (2, P, 3) m, from the ankle to points of the sole
    sole_radii: np.ndarray  # (2, P) m
    # solids
    capsule_links: np.ndarray  # (C,) int32
    capsule_ends: np.ndarray  # (C, 2, 3) m
    capsule_radii: np.ndarray  # (C,) m
    pairs: np.ndarray  # (Q, 2) int32
    floor_links: np.ndarray  # (P,) int32
    floor_points: np.ndarray  # (P, 3) m
    floor_radii: np.ndarray  # (P,) m
    floor_reaches: np.ndarray  # (P,) m, from the link to the farthest that each is below it
    # settings
    # posture, smoothness of angles, collision, margin, lock and release half-life s, heel lift rad, roll share,
    # smoothness of the base, haste, floor
    numbers: np.ndarray  # (11,)
    iterations: np.ndarray  # (2,) int32


def make_plan(source: Skeleton, model: RobotModel, anatomy: Anatomy, settings: RobotSettings) -> RobotPlan:
    """Constants for one person and one robot."""
    missing = missing_roles(source.roles)
    if missing or source.tpose is None:
        what = f"roles missing: {', '.join(missing)}" if missing else "it has no reference T-pose"
        raise KinematchError(f"cannot retarget to a robot: source skeleton: {what}")
    joints = {role: source.roles[role] for role in source.roles}
    joints["chest"] = next(joints[role] for role in _CHESTS if role in joints)
    standing, turned = (values.astype(np.float64) for values in kinematics.tpose(source))
    arms = all(f"{side}_{part}" in anatomy.centres for side in SIDES for part in ("upper_arm", "lower_arm", "hand"))
    segments = list(anatomy.segments)
    numbers = {segment.role: k for k, segment in enumerate(segments)}
    axes = [quaternion.multiply(quaternion.inverse(turned[joints[s.role]]), s.axes) for s in segments]
    longest = max(len(segment.chain) for segment in segments)
    capsules, floor = find_capsules(model), find_floor_points(model)
    limits, speeds = _finite_limits(model), find_joint_speeds(model, settings.joint_speed)
    above = [[k for k in chain_to(model, link) if k > 0] for link in range(len(model.parents))]
    soles, radii, tips, ankles, flat, foot_axes = measure_feet(anatomy, segments, numbers)
    links, points, owners = place_tasks(anatomy, segments, numbers, tips + ankles)
    costs = np.array([[task.position, task.orientation] for task in settings.tasks()])
    costs[FEET : FEET + 2, 1] *= flat
    if not arms:
        costs[ELBOWS:] = 0.0
    for k, name in enumerate(TASK_NAMES):
        if owners[k] < 0 or (name == "chest" and "chest" not in numbers):
            costs[k, 1] = 0.0
    costs[CHEST] *= arms
    hips = numbers["hips"]
    chest = numbers.get("chest", hips)
    half = {
        part: find_half_vectors(anatomy, part) for part in ("upper_leg", "upper_arm") if part == "upper_leg" or arms
    }
    return RobotPlan(
        parents=_ints(model.parents),
        offsets=_reals(model.offsets),
        turns=_reals(model.rotations),
        axes=_reals(model.axes),
        limits=_reals(limits),
        speeds=_reals(speeds),
        accelerations=_reals(np.minimum(settings.joint_acceleration, speeds / settings.start_seconds)),
        above=_padded(above, max(map(len, above))),
        source_parents=_ints(source.parents),
        landmarks=_ints([joints[role] for role in LANDMARKS]),
        segment_links=_ints([s.link for s in segments]),
        segment_joints=_ints([joints[s.role] for s in segments]),
        segment_axes=_reals(axes),
        chains=_padded([s.chain for s in segments], longest),
        scales=_reals(measure_scales(source, standing, joints, anatomy, settings, arms=arms)),
        hip_vectors=_reals(half["upper_leg"]),
        shoulder_vectors=_reals(half.get("upper_arm", np.zeros((2, 3)))),
        trunk_segments=_ints([hips, chest]),
        trunk_axes=_reals([segments[hips].axes, segments[chest].axes]),
        shin=float(np.mean([np.linalg.norm(anatomy.centres[f"{side}_foot"] - anatomy.centres[f"{side}_lower_leg"])
                            for side in SIDES])),
        task_links=_ints(links),
        task_points=_reals(points),
        task_segments=_ints(owners),
        costs=_reals(costs),
        swinging=_reals([settings.swinging_foot.position, settings.swinging_foot.orientation]),
        foot_axes=_reals(foot_axes),
        flat=_reals(flat),
        tips=_reals(tips),
        soles=_reals(soles),
        sole_radii=_reals(radii),
        capsule_links=_ints(capsules.links),
        capsule_ends=_reals(capsules.ends),
        capsule_radii=_reals(capsules.radii),
        pairs=_ints(find_pairs(model, capsules)).reshape(-1, 2),
        floor_links=_ints(floor.links),
        floor_points=_reals(floor.points),
        floor_radii=_reals(floor.radii),
        floor_reaches=_reals(np.linalg.norm(floor.points, axis=1) + floor.radii),
        numbers=_reals(
            [settings.posture, settings.smooth_angles, settings.collision, settings.margin, settings.lock_halflife,
             settings.release_halflife, settings.heel_lift, settings.foot_roll, settings.smooth_base,
             settings.haste, settings.floor]
        ),
        iterations=_ints([settings.iterations, settings.first_iterations]),
    )  # fmt: skip


def _finite_limits(model: RobotModel) -> np.ndarray:
    """Hinges without limits turn as far as they like; a hundred turns are as good as any number."""
    return np.clip(model.limits, -200 * np.pi, 200 * np.pi)


def _padded(rows: Sequence[Sequence[int]], width: int) -> np.ndarray:
    table = np.full((len(rows), max(width, 1)), -1, np.int32)
    for k, row in enumerate(rows):
        table[k, : len(row)] = row
    return _ints(table)


def _ints(values: object) -> np.ndarray:
    return _freeze(np.ascontiguousarray(values, np.int32))


def _reals(values: object) -> np.ndarray:
    return _freeze(np.ascontiguousarray(values, np.float64))


def _freeze(array: np.ndarray) -> np.ndarray:
    """One array type for the compiler, from any source."""
    view = array.copy()
    view.flags.writeable = False
    return view
