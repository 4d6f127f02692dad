"""Events: the moments of a take at which a body leaves something, touches it or passes under it.

Flight shows a jump, a stance on another height a step, hips that come to rest a seat, a crouch on the way a duck. Each
event has the point that is in contact then.
"""

from collections.abc import Sequence

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion.actions import PASS, SEAT, Event
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.kinematics import global_pose, tpose
from kinematch.motion.labels.activity import ActivityRange
from kinematch.motion.labels.calibration import CalibrationPose
from kinematch.motion.labels.flights import find_sole_heights
from kinematch.motion.labels.posture import SIDES, measure_posture
from kinematch.motion.labels.reaches import JUMP_SECONDS, find_dives, find_reaches
from kinematch.motion.labels.touchdowns import ADULT_LEG, LANDED_SECONDS, RISE_SECONDS, find_jump_events, find_steps

MIN_FRAME_RATE = 15.0  # frames per second: a stance of a run lasts a tenth of a second
SEATED_RISE = 0.05  # leg lengths above where hips rest, at which they are on the seat
SEAT_BELOW = 0.09  # leg lengths from the joints of the thighs down to the seat
REST_SECONDS = 0.5  # of a seat, after which hips are where they rest
UPRIGHT = 0.85  # of the hips' height over a standing foot
DOWN_SECONDS = 2.0  # from standing to sitting, at most
DUCK_SECONDS = 0.3, 3.2  # of a crouch on the way under something; a longer one is a gait
DUCK_SPEED = 0.5  # m/s of the hips on the way through
DUCK_HEAD = 0.75  # of its height in the T-pose, that the head goes below
LEAVE_SECONDS = 0.7  # around a seat, in which a body is bent to sit down or get up


def find_events(clip: Clip, stretches: Sequence[ActivityRange], poses: Sequence[CalibrationPose] = ()) -> list[Event]:
    """All events of a clip in order, outside of its calibration poses; none for a rig that is no humanoid."""
    first = max((pose.drop_stop for pose in poses if pose.drop_start == 0), default=0)
    last = min((pose.drop_start for pose in poses if pose.drop_stop == clip.frame_count), default=clip.frame_count)
    if last - first < 2 or clip.frame_rate < MIN_FRAME_RATE:
        return []
    inner = clip.frames(first, last)
    posture = measure_posture(inner)
    if posture is None:
        return []
    moved = [ActivityRange(one.activity, one.start - first, one.stop - first) for one in stretches]
    events = _find(inner, _flags(moved, inner.frame_count), posture.head_heights)
    begins = first / clip.frame_rate
    return [Event(one.kind, round(one.time + begins, 3), one.joint, one.below) for one in events]


def _flags(stretches: Sequence[ActivityRange], frames: int) -> dict[str, Array]:
    names = ("lying", "sitting", "kneeling", "crouching", "climbing", "jumping", "low")
    flags = {name: np.zeros(frames, bool) for name in names}
    for one in stretches:
        if one.activity in flags:
            flags[one.activity][max(0, one.start) : max(0, one.stop)] = True
    return flags


def _find(clip: Clip, flags: dict[str, Array], heads: Array) -> list[Event]:
    reference = tpose(clip.skeleton)[0]
    roles = clip.skeleton.roles
    leg = float(np.linalg.norm(reference[roles["left_upper_leg"]] - reference[roles["left_foot"]]))
    rate = clip.frame_rate
    down = flags["lying"] | flags["sitting"] | flags["kneeling"]
    ups = [stop / rate for _, stop in true_ranges(down)]
    jumps = [
        (leaves, lands)
        for leaves, lands in find_jump_events(clip, leg)
        if not (leaves and any(-RISE_SECONDS < leaves.time - up < RISE_SECONDS for up in ups))
    ]
    flown = [event for jump in jumps for event in jump if event]
    seats = _find_seats(clip, flags, leg)
    steps = [
        step
        for step in find_steps(clip, leg)
        if not down[max(0, round((step.time - RISE_SECONDS) * rate)) : round(step.time * rate) + 1].any()
        and not any(_is_within(step, leaves, lands) for leaves, lands in jumps)
    ]
    dives = find_dives(clip, leg)
    busy = flags["lying"] | flags["sitting"] | flags["climbing"] | flags["jumping"]
    reaches = find_reaches(clip, busy, [*flown, *dives, *seats], leg)
    ducks = _find_ducks(clip, flags, heads, others=[*flown, *reaches], leg=leg)
    return sorted([*flown, *seats, *steps, *dives, *reaches, *ducks], key=lambda one: one.time)


def _is_within(step: Event, leaves: Event | None, lands: Event | None) -> bool:
    """Whether a foot comes down in the air, or with a landing."""
    first = leaves.time if leaves else lands.time - LANDED_SECONDS if lands else 0.0
    return first < step.time < (lands.time + LANDED_SECONDS if lands else np.inf)


def _find_seats(clip: Clip, flags: dict[str, Array], leg: float) -> list[Event]:
    """When hips come to rest on a seat, after standing."""
    rate, place = clip.frame_rate, global_pose(clip)[0]
    hips, soles = place[:, clip.skeleton.roles["hips"], 1], find_sole_heights(clip).min(axis=1)
    thighs = place[:, [clip.skeleton.roles[f"{side}_upper_leg"] for side in SIDES], 1].mean(axis=1)
    standing = hips - soles > UPRIGHT * np.quantile(hips - soles, 0.95)
    events = []
    for start, stop in true_ranges(flags["sitting"]):
        before = slice(max(0, start - round(DOWN_SECONDS * rate)), start + 1)
        if not standing[before].any():
            continue
        rest, seated = (
            float(np.median(one[start : min(stop, start + round(REST_SECONDS * rate))])) for one in (hips, thighs)
        )
        from_ = before.start + int(np.flatnonzero(standing[before])[-1])
        near = hips[from_:stop] < rest + SEATED_RISE * leg
        down = from_ + int(np.argmax(near))  # a little above where they rest
        events.append(Event(SEAT, down / rate, "hips", round(float(hips[down]) - seated + SEAT_BELOW * leg, 3)))
    return events


def _find_ducks(clip: Clip, flags: dict[str, Array], heads: Array, *, others: list[Event], leg: float) -> list[Event]:
    """The middle of each crouch in which the body travels on."""
    rate, place = clip.frame_rate, global_pose(clip)[0]
    hips = place[:, clip.skeleton.roles["hips"]] * [1, 0, 1]
    events = []
    for start, stop in true_ranges(flags["crouching"]):
        seconds, way = (stop - start) / rate, float(np.linalg.norm(hips[stop - 1] - hips[start])) * ADULT_LEG / leg
        if not DUCK_SECONDS[0] <= seconds <= DUCK_SECONDS[1] or way < DUCK_SPEED * seconds:
            continue
        if heads[start:stop].min() > DUCK_HEAD:
            continue
        if any(start / rate - JUMP_SECONDS < one.time < stop / rate + JUMP_SECONDS for one in others):
            continue
        if flags["sitting"][max(0, start - round(rate * LEAVE_SECONDS)) : stop + round(rate * LEAVE_SECONDS)].any():
            continue
        events.append(Event(PASS, (start + stop) / 2 / rate))
    return events
