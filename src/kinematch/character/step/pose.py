"""Pose: forward kinematics of the shown body, and the scratch that holds it while feet are planted."""

from typing import Any, NamedTuple

from kinematch.compile.jit import inner
from kinematch.compile.lanes import single
from kinematch.compile.scratch import scratch_numbers
from kinematch.math.series import half_angle_sincos
from kinematch.math.vectors import Quaternion, Vector, quaternion, rotate, scratch_quaternions, scratch_vectors, vector

JOINT_ROWS, LEG_ROWS = 7, 17  # rows of scratch for each joint and leg


class Here(NamedTuple):
    """What is known of one character, or of eight, while it is posed."""

    positions: Any  # (J) vectors, m in the world
    rotations: Any  # (J) quaternions
    wanted: Any  # (L) vectors from hip to where the ankle should be, m
    shifts: Any  # (L) vectors by which the ankle is moved, m
    slopes: Any  # (L) quaternions, turn of the foot
    lengths: Any  # (L) m, from hip to ankle as animated
    whole: Any  # (L) m, the leg stretched
    shortest: Any  # (L) m, folded shut
    longest: Any  # (L) m, as far as the ankle may be
    distances: Any  # (L) m, how far it gets
    moved: Any  # (L) 1 where the leg is not as animated, else 0


@inner
def make_here(room, joints, legs):
    """In rows of eight numbers; outside kernels, in lists."""
    leg = JOINT_ROWS * joints
    return Here(
        scratch_vectors(room, 0, joints), scratch_quaternions(room, 3 * joints, joints),
        scratch_vectors(room, leg, legs), scratch_vectors(room, leg + 3 * legs, legs),
        scratch_quaternions(room, leg + 6 * legs, legs), scratch_numbers(room, leg + 10 * legs, legs),
        scratch_numbers(room, leg + 11 * legs, legs), scratch_numbers(room, leg + 12 * legs, legs),
        scratch_numbers(room, leg + 13 * legs, legs), scratch_numbers(room, leg + 14 * legs, legs),
        scratch_numbers(room, leg + 15 * legs, legs),
    )  # fmt: skip


@inner
def show_root(data, n):
    """The root's place and heading, as joint 0 of the local pose."""
    place = vector(data.playing.positions[n])
    w, y = half_angle_sincos(data.playing.yaws[n])
    zero = single(0.0 * w)
    data.pose.positions[n][0] = Vector(single(place.x), single(place.y), single(place.z))
    data.pose.rotations[n][0] = Quaternion(single(w), zero, single(y), zero)


@inner
def find_global_pose(data, here, n):
    """Global from local (thesis eq. 2.10)."""
    pose = data.pose
    set_joint(pose, here, n, 0, vector(pose.positions[n][0]), quaternion(pose.rotations[n][0]))
    for j in range(1, data.rig.parents.shape[0]):
        find_global_joint(data, here, n, j)


@inner
def find_global_joint(data, here, n, j):
    """One joint, whose parent is done."""
    rig, pose = data.rig, data.pose
    parent = rig.parents[j]
    above, turn = here.positions[parent], here.rotations[parent]
    reach = rotate(turn, vector(pose.positions[n][j])) if rig.moves[j] else rotate(turn, vector(rig.rest[j]))
    set_joint(pose, here, n, j, above + reach, turn * quaternion(pose.rotations[n][j]))


@inner
def set_joint(pose, here, n, j, position, rotation):
    pose.global_positions[n][j] = position
    pose.global_rotations[n][j] = rotation
    here.positions[j] = position
    here.rotations[j] = rotation


@inner
def recall_global_pose(data, here, n):
    """Global poses back into the scratch, as `find_global_pose` left them there."""
    for j in range(data.rig.parents.shape[0]):
        here.positions[j] = vector(data.pose.global_positions[n][j])
        here.rotations[j] = quaternion(data.pose.global_rotations[n][j])
