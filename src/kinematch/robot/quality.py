"""How well a robot follows a person: the table that says whether a retarget is good."""

from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clean.contacts import contact_quality, joint_speeds
from kinematch.motion.clip import Clip
from kinematch.robot.kernels.capsules import find_closest_pairs
from kinematch.robot.kernels.targets import find_targets, place_source
from kinematch.robot.motion import RobotMotion
from kinematch.robot.plan import RobotPlan
from kinematch.robot.retargeting import make_work
from kinematch.robot.simulation.feasibility import Feasibility
from kinematch.robot.tasks import FEET, HIPS, TASK_NAMES

MIN_PENETRATION = 0.005  # m of penetration that counts
LIMIT_TOLERANCE = 1e-3  # rad from a limit within which an angle is at it
SPEED_TOLERANCE = 1e-3  # share of a speed limit
REVERSAL_SHARE = 0.5  # of the speed limit, before and after, that makes a reversal
LOW_HIPS = 0.5  # of the leg's length, below which the hips are those of who lies, crawls or sits on the floor
# of the leg's length, on foot and in all, and of all angles: a motion beyond is refused
MAX_STANDING_DEVIATION_SHARE, MAX_DEVIATION_SHARE, MAX_LIMIT_SHARE = 0.2, 0.5, 0.3
MAX_SOLE_HEIGHT = 0.01  # m above the floor within which a point of a planted sole stands on it


@dataclass(frozen=True)
class RobotQuality:
    """Figures of one motion; shares are of frames."""

    name: str
    frames: int
    deviation: float  # m, mean distance of hips, shoulders, knees, ankles, elbows and hands from their scaled targets
    deviation_by_task: dict[str, float]  # m
    standing_deviation: float  # m, of frames in which the person is on foot; 0 if there are none
    penetration: float  # m, deepest
    deep_share: float  # deeper than MIN_PENETRATION
    sole_height: float  # m, mean height of the lowest point of soles while the source has the foot planted
    sole_height_high: float  # m, 95th percentile
    slip: float  # m/s, mean speed along the floor of planted soles
    source_slip: float  # m/s, the same of the source's toes, scaled to the robot
    collision_share: float  # frames in which two limbs overlap
    collision_depth: float  # m, deepest overlap
    limit_violations: int  # angles outside their limits
    limit_share: float  # angles that are at a limit, of all
    joint_speed: float  # rad/s, largest
    speed_share: float  # frames in which a hinge is as fast as it may be
    joint_acceleration: float  # rad/s^2, largest
    reversal_share: float  # frames in which a hinge turns back at more than half of its speed limit, before and after
    leg_length: float  # m
    rate: float = 0.0  # frames retargeted a second
    feasibility: Feasibility | None = None  # where it was measured in MuJoCo

    @property
    def slip_ratio(self) -> float:
        """Slip over that of the source; 1 where neither slips."""
        return self.slip / self.source_slip if self.source_slip > 0 else (1.0 if self.slip == 0 else np.inf)


def measure_quality(
    motion: RobotMotion, clip: Clip, contacts: np.ndarray, plan: RobotPlan, *, rate: float = 0.0
) -> RobotQuality:
    """Figures of a motion made from a clip with these contacts (F, 2)."""
    places, turns = motion.place_links()
    own = np.flatnonzero(plan.costs[:, 0] > 0)
    targets = _find_targets(plan, clip)
    deviations = _find_deviations(plan, targets, places, turns)[:, own]
    leg = float(plan.scales[4] + plan.shin)
    standing_frames = targets[:, HIPS, 1] > LOW_HIPS * leg
    lowest = _heights(plan.floor_links, plan.floor_points, plan.floor_radii, places, turns).min(axis=1)
    soles = [_sole_points(plan, k, places, turns) for k in range(2)]
    heights = np.stack([(points[..., 1] - plan.sole_radii[k]).min(axis=1) for k, points in enumerate(soles)], axis=1)
    standing = heights[contacts]
    gaps = np.empty(motion.frame_count)
    find_closest_pairs(plan, places, turns, gaps)
    angles, limits = motion.angles, motion.model.limits
    velocities = np.diff(angles, axis=0) * motion.frame_rate
    accelerations = np.diff(velocities, axis=0) * motion.frame_rate
    speeds, back = np.abs(velocities), velocities[1:] * velocities[:-1] < 0
    turning = back & (np.minimum(speeds[1:], speeds[:-1]) > REVERSAL_SHARE * plan.speeds)
    at_limit = (angles < plan.limits[:, 0] + LIMIT_TOLERANCE) | (angles > plan.limits[:, 1] - LIMIT_TOLERANCE)
    return RobotQuality(
        name=motion.name,
        frames=motion.frame_count,
        deviation=float(deviations.mean()),
        standing_deviation=float(deviations[standing_frames].mean()) if standing_frames.any() else 0.0,
        deviation_by_task={TASK_NAMES[task]: float(away) for task, away in zip(own, deviations.mean(axis=0))},
        penetration=float(max(-lowest.min(), 0.0)),
        deep_share=float((lowest < -MIN_PENETRATION).mean()),
        sole_height=float(np.abs(standing).mean()) if len(standing) else 0.0,
        sole_height_high=float(np.quantile(standing, 0.95)) if len(standing) else 0.0,
        slip=_measure_slip(plan, soles, contacts, motion.frame_rate),
        source_slip=contact_quality(clip, contacts).mean_speed * float(plan.scales[0]),
        collision_share=float((gaps < 0).mean()),
        collision_depth=float(max(-gaps.min(), 0.0)),
        limit_violations=int(((angles < limits[:, 0]) | (angles > limits[:, 1])).sum()),
        limit_share=float(at_limit.mean()),
        joint_speed=float(speeds.max(initial=0.0)),
        speed_share=_share((speeds > (1 - SPEED_TOLERANCE) * plan.speeds).any(axis=1)),
        joint_acceleration=float(np.abs(accelerations).max(initial=0.0)),
        reversal_share=_share(turning.any(axis=1)),
        leg_length=leg,
        rate=rate,
    )


