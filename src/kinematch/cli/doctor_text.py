"""What the doctor prints: a sheet for one file, a table for many."""

import json
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from kinematch.cli.doctor_strip import explain_strip, write_strip
from kinematch.cli.screen import Screen
from kinematch.doctor import Problem, Report
from kinematch.doctor.actions import count_actions
from kinematch.doctor.labels import list_moments
from kinematch.doctor.report import HeldPose, Idle
from kinematch.errors import listed

COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}
LEGEND = "hips: m above the floor; m/s: median and most; skate: cm/s of planted feet"
NAME_WIDTH = 26  # columns reserved for a file's name
LEAST_MISSED = ("joints", "frames", "fps", "hips", "up", "skate", "unit", "rig")
VERDICTS = {"error": Text("cannot be built", "red"), "warning": Text("see below", "yellow"), "": Text("good", "green")}


def format_json(reports: list[Report]) -> str:
    return json.dumps([report.to_json() for report in reports], indent=2)


def print_reports(reports: list[Report]) -> None:
    screen = Screen()
    if len(reports) == 1:
        _print_sheet(screen, reports[0])
        return
    screen.print(_overview(reports, screen.width))
    screen.say((LEGEND, "dim"))
    ill: dict[tuple[Problem, ...], list[str]] = {}  # files with the same problems are listed together
    for report in reports:
        serious = tuple(problem for problem in report.problems if problem.severity != "note")
        if serious:
            ill.setdefault(serious, []).append(report.path)
    for problems, paths in ill.items():
        screen.say((f"\n{listed(paths, 3)}", "bold"))
        _print_problems(screen, problems)
    bad = sum(not report.buildable for report in reports)
    screen.say(f"\n{len(reports)} files, {len(reports) - bad} can be built", (f", {bad} cannot" if bad else "", "red"))


def _overview(reports: list[Report], width: int) -> Table:
    """A row for each file; a narrow screen loses the least important columns first, never the verdict."""
    rows = [_row(report) for report in reports]
    widths = {name: max(cell_len(str(cell)) for cell in (name, *(row[name] for row in rows))) + 2 for name in rows[0]}
    widths["file"] = min(widths["file"], NAME_WIDTH)
    for name in LEAST_MISSED:
        if sum(widths.values()) > width:
            del widths[name]
    table = Table(box=None, header_style="bold", padding=(0, 1))
    for name in widths:
        if name == "file":
            table.add_column(name, overflow="fold", min_width=widths[name] - 2)
        else:
            table.add_column(name, justify="left" if name in ("rig", "verdict") else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(row[name] for name in widths))
    return table


def _row(r: Report) -> dict[str, str | Text]:
    worst = r.problems[0].severity if r.problems else ""
    read = bool(r.frames)
    return {
        "file": Path(r.path).name,
        "rig": r.family,
        "joints": str(r.joints) if read else "-",
        "frames": str(r.frames) if read else "-",
        "fps": f"{r.frame_rate:.4g}" if read else "-",
        "s": f"{r.duration:.1f}" if read else "-",
        "unit": _unit(r.unit) if read else "-",
        "up": r.up if read else "-",
        "hips": _or_dash(r.hips_height, "{:.2f}"),
        "m/s": f"{r.speed[0]:.1f}-{r.speed[2]:.1f}" if r.speed else "-",
        "skate": _or_dash(r.contacts.skate * 100 if r.contacts else None, "{:.1f}"),
        "verdict": VERDICTS.get(worst, VERDICTS[""]),
    }


