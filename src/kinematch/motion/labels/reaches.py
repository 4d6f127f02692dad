"""Hands: when one reaches down for something, and when it stops a dive.

A skeleton does not show what a hand holds: of hands that go down to the floor and come up again, the first is taken to
grasp something, and the next to release it.
"""

from collections.abc import Sequence

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion.actions import GRASP, HAND, RELEASE, Event
from kinematch.motion.clean.contacts import joint_speeds
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.kinematics import global_pose
from kinematch.motion.labels.flights import find_sole_heights
from kinematch.motion.labels.posture import SIDES
from kinematch.motion.labels.touchdowns import ADULT_LEG

LOW_HAND = 0.48  # leg lengths above the floor: a hand at the shin
REACH_SECONDS = 1.4  # that a hand stays down for, at most
REACH_SPEED = 1.2  # m/s of the hips, at most, while a hand picks something up
JUMP_SECONDS = 1.0  # before a take-off and after a landing, in which a crouch belongs to the jump
DIVE_FEET = 0.15  # leg lengths above the floor, of feet in a dive
STOP_SPEED = 0.8  # m/s downward of a hand that something stops
PALM = 0.08  # m from a wrist to the palm's middle


def find_reaches(clip: Clip, busy: Array, others: Sequence[Event], leg: float) -> list[Event]:
    """Hands that go down to the floor and come up again, outside of frames (F,) and events of other actions."""
    rate, place = clip.frame_rate, global_pose(clip)[0]
    roles, floor = clip.skeleton.roles, find_sole_heights(clip).min(axis=1)
    heights = np.stack([place[:, roles[f"{side}_hand"], 1] for side in SIDES], axis=1)
    speeds = joint_speeds(place[:, [roles["hips"]]].astype(np.float64) * ADULT_LEG / leg, rate)[:, 0]
    found = []
    for start, stop in true_ranges((heights.min(axis=1) - floor) < LOW_HAND * leg):
        inside = start > 0 and stop < clip.frame_count
        if not inside or (stop - start) / rate > REACH_SECONDS or busy[start:stop].any():
            continue
        if any(start / rate - JUMP_SECONDS < one.time < stop / rate + JUMP_SECONDS for one in others):
            continue
        frame = start + int(np.argmin(heights[start:stop].min(axis=1)))
        if speeds[frame] > REACH_SPEED:
            continue  # a duck on the run
        side = SIDES[int(np.argmin(heights[frame]))]
        found.append((frame / rate, f"{side}_hand"))
    return [Event((GRASP, RELEASE)[k % 2], time, joint, PALM) for k, (time, joint) in enumerate(found)]


def find_dives(clip: Clip, leg: float) -> list[Event]:
    """Hands that stop on something below an inverted body with both feet in the air."""
    rate, place = clip.frame_rate, global_pose(clip)[0].astype(np.float64)
    roles, soles = clip.skeleton.roles, find_sole_heights(clip).min(axis=1)
    wrists = place[:, [roles[f"{side}_hand"] for side in SIDES], 1]
    lower = wrists.min(axis=1)
    shoulders = np.mean([place[:, roles[f"{side}_upper_arm"], 1] for side in SIDES], axis=0)
    inverted = (shoulders < place[:, roles["hips"], 1]) & (lower < soles) & (soles > DIVE_FEET * leg + soles.min())
    stopped = np.gradient(lower) * rate * ADULT_LEG / leg > -STOP_SPEED
    events = []
    for start, stop in true_ranges(inverted):
        if stopped[start:stop].any():
            frame = start + int(np.argmax(stopped[start:stop]))
            events.append(Event(HAND, frame / rate, f"{SIDES[int(np.argmin(wrists[frame]))]}_hand", PALM))
    return events
