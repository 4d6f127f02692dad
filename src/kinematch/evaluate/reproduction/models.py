"""Models of the learned work: its two sets of takes or what stands in for them, trained in its design and in ours."""

import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database.sources import hash_value
from kinematch.database.storage import Database
from kinematch.evaluate.reproduction.material import BUILT_IN, Material, Named
from kinematch.evaluate.reproduction.results import hash_package
from kinematch.learned.model import Model
from kinematch.learned.model_file import SUFFIX, load_model, save_model
from kinematch.learned.scoring import find_digest
from kinematch.learned.training.journal import Journal
from kinematch.learned.training.plan import STAGES, check_training, make_plan
from kinematch.learned.training.train import Training
from kinematch.writing import write_beside

SMALL_MODEL, BIG_MODEL, SNAP_MODEL = "small", "big", "snap"
SMALL_TAKES = ("pushAndStumble1_subject5", "run1_subject5", "walk1_subject5")  # table 5.1
BIG_TAKES = (
    "jumps1_subject1", "jumps1_subject2", "run1_subject2", "run1_subject5", "run2_subject1", "run2_subject4",
    "sprint1_subject2", "sprint1_subject4", "walk1_subject1", "walk1_subject2", "walk1_subject5", "walk2_subject1",
    "walk2_subject3", "walk2_subject4", "walk3_subject1", "walk3_subject2", "walk3_subject4", "walk3_subject5",
    "walk4_subject1",
)  # fmt: skip
FEW_CLIPS = (
    "walk1_subject1_walk", "run2_subject4_run2", "fightAndSports1_subject1_sidesteps",
    "fightAndSports1_subject1_backward", "pushAndFall1_subject4_stand", "obstacles3_subject4_slalom",
)  # fmt: skip
SHARE = 0.25  # of the built-in motion, in place of the small set
KINDS = {
    SMALL_MODEL: (SMALL_MODEL, "paper"),
    BIG_MODEL: (BIG_MODEL, "paper"),
    SNAP_MODEL: (SMALL_MODEL, "snap"),
}  # which set, which design


@dataclass(frozen=True, eq=False)
class Trained:
    model: Model
    path: Path
    step_seconds: dict[str, float]  # of processor time, by stage
    losses: dict[str, float]  # the mean of the last tenth of each stage


class StepRecord(Journal):
    """What the tables of the work print: time and loss of every iteration, kept in a file, so that a training that was
    interrupted continues with all of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: dict[str, list[float]] = {}  # of processor time by stage; NaN for the first step after a pause
        self.losses: dict[str, list[float]] = {}
        self._last: tuple[str, int, float] | None = None  # stage, step and clock of the last iteration
        try:
            kept = json.loads(path.read_bytes())
            self.seconds, self.losses = kept["seconds"], kept["losses"]
        except (OSError, ValueError, TypeError, KeyError):
            pass  # none yet, or damaged: what it had is not counted

    def note_loss(self, stage: str, step: int, steps: int, seconds: float, loss: float) -> None:
        now = time.thread_time()
        own, losses = self.seconds.setdefault(stage, []), self.losses.setdefault(stage, [])
        del own[step - 1 :], losses[step - 1 :]  # steps since the last checkpoint are repeated
        missing = [math.nan] * (step - 1 - len(own))
        follows = self._last is not None and self._last[:2] == (stage, step - 1)
        own += [*missing, now - self._last[2] if self._last and follows else math.nan]
        losses += [*missing, loss]
        self._last = stage, step, now

    def note_report(self, stage: str, step: int, steps: int, value: float, text: str) -> None:
        write_beside(self.path, json.dumps({"seconds": self.seconds, "losses": self.losses}).encode())
        self._last = stage, step, time.thread_time()  # reports are no part of an iteration

    def find_step_seconds(self) -> dict[str, float]:
        """Mean time of an iteration by stage."""
        return {stage: float(np.nanmean(own)) for stage, own in self.seconds.items()}

    def find_last_losses(self) -> dict[str, float]:
        """Mean loss of the last tenth of each stage."""
        return {stage: float(np.nanmean(own[-max(1, len(own) // 10) :])) for stage, own in self.losses.items()}


def find_set(material: Material, name: str) -> Named:
    """The small or the big set: the work's takes, or clips of the same actors, or the built-in motion."""
    kept: dict[str, Named] = material.made.setdefault("sets", {})
    if name not in kept:
        kept[name] = _find_set(material, name)
    return kept[name]


def _find_set(material: Material, name: str) -> Named:
    wanted = SMALL_TAKES if name == SMALL_MODEL else BIG_TAKES
    if all(take in material.takes for take in (*SMALL_TAKES, *BIG_TAKES)):
        paths = [material.takes[take] for take in wanted]
        return Named(material.build(f"learned-{name}", paths), f"the {len(paths)} takes of table 5.1", True)
    if all(clip in material.clips for clip in FEW_CLIPS):
        chosen = FEW_CLIPS if name == SMALL_MODEL else tuple(material.clips)
        paths = [material.clips[clip] for clip in chosen]
        return Named(material.build(f"learned-{name}", paths), f"{len(paths)} clips cut from LAFAN1")
    if name == BIG_MODEL:
        return Named(material.card, BUILT_IN)
    return Named(material.take_share(material.card, SHARE), f"{SHARE:.0%} of {BUILT_IN}")


def find_model(material: Material, kind: str) -> Trained:
    """A model of some kind, trained now if it was not before."""
    kept: dict[str, Trained] = material.made.setdefault("models", {})
    if kind not in kept:
        kept[kind] = train_model(material, kind)
    return kept[kind]


def train_model(material: Material, kind: str) -> Trained:
    """As many iterations as the tables of the work have, or as the effort allows."""
    check_training()
    name, design = KINDS[kind]
    database: Database = find_set(material, name).what
    counts = material.effort.big_steps if name == BIG_MODEL else material.effort.small_steps
    steps: dict[str, Any] = {f"{stage}_steps": count for stage, count in zip(STAGES, counts)}
    if design == "snap":
        del steps["project_steps"]
    plan = make_plan(design, database.poses.frame_count, capacity="small", **steps)
    # all that a model depends on; one that is finished is opened, one that was interrupted is resumed
    key = hash_value([kind, asdict(plan), material.seed, find_digest(database), hash_package()])[:16]
    path = material.keep / f"{kind}-{key}{SUFFIX}"
    checkpoint, record = path.with_suffix(".checkpoint"), StepRecord(path.with_suffix(".steps"))
    if not (path.exists() and record.seconds):
        training = Training(database, plan, seed=material.seed, resume=checkpoint, journal=record)
        model = training.run(
            lambda done, total, text: material.progress(f"training {kind}: {text.split()[0]}", done, total)
        )
        save_model(path, model)
        checkpoint.unlink(missing_ok=True)
    return Trained(load_model(path), path, record.find_step_seconds(), record.find_last_losses())
