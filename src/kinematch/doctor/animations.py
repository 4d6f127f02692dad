"""What the animations of a file are for: loops on the spot that a character walks by, idles, and everything else."""

import re

import numpy as np

from kinematch.doctor.report import FileAnimation
from kinematch.math import quaternion
from kinematch.motion.clean.contacts import contact_joints
from kinematch.motion.clean.in_place import is_in_place
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose, reference_pose
from kinematch.motion.labels.idles import is_idle
from kinematch.motion.roles import missing_roles

LONGEST_LOOP = 10.0  # s; longer ones are takes that end as they began
SEAM = np.radians(1.5)  # rad, mean over joints: a smaller jump is not seen
UPRIGHT, RUNS = 0.85, 0.6  # height of an idle, and of a gait, against the reference pose; lying is lower
ALIKE = 0.5  # of the widest swing of a foot: the least of another in a gait
GAITS = {"walk": "walk", "run": "run", "jog": "run", "sprint": "run", "trot": "run", "gallop": "run"}
WAYS = {"back": "backward", "strafe": "strafe", "side": "strafe", "left": "left", "right": "right"}


def describe_animation(clip: Clip) -> FileAnimation:
    """What one of several animations of a file is for. Only what loops can be walked by or stood in."""
    if not ends_as_it_begins(clip):
        return FileAnimation(clip.name, tags=("action",))
    if is_in_place(clip) and _both_sides_walk(clip):
        words = [tag for word, tag in (GAITS | WAYS).items() if word in clip.name.lower()]
        return FileAnimation(clip.name, loop=True, in_place=True, tags=("locomotion", *dict.fromkeys(words)))
    if re.search(r"idle|stand", clip.name.lower()) and _stands(clip):
        return FileAnimation(clip.name, loop=True, tags=("locomotion", "idle"))
    return FileAnimation(clip.name, tags=("action",))


def find_stand_loop(clip: Clip) -> FileAnimation | None:
    """A file with one animation as a loop to stand in, if it is one."""
    named = bool(re.search(r"idle|stand", clip.name.lower()))
    if not ends_as_it_begins(clip) or not _stands(clip) or not (named or is_idle(clip)):
        return None
    return FileAnimation(clip.name, loop=True, tags=("idle",))


def ends_as_it_begins(clip: Clip) -> bool:
    """Whether the last pose is the first or the one before it; the first joint may travel."""
    if clip.frame_count < 8 or clip.duration > LONGEST_LOOP:
        return False
    turns = quaternion.angle(clip.rotations[1:, 1:], clip.rotations[:-1, 1:]).mean(axis=-1)
    seam = float(quaternion.angle(clip.rotations[-1, 1:], clip.rotations[0, 1:]).mean())
    return bool(turns.max() > 0 and seam <= max(SEAM, 1.5 * float(np.median(turns))))


def is_gait_loop(clip: Clip) -> bool:
    """Whether a file with one animation is a loop: it moves on at its seam, as actions from a stand do not."""
    if not ends_as_it_begins(clip):
        return False
    turns = quaternion.angle(clip.rotations[1:, 1:], clip.rotations[:-1, 1:]).mean(axis=-1)
    return bool(min(turns[0], turns[-1]) > 0.3 * np.median(turns)) and _both_sides_walk(clip)


def _both_sides_walk(clip: Clip) -> bool:
    """Whether all feet swing alike under the body; in a kick one does."""
    positions = global_pose(clip)[0]
    feet = positions[:, contact_joints(clip.skeleton)] - positions[:, [clip.skeleton.roles.get("hips", 0)]]
    swings = np.linalg.norm(np.ptp(feet, axis=0), axis=-1)
    return bool(swings.min() > ALIKE * swings.max() > 0.02) and not _is_low(clip, positions, RUNS)


def _stands(clip: Clip) -> bool:
    """Whether feet and body keep their place and height."""
    positions = global_pose(clip)[0]
    feet = positions[:, contact_joints(clip.skeleton)]
    return (
        bool(np.ptp(feet, axis=0).max() < 0.05)
        and not _is_low(clip, positions, UPRIGHT)
        and "jump" not in clip.name.lower()
    )


def _is_low(clip: Clip, positions: np.ndarray, share: float) -> bool:
    """Whether the head, or an animal's hips, are mostly below a share of their height in the reference pose."""
    top = clip.skeleton.roles.get("head" if not missing_roles(clip.skeleton.roles) else "hips", 0)
    feet = contact_joints(clip.skeleton)
    reference = reference_pose(clip.skeleton)[0]
    whole = reference[top, 1] - reference[feet, 1].min()
    return bool(np.median(positions[:, top, 1] - positions[:, feet, 1].min(axis=1)) < share * whole)
