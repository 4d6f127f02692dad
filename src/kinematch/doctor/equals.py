"""Equal animations: the same motion in several files, as characters of one game have it, is taken once."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinematch.doctor.report import FileAnimation, Problem, Report, by_severity, counted
from kinematch.errors import listed
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose

LOOKS = 12  # moments of an animation that are compared
SAME_TURN = np.radians(0.5)  # rad, and
SAME_PLACE = 0.01  # leg lengths, by which equal animations differ at most


def outline(clip: Clip) -> bytes:
    """What is compared of an animation: rotations of its joints with roles, and the way of its hips, at a few moments.

    Empty for what has no roles."""
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if role != "root"}
    length = leg_length(clip.skeleton) if "hips" in clip.skeleton.roles else 0.0
    if not roles or length <= 0:
        return b""
    frames = np.linspace(0, clip.frame_count - 1, LOOKS).round().astype(int)
    few = clip.with_(positions=clip.positions[frames], rotations=clip.rotations[frames])
    hips = global_pose(few)[0][:, clip.skeleton.roles["hips"]] / length
    turns = few.rotations[:, [roles[role] for role in sorted(roles)]].reshape(LOOKS, -1)
    return np.concatenate([hips - hips[0], turns], axis=1).astype(np.float32).tobytes()


def leave_out_equals(reports: list[Report]) -> list[Report]:
    """The reports without animations that an earlier file has, or the same file before. Files need the same joints and
    the animations the same number of frames."""
    first: dict[tuple[str, int, int], list[tuple[np.ndarray, str]]] = defaultdict(list)
    return [_leave_out(report, first) for report in reports]


def _leave_out(report: Report, first: dict[tuple[str, int, int], list[tuple[np.ndarray, str]]]) -> Report:
    own = Path(report.path).name
    equal: dict[str, str] = {}
    for name, (frames, drawn) in report.outlines.items():
        values = np.frombuffer(drawn, np.float32).reshape(LOOKS, -1) if drawn else np.zeros((0, 0), np.float32)
        if not len(values):
            continue
        known = first[report.rig, frames, values.shape[1]]
        found = next((where for other, where in known if _are_equal(values, other)), "")
        if found:
            equal[name] = found
        else:
            known.append((values, own if len(report.clips) == 1 else f"{own}: {name}"))
    if not equal:
        return report
    kept: tuple[FileAnimation, ...] = tuple(one for one in report.animations if one.name not in equal)
    if kept:
        return replace(report, animations=kept, equal=equal)
    if len(report.clips) == 1:
        what = f"the same motion as {next(iter(equal.values()))}"
    else:
        elsewhere = listed(sorted({where.split(": ")[0] for where in equal.values()}), 3)
        what = f"all {counted(len(equal), 'animation')} are in {elsewhere} too"
    return replace(report, equal=equal, problems=by_severity([Problem("error", what), *report.problems]))


def _are_equal(a: np.ndarray, b: np.ndarray) -> bool:
    if np.abs(a[:, :3] - b[:, :3]).max() > SAME_PLACE:
        return False
    cosines = np.abs(np.sum((a[:, 3:] * b[:, 3:]).reshape(LOOKS, -1, 4), axis=-1))
    return bool(cosines.min() > np.cos(SAME_TURN / 2))
