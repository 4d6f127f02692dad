"""Root motion for clips recorded in place: the planted foot shows how the body would have travelled."""

from collections.abc import Iterable

import numpy as np

from kinematch.math import difference, smoothing
from kinematch.math.quaternion import Array
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import contact_joints
from kinematch.motion.clip import Clip

CLEARANCE = 0.02  # m above where it stands, at which a point's say has fallen to a third
FIRST_CLEARANCE = 0.01  # m, in the first pass, which has nothing but heights to go by
LIFT = 0.2  # m/s up or down, at which it has fallen as far
SLIP = 0.5  # of the body's speed along the ground, likewise
LEAST_SLIP = 0.2  # m/s, the same for a body that stands
MAX_POINT_SPEED = 12.0  # m/s, faster than any run: such a point jumps at a cut in the clip
FLIGHT = 0.2  # summed say below which nothing is on the floor
STEADY = 0.1  # s, over which the body's speed changes little
PASSES = 6  # it settles after three to five


def root_motion_from_feet(clip: Clip, joints: Iterable[str] | None = None) -> Clip:
    """The clip carried over the ground so that planted feet stand still; what travel it had counts along.

    In place, planted feet glide back under the body, and the body should have moved the other way. On walks stripped of
    their travel this finds path lengths to within 5 %; it falls short by up to 10 % in fast runs, whose body is faster
    in flight than on the foot.
    """
    velocity = _ground_velocity(clip, joints)
    positions = clip.positions.astype(np.float64)
    positions[1:, 0] += np.cumsum((velocity[1:] + velocity[:-1]) / 2 * clip.dt, axis=0)
    return clip.with_(positions=positions)


def is_in_place(clip: Clip, joints: Iterable[str] | None = None) -> bool:
    """Whether the feet walk while the body stays: they imply more than 0.3 m/s, of which it does less than a third."""
    body = kinematics.global_pose(clip)[0][:, clip.skeleton.roles.get("hips", 0)].astype(np.float64)
    actual = difference.central(body, clip.dt) * [1, 0, 1]
    implied = _mean_speed(actual + _ground_velocity(clip, joints), clip.frame_rate)
    return bool(implied > 0.3 and _mean_speed(actual, clip.frame_rate) < implied / 3)


def _mean_speed(velocity: Array, frame_rate: float) -> float:
    """Without the sway of each step."""
    smooth = smoothing.savitzky_golay(velocity, seconds=1.0, frame_rate=frame_rate, order=1)
    return float(np.linalg.norm(smooth, axis=-1).mean())


def _ground_velocity(clip: Clip, joints: Iterable[str] | None) -> Array:
    """Velocity (F, 3) along the ground that brings planted points to rest.

    A planted point is low, does not rise or sink, and goes the way the body's steady velocity says; the last is found
    with the first two and then in turns. Slowness cannot tell in place. Flights keep the velocities around them.
    """
    from scipy.ndimage import gaussian_filter1d  # here, since it is slow to import

    points, toes = _foot_points(clip, joints)
    heights = np.maximum(points[..., 1] - np.quantile(points[..., 1], 0.05, axis=0), 0)
    velocities = difference.central(points, clip.dt)
    level = np.exp(-((velocities[..., 1] / LIFT) ** 2))
    velocities = velocities * [1, 0, 1]
    level = np.where(np.linalg.norm(velocities, axis=-1) < MAX_POINT_SPEED, level, 0)
    say = np.exp(-heights / FIRST_CLEARANCE) * level
    say[:, toes:] = 0  # tips of the toes may hang lower in the swing than in the stance
    velocity = np.zeros((clip.frame_count, 3))
    for _ in range(PASSES):
        total = say.sum(axis=1)
        if total.max() == 0:  # nothing ever touches the floor, or moves as feet do
            break
        planted = total > min(FLIGHT, total.max() / 2)
        velocity = _fill(-np.sum(velocities * say[..., None], axis=1), total, planted)
        weight = np.where(planted, np.minimum(total, 1), 0)[:, None]
        blur = STEADY * clip.frame_rate
        # far from every stance the weights vanish, and what is divided with them
        steady = gaussian_filter1d(velocity * weight, blur, axis=0) / gaussian_filter1d(weight, blur, axis=0).clip(1e-6)
        slip = np.linalg.norm(velocities + steady[:, None], axis=-1)
        scale = np.maximum(LEAST_SLIP, SLIP * np.linalg.norm(steady, axis=-1))[:, None]
        say = np.exp(-heights / CLEARANCE) * level * np.exp(-((slip / scale) ** 2))
    return velocity


def _fill(weighted: Array, total: Array, planted: Array) -> Array:
    """Weighted sums over weights where planted, straight lines between."""
    frames = np.arange(len(weighted))
    known = weighted[planted] / total[planted, None]
    return np.stack([np.interp(frames, frames[planted], known[:, k]) for k in range(3)], axis=-1)


def _foot_points(clip: Clip, joints: Iterable[str] | None) -> tuple[Array, int]:
    """Global positions (F, P, 3) of the toes and, after them, of their end sites; and how many toes there are."""
    skeleton = clip.skeleton
    toes = contact_joints(skeleton, joints)
    positions, rotations = kinematics.global_pose(clip)
    tips = np.isin(skeleton.end_parents, toes) & (np.linalg.norm(skeleton.end_offsets, axis=-1) > 0)
    ends = kinematics.end_positions(skeleton, positions, rotations)[:, tips]
    return np.concatenate([positions[:, toes], ends], axis=1).astype(np.float64), len(toes)
