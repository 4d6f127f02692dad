"""The tables from which robots are shown, now and ahead, and room for what is shown."""

import numpy as np

from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.robot.kernels.show import ShownArrays, ShownTables, ShownWork, follow_frames
from kinematch.robot.reference.robot_frames import RobotFrames

FUTURE_SAMPLES = 5  # future times, evenly spread over the horizon
TRANSITION_HALFLIFE = 0.1  # s, in which a jump of the search fades from the joints
STIFFNESS = HALFLIFE_FACTOR / TRANSITION_HALFLIFE  # 1/s


def make_tables(frames: RobotFrames, horizon: float) -> ShownTables:
    """For times up to a horizon in seconds, in whole frames of the database."""
    spread = np.linspace(0, horizon, FUTURE_SAMPLES + 1)
    counts = np.unique(np.round(spread * frames.frame_rate).astype(np.int32))
    total = len(frames.following)
    ahead, ways = np.empty((len(counts), total), np.int32), np.empty((len(counts), total, 4), np.float32)
    follow_frames(frames.following, frames.root_steps, counts, ahead, ways)
    model, plan = frames.model, frames.plan
    order = np.argsort(plan.floor_links, kind="stable")
    return ShownTables(
        angles=frames.angles,
        base_positions=frames.base_positions,
        base_rotations=frames.base_rotations,
        contacts=frames.contacts,
        following=frames.following,
        root_steps=frames.root_steps,
        ahead=ahead,
        ways=ways,
        ages=counts / frames.frame_rate,
        limits=plan.limits,
        body_links=np.ascontiguousarray(model.body_links, np.int32),
        body_offsets=np.ascontiguousarray(model.body_offsets, np.float64),
        body_rotations=np.ascontiguousarray(model.body_rotations, np.float64),
        floor_starts=np.searchsorted(plan.floor_links[order], np.arange(len(plan.parents) + 1)).astype(np.int32),
        floor_points=np.ascontiguousarray(plan.floor_points[order].reshape(-1, 3)),
        floor_radii=np.ascontiguousarray(plan.floor_radii[order]),
        numbers=np.array([frames.frame_rate, frames.scale, STIFFNESS]),
    )


def make_work(count: int, hinges: int) -> ShownWork:
    """Room for what is shown now in the root's axes."""
    return ShownWork(np.zeros((count, hinges + 3)), np.tile([1.0, 0, 0, 0], (count, 1)), np.zeros((count, hinges + 6)))


def make_arrays(count: int, times: int, hinges: int, bodies: int) -> ShownArrays:
    """Room for results."""
    shapes = {
        "joint_positions": (hinges,), "joint_velocities": (hinges,), "base_positions": (3,), "base_rotations": (4,),
        "base_velocities": (3,), "base_angular_velocities": (3,), "body_positions": (bodies, 3),
        "body_rotations": (bodies, 4),
    }  # fmt: skip
    made = {name: np.empty((count, times, *shape), np.float32) for name, shape in shapes.items()}
    return ShownArrays(contacts=np.empty((count, times, 2), bool), **made)
