"""Scores the doctor's events against those seen in pictures: `python -m kinematch.bench.events EVENTS.toml FOLDER`.

What the file holds stands at its top. An event is found where one of its kind is within the tolerance, and invented
where none is and the pictures do not leave it undecided. A file of labels of other things is no problem: a take
without `events` is left out.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinematch.bench.labels import read_arguments, read_takes
from kinematch.files import read_clip
from kinematch.motion.actions import EVENT_KINDS
from kinematch.motion.labels.activity import find_activities
from kinematch.motion.labels.calibration import find_calibration_poses
from kinematch.motion.labels.events import find_events

TOLERANCE_SECONDS = 0.1  # s


@dataclass
class Count:
    """Events of one kind."""

    labelled: int = 0
    found: int = 0  # of those labelled
    reported: int = 0  # by the doctor, where the pictures decide
    invented: int = 0  # of those
    missed_at: list[str] = field(default_factory=list)  # takes and times

    def add(self, other: "Count") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def score_events(take: dict[str, Any], folder: Path) -> dict[str, Count]:
    """What of the labelled events of a take is found, and what is invented, by kind."""
    clip = read_clip(folder / f"{take['path']}.bvh")
    poses = find_calibration_poses(clip)
    events = find_events(clip, find_activities(clip, poses), poses)
    first, last = take.get("since", 0.0), take.get("until", clip.duration)
    counts = {kind: Count() for kind in EVENT_KINDS}
    for kind, count in counts.items():
        reported = [event.time for event in events if event.kind == kind and first <= event.time <= last]
        wide = {name: [(one[1], one[-1]) for one in take.get(name, []) if one[0] == kind]
                for name in ("events", "undecided")}  # fmt: skip
        count.labelled = len(wide["events"])
        for start, stop in wide["events"]:
            match = next((time for time in reported if _near(time, start, stop)), None)
            if match is None:
                count.missed_at.append(f"{take['path']}: {kind} at {start:.2f} s is missed, {_list(reported)}")
                continue
            reported.remove(match)
            count.found += 1
        extra = [time for time in reported if not any(_near(time, *one) for one in wide["undecided"])]
        count.missed_at += [f"{take['path']}: {kind} at {time:.2f} s is invented" for time in extra]
        count.invented, count.reported = len(extra), count.found + len(extra)
    return counts


def _near(time: float, start: float, stop: float) -> bool:
    return start - TOLERANCE_SECONDS <= time + 1e-9 and time - 1e-9 <= stop + TOLERANCE_SECONDS


def _list(times: list[float]) -> str:
    return "there are " + ", ".join(f"{time:.2f}" for time in times) if times else "there is none"


def write_table(takes: list[dict[str, Count]], *, each: bool = False) -> str:
    """Labelled, found, invented by kind and in all; `each` adds what is wrong."""
    lines = [
        f"{len(takes)} takes, within {TOLERANCE_SECONDS} s",
        f"{'':<12}{'labelled':>9}{'found':>8}{'invented':>10}",
    ]
    total = Count()
    for kind in EVENT_KINDS:
        count = Count()
        for take in takes:
            count.add(take[kind])
        total.add(count)
        if count.labelled or count.reported:
            lines.append(_row(kind, count))
    lines.append(_row("all", total))
    return "\n".join(lines + ([f"    {line}" for line in sorted(total.missed_at)] if each else []))


def _row(name: str, count: Count) -> str:
    found = f"{count.found / count.labelled:.0%}" if count.labelled else "-"
    invented = f"{count.invented / count.reported:.0%}" if count.reported else "-"
    return f"{name:<12}{count.labelled:>9}{found:>8}{invented:>10}"


def main() -> None:
    given = read_arguments(__doc__)
    chosen = [take for take in read_takes(given.labels, seen=given.seen) if "events" in take]
    print(write_table([score_events(take, given.folder) for take in chosen], each=given.each))


if __name__ == "__main__":
    main()
