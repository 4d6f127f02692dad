"""Activities: what the performer does in each frame of a take, such as lying, kneeling, climbing or walking backward.

Each is told by heights and angles against the body's own T-pose, with one threshold to begin and a laxer one to go on.
Several may hold at once: a person who falls is soon lying, and one who crouches may walk.
"""

from dataclasses import dataclass

import numpy as np

from kinematch.math import smoothing
from kinematch.math.quaternion import Array
from kinematch.motion.clean.contacts import switch_with_hysteresis
from kinematch.motion.clean.floor import floor_height, lowest_points
from kinematch.motion.clean.root import body_forward
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.kinematics import global_pose, tpose
from kinematch.motion.labels.calibration import CalibrationPose
from kinematch.motion.labels.flights import find_free_fall, find_jumps
from kinematch.motion.labels.hands import hold_in_front, rest_on_knees
from kinematch.motion.labels.idles import find_idles
from kinematch.motion.labels.posture import SIDES, measure_posture
from kinematch.motion.labels.seats import find_lying, find_seated, measure_heights

LOW = (
    "lying",
    "sitting",
    "kneeling",
    "hands-on-knees",
    "crouching",
    "falling",
)  # not played for a command to walk or stand
GAITS = ("walking", "running")
WAYS = ("forward", "backward", "sideways")
ACTIVITIES = (*LOW, "climbing", "jumping", "carrying", "idle", *GAITS, *WAYS)
MIN_ACTIVITY_SECONDS = 0.2  # s; shorter stretches are dropped, and shorter gaps filled
LOWERING_SECONDS, RISING_SECONDS = 0.4, 0.3  # s around a low range, going down and coming up
WINDOW = 0.6  # s on either side, within which the lowest point seen is the floor
HANGING = 0.5  # of the hips' height, above feet that hang from a high seat; on a wall feet are beside the hips
MIN_SEAT_SECONDS = 0.5  # s on a seat, at least
RUN_BEND_SECONDS = 0.5  # s around a run in which runners bend: to brake, start or turn
MIN_CROUCH_SECONDS = 0.35  # s of a crouch, at least; landings are shorter
RESTS, CARRIES = 0.5, 1.0  # s for which hands rest on the knees, or hold something, at least
FALL = 1.2  # m/s downward of the hips, of an adult


@dataclass(frozen=True)
class ActivityRange:
    activity: str
    start: int  # frames [start, stop)
    stop: int


def find_activities(clip: Clip, poses: list[CalibrationPose] | None = None) -> list[ActivityRange]:
    """All stretches of all activities, outside of the calibration poses given; none for a rig that is no humanoid.

    Poses at the ends are cut off first: a rest pose at the origin is no floor, and the way from it no flight.
    """
    first = max((pose.drop_stop for pose in poses or [] if pose.drop_start == 0), default=0)
    last = min(
        (pose.drop_start for pose in poses or [] if pose.drop_stop == clip.frame_count), default=clip.frame_count
    )
    inside = flag_activities(clip.frames(first, last)) if last > first else None
    if inside is None:
        return []
    flags = {name: np.pad(flag, (first, clip.frame_count - last)) for name, flag in inside.items()}
    flags["idle"] = np.zeros(clip.frame_count, bool)
    for start, stop in find_idles(clip, poses):
        flags["idle"][start:stop] = ~flags["low"][start:stop]
    for pose in poses or []:
        for flag in flags.values():
            flag[pose.drop_start : pose.drop_stop] = False
    return [ActivityRange(name, a, b) for name in ("low", *ACTIVITIES) for a, b in true_ranges(flags[name])]


