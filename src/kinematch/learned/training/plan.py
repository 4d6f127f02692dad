"""Plan: what training does, stage by stage; capacity follows from the data unless it is given."""

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Literal, get_args

from kinematch.errors import KinematchError, unknown

Design = Literal["snap", "paper"]
Capacity = Literal["auto", "small", "large"]
STAGES = ("compress", "step", "project")
LARGE_DATABASE_FRAMES = 100_000  # frames from which networks get more capacity; small ones would average motions


@dataclass(frozen=True)
class ModelPlan:
    """The defaults are those of the design `snap`; make_plan has the dissertation's."""

    design: Design = "snap"
    latents: int = 32
    hidden: int = 512  # of the decompressor and the compressor
    stepper_hidden: int = 512
    projector_hidden: int = 0  # 0: the codebook takes the projector's place
    codebook_bytes: int = 1_500_000
    linear: bool = True  # PCA beside the compressor and decompressor, a regression beside the stepper
    compress_steps: int = 6000
    step_steps: int = 4000
    project_steps: int = 0
    batch: int = 256
    windows: int = 128  # of the stepper, in a batch
    window: int = 20  # frames
    learning_rate: float = 2e-3
    feature_noise: float = 0.1  # standard deviations
    latent_noise: float = 0.1
    difference_weight: float = 10.0
    pose_weight: float = 1.0  # of the stepper's loss in pose space, through the decompressor

    def steps(self, stage: str) -> int:
        return int(getattr(self, f"{stage}_steps"))


def make_plan(design: str = "snap", frames: int = 0, *, capacity: str = "auto", **given: Any) -> ModelPlan:
    """The plan of a design for a number of frames; keyword arguments replace single values."""
    for what, value, known in (("design", design, get_args(Design)), ("capacity", capacity, get_args(Capacity))):
        if value not in known:
            raise KinematchError(unknown(what, value, known))
    large = frames >= LARGE_DATABASE_FRAMES if capacity == "auto" else capacity == "large"
    if design == "paper":
        plan = ModelPlan(
            design="paper", projector_hidden=512, codebook_bytes=16_000, linear=False, project_steps=4000, batch=32,
            learning_rate=1e-3, feature_noise=0.0, latent_noise=0.0, difference_weight=1.0, pose_weight=0.0,
        )  # fmt: skip
    else:
        plan = ModelPlan(codebook_bytes=2_700_000 if large else 1_500_000, hidden=768 if large else 512)
    return replace(plan, **given)


def check_training() -> None:
    """Refuse at once where torch is missing."""
    if find_spec("torch") is None:
        raise KinematchError("training needs an extra: pip install 'kinematch[train]'")
