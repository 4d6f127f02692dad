"""Calibration poses: the T-poses, A-poses and N-poses that performers hold for the capture system, anywhere in a take.

Performers' T-poses are sloppy: elbows bent by 60 degrees, arms 30 degrees off. So are gestures. What tells them apart
is where they are and how still the body is: at the start or end of a take a rough T-pose counts, and the performer may
still be walking to the spot; in the middle it must be exact, or look like the one this performer held at the start or
end, and the body must stand still. A single frame counts where the body jumps into it and out of it.

An N-pose, with the arms hanging, is how people stand anyway, and nothing measured tells a held one from an idle: the
stillest idles move their hands at 2 cm/s, as do people who hold an N-pose. So it counts only where it is no living
body's: frozen at the start or end of a take, or a single frame. What a person holds stays an idle.
"""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.labels.posture import Posture, measure_posture

EDGE = 0.2  # s from the start or end of a take that belong to it
MIN_TPOSE_SECONDS = 0.2  # s for which a T-pose is held, at least
A_HELD = (0.4, 1.0)  # s at an edge, in the middle; people also stand with their arms a little out
A_SLOPE = (np.radians(-57), np.radians(-22))  # elevation of the arms; hanging ones are below -60 degrees
HANGING = np.radians(-60)  # elevation of arms that hang
FROZEN = 0.0005  # m/s; of a repeated frame: people who stand still sway faster, and so do starts of animations
WALK = 2.0  # s on either side of a held pose for which the arms may stay out while the performer walks
STANDS = 0.7  # share of the time with arms out that the feet stand still, in the middle of a take
STEADY_HANDS, STEADY_FEET = 0.35, 0.2  # m/s, while a pose is held
WALKING_HANDS = 0.5  # m/s against the hips, while walking in a pose
MARGIN = 1.0  # s, at most, for raising and lowering the arms
MIN_REST_SECONDS = 0.34  # s; less than this is not worth keeping between two dropped stretches
ALIKE = np.radians(30)  # between arm bones of two calibration poses of one performer
JUMP = 0.2  # m that a hand moves against the hips in one frame, on the way into or out of a single frame
JUMP_SPEED = 8.0  # m/s, likewise; hands of pitchers are as fast, but not in an exact T-pose


@dataclass(frozen=True)
class CalibrationPose:
    kind: str  # T, A or N
    start: int  # frames [start, stop) that show the pose
    stop: int
    drop_start: int  # frames [drop_start, drop_stop) to leave out: with the arms coming up and going down
    drop_stop: int


def find_calibration_poses(clip: Clip) -> list[CalibrationPose]:
    """All calibration poses of a take in order; none for a rig that is not a humanoid."""
    posture = measure_posture(clip)
    if posture is None:
        return []
    found = []
    for kind, find in (("T", _t_poses), ("A", _a_poses), ("N", _n_poses)):
        found += [CalibrationPose(kind, a, b, *_with_margins(posture, a, b)) for a, b in find(posture)]
        found += [CalibrationPose(kind, a, b, a, b) for a, b in _jumped_into(posture, kind)]
    poses = _join(posture, sorted(found, key=lambda pose: pose.drop_start))
    dropped = sum(pose.drop_stop - pose.drop_start for pose in poses)
    if posture.frame_count - dropped >= MIN_REST_SECONDS * posture.frame_rate:
        return poses
    return [
        replace(pose, drop_start=pose.start, drop_stop=pose.stop) for pose in poses
    ]  # margins take all of a short take


def _t_poses(posture: Posture) -> list[tuple[int, int]]:
    out = _arms_out(posture, np.radians(48), np.radians(90)) & (posture.lean < np.radians(25))
    standing = (posture.leg_angles < np.radians(32)) & (posture.lean < np.radians(15))
    still = standing & (posture.hand_speeds < STEADY_HANDS) & (posture.foot_speeds < STEADY_FEET)
    rough = still & _arms_out(posture, np.radians(38), np.radians(80))
    strict = rough & _has_shape(posture, "T", tolerance=np.radians(25)) & _upright(posture)
    found, doubtful = [], []
    for start, stop in true_ranges(out):
        held = rough if _at_edge(posture, start, stop) else strict
        if _is_held(posture, held, start, stop):
            found.append(_around(posture, rough, start, stop))
        else:
            doubtful.append((start, stop))
    like = _arms_like(posture, found)
    for start, stop in doubtful:
        steady = like & (posture.hand_speeds < WALKING_HANDS if _at_edge(posture, start, stop) else still)
        if _is_held(posture, steady, start, stop):
            found.append(_around(posture, steady, start, stop))
    return found


def _a_poses(posture: Posture) -> list[tuple[int, int]]:
    still = (posture.hand_speeds < 0.12) & (posture.foot_speeds < 0.1) & _upright(posture)
    rough = still & _has_shape(posture, "A", tolerance=np.radians(25))
    strict = rough & (posture.elbow_bends.max(axis=1) < np.radians(20))
    found = []
    for start, stop in true_ranges(rough):
        held, least = (rough, A_HELD[0]) if _at_edge(posture, start, stop) else (strict, A_HELD[1])
        if _longest(held[start:stop]) >= least * posture.frame_rate:
            found.append((start, stop))
    return found


def _n_poses(posture: Posture) -> list[tuple[int, int]]:
    fastest = np.max([posture.hand_speeds, posture.foot_speeds, posture.hip_speeds], axis=0)
    frozen = (fastest < FROZEN) & _has_shape(posture, "N", tolerance=np.radians(25)) & _upright(posture)
    least = MIN_TPOSE_SECONDS * posture.frame_rate
    held = [(a, b) for a, b in true_ranges(frozen) if least <= b - a < posture.frame_count]
    return [(a, b) for a, b in held if _at_edge(posture, a, b)]


