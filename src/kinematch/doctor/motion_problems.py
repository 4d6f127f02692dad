"""What can be wrong with a motion: too short, calibration poses, jumps, flips, dead limbs, sliding feet."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinematch.doctor import signals
from kinematch.doctor.quoting import quoted
from kinematch.doctor.report import HeldPose, Problem, counted
from kinematch.doctor.stands import calibration_problems
from kinematch.errors import KinematchError, listed
from kinematch.motion.clean.contacts import contact_quality, find_contacts
from kinematch.motion.clean.floor import floor_height
from kinematch.motion.clean.in_place import is_in_place
from kinematch.motion.clip import Clip
from kinematch.motion.labels.posture import measure_posture
from kinematch.motion.tpose import TPose

SINGLE = 4  # frames; fewer are a pose
MIN_CLIP_SECONDS = 0.34  # s; a search never jumps into the last 0.33 s of a clip
SHORT_CLIP_SECONDS = 1.34  # s; below this no frame has a whole second of future
SLIDING = 0.25  # m/s; feet of clean captures slide at 0.02 to 0.1
FLOOR = 0.03  # m
SLOW = 10.0  # frames per second; a step takes half a second
OVERHEAD = 0.4  # share of the time with both hands above the head, from which on axes are in doubt


def find(clip: Clip, tpose: TPose | None, poses: Sequence[HeldPose] = ()) -> list[Problem]:
    """What is wrong with the motion of a clip in which these calibration poses were found."""
    seconds = clip.frame_count / clip.frame_rate
    if clip.frame_count < SINGLE:
        what = f"{counted(clip.frame_count, 'frame')}: a pose or a character, not a motion"
        return [Problem("error", what, _pose_lines(clip))]
    if seconds < MIN_CLIP_SECONDS:
        return [Problem("error", f"{seconds:.2f} s long; below {MIN_CLIP_SECONDS} s nothing of it can be chosen")]
    problems = []
    if seconds < SHORT_CLIP_SECONDS:
        problems.append(
            Problem("note", f"{seconds:.2f} s long: no frame has a whole second of future; it is extrapolated")
        )
    if clip.frame_rate < SLOW:
        what = f"{clip.frame_rate:g} frames a second: too few to tell steps by; what lies between frames is made up"
        problems.append(Problem("warning", what))
    problems += _overhead(clip)
    start = opening_frames(clip, tpose)
    later = [pose for pose in poses if pose.drop[1] * clip.frame_rate > start + 0.5]
    found = calibration_problems(later, seconds)
    if found and found[0].severity == "error":
        return [replace(found[0], fix=_pose_lines(clip))]
    if start and not any(pose.drop[0] == 0 for pose in later):
        problems.append(
            Problem(
                "warning",
                f"the clip begins in a T-pose or rest pose and jumps away from it at frame {start}",
                f"drop = [[0.0, {start / clip.frame_rate:.4f}]]",
            )
        )
    problems += found
    clip = clip.frames(start, clip.frame_count)
    return problems + _breaks(clip, start) + _dead(clip) + _ground(clip)


def _pose_lines(clip: Clip) -> str:
    """How a recipe uses a file that shows a pose and no motion."""
    name = quoted(Path(clip.source.path).name or clip.name)
    return f"tpose = {name}  # of motion files of this rig, or at the top of the recipe:\nskeleton = {name}"


def opening_frames(clip: Clip, tpose: TPose | None) -> int:
    """Frames at the start that show a T-pose or rest pose and from which the body jumps away; 0 if none."""
    fast, _ = signals.turns(clip.frames(0, min(clip.frame_count, 4)))
    opening = (tpose is not None and tpose.frame == 0) or signals.rest_frames(clip.frames(0, 1)) > 0
    return fast.frames[-1] if opening and fast.frames else 0


def _breaks(clip: Clip, start: int) -> list[Problem]:
    """Jumps, flips and joints that turn too fast; times count from the start of the file."""
    problems = []
    jumps = signals.jumps(clip)
    if jumps.frames:
        times = ", ".join(f"{(f + start) / clip.frame_rate:.3f}" for f in jumps.frames[:8])
        first = jumps.frames[0] + start
        what = f"{counted(len(jumps.frames), 'jump')} of the body, up to {jumps.worst:.0f} m/s, first at frame {first}"
        problems.append(Problem("warning", what, f"split = [{times}]"))
    fast, flips = signals.turns(clip)
    if flips.frames:
        around = [((max(f + start - 2, 0)) / clip.frame_rate, (f + start + 1) / clip.frame_rate) for f in flips.frames]
        stretches = [f"[{begin:.3f}, {end:.3f}]" for begin, end in around]
        fingers = not flips.body
        what = (
            f"{flips.joint!r} flips by {np.degrees(flips.worst):.0f} degrees in one frame; "
            f"{counted(len(flips.frames), 'such frame')}, first {flips.frames[0] + start}"
        )
        fix = "" if fingers else f"drop = [{', '.join(stretches[:8])}]"
        problems.append(Problem("note" if fingers else "warning", what, fix))
    elif fast.frames:
        what = f"{fast.joint!r} turns at {np.degrees(fast.worst):.0f} degrees/s, faster than people do"
        problems.append(Problem("note", f"{what}; {counted(len(fast.frames), 'such frame')}"))
    return problems


def _overhead(clip: Clip) -> list[Problem]:
    """Hands above the head nearly all the time: files whose channels stand in another order than they declare."""
    posture = measure_posture(clip)
    if posture is None:
        return []
    up = (posture.arm_elevations > 0).all(axis=1) & (posture.arm_elevations.mean(axis=1) > np.radians(30))
    raised = float((up & (posture.lean < np.radians(30))).mean())
    if raised < OVERHEAD:
        return []
    what = f"both arms point up in {raised:.0%} of the frames: rotation channels in another order than declared?"
    return [Problem("warning", what)]


def _dead(clip: Clip) -> list[Problem]:
    dead = signals.dead_joints(clip)
    if len(dead) == clip.skeleton.joint_count or not dead:
        return [Problem("warning", "nothing moves in this clip")] if dead else []
    limbs = {clip.skeleton.names[j] for role, j in clip.skeleton.roles.items() if role.endswith(("arm", "leg"))}
    stiff = [name for name in dead if name in limbs]
    problems = [Problem("warning", f"limbs that never bend: {', '.join(stiff)}")] if stiff else []
    rest = [name for name in dead if name not in limbs]
    if rest:
        problems.append(Problem("note", f"joints that never turn: {listed(rest, 6)}"))
    return problems


def _ground(clip: Clip) -> list[Problem]:
    problems: list[Problem] = []
    try:
        in_place = is_in_place(clip)
        floor = float(floor_height(clip))
        quality = contact_quality(clip, find_contacts(clip))
    except KinematchError:  # nothing that touches the ground is known; the rig's problems say so
        return problems
    if abs(floor) > FLOOR:
        problems.append(Problem("note", f"the floor is at {floor:+.3f} m; building moves it to 0", 'floor = "auto"'))
    if in_place:
        problems.append(Problem("warning", "the feet walk but the body stays on the spot", "in_place = true"))
    elif not quality.stances:
        problems.append(Problem("warning", "no foot ever stands still", 'contact_joints = ["left_foot", "right_foot"]'))
    elif quality.mean_speed > SLIDING:
        problems.append(Problem("warning", f"planted feet slide at {quality.mean_speed:.2f} m/s in the source itself"))
    return problems
