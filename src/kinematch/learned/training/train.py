"""Training from a database to a model: stage after stage, interruptible at any step, repeatable by its seed."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.learned.codebook import make_codebook
from kinematch.learned.model import Model
from kinematch.learned.model_file import round_model
from kinematch.learned.scoring import find_digest
from kinematch.learned.training.checkpoint import Checkpoint, read_checkpoint
from kinematch.learned.training.compress import CompressStage
from kinematch.learned.training.data import prepare_data
from kinematch.learned.training.journal import Journal
from kinematch.learned.training.live import describe_codec, describe_run, draw_curve
from kinematch.learned.training.plan import STAGES, ModelPlan, check_training
from kinematch.learned.training.project import ProjectStage
from kinematch.learned.training.step import StepStage
from kinematch.learned.training.tensors import Tensors, encode_all, export_decompressor

WARM_UP_STEPS = 50  # steps until the full learning rate
REPORT_COUNT = 12  # of each stage, with figures in physical units
PATIENCE_REPORTS = 4  # reports without any gain after which a stage ends
CHECKPOINT_SECONDS = 20.0
STAGE_SHARES = {"snap": (0.35, 0.65, 0.0), "paper": (0.3, 0.4, 0.3)}  # of the time, by stage
TRIAL_STEPS = 6  # steps that are timed to plan the rest
Progress = Callable[[int, int, str], None]
Watch = Callable[[str, int, float], bool]


class Stopped(Exception):
    """The watch of a training ended it."""


class Training:
    """One run: data, tensors, and what has been learned so far."""

    def __init__(
        self, database: Database, plan: ModelPlan, *, seed: int = 0, resume: Path | None = None,
        minutes: float | None = None, journal: Journal | None = None,
    ):  # fmt: skip
        """`resume`: a checkpoint, written now and then, gone on from where it exists. `minutes`: how long in all."""
        check_training()
        import torch

        torch.set_num_threads(1)  # more only wait for each other with networks of this size
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.data, self.seed, self.path, self.minutes = prepare_data(database, seed=seed), seed, resume, minutes
        self.digest, self.journal = find_digest(database), journal
        self.kept = Checkpoint(plan, seed, self.digest)
        if resume is not None and resume.exists():
            self.kept = read_checkpoint(resume, plan, seed, self.digest, timed=minutes is not None)
        self.tensors = Tensors(self.data, self.kept.plan, self.device)
        self.modules: dict[str, Any] = {}
        self.latents: Any = None

    @property
    def plan(self) -> ModelPlan:
        return self.kept.plan

    def run(self, progress: Progress = lambda *_: None, watch: Watch = lambda *_: True) -> Model:
        """All stages in order; `watch(stage, steps, figure)` after each report ends the training with False."""
        for stage in STAGES:
            if stage == "project" and not self.plan.projector_hidden:
                continue
            self._run_stage(stage, progress, watch)
        return self.make_model()

    def _make_stage(self, name: str) -> Any:
        import torch

        torch.manual_seed(self.seed * 1009 + STAGES.index(name))
        if name == "compress":
            return CompressStage(self.data, self.tensors, self.plan)
        if self.latents is None:
            self.latents = encode_all(self.modules["compressor"], self.tensors)
        given = self.data, self.tensors, self.plan, self.latents, self.modules["decompressor"]
        return StepStage(*given) if name == "step" else ProjectStage(*given, self.seed)

    def _run_stage(self, name: str, progress: Progress, watch: Watch) -> None:
        import torch

        stage = self._make_stage(name)
        self.modules |= stage.modules
        setattr(self, f"{name}_stage", stage)
        if self.kept.is_past(name):
            self.kept.restore_modules(stage.modules)
            return
        parameters = [parameter for module in stage.modules.values() for parameter in module.parameters()]
        optimizer = torch.optim.AdamW(parameters, lr=self.plan.learning_rate, weight_decay=1e-3)
        first = 0
        if not (self.kept.stage == name and self.kept.step):
            self.kept.curve = []
        if self.kept.stage == name and self.kept.step:
            first = self.kept.step
            self.kept.restore_modules(stage.modules)
            self.kept.restore_optimizer(optimizer)
        elif self.minutes is not None:
            self._fit_steps(stage)
        self._take_steps(stage, parameters, optimizer, first, progress, watch)
        if name != STAGES[-1]:
            self.kept.keep(STAGES[STAGES.index(name) + 1], 0, stage.modules, optimizer)
            self.kept.moments = {}
            self._write()

    def _take_steps(
        self, stage: Any, parameters: list[Any], optimizer: Any, first: int, progress: Progress, watch: Watch
    ) -> None:
        import torch

        total, number = self.plan.steps(stage.name), STAGES.index(stage.name)
        since, text, curve = time.monotonic(), stage.name, self.kept.curve
        for step in range(first, total):
            began = time.monotonic()
            for group in optimizer.param_groups:
                group["lr"] = schedule_rate(self.plan.learning_rate, step, total)
            loss = stage.measure_loss(np.random.default_rng([self.seed, number, step]), step / total)
            if not torch.isfinite(loss):
                raise KinematchError(
                    f"training broke down: the loss of stage {stage.name!r} is {float(loss.detach())} at step {step}; "
                    f"lower the learning rate (now {self.plan.learning_rate:g}), or look for glitches in the database "
                    "with `kinematch doctor`"
                )
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            self.kept.seconds += time.monotonic() - began
            if self.journal is not None:
                self.journal.note_loss(stage.name, step + 1, total, self.kept.seconds, float(loss.detach()))
            if (step + 1) % max(1, total // REPORT_COUNT) == 0 or step + 1 == total:
                figures, value = self._describe(stage)
                curve.append(value)
                text = f"{stage.name} {draw_curve(curve)} {figures}"
                if self.journal is not None:
                    self.journal.note_report(stage.name, step + 1, total, value, figures)
                if not watch(stage.name, step + 1, value):
                    self.kept.keep(stage.name, step + 1, stage.modules, optimizer)
                    self._write()
                    raise Stopped
            if time.monotonic() - since > CHECKPOINT_SECONDS:
                self.kept.keep(stage.name, step + 1, stage.modules, optimizer)
                self._write()
                since = time.monotonic()
            progress(step + 1, total, text)
            if step >= total // 2 and has_stalled(curve):  # before that, steps are too long to settle
                break

    def _describe(self, stage: Any) -> tuple[str, float]:
        if stage.name == "compress":
            return describe_codec(self.data, self.tensors, stage.modules)
        return describe_run(self.data, stage) if stage.name == "step" else stage.describe()

    def _fit_steps(self, stage: Any) -> None:
        """Choose how many steps fit into the stage's share of the time."""
        assert self.minutes is not None
        rng = np.random.default_rng(0)
        stage.measure_loss(rng, 1.0).backward()
        began = time.monotonic()
        for _ in range(TRIAL_STEPS):
            stage.measure_loss(rng, 1.0).backward()
        each = (time.monotonic() - began) / TRIAL_STEPS
        for module in stage.modules.values():
            module.zero_grad()
        share = STAGE_SHARES[self.plan.design][STAGES.index(stage.name)]
        steps: dict[str, Any] = {f"{stage.name}_steps": max(10, round(60 * self.minutes * share / each))}
        self.kept.plan = replace(self.plan, **steps)

    def _write(self) -> None:
        if self.path is not None:
            self.kept.write(self.path)

    def make_model(self) -> Model:
        """What has been learned, as a file would hold it."""
        data, database = self.data, self.data.database
        poses, features = database.poses, database.features
        latents = self.find_latents()
        both = np.concatenate([data.features, latents], axis=1)
        stages = {name: getattr(self, f"{name}_stage") for name in STAGES if hasattr(self, f"{name}_stage")}
        frames = choose_entries(features.targets, both.shape[1], len(poses.tags.names), self.plan.codebook_bytes)
        book = make_codebook(
            frames, features.values[frames], latents[frames], poses.clip_of(frames), poses.tags.frames[frames],
            poses.cost_factor[frames],
        )  # fmt: skip
        return round_model(
            Model(
                skeleton=poses.skeleton, contact_joints=np.array(poses.contact_joints),
                frame_rate=float(poses.frame_rate), schema=features.schema, feature_offset=np.array(features.offset),
                feature_scale=np.array(features.scale), feature_weights=features.column_weights(),
                tag_names=poses.tags.names, filter=database.filter, rest=np.array(poses.positions[0]),
                moving=data.moving, decompressor=export_decompressor(self.modules["decompressor"], self.tensors),
                stepper=stages["step"].export(), projector=stages["project"].export() if "project" in stages else None,
                codebook=book, limits=np.stack([both.min(axis=0), both.max(axis=0)]).astype(np.float32),
            )
        )  # fmt: skip

    def find_latents(self) -> np.ndarray:
        """Latents (F, Z) of every frame."""
        if self.latents is None:
            self.latents = encode_all(self.modules["compressor"], self.tensors)
        return self.latents.cpu().numpy()


def has_stalled(curve: list[float]) -> bool:
    """Whether the figures of the last reports are all worse than the best before them: the stage ends early then."""
    known = [value for value in curve if value == value]
    return len(known) > PATIENCE_REPORTS and min(known[-PATIENCE_REPORTS:]) > min(known[:-PATIENCE_REPORTS])


def schedule_rate(rate: float, step: int, total: int) -> float:
    """A short rise, then half a cosine down to nothing."""
    return rate * min(1.0, (step + 1) / WARM_UP_STEPS) * 0.5 * (1 + np.cos(np.pi * step / total))


def choose_entries(targets: np.ndarray, width: int, tags: int, most_bytes: int) -> np.ndarray:
    """Frames (E,) of the codebook: every n-th that a search may take, as many as fit."""
    each = width + 4 + 2 + -(-tags // 8)
    frames = np.flatnonzero(targets)
    stride = max(1, int(np.ceil(len(frames) * each / most_bytes)))
    return frames[frames % stride == 0] if stride < len(frames) else frames[:1]
