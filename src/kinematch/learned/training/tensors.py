"""Tensors: training data on the device, in the units that networks learn in, and the two networks of the codec."""

from typing import Any

import numpy as np

from kinematch.learned.network import Network
from kinematch.learned.training.data import TrainingData
from kinematch.learned.training.modules import Kinematics, export_dense, make_dense
from kinematch.learned.training.plan import ModelPlan

MIN_SPREAD = 1e-4  # of a column that hardly changes, in its own unit


class Tensors:
    """Columns of poses are shifted by their mean and scaled: those of the body to the same metres, others to 1."""

    def __init__(self, data: TrainingData, plan: ModelPlan, device: Any):
        import torch

        learned = ~data.held
        poses = data.poses[learned].astype(np.float64)
        self.mean, spread = poses.mean(axis=0), np.maximum(poses.std(axis=0), MIN_SPREAD)
        body = data.body
        weighted = (poses[:, body] - self.mean[body]) * data.levers[body]
        unit = max(float(np.sqrt((weighted**2).mean())), MIN_SPREAD)
        self.scale = spread.copy()
        self.scale[body] = unit / data.levers[body]
        values, vectors = np.linalg.eigh(weighted.T @ weighted / len(weighted))
        latents = min(plan.latents, len(values))
        order = np.argsort(values)[::-1][:latents]
        deviation = np.sqrt(np.maximum(values[order], MIN_SPREAD**2))
        self.encode = (vectors[:, order] * unit / deviation).astype(np.float32)  # (body, Z), of scaled columns
        self.decode = (vectors[:, order] * deviation / unit).T.astype(np.float32)  # (Z, body)
        self.change_scale = np.maximum(data.changes[learned].std(axis=0), MIN_SPREAD)

        def put(array: np.ndarray) -> Any:
            return torch.from_numpy(np.ascontiguousarray(array, np.float32)).to(device)

        self.device, self.columns, self.body, self.rate = device, data.columns, body, data.frame_rate
        self.features = put(data.features)
        self.poses = put((data.poses - self.mean) / self.scale)
        self.changes = put(data.changes / self.change_scale)
        self.joints = put(data.global_positions)
        self.mean_tensor, self.scale_tensor = put(self.mean), put(self.scale)
        weights = np.ones(data.skeleton.joint_count)
        for contact in data.database.poses.contact_joints.tolist():
            weights[[contact, data.skeleton.parents[contact]]] = 3.0  # skating feet are what people see
        weights[0] = 0.0
        self.joint_weights = put(weights / weights.mean())[:, None]
        self.kinematics = Kinematics(data.skeleton, data.database.poses.positions[0], data.moving, device)
        self.width, self.latents = data.features.shape[1], latents

    def pose(self, outputs: Any) -> tuple[Any, Any]:
        """Joints (B, J, 3) m and their matrices, in the root's frame, from outputs of the decompressor."""
        physical = self.mean_tensor + self.scale_tensor * outputs
        return self.kinematics.find_joints(physical[:, self.columns.rotations], physical[:, self.columns.places])

    def gather(self, frames: Any) -> Any:
        """The compressor's inputs for frames."""
        import torch

        return torch.cat([self.features[frames], self.changes[frames], self.poses[frames, self.body]], dim=-1)


def make_codec(tensors: Tensors, plan: ModelPlan) -> dict[str, Any]:
    """Compressor and decompressor; with `linear` they begin as a principal component analysis of weighted poses."""
    import torch

    body, width, latents = tensors.body.stop, tensors.width, tensors.latents
    inputs, hidden = width + 2 * body, plan.hidden
    deep = [hidden] * (1 if plan.linear else 3)
    compressor = make_dense([inputs, *deep, latents], body if plan.linear else 0)
    decompressor = make_dense([width + latents, hidden, tensors.columns.count], latents if plan.linear else 0)
    if plan.linear:
        with torch.no_grad():
            compressor.skip.weight.copy_(torch.from_numpy(tensors.encode.T))
            decompressor.skip.weight.zero_()
            decompressor.skip.weight[:body].copy_(torch.from_numpy(tensors.decode.T))
            for module in (compressor, decompressor):
                module.layers[-1].weight.mul_(0.1)
                module.layers[-1].bias.zero_()
    return {"compressor": compressor.to(tensors.device), "decompressor": decompressor.to(tensors.device)}


def export_decompressor(module: Any, tensors: Tensors) -> Network:
    return export_dense(module, tensors.scale, tensors.mean)


def encode_all(compressor: Any, tensors: Tensors, batch: int = 8192) -> Any:
    """Latents (F, Z) of every frame."""
    import torch

    with torch.no_grad():
        frames = torch.arange(len(tensors.features), device=tensors.device).split(batch)
        return torch.cat([compressor(tensors.gather(some)) for some in frames])