def _jumped_into(posture: Posture, kind: str) -> list[tuple[int, int]]:
    """Frames that the body jumps into and out of; at the start and end of a take one jump will do."""
    shape = _has_shape(posture, kind, tolerance=np.radians(25)) & (posture.elbow_bends.max(axis=1) < np.radians(15))
    steps = np.linalg.norm(np.diff(posture.hands, axis=0), axis=-1).max(axis=1)
    jumps = np.concatenate([[True], (steps > JUMP) & (steps * posture.frame_rate > JUMP_SPEED), [True]])
    # a longer stand with the arms down before a glitch is a plain stand
    most = MIN_TPOSE_SECONDS * posture.frame_rate if kind == "N" else posture.frame_count
    return [(a, b) for a, b in true_ranges(shape) if jumps[a] and jumps[b] and b - a < most]


def _has_shape(posture: Posture, kind: str, *, tolerance: float) -> Array:
    """Frames (F,) of a symmetric T-pose, A-pose or N-pose with straight limbs, each angle within a tolerance [rad]."""
    straight = (posture.elbow_bends.max(axis=1) < tolerance + np.radians(10)) & (posture.leg_angles < tolerance)
    straight &= posture.twist < tolerance / 2
    if kind == "T":
        return straight & (posture.arm_angles.max(axis=1) < tolerance)
    elevations = posture.arm_elevations
    lowest, highest = A_SLOPE if kind == "A" else (-np.pi, HANGING)
    sloping = ((elevations > lowest) & (elevations < highest)).all(axis=1)
    level = np.abs(elevations[:, 0] - elevations[:, 1]) < tolerance / 2
    return straight & sloping & level & (np.abs(posture.arm_swings).max(axis=1) < tolerance)


def _upright(posture: Posture) -> Array:
    return posture.lean < np.radians(12)


def _at_edge(posture: Posture, start: int, stop: int) -> bool:
    edge = EDGE * posture.frame_rate
    return start <= edge or stop >= posture.frame_count - edge


def _arms_out(posture: Posture, angle: float, bend: float) -> Array:
    """Frames (F,) with both arms within an angle of sideways and elbows bent by less than another [rad]."""
    return (posture.arm_angles.max(axis=1) < angle) & (posture.elbow_bends.max(axis=1) < bend)


def _is_held(posture: Posture, held: Array, start: int, stop: int) -> bool:
    """Whether a stretch with arms out is a held pose; in the middle of a take the feet must mostly stand, too."""
    stands = (posture.foot_speeds[start:stop] < STEADY_FEET).mean() >= STANDS
    return _longest(held[start:stop]) >= MIN_TPOSE_SECONDS * posture.frame_rate and (
        stands or _at_edge(posture, start, stop)
    )


def _around(posture: Posture, held: Array, start: int, stop: int) -> tuple[int, int]:
    """The part of a stretch with arms out that lies around a held pose; a long walk with arms out is an action."""
    frames = start + np.flatnonzero(held[start:stop])
    walk = round(WALK * posture.frame_rate)
    first, last = int(frames[0]), int(frames[-1]) + 1
    return (start if first - start <= walk else first), (stop if stop - last <= walk else last)


def _arms_like(posture: Posture, poses: list[tuple[int, int]]) -> Array:
    """Frames (F,) whose arms are held as in one of the poses."""
    like: Array = np.zeros(posture.frame_count, bool)
    for start, stop in poses:
        template = np.median(posture.arm_bones[start:stop], axis=0)
        template /= np.linalg.norm(template, axis=-1, keepdims=True).clip(1e-9)  # opposite directions may cancel
        cosines = np.sum(posture.arm_bones * template, axis=-1)
        like |= (cosines > np.cos(ALIKE)).all(axis=1)
    return like


def _longest(flags: Array) -> int:
    return max((b - a for a, b in true_ranges(flags)), default=0)


def _join(posture: Posture, poses: list[CalibrationPose]) -> list[CalibrationPose]:
    """The poses with those joined that overlap, and dropped up to an end of the take that is not worth keeping."""
    joined: list[CalibrationPose] = []
    frames, short = posture.frame_count, round(MIN_REST_SECONDS * posture.frame_rate)
    for pose in poses:
        first = 0 if pose.drop_start < short else pose.drop_start
        last = frames if frames - pose.drop_stop < short else pose.drop_stop
        if joined and first - joined[-1].drop_stop < short:
            before = joined.pop()
            start, stop = min(before.start, pose.start), max(before.stop, pose.stop)
            first, last = before.drop_start, max(before.drop_stop, last)
            joined.append(CalibrationPose(before.kind, start, stop, first, last))
        else:
            joined.append(CalibrationPose(pose.kind, pose.start, pose.stop, first, last))
    return joined


def _with_margins(posture: Posture, start: int, stop: int) -> tuple[int, int]:
    """The frames of a pose with those in which the arms come up and go down."""
    return _margin(posture, start, -1), _margin(posture, stop - 1, 1) + 1


def _margin(posture: Posture, frame: int, way: int) -> int:
    """The frame at which the arms are down or have come to rest, going forward or backward in time from a pose."""
    down = (posture.arm_elevations < HANGING).all(axis=1)
    most = round(MARGIN * posture.frame_rate)
    settle = round(0.15 * posture.frame_rate)  # the arms have only begun to move
    for step in range(1, most + 1):
        at = frame + way * step
        if not 0 <= at < posture.frame_count:
            return frame + way * (step - 1)
        rested = step > settle and posture.hand_speeds[at] < 0.25
        if down[at] or rested:
            return at - way
    return frame + way * most
