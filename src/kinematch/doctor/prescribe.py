"""Prescribe: a commented recipe for a folder of files, from the doctor's reports on them."""

import glob
import os
import shlex
import tomllib
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.doctor.actions import RAISED, action_lines, list_whole
from kinematch.doctor.feature_lines import animal_features, humanoid_features
from kinematch.doctor.labels import write_filter
from kinematch.doctor.left_out import list_left_out, usable
from kinematch.doctor.mix import LOOP_TAG, LOOPS, explain_mix, find_kind, list_groups
from kinematch.doctor.quoting import can_be_quoted, quoted, quoted_glob, quoted_list
from kinematch.doctor.report import Problem, Report, counted
from kinematch.doctor.stands import activity_lines, carry_lines, idle_lines, list_apart
from kinematch.doctor.unusual import mark_unusual
from kinematch.errors import listed, visible

TAGS = '# words to filter by, such as ["walk"]'
LEAST_LEFT = 0.2  # of the time that a default filter leaves
MIN_PIECE_SECONDS = 0.5  # of a take; the tail of a shorter piece leaves no frame to jump to
MAX_FINDINGS = 12  # findings listed in a source's comments
PASTED = ("root_joint", "loop")  # of notes, what a recipe needs all the same
GAP = '"?"'  # in place of a joint that only the user can name
HEADER = """\
# A recipe for a motion-matching database, written by `kinematch init`.
#   kinematch build {name}      builds it
#   kinematch inspect {database}  shows what came out
# Times are in seconds, lengths in metres. All keys: docs/recipe.md

output = {output}
"""
CLEANING = """
[cleaning]
frame_rate = 60      # frames per second of the database
mirror = {mirror}       # also take each clip with left and right exchanged: twice the motion
floor = "auto"       # put each clip's floor at height 0; "keep" leaves it where it is
root = "spine"       # ground root under the upper spine, smooth; "hips" is under the hips
"""
DROPPED = "# Left out, in seconds: the performer holds a pose for calibration, or raises or lowers the arms for it."
TAGGED = '# The performer stands upright and still. Characters that stop settle in frames tagged "idle".'
FILTER = 'filter = "locomotion"  # characters choose among these unless a command says otherwise, such as "action"\n'
SET_ASIDE = (
    "# The performer is near the ground, off the floor or in the air, or holds the upper body as no other clip of the\n"
    "# set does at that speed (unusual): left alone unless a command names it."
)
MIXED = "# These files are of several kinds or rigs, and stand in sources of their own:"
ACTED = "# Actions: what a character does when it is asked to. No search enters them otherwise."
GROUND = 'ground = "stances"   # feet stand on several heights: the root is on the ground below them'
CARRIED = "# The performer seems to carry something in both hands. Characters use it as any other walk."
MATCHING = """
[matching]
responsiveness = {responsiveness:.1f} # weight of the trajectory: higher follows the stick more closely
quality = 1.0        # weight of the pose: higher gives smoother transitions
tail = 0.33          # seconds before a clip's end that are never jumped to
{filter}"""
PLAIN = """
# Without [[feature]] tables the 27 numbers of the papers are matched: positions and velocities of both feet, velocity
# of the hips, and where the character will be and face in 1/3, 2/3 and 1 second.
"""
FEATURES = """
# What is matched: the 27 numbers of the papers, and velocities of the hands, so that arms swing on over a jump. Without
# [[feature]] tables it is those 27 alone.
"""


def prescribe(reports: list[Report], folder: Path, name: str = "recipe.toml") -> str:
    """The text of a recipe. Files with the same rig and fixes share a source; comments name files that are left out."""
    reports = [_share_contacts(report) for report in reports] if len(reports) > 1 else reports
    reports = mark_unusual(reports)
    own = folder.resolve().name
    output = f"{own if own and can_be_quoted(own) else 'database'}.kinematch"
    poses = {r.rig: r for r in reports if r.rig and not r.buildable and "a pose" in r.problems[0].what}
    good = [report for report in reports if usable(report)]
    mix = list_groups(good)
    belonging = [report for report in good if any(group.belongs and report.path in group.files for group in mix)]
    apart = {report.path for report in good if report not in belonging and find_kind(report) == LOOPS}
    groups: dict[tuple[Any, ...], list[Report]] = defaultdict(list)
    for report in good:
        for part in _parts(report):
            if report.path in apart:
                part = replace(part, tags=(LOOP_TAG, *part.tags))
            groups[report.rig, report.bones, _own_source(report, reports), part].append(report)
    ordered = sorted(groups.items(), key=lambda item: -sum(r.duration for r in item[1]))
    main = next((group[0] for _, group in ordered if group[0] in belonging), None)
    text = HEADER.format(name=_shell(name), database=_shell(output), output=quoted(output))
    if main and any((r.rig, r.bones) != (main.rig, main.bones) for r in good):
        text += f"skeleton = {quoted(_relative(main, folder))}  # the rig that all others are retargeted to\n"
    text += "".join(f"{visible(line)}\n" for line in _mix_lines(explain_mix(mix)))
    for (rig, bones, _, part), group in ordered:
        other = main is not None and (rig, bones) != (main.rig, main.bones)
        whole = len(ordered) == 1 and len(good) == len(reports)
        text += _source(group, part, folder, whole=whole, other=other, pose=poses.get(rig))
    lines = list_left_out(reports)
    text += "".join(f"\n# left out{'' if line.startswith('of ') else ':'} {line}" for line in lines)
    text += "\n" if lines else ""
    parts = [part for (_, _, _, part), group in ordered if group[0] in belonging]
    tagged = any("locomotion" in part.tags for part in parts)
    walked_by = tagged or any("in_place = true" in part.fixes for part in parts)
    # there are no starts or stops between loops: a short piece of the trajectory decides between them
    responsiveness = 2.0 if walked_by else 1.0
    by_tag = tagged and (len(belonging) < len(good) or any("action" in part.tags for part in parts))
    chosen = MATCHING.format(
        filter=FILTER if by_tag else _avoid(belonging, [LOOP_TAG] if apart else []), responsiveness=responsiveness
    )
    if main is None or not (main.missing_roles or main.four_legged):
        features = PLAIN if main is None or walked_by else FEATURES + humanoid_features()
        return text + CLEANING.format(mirror="true ") + chosen + features
    mirror = "true " if main.four_legged else "false"
    return text + CLEANING.format(mirror=mirror) + chosen + animal_features(_fixes(main))


