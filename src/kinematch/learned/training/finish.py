"""The end of training: a model with its scores, the verdict on it, and what it came from."""

import platform
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from kinematch import __version__
from kinematch.learned.model import Model
from kinematch.learned.scoring import (
    MAX_SAMPLES,
    RUN_FRAMES,
    score_projection,
    score_reconstruction,
    score_runs,
    score_true_slides,
)  # fmt: skip
from kinematch.learned.source import LearnedSource
from kinematch.learned.training.train import Training
from kinematch.learned.verdict import STICK_SECONDS, score_stick

Progress = Callable[[int, int, str], None]


def finish_model(
    training: Training, about: dict[str, Any], progress: Progress = lambda *_: None, *,
    stick_seconds: float | None = None,
) -> Model:  # fmt: skip
    """The model of a training, scored."""
    model = training.make_model()
    scores = score_model(training, model, progress, stick_seconds=stick_seconds or STICK_SECONDS)
    return replace(model, scores=scores, about=about | describe_training(training))


def score_model(
    training: Training, model: Model, progress: Progress = lambda *_: None, *, stick_seconds: float = 150.0
) -> dict[str, float]:
    """All scores: reconstruction and free runs on the database and on what was held out, projection, random stick."""
    data, source, database = training.data, LearnedSource(model), training.data.database
    both = np.concatenate([data.features, training.find_latents()], axis=1)
    scores: dict[str, float] = {}
    progress(0, 4, "scoring poses")
    groups = {"database": ~data.held, "held": data.held & ~data.held_clips, "held_clip": data.held_clips}
    for name, group in groups.items():
        frames = _pick(np.flatnonzero(group))
        if len(frames):
            scores |= score_reconstruction(source, database, both[frames], frames, name)
    progress(1, 4, "scoring free runs")
    for name, group in zip(("run", "held_run", "held_clip_run"), groups.values()):
        windows = _pick(np.flatnonzero(group & (data.left >= max(RUN_FRAMES))))
        if len(windows):
            scores |= score_runs(source, database, both, windows, name)
            own = score_true_slides(database, windows)
            scores[f"{name}_recorded_toe_speed"] = own
            if name == "run":
                scores["toe_slide"] = max(0.0, scores["run_toe_speed"] - own)
    progress(2, 4, "scoring the projector")
    scores |= score_projection(source, database, np.random.default_rng([training.seed, 31]))
    progress(3, 4, "ten minutes of random stick")
    return scores | score_stick(model, seconds=stick_seconds, seed=training.seed)


def describe_training(training: Training) -> dict[str, Any]:
    poses = training.data.database.poses
    return {
        "plan": asdict(training.plan), "seed": training.seed, "seconds": round(training.kept.seconds, 1),
        "database": {"digest": training.digest, "frames": poses.frame_count, "clips": poses.clip_count},
        "versions": {"kinematch": __version__, "python": platform.python_version(), "torch": _torch_version()},
    }  # fmt: skip


def _torch_version() -> str:
    import torch

    return str(torch.__version__)


def _pick(frames: np.ndarray) -> np.ndarray:
    return frames[:: max(1, -(-len(frames) // MAX_SAMPLES))]
