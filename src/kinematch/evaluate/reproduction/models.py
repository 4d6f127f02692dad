"""Models of the learned work: its two sets of takes or what stands in for them, trained in its design and in ours."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinematch.database.storage import Database
from kinematch.evaluate.reproduction.material import BUILT_IN, Material, Named
from kinematch.learned.model import Model
from kinematch.learned.model_file import SUFFIX, load_model, save_model
from kinematch.learned.training.journal import Journal
from kinematch.learned.training.plan import STAGES, check_training, make_plan
from kinematch.learned.training.train import Training

SMALL, BIG, SNAP = "small", "big", "snap"
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
KINDS = {SMALL: (SMALL, "paper"), BIG: (BIG, "paper"), SNAP: (SMALL, "snap")}  # which set, which design


@dataclass(frozen=True, eq=False)
class Trained:
    model: Model
    path: Path
    seconds: dict[str, float]  # by stage
    steps: dict[str, int]
    losses: dict[str, float]  # the mean of the last tenth of each stage


class Watch(Journal):
    """A journal that keeps what the tables of the work print: time, iterations and the last losses of each stage."""

    def __init__(self) -> None:
        self.began: dict[str, float] = {}
        self.ended: dict[str, float] = {}
        self.losses: dict[str, list[float]] = {}

    def note_loss(self, stage: str, step: int, steps: int, seconds: float, loss: float) -> None:
        now = time.thread_time()
        if stage not in self.began:  # after its first step
            self.began[stage] = now
        self.ended[stage] = now
        self.losses.setdefault(stage, []).append(loss)

    def note_report(self, stage: str, step: int, steps: int, value: float, text: str) -> None:
        self.began[stage] = self.began.get(stage, 0.0) + (now := time.thread_time()) - self.ended[stage]
        self.ended[stage] = now  # reports are no part of an iteration


def find_set(material: Material, name: str) -> Named:
    """The small or the big set: the work's takes, or clips of the same actors, or the built-in motion."""
    kept: dict[str, Named] = material.made.setdefault("sets", {})
    if name not in kept:
        kept[name] = _find_set(material, name)
    return kept[name]


def _find_set(material: Material, name: str) -> Named:
    wanted = SMALL_TAKES if name == SMALL else BIG_TAKES
    if all(take in material.takes for take in (*SMALL_TAKES, *BIG_TAKES)):
        paths = [material.takes[take] for take in wanted]
        return Named(material.build(f"learned-{name}", paths), f"the {len(paths)} takes of table 5.1", True)
    if all(clip in material.clips for clip in FEW_CLIPS):
        chosen = FEW_CLIPS if name == SMALL else tuple(material.clips)
        paths = [material.clips[clip] for clip in chosen]
        return Named(material.build(f"learned-{name}", paths), f"{len(paths)} clips cut from LAFAN1")
    if name == BIG:
        return Named(material.card, BUILT_IN)
    return Named(material.take_share(material.card, SHARE), f"{SHARE:.0%} of {BUILT_IN}")


def find_model(material: Material, kind: str) -> Trained:
    """A model of some kind, trained now if it was not before."""
    kept: dict[str, Trained] = material.made.setdefault("models", {})
    if kind not in kept:
        kept[kind] = train_model(material, kind)
    return kept[kind]


def train_model(material: Material, kind: str) -> Trained:
    """As many iterations as the tables of the work have, or as the effort allows; checkpoints let it go on."""
    check_training()
    name, design = KINDS[kind]
    database: Database = find_set(material, name).what
    counts = material.effort.big_steps if name == BIG else material.effort.small_steps
    steps: dict[str, Any] = {f"{stage}_steps": count for stage, count in zip(STAGES, counts)}
    if design == "snap":
        del steps["project_steps"]
    plan = make_plan(design, database.poses.frame_count, capacity="small", **steps)
    watch, path = Watch(), material.keep / f"{kind}{SUFFIX}"
    training = Training(database, plan, seed=material.seed, journal=watch)
    model = training.run(
        lambda done, total, text: material.progress(f"training {kind}: {text.split()[0]}", done, total)
    )
    save_model(path, model)
    seconds = {stage: watch.ended[stage] - watch.began[stage] for stage in watch.losses}
    last = {stage: own[-max(1, len(own) // 10) :] for stage, own in watch.losses.items()}
    losses = {stage: sum(own) / len(own) for stage, own in last.items()}
    return Trained(load_model(path), path, seconds, {stage: len(own) for stage, own in watch.losses.items()}, losses)
