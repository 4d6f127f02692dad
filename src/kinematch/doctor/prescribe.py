"""Prescribe: a commented recipe for a folder of files, from the doctor's reports on them."""

import glob
import os
import shlex
import tomllib
from collections import defaultdict
from pathlib import Path

from kinematch.doctor.motion_problems import SINGLE
from kinematch.doctor.quoting import can_be_quoted, quoted, quoted_glob
from kinematch.doctor.report import Problem, Report, counted
from kinematch.doctor.stands import idle_lines
from kinematch.errors import visible

MOST = 12  # findings listed in a source's comments
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
TAGGED = '# Here somebody stands upright and still. Characters that stop settle in frames tagged "idle".'
MATCHING = """
[matching]
responsiveness = 1.0 # weight of the trajectory: higher follows the stick more closely
quality = 1.0        # weight of the pose: higher gives smoother transitions
tail = 0.33          # seconds before a clip's end that are never jumped to

# Without [[feature]] tables the 27 numbers of the papers are matched: positions and velocities of both feet, velocity
# of the hips, and where the character will be and face in 1/3, 2/3 and 1 second.
"""


def prescribe(reports: list[Report], folder: Path, name: str = "recipe.toml") -> str:
    """The text of a recipe. Files with the same rig and fixes share a source; comments name files that are left out."""
    own = folder.resolve().name
    output = f"{own if own and can_be_quoted(own) else 'database'}.kinematch"
    poses = {r.rig: r for r in reports if r.rig and not r.buildable and "a pose" in r.problems[0].what}
    left_out = [r for r in reports if not usable(r)]
    groups: dict[tuple, list[Report]] = defaultdict(list)
    for report in reports:
        if usable(report):
            groups[report.rig, report.bones, _own_source(report, reports), *_fixes(report)].append(report)
    ordered = sorted(groups.items(), key=lambda item: -sum(r.duration for r in item[1]))
    main = ordered[0][1][0] if ordered else None
    text = HEADER.format(name=_shell(name), database=_shell(output), output=quoted(output))
    if main and any((r.rig, r.bones) != (main.rig, main.bones) for _, group in ordered for r in group):
        text += f"skeleton = {quoted(_relative(main, folder))}  # the rig that all others are retargeted to\n"
    for (rig, bones, _, *fixes), group in ordered:
        other = main is not None and (rig, bones) != (main.rig, main.bones)
        text += _source(
            group, fixes, folder, whole=len(ordered) == 1 and not left_out, other=other, pose=poses.get(rig)
        )
    for report in left_out:
        nameless = not can_be_quoted(report.path)
        why = "its name is no Unicode text: rename it" if nameless else report.problems[0].what
        text += "\n" + visible(f"# left out: {Path(report.path).name}: {why}")
    text += "\n" if left_out else ""
    if main is None or not main.missing_roles:
        return text + CLEANING.format(mirror="true ") + MATCHING
    matching = MATCHING.split("\n# Without")[0] + "\n"
    return text + CLEANING.format(mirror="false") + matching + _animal_features(main)


def usable(report: Report) -> bool:
    """Whether it can be built as it is or once its recipe lines are pasted."""
    curable = all(p.severity != "error" or (p.fix and "root_joint" in p.fix) for p in report.problems)
    return curable and report.frames >= SINGLE and can_be_quoted(report.path)


def _own_source(report: Report, reports: list[Report]) -> str:
    """Sets a file apart whose idles are tagged by its name, where another file has the same name."""
    name = Path(report.path).name
    shared = sum(Path(other.path).name == name for other in reports) > 1
    return report.path if shared and report.idles else ""


def _fixes(report: Report) -> list[str]:
    """Lines to paste, one for each key: no notes, no gaps that only the user can fill, nothing that would change other
    animations of the file."""
    lines: dict[str, str] = {}
    drops: list[list[float]] = []
    for problem in report.problems:
        about = {p.clip for p in report.problems if p.fix == problem.fix}
        for_all = not problem.clip or about >= set(report.clips)
        if problem.severity != "note" and GAP not in problem.fix and for_all:
            for line in problem.fix.splitlines():
                key = line.split("=")[0].strip()
                drops += tomllib.loads(line)["drop"] if key == "drop" else []
                lines.setdefault(key, line)
    if drops:
        lines["drop"] = _drop_line(drops)
    return list(lines.values())


