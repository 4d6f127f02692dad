"""Simulated users: what trackers would have said if the person of a clip had worn them and looked around."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.avatar.body_frames import find_point_joints, to_body_rotations
from kinematch.avatar.calibration import Calibration
from kinematch.avatar.trackers import HEAD, POINTS, WAIST, Trackers
from kinematch.errors import KinematchError
from kinematch.math import difference, quaternion, rotation
from kinematch.math.angles import wrap_angle
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.heading import facing_yaws

UP = np.array([0.0, 1.0, 0.0])
MAX_HEAD_TURN = np.radians(80)  # that a head turns against the hips, neck and trunk together


@dataclass(frozen=True)
class Imperfections:
    """What real devices add to the truth; the defaults are those of a good headset with two controllers."""

    position_noise: float = 0.0005  # m, standard deviation of each sample
    rotation_noise: float = 0.002  # rad
    latency: float = 0.0  # s by which reports lag behind
    dropouts: float = 0.0  # times a minute that a controller or tracker gets lost; the headset never does
    dropout_length: float = 0.5  # s, on average
    rate: float = 0.0  # samples per second; 0: that of the clip


NO_IMPERFECTIONS = Imperfections(position_noise=0.0, rotation_noise=0.0)


def track_joints(clip: Clip) -> Trackers:
    """The joints of a clip as trackers without offset, noise or delay would report them, frame by frame."""
    skeleton, dt = clip.skeleton, 1 / clip.frame_rate
    joints = find_point_joints(skeleton)
    known = joints >= 0
    positions, rotations = kinematics.global_pose(clip)
    count = len(positions)
    places, turns = np.zeros((count, len(POINTS), 3)), np.tile([1.0, 0, 0, 0], (count, len(POINTS), 1))
    places[:, known] = positions[:, joints[known]]
    turns[:, known] = to_body_rotations(skeleton, joints[known], rotations[:, joints[known]])
    return differentiate(
        np.arange(count) * dt, places, turns, np.broadcast_to(known, (count, len(POINTS))),
    )  # fmt: skip


def simulate_user(
    joints: Trackers,
    rng: np.random.Generator,
    *,
    calibration: Calibration | None = None,
    imperfections: Imperfections = NO_IMPERFECTIONS,
    look_around: float = 0.0,
) -> Trackers:
    """Devices of a user with these joint positions over time; `look_around` [rad] is the spread of the head's glances.

    With a calibration the result are its devices; without, joints as a perfect calibration would locate them.
    """
    if look_around:
        joints = turn_head(joints, make_glances(joints.times, rng, spread=look_around))
    if imperfections.rate or imperfections.latency:
        joints = _resample(joints, imperfections)
    devices = joints if calibration is None else calibration.place_devices(joints)
    if imperfections.position_noise or imperfections.rotation_noise:
        devices = _add_noise(devices, rng, imperfections)
    return _drop_out(devices, rng, imperfections) if imperfections.dropouts else devices


def differentiate(times: np.ndarray, positions: np.ndarray, rotations: np.ndarray, valid: np.ndarray) -> Trackers:
    """Trackers of one user at even times, with velocities from differences."""
    dt = float(times[1] - times[0]) if len(times) > 1 else 1.0
    return Trackers(
        times, positions, rotations, difference.backward(positions, dt), difference.angular_backward(rotations, dt),
        valid,
    )  # fmt: skip


def make_glances(times: np.ndarray, rng: np.random.Generator, *, spread: float) -> np.ndarray:
    """Extra yaws (F,) in rad of a head that looks around: it turns within 0.25 to 0.9 s, then rests for 0.3 to 4 s.

    Targets are normal with the spread as standard deviation; three in ten look straight ahead again.
    """
    yaws, now, at = np.zeros(len(times)), float(times[0]) if len(times) else 0.0, 0.0
    end = float(times[-1]) if len(times) else 0.0
    while now < end:
        now += rng.uniform(0.3, 4.0)
        target = 0.0 if rng.random() < 0.3 else rng.normal(0, spread)
        length = rng.uniform(0.25, 0.5) + 0.4 * min(abs(target - at) / np.pi, 1)
        t = np.clip((times - now) / length, 0, 1)
        yaws += (target - at) * t**3 * (10 - 15 * t + 6 * t * t)  # the path of least jerk
        at, now = target, now + length
    return yaws


def turn_head(joints: Trackers, yaws: np.ndarray) -> Trackers:
    """The head of one user turned by extra yaws (F,), as far as a body can turn it against its hips."""
    if not joints.valid[:, [HEAD, WAIST]].all():
        raise KinematchError("a head is turned against the hips: both must be known")
    relative = wrap_angle(facing_yaws(joints.rotations[:, HEAD]) - facing_yaws(joints.rotations[:, WAIST]))
    room = np.maximum(MAX_HEAD_TURN - np.abs(relative), 0.0)
    # the nearer to the limit, the less is added: smooth, and none where the clip itself goes beyond
    limit = np.where(np.sign(relative) == np.sign(yaws), room, room + 2 * np.abs(relative))
    extra = np.where(limit > 0, limit * np.tanh(yaws / np.maximum(limit, 1e-9)), 0.0)
    rotations = joints.rotations.copy()
    rotations[:, HEAD] = quaternion.multiply(rotation.from_axis_angle(UP, extra), rotations[:, HEAD])
    return differentiate(joints.times, joints.positions, rotations, joints.valid)


def _resample(joints: Trackers, imperfections: Imperfections) -> Trackers:
    """Samples at the devices' own rate, late by their latency; the first pose is held until then."""
    steps = np.diff(joints.times)
    dt = 1 / imperfections.rate if imperfections.rate else float(steps[0]) if len(steps) else 1.0
    times = np.arange(joints.times[0], joints.times[-1] + 1e-9, dt)
    return sample_at(joints, times - imperfections.latency, times)


def sample_at(joints: Trackers, moments: np.ndarray, times: np.ndarray) -> Trackers:
    """One user's joints at given moments, reported at other times (F,)."""
    place = np.clip(np.interp(moments, joints.times, np.arange(len(joints))), 0, len(joints) - 1)
    low = np.minimum(place.astype(int), max(len(joints) - 2, 0))
    high = np.minimum(low + 1, len(joints) - 1)
    t = (place - low)[:, None, None]
    positions = (1 - t) * joints.positions[low] + t * joints.positions[high]
    near = quaternion.nearest(joints.rotations[high], joints.rotations[low])
    rotations = quaternion.normalize((1 - t) * joints.rotations[low] + t * near)
    return differentiate(times, positions, rotations, joints.valid[low] & joints.valid[high])


def _add_noise(devices: Trackers, rng: np.random.Generator, imperfections: Imperfections) -> Trackers:
    positions = devices.positions + rng.normal(0, imperfections.position_noise, devices.positions.shape)
    turns = rotation.from_rotation_vector(rng.normal(0, imperfections.rotation_noise, devices.positions.shape))
    return differentiate(devices.times, positions, quaternion.multiply(turns, devices.rotations), devices.valid)


def _drop_out(devices: Trackers, rng: np.random.Generator, imperfections: Imperfections) -> Trackers:
    """Each point but the head gets lost now and then."""
    valid = devices.valid.copy()
    length = float(devices.times[-1] - devices.times[0])
    for point in range(1, len(POINTS)):
        for start in devices.times[0] + rng.uniform(0, length, rng.poisson(imperfections.dropouts * length / 60)):
            stop = start + rng.exponential(imperfections.dropout_length)
            valid[(devices.times >= start) & (devices.times < stop), point] = False
    return replace(devices, valid=valid)
