"""The second stage: the stepper, which moves features and latents on by a frame, trained over windows within clips."""

from typing import Any

import numpy as np

from kinematch.learned.network import Network
from kinematch.learned.scoring import CENTIMETRES_PER_METRE
from kinematch.learned.training.data import TrainingData
from kinematch.learned.training.modules import export_dense, make_dense
from kinematch.learned.training.plan import ModelPlan
from kinematch.learned.training.tensors import Tensors

RIDGE_PENALTY = 1e-2  # of the regression that the linear path begins as, in standard deviations
DECODED_PAIRS = 3  # pairs of frames of each window that are decoded for the loss in pose space
SHORT_WINDOW_SHARE = 0.3  # of the steps that train on a quarter of the window: long ones learn little at first
CHANGE_WEIGHT = 4.0  # weight of the change in a frame against where it leads


class StepStage:
    name = "step"

    def __init__(self, data: TrainingData, tensors: Tensors, plan: ModelPlan, latents: Any, decompressor: Any):
        import torch

        self.tensors, self.plan, self.decompressor = tensors, plan, decompressor
        self.both = torch.cat([tensors.features, latents], dim=-1).detach()
        learned = torch.from_numpy(np.flatnonzero(~data.held & (data.left > 0))).to(tensors.device)
        self.spread = self.both[learned].std(dim=0).clamp_min(1e-3)
        change = self.both[learned + 1] - self.both[learned]
        self.change = change.std(dim=0).clamp_min(1e-4)
        width = self.both.shape[1]
        hidden = [plan.stepper_hidden] * 2
        stepper = make_dense([width, *hidden, width], width if plan.linear else 0)
        if plan.linear:
            self._regress(stepper, self.both[learned], change)
        self.modules = {"stepper": stepper.to(tensors.device)}
        self.windows = {length: data.find_windows(length) for length in {self._length(0.0), plan.window}}
        for module in decompressor.parameters():
            module.requires_grad_(False)

    def _length(self, done: float) -> int:
        return max(2, self.plan.window // 4) if done < SHORT_WINDOW_SHARE else self.plan.window

    def _regress(self, stepper: Any, both: Any, change: Any) -> None:
        """Begin as the linear map that predicts the change best."""
        import torch

        mean, goal = both.mean(dim=0).double(), (change / self.change).double()
        inputs = both.double() - mean
        normal = inputs.T @ inputs + RIDGE_PENALTY * len(inputs) * torch.eye(inputs.shape[1], device=inputs.device)
        matrix = torch.linalg.solve(normal, inputs.T @ (goal - goal.mean(dim=0)))
        with torch.no_grad():
            stepper.skip.weight.copy_(matrix.T)
            stepper.layers[-1].weight.mul_(0.1)
            stepper.layers[-1].bias.copy_(goal.mean(dim=0) - mean @ matrix)

    def measure_loss(self, rng: np.random.Generator, done: float = 1.0) -> Any:
        """Of free runs over windows: features, latents and, through the decompressor, poses stay with the clip."""
        import torch

        tensors, plan, length = self.tensors, self.plan, self._length(done)
        first = torch.from_numpy(rng.choice(self.windows[length], plan.windows)).to(tensors.device)
        now = self.both[first]
        if plan.latent_noise or plan.feature_noise:
            size = np.repeat([plan.feature_noise, plan.latent_noise], [tensors.width, tensors.latents])
            noise = rng.normal(size=now.shape) * size * rng.random((len(now), 1))
            now = now + torch.from_numpy(noise.astype(np.float32)).to(tensors.device) * self.spread
        run, changes = [], []
        for _ in range(1, length):
            change = self.change * self.modules["stepper"](now)
            now = now + change
            run.append(now)
            changes.append(change)
        frames = first[:, None] + torch.arange(length, device=tensors.device)
        truth = self.both[frames]
        states = torch.stack(run, dim=1)
        loss = ((states - truth[:, 1:]) / self.spread).abs().mean()
        wrong = torch.stack(changes, dim=1) - (truth[:, 1:] - truth[:, :-1])
        loss = loss + CHANGE_WEIGHT * (wrong / self.spread).abs().mean()
        if plan.pose_weight:
            loss = loss + plan.pose_weight * self._measure_poses(rng, states, frames[:, 1:])
        return loss

    def _measure_poses(self, rng: np.random.Generator, states: Any, frames: Any) -> Any:
        """Distance in cm of joints, and of their change from one frame to the next, at some moments of each window."""
        import torch

        tensors, (count, length) = self.tensors, frames.shape
        rows = torch.arange(count, device=tensors.device).repeat(DECODED_PAIRS)
        moments = (
            rng.integers(length - 1, size=count * DECODED_PAIRS) if length > 1 else np.zeros(count * DECODED_PAIRS, int)
        )
        at = torch.from_numpy(moments).to(tensors.device)
        after = (at + 1).clamp_max(length - 1)
        chosen = torch.cat([states[rows, at], states[rows, after]])
        joints, _ = tensors.pose(self.decompressor(chosen))
        wrong = (joints - tensors.joints[torch.cat([frames[rows, at], frames[rows, after]])]) * tensors.joint_weights
        before, then = wrong.chunk(2)
        difference = (then - before).abs().mean()
        return CENTIMETRES_PER_METRE * (wrong.abs().mean() + self.plan.difference_weight * difference) / 10

    def export(self) -> Network:
        return export_dense(self.modules["stepper"], self.change.cpu().double().numpy())