def _print_sheet(screen: Screen, r: Report) -> None:
    """Everything about one file; lines to paste are printed outside the frame so that they can be copied."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    if r.frames:
        clips = f", {len(r.clips)} animations: {', '.join(r.clips)}" if len(r.clips) > 1 else ""
        table.add_row("rig", f"{r.family}, {r.joints} joints ({r.format})")
        table.add_row("motion", f"{r.frames} frames at {r.frame_rate:.6g} fps, {r.duration:.2f} s{clips}")
        table.add_row("unit", f"{_unit(r.unit)}: {r.unit_reason}")
        table.add_row("up", f"{r.up}: {r.up_reason}")
        table.add_row("facing", f"{r.facing or 'unknown'}: {r.facing_reason}")
        if r.figures_of:
            table.add_row("figures", f"below are of the longest animation, {r.figures_of!r}")
        table.add_row("floor", _floor(r))
        table.add_row("root", r.root)
        table.add_row("T-pose", r.tpose or ("none: four legs" if r.four_legged else "none: not a humanoid"))
        if r.calibration_poses:
            table.add_row("calibration", _poses(r))
        if r.idles:
            table.add_row("idle", ", ".join(f"{_times(one)}{_in_clip(one)}" for one in r.idles))
        if strip := write_strip(r):
            table.add_row("activity", f"{strip}\n{explain_strip(strip)}")
        if r.events:
            told = (f"{kind} {', '.join(f'{time:.2f}' for time in times)} s" for kind, times in list_moments(r).items())
            table.add_row("events", "; ".join(told))
        if r.actions:
            table.add_row("actions", count_actions(r.actions))
        if r.speed:
            table.add_row("speed", "median {:.2f}, 95 % {:.2f}, most {:.2f} m/s".format(*r.speed))
        if r.contacts:
            c = r.contacts
            shares = ", ".join(f"{name} {share:.0%}" for name, share in zip(c.joints, c.share))
            skate = f"slide {c.skate * 100:.1f} cm/s (95 % {c.skate_p95 * 100:.1f}), drift {c.drift * 100:.1f} cm"
            table.add_row("contacts", f"{shares}; {c.stances} stances; {skate}")
        table.add_row("roles", f"{len(r.roles)} by {r.role_method}" + _gaps(r))
        table.add_row("", Text(", ".join(f"{role} {name}" for role, name in r.roles.items()), style="dim"))
        screen.print(Panel(table, title=Text(Path(r.path).name), title_align="left"))
    else:
        screen.say((r.path, "bold"))
    _print_problems(screen, r.problems)
    if r.buildable:
        screen.say(("can be built", "green"), "" if r.problems else ": nothing to complain of")
    else:
        screen.say(("cannot be built as it is", "red"))


def _print_problems(screen: Screen, problems: Sequence[Problem]) -> None:
    for problem in problems:
        screen.print(Text.assemble((f"{problem.severity}: ", COLOURS[problem.severity]), problem.what))
        for line in problem.fix.splitlines():
            screen.say((f"    {line}", "green"))


def _unit(metres: float) -> str:
    names = {1.0: "m", 0.01: "cm", 0.001: "mm", 0.0254: "inch", 0.3048: "foot"}
    return names.get(round(metres, 6), f"{metres * 100:.3f} cm")


def _or_dash(value: float | None, text: str) -> str:
    return "-" if value is None else text.format(value)


def _poses(r: Report) -> str:
    """`T-pose 0.00-2.43 s, 100.23-102.20 s`"""
    kinds = sorted({pose.kind for pose in r.calibration_poses}, reverse=True)
    poses = {kind: [pose for pose in r.calibration_poses if pose.kind == kind] for kind in kinds}
    return "; ".join(f"{kind}-pose " + ", ".join(f"{_times(p)}{_in_clip(p)}" for p in poses[kind]) for kind in kinds)


def _times(stretch: HeldPose | Idle) -> str:
    return f"{stretch.start:.2f}-{stretch.stop:.2f} s"


def _in_clip(stretch: HeldPose | Idle) -> str:
    return f" of {stretch.clip}" if stretch.clip else ""


def _floor(r: Report) -> str:
    hips = "" if r.hips_height is None else f", hips {r.hips_height:.2f} m above it"
    return "unknown: nothing that touches it is known" if r.floor is None else f"at {r.floor:+.3f} m{hips}"


def _gaps(r: Report) -> str:
    return f"; missing: {', '.join(r.missing_roles)}" if r.missing_roles else "; none missing"
