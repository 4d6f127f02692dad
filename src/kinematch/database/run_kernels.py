"""Frames of runs: what a model's decompressor gives, as frames of the table that its characters play."""

import math

import numpy as np

from kinematch.compile.indexing import consecutive, lane_count, take
from kinematch.compile.jit import inner, routine
from kinematch.compile.lanes import inverse_root, larger, single, where
from kinematch.database.table import HORIZON_X, HORIZON_Z
from kinematch.math.networks import apply_network
from kinematch.math.series import to_rotation_vector
from kinematch.math.vectors import Quaternion, Vector, cross, dot, inverse, quaternion, rotate, vector

TINY = 1e-12  # of a length squared that has no direction


@routine
def decode_inputs(source, scratch, count):
    """Poses of the first rows of inputs, each into the frame of the table that `scratch.list` names."""
    at = apply_network(source.runs.decompressor, scratch.inputs, scratch.hidden, count)
    for r in range(count):
        write_frame(source, scratch.list[r], scratch.hidden[at][r], scratch.inputs[r])


@inner
def write_frame(source, frame, outputs, values):
    """What a decompressor gave, as a frame of the table; see PoseColumns."""
    runs, joints = source.runs, source.rotations.shape[1]
    for k in range(runs.step.shape[0]):
        runs.frames[frame, k] = values[k]
    zero = np.float32(0.0)
    for j in range(0, joints, lane_count()):
        source.rotations[frame][consecutive(j, joints)] = read_rotation(outputs, runs.axes, j, joints)
    source.rotations[frame][0] = Quaternion(np.float32(1.0), zero, zero, zero)
    column = 6 * (joints - 1)
    for k in range(source.moving.shape[0]):
        for i in range(3):
            source.places[frame, k, i] = runs.rest_places[k, i]
    for k in range(runs.told.shape[0]):  # places that the decompressor tells
        for i in range(3):
            source.places[frame, runs.told[k], i] = outputs[column + 3 * k + i]
    column += 3 * runs.told.shape[0]
    for i in range(3):
        runs.roots[frame, i] = outputs[column + i]
    contacts = source.contacts.shape[1]
    for k in range(contacts):
        stands = outputs[column + 3 + k] > 0.5
        source.contacts[frame, k] = stands
        source.contact_left[frame, k] = max(outputs[column + 3 + contacts + k], zero) if stands else zero
        source.toe_heights[frame, k] = find_height(source, frame, k)
    source.paces[frame] = measure_pace(source, frame)


@inner
def read_rotation(row, axes, j, joints):
    """rotation.from_two_axis of a joint, or eight: two axes made orthogonal; `axes` says where their numbers are."""
    a = unit(read_axis(row, axes, 0, j, joints))
    b = read_axis(row, axes, 3, j, joints)
    b = unit(b - a * dot(a, b))
    c = cross(a, b)
    # the largest component first, so that small ones lose nothing
    w, x, y, z = a.x + b.y + c.z, a.x - b.y - c.z, b.y - a.x - c.z, c.z - a.x - b.y
    q = Quaternion(a.y - b.x, c.x + a.z, b.z + c.y, 1.0 + z)
    q = where(y >= z, Quaternion(c.x - a.z, a.y + b.x, 1.0 + y, b.z + c.y), q)
    q = where(x >= larger(y, z), Quaternion(b.z - c.y, 1.0 + x, a.y + b.x, c.x + a.z), q)
    q = where(w >= larger(x, larger(y, z)), Quaternion(1.0 + w, b.z - c.y, c.x - a.z, a.y - b.x), q)
    scale = inverse_root(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)
    return Quaternion(q.w * scale, q.x * scale, q.y * scale, q.z * scale)


@inner
def read_axis(row, axes, i, j, joints):
    return Vector(row[take(axes[i], j, joints)], row[take(axes[i + 1], j, joints)], row[take(axes[i + 2], j, joints)])


@inner
def unit(a):
    size = dot(a, a)
    return a * where(size > TINY, inverse_root(larger(size, TINY)), 0.0)


@inner
def find_height(source, frame, contact):
    """Height of a contact joint above the root: from the joint up, each place turned by the joints above it."""
    runs, place = source.runs, Vector(0.0, 0.0, 0.0)
    for link in range(runs.chains.shape[1] - 1, -1, -1):
        joint = runs.chains[contact, link]
        if joint >= 0:
            slot = runs.slots[joint]
            rest = vector(source.places[frame][slot]) if slot >= 0 else vector(runs.rests[joint])
            place = rotate(quaternion(source.rotations[frame][joint]), place) + Vector(
                1.0 * rest.x, 1.0 * rest.y, 1.0 * rest.z
            )
    return place.y


@inner
def measure_pace(source, frame):
    """m/s over the first horizon of the trajectory, or of now where the schema has none."""
    runs = source.runs
    x, z = np.float64(runs.roots[frame, 0]), np.float64(runs.roots[frame, 1])
    seconds = 1.0
    if runs.pace_columns[HORIZON_X] >= 0:
        seconds = runs.pace_seconds
        x, z = (
            restore(source, frame, runs.pace_columns[HORIZON_X]),
            restore(source, frame, runs.pace_columns[HORIZON_Z]),
        )
    return math.sqrt(x * x + z * z) / seconds


@inner
def restore(source, frame, column):
    return np.float64(source.runs.frames[frame, column] * source.feature_scale[column] + source.feature_offset[column])


@inner
def join_frames(source, n):
    """What lies between the two frames of a character: the root's way, and velocities."""
    runs, frame, rate = source.runs, 2 * n, source.frame_rate
    for i in range(3):
        change = runs.roots[frame, i] / rate
        source.root_paths[frame, i], source.root_paths[frame, i + 3] = 0.0, change
        source.root_paths[frame + 1, i], source.root_paths[frame + 1, i + 3] = change, 0.0
    joints = source.rotations.shape[1]
    for j in range(0, joints, lane_count()):
        js = consecutive(j, joints)
        turn = quaternion(source.rotations[frame + 1][js]) * inverse(quaternion(source.rotations[frame][js]))
        spin = to_rotation_vector(turn) * single(rate)
        source.angular_velocities[frame][js] = spin
        source.angular_velocities[frame + 1][js] = spin
    for k in range(source.moving.shape[0]):
        velocity = (vector(source.places[frame + 1][k]) - vector(source.places[frame][k])) * np.float32(rate)
        for row in range(2):
            source.velocities[frame + row][source.moving[k]] = velocity
    for row in range(2):
        source.velocities[frame + row, 0, 0], source.velocities[frame + row, 0, 2] = (
            runs.roots[frame, 0],
            runs.roots[frame, 1],
        )
        source.angular_velocities[frame + row, 0, 1] = runs.roots[frame, 2]
