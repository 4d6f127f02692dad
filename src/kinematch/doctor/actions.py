"""Actions that a take has: around the events in it, with where each may be entered and where it ends."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kinematch.doctor.quoting import quoted, quoted_glob
from kinematch.doctor.report import Activity, HeldPose
from kinematch.math import smoothing
from kinematch.motion.actions import FOOT, GRASP, HAND, LANDING, PASS, RELEASE, SEAT, TAKE_OFF, Action, Event
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose
from kinematch.motion.labels.activity import ActivityRange
from kinematch.motion.labels.calibration import CalibrationPose
from kinematch.motion.labels.events import find_events
from kinematch.motion.labels.flights import find_sole_heights

STEPS = {1: "step_up", -1: "step_down"}
RAISED = ("step_up", "step_down", "jump_up", "jump_down")  # actions between floors of several heights
LOW_EVENTS = (SEAT, GRASP, RELEASE)
MAX_FLIGHT_SECONDS = 2.0
RUN_SPEED = 1.2  # m/s of the hips; below, a jump begins with a dip
RUN_ENTRY_SECONDS = 0.7, 0.1  # before the take-off of a run: either foot may be ahead
STEP_ENTRY_SECONDS, STEP_EXIT_SECONDS = (1.0, 0.3), (0.6, 1.6)  # before a foot comes down, and after it
STANDS_BEHIND = 0.1  # m that hips may be behind the toes of the foot that stepped, then
JOINED = 0.08  # m between the soles, from which the other foot has followed
HURRIED_SECONDS = 0.3, 0.12  # before a foot that comes down soon after the other
DIP_SECONDS, DIP = 2.0, 0.03  # before a take-off, and m that hips sink when a jump begins
RECOVERY_SECONDS = 0.3, 1.0  # after a landing, until the hips are up again
LOW_ENTRY_SECONDS = 0.3, 0.3  # around the time at which a body begins to bend down
DUCK_ENTRY_SECONDS = 0.8  # before the performer bends under something
LEVEL = 0.15  # m between the floors before and after a jump
HOP = 0.35  # m that both soles are above the ground in a run over something
SHORTEST_ENTRY_SECONDS = 0.08
AFTER_SECONDS = 0.1  # that an action goes on after its last event, at least


def list_events(clip: Clip, activities: Sequence[Activity], poses: Sequence[HeldPose]) -> list[Event]:
    """The events of a clip with these activities and calibration poses."""
    rate = clip.frame_rate
    ranges = [ActivityRange(one.name, round(one.start * rate), round(one.stop * rate)) for one in activities]
    frames = [[round(time * rate) for time in (pose.start, pose.stop, *pose.drop)] for pose in poses]
    return find_events(clip, ranges, [CalibrationPose(pose.kind, *own) for pose, own in zip(poses, frames)])


def find_actions(
    clip: Clip, events: Sequence[Event], activities: Sequence[Activity], poses: Sequence[HeldPose] = ()
) -> tuple[Action, ...]:
    """An action for each event, or pair of them, that has enough motion before and after it."""
    first = max((pose.drop[1] for pose in poses if pose.drop[0] <= 0), default=0.0)
    last = min((pose.drop[0] for pose in poses if pose.drop[1] >= clip.duration), default=clip.duration)
    inside = [pose.drop for pose in poses if first < pose.drop[0] < last]
    found = []
    for name, target, entry, stop, own in _propose(clip, events, activities):
        landed = [one.time + AFTER_SECONDS for one in events if one.kind == LANDING and one.time < own[0].time]
        begins = max(entry[0], first, *landed[-1:])
        ends = min(entry[1], min(event.time for event in own) - 0.02)
        stop = min(stop, last - 1 / clip.frame_rate)
        short = ends - begins < SHORTEST_ENTRY_SECONDS or stop < own[-1].time + AFTER_SECONDS
        if short or any(begins < there[1] and there[0] < stop for there in inside):
            continue
        found.append(Action(name, (_round(begins), _round(ends)), _round(stop), tuple(own), target))
    return tuple(sorted(found, key=lambda one: one.entry))


Proposal = tuple[str, str, tuple[float, float], float, list[Event]]  # name, target, entry, exit, events


def _propose(clip: Clip, events: Sequence[Event], activities: Sequence[Activity]) -> Iterator[Proposal]:
    low = [(one.start, one.stop) for one in activities if one.name == "low"]
    hips = global_pose(clip)[0][:, clip.skeleton.roles["hips"]].astype(np.float64)
    soles = find_sole_heights(clip)
    before: Event | None = None
    for k, event in enumerate(events):
        ahead = [one for one in events[k + 1 :] if one.time - event.time < MAX_FLIGHT_SECONDS]
        bent = next((one for one in low if one[0] <= event.time <= one[1]), None)
        lands = next((one for one in ahead if one.kind == LANDING), None)
        hand = next((one for one in ahead if one.kind == HAND and (lands is None or one.time < lands.time + 0.2)), None)
        if event.kind == TAKE_OFF and hand:
            stop = next((one[1] for one in low if one[0] <= hand.time <= one[1]), hand.time + 1.5)
            yield "dive", HAND, _before(event.time, RUN_ENTRY_SECONDS), stop, [event, hand]
        elif event.kind == TAKE_OFF and lands:
            yield _jump(clip, hips, soles, leaves=event, lands=lands)
        elif event.kind == FOOT:
            yield _step(clip, hips, soles, event, before)
        elif event.kind == PASS and bent:
            crouch = next(one for one in _named(activities, "crouching") if one[0] <= event.time <= one[1])
            yield "duck", PASS, (crouch[0] - DUCK_ENTRY_SECONDS, crouch[0]), bent[1], [event]
        elif event.kind in LOW_EVENTS and bent and _is_alone(event, events, bent):
            name = {SEAT: "sit", GRASP: "pick_up", RELEASE: "put_down"}[event.kind]
            if any(start < bent[1] and bent[0] < stop for start, stop in _named(activities, "lying")):
                name = "lie_down"  # by way of sitting on the floor
            begins = max(bent[0], event.time - DIP_SECONDS)
            yield name, event.kind, (begins - LOW_ENTRY_SECONDS[0], begins + LOW_ENTRY_SECONDS[1]), bent[1], [event]
        before = event


def _jump(clip: Clip, hips: np.ndarray, soles: np.ndarray, *, leaves: Event, lands: Event) -> Proposal:
    rate = clip.frame_rate
    off, down = round(leaves.time * rate), round(lands.time * rate)
    path = smoothing.savitzky_golay(hips * [1, 0, 1], seconds=0.3, frame_rate=rate)
    speed = float(np.linalg.norm(path[off] - path[max(0, off - round(0.2 * rate))])) / 0.2
    upright = float(np.quantile(hips[max(0, off - round(DIP_SECONDS * rate)) : off + 1, 1], 0.9))
    rise = float(soles[down].min() - soles[off].min())
    clearance = float((soles[off : down + 1].min(axis=1) - max(soles[off].min(), soles[down].min())).max())
    name = "jump_up" if rise > LEVEL else "jump_down" if rise < -LEVEL else "jump"
    events = [leaves, lands]
    if speed > RUN_SPEED:
        entry, exit_ = _before(leaves.time, RUN_ENTRY_SECONDS), lands.time + RECOVERY_SECONDS[0]
        if name == "jump" and clearance > HOP:
            middle = Event(PASS, _round((leaves.time + lands.time) / 2))
            return "hop", PASS, entry, exit_, [leaves, middle, lands]
        return name, LANDING, entry, exit_, events
    start = max(0, off - round(DIP_SECONDS * rate))
    high = np.flatnonzero(hips[start : off - round(0.15 * rate), 1] > upright - DIP)
    dips = (start + int(high[-1])) / rate if len(high) else leaves.time - 0.5
    entry = min(dips - 0.3, leaves.time - 0.4), min(dips + 0.1, leaves.time - RUN_ENTRY_SECONDS[1])
    first = down + round(RECOVERY_SECONDS[0] * rate)
    high = np.flatnonzero(hips[first : down + round(RECOVERY_SECONDS[1] * rate), 1] > upright + rise - 2 * DIP)
    recovered = (first + int(high[0])) / rate if len(high) else lands.time + RECOVERY_SECONDS[1]
    return name, LANDING, entry, recovered, events


def _step(clip: Clip, hips: np.ndarray, soles: np.ndarray, event: Event, before: Event | None) -> Proposal:
    frame, foot = round(event.time * clip.frame_rate), 0 if event.joint.startswith("left") else 1
    since = max(0, frame - round(0.4 * clip.frame_rate))
    name = STEPS[1 if soles[frame, foot] > soles[since : frame + 1, 1 - foot].min() else -1]
    entry = _before(event.time, STEP_ENTRY_SECONDS)
    if before is not None and entry[1] - before.time < SHORTEST_ENTRY_SECONDS:
        entry = _before(event.time, HURRIED_SECONDS)
    elif before is not None:
        entry = max(entry[0], before.time), entry[1]
    first, last = (round((event.time + seconds) * clip.frame_rate) for seconds in STEP_EXIT_SECONDS)
    joined = np.abs(soles[first:last, 1 - foot] - soles[frame, foot]) < JOINED
    toes = global_pose(clip)[0][frame, clip.skeleton.roles[event.joint]]
    way = (hips[min(last, len(hips) - 1)] - hips[frame]) * [1, 0, 1]
    joined &= ((hips[first:last] - toes) @ way > -STANDS_BEHIND * np.linalg.norm(way))[: len(joined)]
    after = np.argmax(joined) / clip.frame_rate if joined.any() else 0.0
    return name, FOOT, entry, event.time + STEP_EXIT_SECONDS[0] + after, [event]


def _is_alone(event: Event, events: Sequence[Event], bent: tuple[float, float]) -> bool:
    """Whether a bent body does nothing else; several reaches in one go are work on something, and no pick-up."""
    others = (one for one in events if one is not event and one.kind != FOOT)
    return not any(bent[0] <= one.time <= bent[1] for one in others)


def _named(activities: Sequence[Activity], name: str) -> list[tuple[float, float]]:
    return [(one.start, one.stop) for one in activities if one.name == name]


def _before(time: float, seconds: tuple[float, float]) -> tuple[float, float]:
    return time - seconds[0], time - seconds[1]


def _round(seconds: float) -> float:
    return round(seconds, 3)


def list_whole(actions: Iterable[Action], drops: Sequence[Sequence[float]]) -> list[Action]:
    """The actions in which the recipe drops nothing: a foot that flips for a frame seems to step onto something."""
    return [one for one in actions if not any(start < one.exit and one.entry[0] < stop for start, stop in drops)]


def action_lines(actions: Iterable[Action], path: str, drops: Sequence[Sequence[float]] = ()) -> list[str]:
    """The `[[source.action]]` tables of a file's actions, of those in which the recipe drops nothing."""
    lines = []
    for one in list_whole(actions, drops):
        events = ",\n".join(f"    {_event_line(event)}" for event in one.events)
        lines += ["[[source.action]]", f"name = {quoted(one.name)}", f"files = {quoted_glob(Path(path).name)}"]
        lines += [f"entry = [{one.entry[0]:.3f}, {one.entry[1]:.3f}]", f"exit = {one.exit:.3f}"]
        lines += [f"target = {quoted(one.target)}", f"events = [\n{events},\n]"]
    return lines


def _event_line(event: Event) -> str:
    joint = f", joint = {quoted(event.joint)}" if event.joint else ""
    below = f", below = {event.below:.3f}" if event.below else ""
    return f"{{ kind = {quoted(event.kind)}, at = {event.time:.3f}{joint}{below} }}"


def count_actions(actions: Iterable[Action]) -> str:
    """`3 jump, 1 sit`"""
    names = [one.name for one in actions]
    return ", ".join(f"{names.count(name)} {name}" for name in dict.fromkeys(names))
