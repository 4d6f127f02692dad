"""Writing BVH: the clip's motion in the file's joint order, with digits enough to read the same motion back."""

from pathlib import Path

import numpy as np

from kinematch.errors import KinematchError, unknown
from kinematch.files.bvh_stated import state_space
from kinematch.files.units_and_axes import unit_in_metres
from kinematch.math.rotation import to_euler
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton
from kinematch.writing import write_beside

POSITION_STEP = 1e-8  # metres; what the last printed digit of a position is worth at most
ANGLE_DECIMALS = 6  # degrees; at gimbal lock the errors of two angles add up to 1e-6 degrees
MIN_CHANNEL_METRES = 1e-7  # metres; a joint that never leaves its offset by more needs no position channels


def write_bvh(path: str | Path, clip: Clip, *, unit: float | str = 0.01, order: str = "ZYX") -> None:
    """Write a clip, Y-up, in a unit given in metres (or 'cm', 'm', 'inch' ...) and one Euler order for all joints.

    BVH knows no rest rotation: a joint's rotation channels hold its whole rotation in the parent's space, so every
    pose of the clip is right, but a rest pose with rotations (from glTF) is lost and the file's zero pose has none.
    Roles, the T-pose and tags are lost too. A joint without child or end site gets an end site of no length, which
    many readers insist on.
    """
    metres = unit_in_metres(unit)
    order = order.upper()
    if sorted(order) != ["X", "Y", "Z"]:
        raise KinematchError(unknown("Euler order", order, ("ZYX", "ZXY", "YXZ", "YZX", "XYZ", "XZY")))
    joints = _nested_order(clip.skeleton)
    away = np.abs(clip.positions - clip.skeleton.offsets).max(axis=(0, 2))
    moves = (away > MIN_CHANNEL_METRES) | (np.arange(clip.skeleton.joint_count) == 0)
    decimals = max(0, int(np.ceil(np.log10(metres / POSITION_STEP))))

    lines = [
        "HIERARCHY" + state_space(metres, "Y"),
        *_hierarchy(clip.skeleton, moves, metres, order=order, decimals=decimals),
    ]
    lines += ["MOTION", f"Frames: {clip.frame_count}", f"Frame Time: {clip.dt:.10f}"]
    # unwrapped, so that a curve editor sees no jumps from 180 to -180 degrees
    angles = np.degrees(np.unwrap(to_euler(clip.rotations.astype(np.float64), order), axis=0))
    positions = clip.positions.astype(np.float64) / metres
    columns, formats = [], []
    for j in joints:
        if moves[j]:
            columns.append(positions[:, j])
            formats += [f"%.{decimals}f"] * 3
        columns.append(angles[:, j])
        formats += [f"%.{ANGLE_DECIMALS}f"] * 3
    row = " ".join(formats)
    lines += [row % tuple(values) for values in np.concatenate(columns, axis=1).tolist()]
    write_beside(path, ("\n".join(lines) + "\n").encode())


def _nested_order(skeleton: Skeleton) -> list[int]:
    """Joints as nested blocks list them; siblings stand as they did in the file they came from."""
    place = np.argsort(skeleton.file_order)
    children: list[list[int]] = [[] for _ in skeleton.names]
    for j in sorted(range(1, skeleton.joint_count), key=lambda j: place[j]):
        children[skeleton.parents[j]].append(j)
    joints, waiting = [], [0]
    while waiting:
        joints.append(waiting.pop())
        waiting += reversed(children[joints[-1]])
    return joints


def _hierarchy(skeleton: Skeleton, moves: np.ndarray, metres: float, *, order: str, decimals: int) -> list[str]:
    def offset(v: np.ndarray) -> str:
        return "OFFSET " + " ".join(f"{x:.{decimals}f}" for x in v.astype(np.float64) / metres)

    turns = " ".join(f"{axis}rotation" for axis in order)
    parents = {int(p) for p in skeleton.parents}
    lines: list[str] = []
    depths = np.zeros(skeleton.joint_count, int)
    open_blocks = 0
    for j in _nested_order(skeleton):
        depths[j] = depths[skeleton.parents[j]] + 1 if j else 0
        lines += ["\t" * depth + "}" for depth in range(open_blocks - 1, depths[j] - 1, -1)]
        open_blocks = depths[j] + 1
        indent = "\t" * depths[j]
        lines += [f"{indent}{'JOINT' if j else 'ROOT'} {_name(skeleton, j)}", indent + "{"]
        lines += [f"{indent}\t{offset(skeleton.offsets[j])}"]
        moving = "6 Xposition Yposition Zposition" if moves[j] else "3"
        lines += [f"{indent}\tCHANNELS {moving} {turns}"]
        ends = [skeleton.end_offsets[e] for e in np.flatnonzero(skeleton.end_parents == j)]
        for end in ends or ([] if j in parents else [np.zeros(3)]):
            lines += [f"{indent}\tEnd Site", f"{indent}\t{{", f"{indent}\t\t{offset(end)}", f"{indent}\t}}"]
    return [*lines, *("\t" * depth + "}" for depth in range(open_blocks - 1, -1, -1))]


def _name(skeleton: Skeleton, joint: int) -> str:
    """Braces and line ends would be taken for structure."""
    name = " ".join(skeleton.names[joint].replace("{", "(").replace("}", ")").split())
    return name or f"joint_{joint}"
