"""Where the performer stands in a take: calibration poses to drop, idles to tag, and the recipe lines for both."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from kinematch.doctor.labels import BETWEEN, SET_APART
from kinematch.doctor.quoting import quoted_glob, quoted_list
from kinematch.doctor.report import Activity, HeldPose, Idle, Problem
from kinematch.motion.clip import Clip
from kinematch.motion.labels.activity import LOW, find_activities
from kinematch.motion.labels.calibration import find_calibration_poses

MOST_IDLES = 8  # tagged in one file, the longest ones; characters need a few to choose from
IDLE = "idle"  # the tag of frames in which standing characters settle
CARRY = "carrying"  # only tagged: there was no real take to measure how often that is right
MAX_LOOP_SECONDS = 15.0  # of an idle that is played to and fro; a longer one has enough to show
WORTH_TAGGING = 0.3  # s of an activity within a low stretch
LEAST_BETWEEN = 1.0  # s between two stretches that are set apart; less is no motion to play, only a way out of it
MIN_REST_SECONDS = 0.34  # s; a take of which less is left shows nothing but the pose


def find_stands(clip: Clip, name: str = "") -> tuple[list[HeldPose], list[Idle], list[Activity]]:
    """Calibration poses, idles and activities of a clip in seconds; `name` distinguishes the clips of one file."""
    poses = find_calibration_poses(clip)
    stretches = find_activities(clip, poses)

    def at(frame: int) -> float:
        return round(frame / clip.frame_rate, 3)

    held = [
        HeldPose(pose.kind, at(pose.start), at(pose.stop), (at(pose.drop_start), at(pose.drop_stop)), name)
        for pose in poses
    ]
    activities = [Activity(one.activity, at(one.start), at(one.stop), name) for one in stretches]
    aloft = [one for one in activities if one.name == "climbing"]
    idles = [Idle(one.start, one.stop, name) for one in activities if one.name == IDLE]
    idles = [one for one in idles if not any(up.start < one.stop and one.start < up.stop for up in aloft)]
    longest = sorted(idles, key=lambda idle: idle.start - idle.stop)[:MOST_IDLES]
    return held, sorted(longest, key=lambda idle: idle.start), activities


def calibration_problems(poses: Sequence[HeldPose], seconds: float) -> list[Problem]:
    """One warning about all calibration poses of a clip, with the line that drops them."""
    if not poses:
        return []
    kinds = " and ".join(f"{kind}-pose" for kind in sorted({pose.kind for pose in poses}, reverse=True))
    dropped = sum(stop - start for start, stop in (pose.drop for pose in poses))
    if seconds - dropped < MIN_REST_SECONDS:
        return [Problem("error", f"a {kinds} and nothing else: a pose, not a motion")]
    times = list_times(poses)
    stretches = ", ".join(f"[{start:.3f}, {stop:.3f}]" for start, stop in (pose.drop for pose in poses))
    return [Problem("warning", f"calibration {kinds} at {times}", f"drop = [{stretches}]")]


def idle_notes(idles: Sequence[Idle], path: str) -> list[Problem]:
    """A note about the idles of a file, with the lines that tag them."""
    if not idles:
        return []
    what = f"stands upright and still at {list_times(idles)}: tagged {IDLE!r}, characters that stop settle there"
    return [Problem("note", what, "\n".join(idle_lines(idles, path)))]


def idle_lines(idles: Sequence[Idle], path: str) -> list[str]:
    """The `[[source.range]]` tables that tag the idles of a file."""
    return [line for idle in idles for line in (*_range_lines(idle, path, [IDLE]), *_loop_lines(idle))]


def _loop_lines(idle: Idle) -> list[str]:
    return ["loop = true"] if idle.stop - idle.start < MAX_LOOP_SECONDS else []


def activity_lines(activities: Sequence[Activity], path: str) -> list[str]:
    """The `[[source.range]]` tables of what characters do only when commanded; low ones say what is in them."""
    return [line for one, tags in list_apart(activities) for line in _range_lines(one, path, tags)]


def list_apart(activities: Sequence[Activity]) -> list[tuple[Activity, list[str]]]:
    """Stretches that a default filter leaves aside, in order, with the tags of each."""
    apart = [one for one in activities if one.name in SET_APART]
    pieces = [piece for one in apart for piece in _split_low(one, activities)] + _find_gaps(apart)
    return sorted(pieces, key=lambda piece: piece[0].start)


def carry_lines(activities: Sequence[Activity], path: str) -> list[str]:
    """The `[[source.range]]` tables of ranges in which the performer seems to carry something."""
    return [line for one in activities if one.name == CARRY for line in _range_lines(one, path, [CARRY])]


def _split_low(one: Activity, activities: Sequence[Activity]) -> list[tuple[Activity, list[str]]]:
    """A low stretch as pieces with the tags of what happens in each; another stretch as it is."""
    inside = [each for each in activities if each.name in LOW and _shared(each, one) >= WORTH_TAGGING]
    if one.name != "low" or not inside:
        return [(one, [one.name])]
    times = {one.start, one.stop} | {time for each in inside for time in (each.start, each.stop)}
    pieces: list[tuple[Activity, list[str]]] = []
    for start, stop in pairwise(sorted(time for time in times if one.start <= time <= one.stop)):
        tags = [one.name, *dict.fromkeys(each.name for each in inside if each.start < stop and start < each.stop)]
        if pieces and pieces[-1][1] == tags:
            pieces[-1] = (replace(pieces[-1][0], stop=stop), tags)
        else:
            pieces.append((replace(one, start=start, stop=stop), tags))
    return pieces


def _find_gaps(apart: Sequence[Activity]) -> list[tuple[Activity, list[str]]]:
    """Stretches between two that are set apart, where hardly anything lies between."""
    gaps = {}
    for one in apart:
        others = [other for other in apart if other is not one and other.clip == one.clip]
        if any(other.start <= one.stop < other.stop for other in others):
            continue
        ahead = [other.start for other in others if one.stop < other.start < one.stop + LEAST_BETWEEN]
        if ahead:
            gaps[one.clip, one.stop] = (replace(one, name=BETWEEN, start=one.stop, stop=min(ahead)), [BETWEEN])
    return list(gaps.values())


def _shared(one: Activity, other: Activity) -> float:
    return min(one.stop, other.stop) - max(one.start, other.start)


def _range_lines(one: Idle | Activity, path: str, tags: list[str]) -> list[str]:
    lines = ["[[source.range]]", f"files = {quoted_glob(Path(path).name)}"]
    return [*lines, f"from = {one.start:.3f}", f"to = {one.stop:.3f}", f"tags = {quoted_list(tags)}"]


def list_times(stretches: Sequence[HeldPose] | Sequence[Idle]) -> str:
    """`0.0-2.4 s, 100.2-102.2 s`"""
    return ", ".join(f"{one.start:.1f}-{one.stop:.1f} s" for one in stretches)
