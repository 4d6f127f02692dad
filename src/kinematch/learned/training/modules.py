"""Torch twins of Network and of forward kinematics, for training alone."""

from itertools import pairwise
from typing import Any

import numpy as np

from kinematch.learned.network import Network
from kinematch.motion.skeleton import Skeleton

MIN_AXIS_LENGTH = 1e-6  # of the axes of a rotation, which are about 1 long


def make_dense(widths: list[int], skip: int = 0) -> Any:
    """Layers of these widths, and a linear path from the last `skip` inputs to the outputs."""
    import torch
    from torch import nn

    class Dense(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
            self.skip = nn.Linear(skip, widths[-1], bias=False) if skip else None

        def forward(self, inputs: Any) -> Any:
            values = inputs
            for layer in self.layers[:-1]:
                values = torch.relu(layer(values))
            values = self.layers[-1](values)
            if self.skip is not None:
                values = values + self.skip(inputs[..., inputs.shape[-1] - skip :])
            return values

    return Dense()


def export_dense(module: Any, scale: np.ndarray | None = None, offset: Any = None) -> Network:
    """A module as a Network with scaled and shifted outputs."""
    weights = [layer.weight.detach().cpu().double().numpy().T for layer in module.layers]
    biases = [layer.bias.detach().cpu().double().numpy() for layer in module.layers]
    skip = None if module.skip is None else module.skip.weight.detach().cpu().double().numpy().T
    if scale is not None:
        weights[-1], biases[-1] = weights[-1] * scale, biases[-1] * scale
        skip = None if skip is None else skip * scale
    if offset is not None:
        biases[-1] = biases[-1] + offset

    def single(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array, np.float32)

    return Network(
        tuple(map(single, weights)), tuple(map(single, biases)), None if skip is None else single(skip),
    )  # fmt: skip


class Kinematics:
    """Rotation matrices and joint positions in the root's frame from columns of a pose, level by level of the tree."""

    def __init__(self, skeleton: Skeleton, rest: np.ndarray, moving: np.ndarray, device: Any):
        import torch

        self.joints, self.device = skeleton.joint_count, device
        self.rest = torch.from_numpy(np.array(rest, np.float32)).to(device)
        self.moving = torch.from_numpy(np.array(moving, np.int64)).to(device)
        depths = np.zeros(self.joints, int)
        for joint in range(1, self.joints):
            depths[joint] = depths[skeleton.parents[joint]] + 1
        # joints sorted by depth: each level is a slice, and appended as a whole
        order = np.argsort(depths, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(self.joints)
        self.back = torch.from_numpy(place).to(device)
        self.levels = []
        for depth in range(1, depths.max() + 1):
            own = order[depths[order] == depth]
            parents = place[skeleton.parents[own]]
            self.levels.append((torch.from_numpy(own).to(device), torch.from_numpy(parents).to(device)))

    def find_joints(self, rotations: Any, places: Any) -> tuple[Any, Any]:
        """Positions (B, J, 3) and matrices (B, J, 3, 3) in the root's frame, of columns (B, 6 (J - 1)) and (B, 3 M)."""
        import torch

        count = len(rotations)
        local = to_matrices(rotations.reshape(count, self.joints - 1, 6))
        offsets = self.rest.expand(count, -1, -1).index_copy(1, self.moving, places.reshape(count, -1, 3))
        positions = torch.zeros(count, 1, 3, device=self.device)
        matrices = torch.eye(3, device=self.device).expand(count, 1, 3, 3)
        for own, parents in self.levels:
            above = matrices[:, parents]
            positions = torch.cat(
                [positions, positions[:, parents] + (above @ offsets[:, own, :, None])[..., 0]], dim=1
            )
            matrices = torch.cat([matrices, above @ local[:, own - 1]], dim=1)
        return positions[:, self.back], matrices[:, self.back]


def to_matrices(axes: Any) -> Any:
    """Rotation matrices (..., 3, 3) from their x and y axes (..., 6), made orthogonal."""
    import torch

    x = torch.nn.functional.normalize(axes[..., :3], dim=-1, eps=MIN_AXIS_LENGTH)
    y = axes[..., 3:]
    y = torch.nn.functional.normalize(y - x * (x * y).sum(-1, keepdim=True), dim=-1, eps=MIN_AXIS_LENGTH)
    return torch.stack([x, y, torch.linalg.cross(x, y)], dim=-1)
