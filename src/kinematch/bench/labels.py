"""How well the doctor's labels agree with labels made by hand: `python -m kinematch.bench.labels TAKES.toml FOLDER`.

A take of the file has a path below FOLDER, without `.bvh`, and stretches in seconds by label. Stretches of `LABEL_too`
are undecided: what is found there counts neither way. A take with `complete = true` has no other labels than those
listed; of the others only the labels that are listed are scored. `until` is where the labels of a take end, in seconds.
"""

import argparse
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.files import read_clip
from kinematch.motion.labels.activity import find_activities
from kinematch.motion.labels.calibration import find_calibration_poses

LABELS = ("sitting", "crouching", "lying", "climbing", "jumping", "running")
LISTED_LABELS = ("kneeling", "low")  # scored where a take lists them
TOLERANCE_SECONDS = 0.2  # s; labels by hand are no more accurate

Stretches = list[tuple[float, float]]


@dataclass
class LabelScore:
    """Seconds found and labelled, found alone, labelled alone; each up to the tolerance."""

    right: float = 0.0
    extra: float = 0.0
    found: float = 0.0  # of what is labelled
    missed: float = 0.0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.extra) if self.right + self.extra else float("nan")

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found + self.missed else float("nan")

    def __add__(self, other: "LabelScore") -> "LabelScore":
        return LabelScore(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))


@dataclass
class Running:
    """What becomes of plain running and of real jumps."""

    seconds: float = 0.0  # of plain running
    called_jumping: float = 0.0  # s
    jumps: int = 0
    missed: int = 0

    def __add__(self, other: "Running") -> "Running":
        return Running(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))


@dataclass(frozen=True)
class TakeScore:
    path: str
    scores: dict[str, LabelScore]
    running: Running


def read_takes(path: Path, *, seen: bool = False) -> list[dict[str, Any]]:
    """The takes that rules were made on, or those they were not."""
    return [take for take in tomllib.loads(path.read_text())["take"] if bool(take.get("seen")) == seen]


def score_take(take: dict[str, Any], folder: Path) -> TakeScore:
    """The scores of one take, for each label that it has."""
    clip = read_clip(folder / f"{take['path']}.bvh")
    rate, count = clip.frame_rate, clip.frame_count
    frames = min(count, round(take["until"] * rate)) if "until" in take else count
    stretches = find_activities(clip, find_calibration_poses(clip))
    scores = {}
    names = (*LABELS, *LISTED_LABELS)
    found = {name: [(s.start / rate, s.stop / rate) for s in stretches if s.activity == name] for name in names}
    for name in names:
        if name in take or (take.get("complete") and name in LABELS):
            scores[name] = _score(found[name], take.get(name, []), take.get(f"{name}_too", []), rate, frames)
    running = Running()
    if take.get("complete"):
        plain, jumping = _mark(take.get("running", []), rate, frames), _mark(found["jumping"], rate, frames)
        jumps = [_mark([jump], rate, frames) for jump in take.get("jumping", [])]
        running = Running(
            float(plain.sum() / rate),
            float((plain & jumping).sum() / rate),
            len(jumps),
            sum(not (jump & jumping).any() for jump in jumps),
        )
    return TakeScore(take["path"], scores, running)


def _score(found: Stretches, labelled: Stretches, undecided: Stretches, rate: float, frames: int) -> LabelScore:
    seen, label = _mark(found, rate, frames), _mark(labelled, rate, frames)
    near, near_found = _mark(labelled, rate, frames, TOLERANCE_SECONDS), _mark(found, rate, frames, TOLERANCE_SECONDS)
    decided = ~_mark(undecided, rate, frames, TOLERANCE_SECONDS) | near
    return LabelScore(*(
        float(flags.sum() / rate)
        for flags in (seen & near, seen & ~near & decided, label & near_found, label & ~near_found)
    ))  # fmt: skip


def _mark(stretches: Stretches, rate: float, frames: int, wider: float = 0.0) -> np.ndarray:
    flags = np.zeros(frames, bool)
    for start, stop in stretches:
        flags[max(0, round((start - wider) * rate)) : max(0, round((stop + wider) * rate))] = True
    return flags


def write_table(takes: list[TakeScore], *, each: bool = False) -> str:
    """Precision and recall of each label by time, and what becomes of running and jumps; `each` adds lines by take."""
    lines = [
        f"{len(takes)} takes, within {TOLERANCE_SECONDS} s",
        f"{'':<12}{'labelled':>10}{'precision':>11}{'recall':>9}",
    ]
    for name in (*LABELS, *LISTED_LABELS):
        score = sum((take.scores[name] for take in takes if name in take.scores), LabelScore())
        labelled = score.found + score.missed
        if not labelled:
            continue
        lines.append(f"{name:<12}{labelled:>8.1f} s{score.precision:>10.1%}{score.recall:>9.1%}")
        for take in takes if each else []:
            one = take.scores.get(name, LabelScore())
            if one.extra or one.missed:
                lines.append(f"    {take.path}: {one.extra:.2f} s too much, {one.missed:.2f} s missed")
    all_of = sum((take.running for take in takes), Running())
    if all_of.seconds:
        share = all_of.called_jumping / all_of.seconds
        lines.append(f"of {all_of.seconds:.1f} s of plain running {share:.1%} are called jumping")
    if all_of.jumps:
        lines.append(f"of {all_of.jumps} jumps {all_of.missed} are missed")
    return "\n".join(lines)


def read_arguments(about: str | None) -> argparse.Namespace:
    """`labels`, `folder`, `seen` and `each` from the command line."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path, help="labels by hand, such as tests/doctor/takes.toml or events.toml")
    parser.add_argument("folder", type=Path, help="the folder with the files")
    parser.add_argument("--seen", action="store_true", help="score the takes that the rules were made on instead")
    parser.add_argument("--each", action="store_true", help="also list what is missed and what is invented")
    return parser.parse_args()


def main() -> None:
    given = read_arguments(__doc__)
    takes = read_takes(given.labels, seen=given.seen)
    print(write_table([score_take(take, given.folder) for take in takes], each=given.each))


if __name__ == "__main__":
    main()