def flag_activities(clip: Clip) -> dict[str, Array] | None:
    """Frames (F,) of each activity but idles, and `low` for all of LOW with the way down and up."""
    posture = measure_posture(clip)
    if posture is None:
        return None
    at, reference = _by_role(clip, global_pose(clip)[0]), _by_role(clip, tpose(clip.skeleton)[0])
    heights = measure_heights(at, reference)
    lowest = np.min([place[:, 1] for place in at.values()], axis=0)
    leg = float(np.linalg.norm(reference["left_upper_leg"] - reference["left_foot"]))
    rate, ahead = clip.frame_rate, body_forward(clip)

    def between(on: Array, off: Array) -> Array:
        return _settle(switch_with_hysteresis(on[:, None], off[:, None])[:, 0], rate)

    lying = _settle(find_lying(heights), rate)
    sitting = _settle(find_seated(at, ahead, posture, leg) & ~lying, rate, MIN_SEAT_SECONDS)
    kneeling = between(_kneels(at, lowest, ahead, leg) & (heights.hips < 0.8), heights.hips > 0.85) & ~lying & ~sitting
    feet = lowest_points(clip)
    floor, ground = floor_height(clip), _minimum(feet, round(WINDOW * rate))
    # both feet high and the hips not falling: something bears them, however soon they are down again
    aloft = _settle(ground - floor > 0.15 * leg, rate)
    aloft |= _settle((feet - floor > 0.15 * leg) & ~find_free_fall(clip), rate)
    hanging = sitting & (heights.hips > HANGING)
    climbing = _spread(aloft & ~hanging, rate, 0.3, 0.3) & ~hanging
    speeds = _ground_velocity(clip, at)
    pace = np.linalg.norm(speeds, axis=-1)
    bent = np.interp(-_minimum(-pace, round(RUN_BEND_SECONDS * rate)), [0.3, 1.0, 1.8], [0.88, 0.85, 0.78])
    crouching = between(heights.head < bent, heights.head > bent + 0.03) & ~lying & ~kneeling & ~sitting & ~climbing
    crouching = _settle(crouching, rate, MIN_CROUCH_SECONDS)
    begun, ended = rest_on_knees(posture, at, leg)
    resting = switch_with_hysteresis(begun[:, None], ended[:, None])[:, 0] & ~lying & ~kneeling & ~sitting
    height = smoothing.savitzky_golay(at["hips"][:, 1:2].astype(np.float64), seconds=0.2, frame_rate=rate)[:, 0]
    sinking = np.gradient(height) * rate if clip.frame_count > 1 else np.zeros(1)
    falling = _settle(sinking < -FALL, rate) & (heights.head < 1.0)
    flags = {"lying": lying, "sitting": sitting, "kneeling": kneeling, "crouching": crouching, "climbing": climbing}
    flags["hands-on-knees"] = _settle(resting, rate, RESTS)
    low = lying | sitting | kneeling | crouching | flags["hands-on-knees"]
    flags["falling"] = falling & _spread(low, rate, 0.8, 0.0)
    flags["low"] = _settle(_spread(low, rate, RISING_SECONDS, LOWERING_SECONDS), rate)
    flags["jumping"] = np.zeros(clip.frame_count, bool)
    for flight in find_jumps(clip, leg):
        flags["jumping"][flight.start : flight.stop] = True
    flags["jumping"] = _spread(flags["jumping"], rate, 0.1, 0.1)
    upright = ~flags["low"] & ~flags["climbing"] & ~flags["jumping"]
    flags["walking"] = between((pace > 0.5) & (pace < 2.2), (pace < 0.35) | (pace > 2.5)) & upright
    flags["running"] = between(pace > 2.5, pace < 2.2) & upright
    going = between(pace > 0.4, pace < 0.25) & upright
    flags["carrying"] = _settle(hold_in_front(posture, ahead) & going, rate, CARRIES)
    return flags | _ways(clip, speeds, upright & (pace > 0.5))


def _ways(clip: Clip, velocity: Array, moving: Array) -> dict[str, Array]:
    ahead = body_forward(clip)
    along = np.sum(velocity * ahead, axis=-1) / np.linalg.norm(velocity, axis=-1).clip(1e-6)
    rate = clip.frame_rate
    return {
        "forward": _settle(moving & (along > 0.7), rate, 0.4),
        "backward": _settle(moving & (along < -0.7), rate, 0.4),
        "sideways": _settle(moving & (np.abs(along) <= 0.7), rate, 0.4),
    }


def _ground_velocity(clip: Clip, at: dict[str, Array]) -> Array:
    path = smoothing.savitzky_golay(at["hips"].astype(np.float64), seconds=0.8, frame_rate=clip.frame_rate)
    return np.gradient(path, axis=0) * clip.frame_rate * [1, 0, 1] if clip.frame_count > 1 else np.zeros((1, 3))


def _kneels(at: dict[str, Array], lowest: Array, ahead: Array, leg: float) -> Array:
    """Frames (F,) with a knee on the ground and its foot behind it; sitting people have their feet in front."""
    kneels = np.zeros(len(lowest), bool)
    for side in SIDES:
        knee, foot = at[f"{side}_lower_leg"], at[f"{side}_foot"]
        behind = np.sum((foot - knee) * ahead, axis=-1) < -0.15 * leg
        kneels |= behind & (knee[:, 1] - lowest < 0.14 * leg) & (foot[:, 1] - lowest < 0.3 * leg)
    return kneels


def _by_role(clip: Clip, positions: Array) -> dict[str, Array]:
    return {role: positions[..., joint, :] for role, joint in clip.skeleton.roles.items() if role != "root"}


def _minimum(values: Array, radius: int) -> Array:
    """The least value within a number of frames on either side."""
    from scipy.ndimage import minimum_filter1d  # here, since it is slow to import

    return minimum_filter1d(values, 2 * radius + 1, mode="nearest")


def _spread(flags: Array, rate: float, after: float, before: float) -> Array:
    """Flags that begin earlier and end later, in seconds."""
    wide = flags.copy()
    for start, stop in true_ranges(flags):
        wide[max(0, start - round(before * rate)) : stop + round(after * rate)] = True
    return wide


def _settle(flags: Array, rate: float, shortest: float = MIN_ACTIVITY_SECONDS) -> Array:
    """Flags without stretches, or gaps, that are too short to mean anything."""
    settled = flags.copy()
    for value in (False, True):
        for start, stop in true_ranges(settled == value):
            inside = start > 0 and stop < len(flags)
            if stop - start < shortest * rate and (inside or value):
                settled[start:stop] = not value
    return settled