def _drop_line(drops: list[list[float]]) -> str:
    """Everything to drop on one line; what overlaps is joined."""
    joined: list[list[float]] = []
    for start, stop in sorted(drops):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], stop)
        else:
            joined.append([start, stop])
    return f"drop = [{', '.join(f'[{_seconds(start)}, {_seconds(stop)}]' for start, stop in joined)}]"


def _seconds(value: float) -> str:
    """`0.0`, `2.567`"""
    return repr(round(value, 4))


def _source(
    group: list[Report], fixes: list[str], folder: Path, *, whole: bool, other: bool, pose: Report | None
) -> str:
    minutes = sum(r.duration for r in group) / 60
    count = counted(len(group), "file")
    lines = ["", "[[source]]", f"# {group[0].family} rig, {group[0].joints} joints; {count}, {minutes:.1f} minutes"]
    suffixes = {Path(r.path).suffix for r in group}
    if whole and len(group) > 1 and len(suffixes) == 1:
        lines.append(f"files = [{quoted(_glob_of_all(group, folder) + suffixes.pop())}]")
    elif len(group) == 1:
        lines.append(f"files = [{quoted_glob(_relative(group[0], folder))}]")
    else:
        lines += ["files = [", *(f"    {quoted_glob(_relative(r, folder))}," for r in group), "]"]
    lines.append('tags = []            # words to filter by, such as ["walk"]')
    lines += ["retarget = true      # this rig differs from the first"] if other else []
    if pose is not None and pose.rig == group[0].rig:
        lines.append(f"tpose = {quoted(_relative(pose, folder))}")
        fixes = [line for line in fixes if not line.startswith("tpose")]
    for line in fixes:
        lines += [DROPPED, line] if line.startswith("drop") and _has_pose(group) else [line]
    told = {problem.what: problem for r in group for problem in r.problems if problem.severity != "note"}
    lines += [_comment(problem, fixes) for problem in list(told.values())[:MOST]]
    lines += [f"# ... and {len(told) - MOST} more, which `kinematch doctor` tells"] if len(told) > MOST else []
    for report in group:
        if report.idles and len(report.clips) == 1:
            lines += [TAGGED, *idle_lines(report.idles, report.path)]
    return "\n".join(lines) + "\n"


def _has_pose(group: list[Report]) -> bool:
    return any(pose.stop > pose.start for report in group for pose in report.calibration_poses)


def _comment(problem: Problem, fixes: list[str]) -> str:
    """What was found, with its fix where that is not among the lines above."""
    keys = {line.split("=")[0] for line in fixes if line.startswith("drop")}  # joined into one line with others
    wanted = [line for line in problem.fix.splitlines() if line not in fixes and line.split("=")[0] not in keys]
    return visible(f"# {problem.severity}: {problem.what}" + (f"   # {'; '.join(wanted)}" if wanted else ""))


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


def _animal_features(report: Report) -> str:
    """Features by joint names, for rigs without roles."""
    fixes = dict(line.split(" = ", 1) for line in _fixes(report) if " = " in line)
    text = ""
    for joint in tomllib.loads(f"joints = {fixes.get('contact_joints', '[]')}")["joints"]:
        for kind in ("position", "velocity"):
            text += f'\n[[feature]]\nkind = "{kind}"\njoint = {quoted(joint)}\n'
    if "root_joint" in fixes:
        text += f'\n[[feature]]\nkind = "velocity"\njoint = {fixes["root_joint"]}\n'
    for kind in ("trajectory_position", "trajectory_direction"):
        text += f'\n[[feature]]\nkind = "{kind}"\ntimes = [0.33, 0.67, 1.0]\n'
    return text