def _mix_lines(told: list[str]) -> list[str]:
    return ["", MIXED, *(f"#   {line}" for line in told)] if told else []


def _avoid(reports: list[Report], others: list[str]) -> str:
    """A filter that leaves aside what is near the ground, off the floor or in the air, if enough remains, and tags of
    what does not belong."""
    apart = [one for r in reports if len(r.clips) == 1 for one in list_apart(r.activities)]
    found = write_filter(tag for _, tags in apart for tag in tags)
    aside = sum(one.stop - one.start for one, _ in apart)
    if aside > (1 - LEAST_LEFT) * sum(r.duration for r in reports):
        found = ""
    found = " & ".join([*([found] if found else []), *(f"!{tag}" for tag in others)])
    return f'filter = "{found}"  # upright, on the floor\n' if found else ""


def _share_contacts(report: Report) -> Report:
    """A file among others keeps their contact joints: one database has the same for all."""
    if report.missing_roles or report.four_legged:
        return report
    lone = [p for p in report.problems if p.fix.startswith("contact_joints")]
    return replace(report, problems=tuple(replace(p, fix="") if p in lone else p for p in report.problems))


def _own_source(report: Report, reports: list[Report]) -> str:
    """Sets a file apart whose idles are tagged by its name, where another file has the same name."""
    name = Path(report.path).name
    shared = sum(Path(other.path).name == name for other in reports) > 1
    return report.path if shared and (report.idles or report.activities) else ""


@dataclass(frozen=True)
class _Part:
    """What files, or animations of files, have in common that share a `[[source]]`."""

    fixes: tuple[str, ...]
    clips: tuple[str, ...] = ()  # empty for all of a file
    tags: tuple[str, ...] = ()


def _parts(report: Report) -> list[_Part]:
    """One part for a file with one animation; animations of a file are parted by what the recipe says of them."""
    if not report.animations:
        return [_Part(tuple(_fixes(report)))]
    groups: dict[_Part, list[str]] = defaultdict(list)
    for one in report.animations:
        lines = _fixes(report, one.name)
        lines += ["in_place = true"] * one.in_place + ["loop = true"] * one.loop
        groups[_Part(tuple(lines), tags=one.tags)].append(one.name)
    if len(groups) == 1 and len(report.animations) == len(report.clips):
        return list(groups)
    return [replace(part, clips=tuple(names)) for part, names in groups.items()]


def _fixes(report: Report, clip: str = "") -> list[str]:
    """Lines to paste, one for each key: no notes, no gaps that only the user can fill, nothing about other animations
    of the file. The loop of an animation shows whether it is in place."""
    lines: dict[str, str] = {}
    drops: list[list[float]] = []
    told_otherwise = ("clips", "in_place", "contact_joints") if clip else ()
    for problem in report.problems:
        pasted = problem.severity != "note" or problem.fix.startswith(PASTED)
        if pasted and GAP not in problem.fix and problem.clip in ("", clip):
            for line in problem.fix.splitlines():
                key = line.split("=")[0].strip()
                if problem.clip and key in told_otherwise:
                    continue
                drops += tomllib.loads(line)["drop"] if key == "drop" else []
                lines.setdefault(key, line)
    if any(one.name in RAISED for one in list_whole(report.actions, drops)):
        lines["ground"] = GROUND
    if drops:
        lines["drop"] = _drop_line(drops, report.duration if len(report.clips) == 1 else np.inf)
    return list(lines.values())


