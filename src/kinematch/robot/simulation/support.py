"""The ground below planted soles: their points, the hull of these, and how a force is shared between feet."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion
from kinematch.robot.model import TO_FILE
from kinematch.robot.motion import RobotMotion
from kinematch.robot.plan import RobotPlan
from kinematch.robot.tasks import FEET

FLOOR_CLEARANCE = 0.02  # m above its lowest point within which a point of a planted sole carries


@dataclass(frozen=True)
class Sole:
    """A planted foot at one frame; Z up."""

    link: int  # of the robot
    points: np.ndarray  # (P, 3) m, where it touches the floor


def find_soles(motion: RobotMotion, contacts: np.ndarray, plan: RobotPlan) -> list[list[Sole]]:
    """The planted feet of each frame, by contacts (F, 2)."""
    places, turns = motion.place_links()
    found: list[list[Sole]] = [[] for _ in range(motion.frame_count)]
    for foot in range(2):
        link = int(plan.task_links[FEET + foot])
        ankle = plan.task_points[FEET + foot] - plan.tips[foot]
        points = places[:, link, None] + quaternion.rotate(turns[:, link, None], plan.soles[foot] + ankle)
        heights = points[..., 1] - plan.sole_radii[foot]
        for f in np.flatnonzero(contacts[:, foot]):
            carrying = heights[f] <= heights[f].min() + FLOOR_CLEARANCE
            found[f].append(Sole(link, points[f, carrying][:, TO_FILE]))
    return found


def share_force(point: np.ndarray, soles: list[Sole]) -> list[float]:
    """Shares of the floor's force for one foot or two, by where its point (2,) lies between their middles."""
    if len(soles) < 2 or not np.isfinite(point).all():
        return [1 / len(soles)] * len(soles)
    first, second = (sole.points[:, :2].mean(axis=0) for sole in soles)
    apart = second - first
    share = float(np.clip((point - first) @ apart / max(apart @ apart, 1e-12), 0.0, 1.0))
    return [1 - share, share]


def find_distance(point: np.ndarray, points: np.ndarray) -> float:
    """How far a point (2,) is from the convex hull of others (P, 2); none inside."""
    hull = find_hull(points)
    starts, ends = hull, np.roll(hull, -1, axis=0)
    edges, away = ends - starts, point - starts
    if len(hull) > 2 and (edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0] >= 0).all():
        return 0.0
    lengths = np.maximum((edges * edges).sum(axis=1), 1e-18)
    shares = np.clip((away * edges).sum(axis=1) / lengths, 0.0, 1.0)
    return float(np.linalg.norm(away - shares[:, None] * edges, axis=1).min())


def find_hull(points: np.ndarray) -> np.ndarray:
    """Corners (H, 2) of the convex hull, anticlockwise: Andrew's monotone chain."""
    ordered = np.unique(points, axis=0)

    def walk(rows: np.ndarray) -> list[np.ndarray]:
        chain: list[np.ndarray] = []
        for row in rows:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-1] - chain[-2], row - chain[-1]
                if ax * by - ay * bx > 0:
                    break
                chain.pop()
            chain.append(row)
        return chain

    if len(ordered) < 3:
        return ordered
    return np.array(walk(ordered)[:-1] + walk(ordered[::-1])[:-1])
