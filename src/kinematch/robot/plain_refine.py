"""The normal equations of a refinement step, written like the definition; the kernel adds the same numbers up."""

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.robot.plan import RobotPlan
from kinematch.robot.tasks import FEET


def build_system(
    plan: RobotPlan,
    pose: tuple[np.ndarray, np.ndarray],
    spins: np.ndarray,
    *,
    angles: np.ndarray,
    targets: np.ndarray,
    wanted: np.ndarray,
    references: np.ndarray,
    ahead: tuple[np.ndarray, np.ndarray],
    pace: float,
    shares: np.ndarray,
    damping: float,
) -> tuple[np.ndarray, np.ndarray, float]:
    """J'WJ + damping (N, N), J'We (N,) and e'We of all tasks but collisions, N = 6 + D.

    `pose` holds positions (L, 3) and rotations (L, 4) of links, `spins` their hinges' axes (L, 3) in the world;
    `ahead` is where speed takes the base (3,) and the angles (D,), and `pace` how much that counts.
    """
    size = 6 + len(plan.limits)
    matrix, right, cost = damping * np.eye(size), np.zeros(size), 0.0

    def add(jacobian: np.ndarray, error: np.ndarray, weight: float) -> None:
        nonlocal matrix, right, cost
        matrix = matrix + weight * jacobian.T @ jacobian
        right = right + weight * jacobian.T @ error
        cost += weight * float(error @ error)

    for t, link in enumerate(plan.task_links):
        place, turn = plan.costs[t]
        if FEET <= t < FEET + 2:
            share = shares[t - FEET]
            place = share * place + (1 - share) * plan.swinging[0]
            turn = share * turn + (1 - share) * plan.swinging[1] * plan.flat[t - FEET]
        point = pose[0][link] + quaternion.rotate(pose[1][link], plan.task_points[t])
        if place > 0:
            add(point_jacobian(plan, pose[0], spins, link, point), targets[t] - point, place**2)
        if turn > 0:
            aim = wanted[plan.task_segments[t]]
            error = rotation.to_rotation_vector(quaternion.multiply(aim, quaternion.inverse(pose[1][link])))
            jacobian = turn_jacobian(plan, spins, link)
            if FEET <= t < FEET + 2:  # rolling costs less than pitching and turning
                roll = plan.numbers[7] ** 2
                add(jacobian, error, roll * turn**2)
                flat = quaternion.multiply(aim, quaternion.inverse(plan.foot_axes[t - FEET]))
                forward = quaternion.rotate(flat, np.array([0.0, 0.0, 1.0]))
                level = np.eye(3) - np.outer(forward, forward)
                add(level @ jacobian, level @ error, (1 - roll) * turn**2)
            else:
                add(jacobian, error, turn**2)
    hinges = np.eye(size)[6:]
    add(hinges, references - angles, plan.numbers[0] ** 2)
    add(hinges, ahead[1] - angles, (plan.numbers[1] * pace) ** 2)
    add(np.eye(size)[:3], ahead[0] - pose[0][0], (plan.numbers[8] * pace) ** 2)
    return matrix, right, cost


def point_jacobian(plan: RobotPlan, places: np.ndarray, spins: np.ndarray, link: int, point: np.ndarray) -> np.ndarray:
    """How a world point on a link moves (3, N) with the base's position, its rotation and the hinges."""
    jacobian = np.zeros((3, 6 + len(plan.limits)))
    jacobian[:, :3] = np.eye(3)
    jacobian[:, 3:6] = np.cross(np.eye(3), point - places[0]).T
    for k in _turning(plan, link):
        jacobian[:, 5 + k] = np.cross(spins[k], point - places[k])
    return jacobian


def turn_jacobian(plan: RobotPlan, spins: np.ndarray, link: int) -> np.ndarray:
    """How a link turns (3, N)."""
    jacobian = np.zeros((3, 6 + len(plan.limits)))
    jacobian[:, 3:6] = np.eye(3)
    for k in _turning(plan, link):
        jacobian[:, 5 + k] = spins[k]
    return jacobian


def _turning(plan: RobotPlan, link: int) -> list[int]:
    return [int(k) for k in plan.above[link] if k >= 0]
