"""What an action leaves free: the ground before its event and after, and room above, below or on its target."""

import numpy as np

from kinematch.database.actions import EXIT, FRAME, KIND, STRETCH, Actions
from kinematch.database.poses import PoseDatabase
from kinematch.math.angles import rotate_about_y
from kinematch.motion.actions import EVENT_KINDS, LANDING, PASS, SEAT, TAKE_OFF
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import forward

ROOM = 2  # column of the heights; before it stand what is free before and after the target
FOOT_LENGTH = 0.2  # m that the heel is behind the joint of the toes
SOLE = 0.05  # m of a foot below its joints, and air below it
HEAD_MARGIN = 0.12  # m of a head above its joint, and air above it
HOP_REACH = 0.21  # m before and after the event that a hop is measured over
PASS_REACH = 0.35  # m before and after the event that a body passes below a bar
SEAT_HALF_SIZE = 0.55, 0.2  # m of the block that a body sits on: to the sides, and ahead and behind
SITTING_DOWN_SECONDS = 0.4  # before the event, in which the body is near the seat


def measure_clears(poses: PoseDatabase, targets: np.ndarray) -> np.ndarray:
    """(S, 3) m, what is free around the target at the frames `targets` (S,).

    Before and after it, along the root's heading: from the toe that leaves the ground last to the root, and from the
    root to the heel that lands first; 0 without a flight. Then the height of what it hops over, minus the height of
    what it ducks under, or minus how deep the body is in the block that it sits on.
    """
    actions, out = poses.actions, np.zeros((len(targets), 3))
    for row, target in enumerate(targets.tolist()):
        if target < 0:
            continue
        own = actions.events[actions.events[:, STRETCH] == row]
        frames = [own[own[:, KIND] == EVENT_KINDS.index(kind), FRAME] for kind in (TAKE_OFF, LANDING)]
        flies = all(len(one) for one in frames)
        if flies:
            leaves, lands = (place_toes(poses, int(one[0]), target) for one in frames)
            nearest = lands[np.argsort(lands[:, 1])[:1], 0]  # the foot that is lowest lands first
            last = leaves[np.argsort(leaves[:, 1])[:1], 0]
            out[row, :ROOM] = -last[0], nearest[0] - FOOT_LENGTH
        kind = EVENT_KINDS[actions.events[actions.targets[row], KIND]]
        if kind == PASS and flies:
            out[row, ROOM] = max(float(_place_near(poses, row, target, HOP_REACH)[:, 1].min()) - SOLE, 0.0)
        elif kind == PASS:
            out[row, ROOM] = -float(_place_near(poses, row, target, PASS_REACH)[:, 1].max()) - HEAD_MARGIN
        elif kind == SEAT:
            out[row, ROOM] = -measure_depth(poses, row, target)
    return out


def place_toes(poses: PoseDatabase, frame: int, target: int) -> np.ndarray:
    """(K, 2) m: how far ahead of the root at the target's frame contact joints are at a frame, and how high."""
    return _place(poses, np.array([frame]), target)[0, poses.contact_joints][:, [2, 1]]


def _place(poses: PoseDatabase, frames: np.ndarray, target: int) -> np.ndarray:
    """(F, J, 3) m: joints in the axes of the root at the target's frame."""
    positions, _ = forward(poses.skeleton, poses.positions[frames], poses.rotations[frames])
    yaw = float(yaw_of(poses.rotations[target, 0]))
    return rotate_about_y(positions.astype(np.float64) - poses.positions[target, 0], -yaw)


def _place_near(poses: PoseDatabase, row: int, target: int, reach: float) -> np.ndarray:
    """(M, 3) m: joints but the root, whenever they are no farther before or after the target, above the ground from
    which the action begins."""
    first, _, exit_ = poses.actions.stretches[row, 1:].tolist()
    places = _place(poses, np.arange(first, exit_), target)[:, 1:]
    places[..., 1] += poses.positions[target, 0, 1] - poses.positions[first, 0, 1]
    return places[np.abs(places[..., 2]) <= reach]


def measure_depth(poses: PoseDatabase, row: int, target: int) -> float:
    """How deep the body is in the block that it sits on, in m: hands beside a narrow stool, and feet below it."""
    actions: Actions = poses.actions
    point = actions.points[actions.targets[row]].astype(np.float64)
    first = max(int(actions.stretches[row, 1]), target - round(SITTING_DOWN_SECONDS * poses.frame_rate))
    away = _place(poses, np.arange(first, int(actions.stretches[row, EXIT])), target)[:, 1:] - point
    side, ahead = SEAT_HALF_SIZE
    inside = (np.abs(away[..., 0]) < side) & (np.abs(away[..., 2]) < ahead) & (away[..., 1] < 0)
    edges = np.minimum(side - np.abs(away[..., 0]), ahead - np.abs(away[..., 2]))
    return float(np.minimum(edges, -away[..., 1])[inside].max(initial=0.0))
