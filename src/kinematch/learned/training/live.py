"""Figures while training runs: quick, on a part of the data, in physical units."""

from typing import Any

import numpy as np

from kinematch.learned.scoring import CENTIMETRES_PER_METRE, RUN_FRAMES
from kinematch.learned.training.data import TrainingData
from kinematch.learned.training.tensors import Tensors

MAX_SAMPLES = 1500  # frames or windows that are looked at
BARS = "▁▂▃▄▅▆▇█"


def describe_codec(data: TrainingData, tensors: Tensors, modules: dict[str, Any]) -> tuple[str, float]:
    """`0.31 cm, held out 0.42 cm`: mean distance of joints, and the last of these numbers."""
    import torch

    found = []
    for held in (False, True):
        frames = _pick(np.flatnonzero(data.held == held))
        if not len(frames):
            continue
        rows = torch.from_numpy(frames).to(tensors.device)
        with torch.no_grad():
            latents = modules["compressor"](tensors.gather(rows))
            joints, _ = tensors.pose(modules["decompressor"](torch.cat([tensors.features[rows], latents], dim=-1)))
            found.append(_distance(joints, tensors.joints[rows]))
    return ", held out ".join(f"{value:.2f} cm" for value in found), found[-1]


def describe_run(data: TrainingData, stage: Any) -> tuple[str, float]:
    """`1.4 / 2.0 / 4.4 cm after 10 / 20 / 60 frames`: how far free runs are from their clips, and the second number."""
    windows = data.find_windows(max(RUN_FRAMES) + 1)
    if not len(windows):
        return "clips are too short for a run", float("nan")
    found = measure_runs(stage, _pick(windows))
    return " / ".join(f"{value:.1f}" for value in found) + " cm after 10 / 20 / 60 frames", found[1]


def draw_curve(values: list[float]) -> str:
    """Numbers as a row of bars, the largest one full."""
    known = [value for value in values if value == value]
    top = max(known, default=0.0) or 1.0
    return "".join(BARS[min(len(BARS) - 1, int(len(BARS) * value / top))] for value in known)


def measure_runs(stage: Any, windows: np.ndarray) -> list[float]:
    """Mean distance in cm of joints after RUN_FRAMES frames of free running from windows (W,)."""
    import torch

    tensors, found = stage.tensors, []
    rows = torch.from_numpy(windows).to(tensors.device)
    now = stage.both[rows]
    with torch.no_grad():
        for frame in range(1, max(RUN_FRAMES) + 1):
            now = now + stage.change * stage.modules["stepper"](now)
            if frame in RUN_FRAMES:
                joints, _ = tensors.pose(stage.decompressor(now))
                found.append(_distance(joints, tensors.joints[rows + frame]))
    return found


def _pick(frames: np.ndarray) -> np.ndarray:
    return frames[:: max(1, len(frames) // MAX_SAMPLES)]


def _distance(joints: Any, truth: Any) -> float:
    """cm, without the root."""
    return float((joints - truth).norm(dim=-1)[:, 1:].mean() * CENTIMETRES_PER_METRE)
