"""Touchdowns: when feet leave the ground in a jump, land after it, and step onto another height."""

from dataclasses import dataclass

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion.actions import FOOT, LANDING, TAKE_OFF, Event
from kinematch.motion.clean.contacts import joint_speeds, switch_with_hysteresis
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.kinematics import global_pose
from kinematch.motion.labels.flights import find_jumps, find_sole_heights
from kinematch.motion.labels.posture import SIDES

ADULT_LEG = 0.9  # m, to which speeds are scaled
MIN_STEP = 0.1  # leg lengths between the heights of two floors; less is a foot on its toes
LEVEL_SECONDS = 0.3  # before a jump and after it, in which the lowest sole is on the ground
OFF_GROUND = 0.05  # leg lengths that a sole is above where it stands, when it has left, or is about to land
RISE_SECONDS = 0.6  # after lying or kneeling, in which feet that leave the floor belong to getting up
RUN_SPEED, MIN_RUN_STEP = 2.0, 0.2  # m/s of the hips, and leg lengths: runners stand on tilted feet
STANCE_ON, STANCE_OFF = 0.3, 0.6  # m/s of the slower of ankle and toes, of an adult
MIN_STANCE_SECONDS = 0.1
MIN_LEG = 0.3  # leg lengths from a foot that bears a body up to its hips
TOUCH = 0.018  # leg lengths above where a sole will stand, at which it is down
SETTLE_SECONDS = 0.3  # in which the height is that of what a foot stands on; later it rolls off
TOUCH_SECONDS = 0.12  # before a foot is at rest, in which it has come down
LANDED_SECONDS = 0.25  # around a landing, in which a foot that comes down belongs to it


@dataclass(frozen=True)
class Stance:
    """A foot at rest on something."""

    foot: int  # 0 left, 1 right
    start: int  # frames [start, stop)
    stop: int
    level: float  # m, height of its sole


def find_jump_events(clip: Clip, leg: float) -> list[tuple[Event | None, Event | None]]:
    """Take-off and landing of each jump; None where the clip begins or ends in the air."""
    rate, soles = clip.frame_rate, find_sole_heights(clip)
    lowest = soles.min(axis=1)
    hips = global_pose(clip)[0][:, clip.skeleton.roles["hips"], 1]
    near = max(1, round(LEVEL_SECONDS * rate))
    found: list[tuple[Event | None, Event | None]] = []
    still = _find_still_feet(clip, leg)
    for flight in find_jumps(clip, leg):
        if still[flight.start : (flight.start + flight.stop) // 2 + 1].all(axis=0).any():
            continue  # a foot stands on something that is higher than the ground around it
        top = flight.start + int(np.argmax(hips[flight.start : flight.stop]))
        before, after = lowest[max(0, flight.start - near) : flight.start], lowest[flight.stop : flight.stop + near]
        leaves = np.flatnonzero(lowest[:top] <= before.min() + OFF_GROUND * leg) if len(before) else before
        lands = np.flatnonzero(lowest[top:] <= after.min() + OFF_GROUND * leg) if len(after) else after
        down = top + int(lands[0]) if len(lands) else 0
        found.append((
            Event(TAKE_OFF, float(leaves[-1]) / rate) if len(leaves) else None,
            _at_foot(LANDING, clip, int(np.argmin(soles[down])), down, soles) if len(lands) else None,
        ))  # fmt: skip
    return found


def find_steps(clip: Clip, leg: float) -> list[Event]:
    """Feet that come to stand on another height than the one that bears the body; the foot that joins it is none."""
    soles, events = find_sole_heights(clip), []
    last: list[Stance | None] = [None, None]
    hips = global_pose(clip)[0][:, [clip.skeleton.roles["hips"]]].astype(np.float64) / leg * ADULT_LEG * [1, 0, 1]
    runs = joint_speeds(hips, clip.frame_rate)[:, 0] > RUN_SPEED
    for stance in find_stances(clip, leg):
        least = (MIN_RUN_STEP if runs[stance.start] else MIN_STEP) * leg
        other = last[1 - stance.foot]
        if other is not None and abs(stance.level - other.level) >= least:
            events.append(_at_foot(FOOT, clip, stance.foot, stance.start, soles))
        last[stance.foot] = stance
    return events


def find_stances(clip: Clip, leg: float) -> list[Stance]:
    """Feet that are at rest and bear the body for some of that time, at whatever height, in order."""
    rate, soles = clip.frame_rate, find_sole_heights(clip)
    hips = global_pose(clip)[0][:, clip.skeleton.roles["hips"], 1]
    down = _find_still_feet(clip, leg)
    found = []
    for foot in (0, 1):
        for start, stop in true_ranges(down[:, foot]):
            if stop - start < MIN_STANCE_SECONDS * rate:
                continue
            level = float(np.median(soles[start : min(stop, start + round(SETTLE_SECONDS * rate)), foot]))
            alone = ~down[start : stop + round(0.1 * rate), 1 - foot]
            joined = np.abs(soles[start:stop, 0] - soles[start:stop, 1]) < 0.5 * MIN_STEP * leg
            if hips[start] - level < MIN_LEG * leg or not (
                alone.any() or (joined & down[start:stop].all(axis=1)).any()
            ):
                continue  # held up in the air, or set on something without weight
            touched = np.abs(soles[:, foot] - level) < TOUCH * leg
            first, earliest = start + int(np.argmax(touched[start:stop])), max(0, start - round(TOUCH_SECONDS * rate))
            while first > earliest and touched[first - 1]:
                first -= 1
            found.append(Stance(foot, first, stop, level))
    return sorted(found, key=lambda stance: stance.start)


def _find_still_feet(clip: Clip, leg: float) -> Array:
    """Frames (F, 2) in which the ankle or the toes of a foot are at rest."""
    places = global_pose(clip)[0].astype(np.float64) / leg * ADULT_LEG
    columns = []
    for side in SIDES:
        joints = [clip.skeleton.roles[f"{side}_{part}"] for part in ("foot", "toes")
                  if f"{side}_{part}" in clip.skeleton.roles]  # fmt: skip
        columns.append(joint_speeds(places[:, joints], clip.frame_rate).min(axis=1))
    speeds = np.stack(columns, axis=1)
    return switch_with_hysteresis(speeds < STANCE_ON, speeds > STANCE_OFF)


def _at_foot(kind: str, clip: Clip, foot: int, frame: int, soles: Array) -> Event:
    """An event at the lowest point of a foot."""
    role = f"{SIDES[foot]}_{'toes' if f'{SIDES[foot]}_toes' in clip.skeleton.roles else 'foot'}"
    height = float(global_pose(clip)[0][frame, clip.skeleton.roles[role], 1])
    return Event(kind, frame / clip.frame_rate, role, round(max(0.0, height - float(soles[frame, foot])), 3))