def check_quality(quality: RobotQuality) -> None:
    """Refuse a result in which the robot is far from following, as when its parts were mistaken."""
    leg = quality.leg_length
    near = quality.deviation <= MAX_DEVIATION_SHARE * leg
    near = near and quality.standing_deviation <= MAX_STANDING_DEVIATION_SHARE * leg
    if near and quality.limit_share <= MAX_LIMIT_SHARE:
        return
    worst = sorted(quality.deviation_by_task.items(), key=lambda one: -one[1])[:3]
    raise KinematchError(
        f"the robot does not follow {quality.name!r}: it is {100 * quality.deviation:.0f} cm from its targets on "
        f"average, with legs of {100 * quality.leg_length:.0f} cm "
        f"({', '.join(f'{part} {100 * away:.0f}' for part, away in worst)}), and {quality.limit_share:.0%} of angles "
        "are at a limit; see which parts were found with --roles FILE"
    )


def _share(values: np.ndarray | np.bool_) -> float:
    return float(np.mean(values)) if np.size(values) else 0.0


def _find_targets(plan: RobotPlan, clip: Clip) -> np.ndarray:
    """Targets (F, T, 3) before feet were locked, which are those of ankles."""
    work, targets = make_work(plan), np.empty((clip.frame_count, len(TASK_NAMES), 3))
    for frame, (positions, rotations) in enumerate(zip(clip.positions, clip.rotations)):
        place_source(plan.source_parents, positions, rotations, work.source_places, work.source_turns)
        find_targets(plan, work.source_places, work.source_turns, work.targets, work.wanted)
        targets[frame] = work.targets
    return targets


def _find_deviations(plan: RobotPlan, targets: np.ndarray, places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Distances (F, T) of the parts from their targets."""
    points = np.array(plan.task_points)
    points[FEET : FEET + 2] -= plan.tips  # ankles
    at = places[:, plan.task_links] + quaternion.rotate(turns[:, plan.task_links], points)
    return np.linalg.norm(at - targets, axis=-1)


def _heights(
    links: np.ndarray, points: np.ndarray, radii: np.ndarray, places: np.ndarray, turns: np.ndarray
) -> np.ndarray:
    """Height (F, P) of the lowest point of each ball."""
    if not len(links):
        return np.full((len(places), 1), np.inf)
    return places[:, links, 1] + quaternion.rotate(turns[:, links], points)[..., 1] - radii


def _sole_points(plan: RobotPlan, foot: int, places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """World positions (F, P, 3) of the points of a sole."""
    link = plan.task_links[FEET + foot]
    ankle = plan.task_points[FEET + foot] - plan.tips[foot]
    return places[:, link, None] + quaternion.rotate(turns[:, link, None], plan.soles[foot] + ankle)


def _measure_slip(plan: RobotPlan, soles: list[np.ndarray], contacts: np.ndarray, frame_rate: float) -> float:
    """Mean speed of the points that stand on the floor; of the lowest one where a planted foot hovers."""
    found = []
    for foot, points in enumerate(soles):
        heights = points[..., 1] - plan.sole_radii[foot]
        speeds = joint_speeds(points * [1, 0, 1], frame_rate)
        on = heights < np.maximum(MAX_SOLE_HEIGHT, heights.min(axis=1, keepdims=True) + 1e-9)
        mean = (speeds * on).sum(axis=1) / on.sum(axis=1)
        found.append(mean[contacts[:, foot]])
    together = np.concatenate(found)
    return float(together.mean()) if len(together) else 0.0
