"""Labels: the words for what happens in a take, each with one letter, one colour and what a recipe says of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from kinematch.doctor.report import Report
from kinematch.motion.actions import EVENT_KINDS

UNUSUAL = "unusual"  # an upper body far from what the rest of the set does at that speed
SET_APART = ("low", "climbing", "jumping", UNUSUAL)  # tags that characters leave alone unless a command names them
BETWEEN = "between"  # the tag of a moment between two such stretches, left alone with them


@dataclass(frozen=True)
class Label:
    name: str
    letter: str  # in the terminal's strip
    colour: int  # 1 to 8, of the series of colours that pictures and the page share; alike for what is alike
    tags: tuple[str, ...] = ()  # of the range that a recipe has for it; none for what it drops


# in order of precedence: a moment with several labels shows the first
LABELS = (
    Label("T-pose", "T", 6),
    Label("A-pose", "A", 6),
    Label("N-pose", "N", 6),
    Label("lying", "L", 4, ("low", "lying")),
    Label("sitting", "S", 8, ("low", "sitting")),
    Label("kneeling", "K", 8, ("low", "kneeling")),
    Label("falling", "F", 4, ("low", "falling")),
    Label("hands-on-knees", "H", 5, ("low", "hands-on-knees")),
    Label("crouching", "C", 5, ("low", "crouching")),
    Label("climbing", "^", 7, ("climbing",)),
    Label("jumping", "J", 7, ("jumping",)),
    Label(UNUSUAL, "U", 6, (UNUSUAL,)),
    Label("carrying", "B", 8, ("carrying",)),
    Label("idle", "I", 3, ("idle",)),
    Label("running", "R", 2, ("running",)),
    Label("walking", "w", 1, ("walking",)),
)
COLOURS = {label.name: label.colour for label in LABELS} | {"forward": 1, "backward": 1, "sideways": 1}


@dataclass(frozen=True)
class Labelled:
    """A stretch of a take with its label, in seconds of the file."""

    name: str
    start: float  # s
    stop: float  # s


def list_rows(report: Report) -> dict[str, list[tuple[float, float]]]:
    """Stretches in seconds by what happens in them, of a file with one animation; they may overlap."""
    rows: dict[str, list[tuple[float, float]]] = {}
    if len(report.clips) != 1:
        return rows
    for pose in report.calibration_poses:
        rows.setdefault(f"{pose.kind}-pose", []).append((pose.start, pose.stop))
    for one in report.activities:
        if one.name != "low":
            rows.setdefault(one.name, []).append((one.start, one.stop))
    return rows


def list_moments(report: Report) -> dict[str, list[float]]:
    """Times of events in seconds by kind, in the order of the kinds."""
    found: dict[str, list[float]] = {}
    for kind in EVENT_KINDS:
        times = [event.time for event in report.events if event.kind == kind]
        found |= {kind: times} if times else {}
    return found


def list_labels(report: Report) -> list[Labelled]:
    """One label for each moment that has any, the first of LABELS, as stretches in order that do not overlap."""
    rows = list_rows(report)
    times = sorted({time for stretches in rows.values() for stretch in stretches for time in stretch})
    found: list[Labelled] = []
    for start, stop in pairwise(times):
        name = find_label(rows, (start + stop) / 2)
        if name and found and (found[-1].name, found[-1].stop) == (name, start):
            found[-1] = Labelled(name, found[-1].start, stop)
        elif name:
            found.append(Labelled(name, start, stop))
    return found


def find_label(rows: dict[str, list[tuple[float, float]]], time: float) -> str:
    """The label of one moment; empty where there is none."""
    return next((one.name for one in LABELS if any(a <= time < b for a, b in rows.get(one.name, ()))), "")


def write_filter(tags: Iterable[str]) -> str:
    """The filter that leaves aside what is set apart: `!low & !jumping`; empty where nothing is."""
    present = set(tags)
    return " & ".join(f"!{name}" for name in (*SET_APART, BETWEEN) if name in present)
