"""The first stage: compressor and decompressor, which turn a pose into features and latents and back."""

from typing import Any

import numpy as np

from kinematch.learned.scoring import CENTIMETRES_PER_METRE
from kinematch.learned.training.data import TrainingData
from kinematch.learned.training.plan import ModelPlan
from kinematch.learned.training.tensors import Tensors, make_codec

# weights of losses in cm
ROTATION_WEIGHT, ROOT_WEIGHT, CONTACT_WEIGHT, CONTACT_LEFT_WEIGHT = 0.3, 0.3, 0.5, 0.5
SMOOTHNESS_WEIGHT, SIZE_WEIGHT = 0.02, 0.002


class CompressStage:
    name = "compress"

    def __init__(self, data: TrainingData, tensors: Tensors, plan: ModelPlan):
        self.tensors, self.plan = tensors, plan
        self.modules = make_codec(tensors, plan)
        self.windows = data.find_windows(2)

    def measure_loss(self, rng: np.random.Generator, done: float = 1.0) -> Any:
        """Of pairs of frames: poses, what changes between the two, and how the latents move."""
        import torch

        tensors, plan = self.tensors, self.plan
        first = torch.from_numpy(rng.choice(self.windows, plan.batch)).to(tensors.device)
        frames = torch.cat([first, first + 1])
        latents = self.modules["compressor"](tensors.gather(frames))
        both = torch.cat([tensors.features[frames], latents], dim=-1)
        if plan.latent_noise or plan.feature_noise:
            # both frames of a pair are moved alike: errors of playing change slowly
            size = np.repeat([plan.feature_noise, plan.latent_noise], [tensors.width, tensors.latents])
            noise = rng.normal(size=(plan.batch, len(size))) * size * 2 * rng.random((plan.batch, 1))
            moved = torch.from_numpy(noise.astype(np.float32)).to(tensors.device)
            both = both + torch.cat([moved, moved])
        outputs = self.modules["decompressor"](both)
        return measure_pose_loss(tensors, outputs, frames, plan.difference_weight) + self._calm(latents)

    def _calm(self, latents: Any) -> Any:
        before, after = latents.chunk(2)
        return SMOOTHNESS_WEIGHT * self.tensors.rate * (after - before).abs().mean() + SIZE_WEIGHT * (latents**2).mean()


def measure_pose_loss(tensors: Tensors, outputs: Any, frames: Any, difference_weight: float) -> Any:
    """In centimetres: outputs (2 B, P) of frames and, in the second half, of those that follow them."""
    columns, truth = tensors.columns, tensors.poses[frames]
    joints, _ = tensors.pose(outputs)
    wrong = (joints - tensors.joints[frames]) * tensors.joint_weights
    before, after = wrong.chunk(2)
    error = (outputs - truth).abs()
    loss = CENTIMETRES_PER_METRE * (wrong.abs().mean() + difference_weight * (after - before).abs().mean())
    loss = loss + ROTATION_WEIGHT * error[:, tensors.body].mean() * 10
    loss = loss + ROOT_WEIGHT * error[:, columns.root].mean()
    return (
        loss
        + CONTACT_WEIGHT * error[:, columns.contacts].mean()
        + CONTACT_LEFT_WEIGHT * error[:, columns.contact_left].mean()
    )