def _drop_line(drops: list[list[float]], seconds: float) -> str:
    """All ranges to drop, on one line, with gaps between them that are too short to be jumped to."""
    joined: list[list[float]] = []
    for start, stop in [*join_stretches(drops), [seconds, seconds]]:
        before = joined[-1][1] if joined else 0.0
        if start - before >= MIN_PIECE_SECONDS:
            joined.append([start, stop])
        elif joined:
            joined[-1][1] = stop
        else:
            joined.append([0.0, stop])
    joined = [[start, stop] for start, stop in joined if start < stop]
    return f"drop = [{', '.join(f'[{_seconds(start)}, {_seconds(stop)}]' for start, stop in joined)}]"


def join_stretches(stretches: list[list[float]]) -> list[list[float]]:
    """Stretches [start, stop] in order; what overlaps is joined."""
    joined: list[list[float]] = []
    for start, stop in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], stop)
        else:
            joined.append([start, stop])
    return joined


def _seconds(value: float) -> str:
    """`0.0`, `2.567`"""
    return repr(round(value, 4))


def _source(group: list[Report], part: _Part, folder: Path, *, whole: bool, other: bool, pose: Report | None) -> str:
    fixes = list(part.fixes)
    minutes = sum(r.duration * (len(part.clips) / len(r.clips) if part.clips else 1) for r in group) / 60
    count = counted(len(group), "file") + (f", {counted(len(part.clips), 'animation')}" if part.clips else "")
    lines = ["", "[[source]]", f"# {group[0].family} rig, {group[0].joints} joints; {count}, {minutes:.1f} minutes"]
    suffixes = {Path(r.path).suffix for r in group}
    if whole and len(group) > 1 and len(suffixes) == 1:
        lines.append(f"files = [{quoted(_glob_of_all(group, folder) + suffixes.pop())}]")
    elif len(group) == 1:
        lines.append(f"files = [{quoted_glob(_relative(group[0], folder))}]")
    else:
        lines += ["files = [", *(f"    {quoted_glob(_relative(r, folder))}," for r in group), "]"]
    lines += [f"clips = [{', '.join(map(quoted_glob, part.clips))}]"] if part.clips else []
    lines.append(f"tags = {quoted_list(part.tags)}" if part.tags else f"tags = []            {TAGS}")
    lines += ["retarget = true      # this rig differs from the first"] if other else []
    if pose is not None and pose.rig == group[0].rig:
        lines.append(f"tpose = {quoted(_relative(pose, folder))}")
        fixes = [line for line in fixes if not line.startswith("tpose")]
    for line in fixes:
        lines += [DROPPED, line] if line.startswith("drop") and _has_pose(group) else [line]
    about = ("", *(part.clips or [clip for r in group for clip in r.clips]))
    told: dict[str, tuple[Problem, list[str]]] = {}
    for report, problem in ((r, p) for r in group for p in r.problems if p.severity != "note" and p.clip in about):
        told.setdefault(problem.what, (problem, []))[1].append(Path(report.path).name)
    lines += [
        _comment(p, fixes, listed(names, 3) if len(group) > 1 else "")
        for p, names in list(told.values())[:MAX_FINDINGS]
    ]
    lines += [f"# ... and {len(told) - MAX_FINDINGS} more, see `kinematch doctor`"] if len(told) > MAX_FINDINGS else []
    for report in group:
        if report.idles and len(report.clips) == 1 and not report.animations:
            lines += [TAGGED, *idle_lines(report.idles, report.path)]
        apart = activity_lines(report.activities, report.path) if len(report.clips) == 1 else []
        lines += [SET_ASIDE, *apart] if apart else []
        carried = carry_lines(report.activities, report.path) if len(report.clips) == 1 else []
        lines += [CARRIED, *carried] if carried else []
    dropped = tomllib.loads("\n".join(line for line in fixes if line.startswith("drop"))).get("drop", [])
    acted = [line for report in group for line in action_lines(report.actions, report.path, dropped)]
    lines += [ACTED, *acted] if acted else []
    return "\n".join(lines) + "\n"


def _has_pose(group: list[Report]) -> bool:
    return any(pose.stop > pose.start for report in group for pose in report.calibration_poses)


def _comment(problem: Problem, fixes: list[str], files: str) -> str:
    """What was found, in which files of several, with its fix where that is not among the lines above."""
    keys = {line.split("=")[0] for line in fixes if line.startswith("drop")}  # joined into one line with others
    wanted = [line for line in problem.fix.splitlines() if line not in fixes and line.split("=")[0] not in keys]
    where = f"{files}: " if files else ""
    return visible(f"# {problem.severity}: {where}{problem.what}" + (f"   # {'; '.join(wanted)}" if wanted else ""))


def _shell(name: str) -> str:
    return visible(shlex.quote(name))


def _relative(report: Report, folder: Path) -> str:
    return Path(os.path.relpath(report.path, folder)).as_posix()


def _glob_of_all(group: list[Report], folder: Path) -> str:
    """A glob, without suffix, of the folder that holds the group, and of its subfolders if some files are deeper."""
    folders = {Path(report.path).absolute().parent for report in group}
    shared = os.path.relpath(os.path.commonpath(folders), folder)
    every = "**/*" if len(folders) > 1 else "*"
    return every if shared == "." else f"{glob.escape(Path(shared).as_posix())}/{every}"
