"""The recurrent network in torch, as it is trained; `orientation/network.py` runs it without torch."""

from typing import Any

import numpy as np

from kinematch.avatar.orientation.constants import REFERENCE_RATE
from kinematch.avatar.orientation.inputs import COLUMN_COUNT, MIRROR_ORDER, MIRROR_SIGNS
from kinematch.avatar.orientation.network import OrientationNetwork


def make_network(hidden: int, vectors: int, seed: int) -> Any:
    """`network.Network` with weights at random; its answer is the headset's direction at first."""
    import torch
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.vectors = vectors
            self.from_inputs = nn.Linear(COLUMN_COUNT, 3 * hidden)
            self.from_hidden = nn.Linear(hidden, 3 * hidden)
            self.to_output = nn.Linear(hidden, 3)
            with torch.no_grad():
                for layer in (self.from_inputs, self.from_hidden):
                    nn.init.xavier_uniform_(layer.weight, gain=0.7)
                    layer.bias.zero_()
                self.from_inputs.bias[:hidden] = -1.5  # gates begin nearly closed: a memory of some frames
                self.to_output.weight.mul_(0.1)
                self.to_output.bias.copy_(torch.tensor([0.0, 1.0, -1.5]))

        def forward(self, inputs: Any, turns: Any, dts: Any, state: Any = None) -> tuple[Any, Any]:
            """Outputs (B, T, 3) for normalised inputs (B, T, C), headset turns (B, T) and dts (B,)."""
            count, length, _ = inputs.shape
            given = self.from_inputs(inputs).unbind(1)
            c, s = torch.cos(turns).unsqueeze(-1).unbind(1), torch.sin(turns).unsqueeze(-1).unbind(1)
            steps = -(dts * REFERENCE_RATE).unsqueeze(-1)
            h = torch.zeros(count, hidden) if state is None else state
            states = []
            for t in range(length):
                x, y, rest = h.split([vectors, vectors, hidden - 2 * vectors], dim=1)
                h = torch.cat([c[t] * x - s[t] * y, s[t] * x + c[t] * y, rest], dim=1)
                gate, mix, new = given[t].split(hidden, dim=1)
                own_gate, own_mix, own_new = self.from_hidden(h).split(hidden, dim=1)
                share = -torch.expm1(steps * nn.functional.softplus(gate + own_gate))
                h = h + share * (torch.tanh(new + torch.sigmoid(mix + own_mix) * own_new) - h)
                states.append(h)
            return self.to_output(torch.stack(states, dim=1)), h

    torch.manual_seed(seed)
    return Recurrent()


def measure_loss(outputs: Any, truths: Any, *, smoothness: float) -> Any:
    """Laplace likelihood of the angle errors, and how unsteadily the estimate turns; NaN truths do not count."""
    import torch

    known = torch.isfinite(truths)
    truths = torch.where(known, truths, torch.zeros(()))
    yaws = torch.atan2(outputs[..., 0], outputs[..., 1])
    wrong = yaws - truths
    errors = torch.atan2(torch.sin(wrong), torch.cos(wrong))
    scales = outputs[..., 2].clamp(-4.5, 1.2)
    likelihood = errors.abs() * torch.exp(-scales) + scales
    both = known[:, 1:] & known[:, :-1]
    steps = errors[:, 1:] - errors[:, :-1]
    unsteady = torch.atan2(torch.sin(steps), torch.cos(steps)).abs()
    total = (likelihood * known).sum() / known.sum() + 2.0 * (errors.abs() * known).sum() / known.sum()
    return total + smoothness * (unsteady * both).sum() / both.sum()


def mirror_columns(inputs: Any, turns: Any, truths: Any, flags: np.ndarray) -> tuple[Any, Any, Any]:
    """Some rows of a batch seen in a mirror."""
    import torch

    rows = torch.from_numpy(flags)
    mirrored = inputs[:, :, torch.from_numpy(MIRROR_ORDER)] * torch.from_numpy(MIRROR_SIGNS)
    sign = torch.where(rows, -1.0, 1.0)[:, None]
    return torch.where(rows[:, None, None], mirrored, inputs), turns * sign, truths * sign


def export_network(module: Any, scales: np.ndarray, trust: tuple[float, float] = (0.0, 1.0)) -> OrientationNetwork:
    """The trained module as arrays; what inputs were divided by becomes part of the weights."""
    state = {name: value.detach().numpy().astype(np.float32) for name, value in module.state_dict().items()}
    return OrientationNetwork(
        np.ascontiguousarray((state["from_inputs.weight"] / scales).T, np.float32),
        np.ascontiguousarray(state["from_hidden.weight"].T), state["from_inputs.bias"], state["from_hidden.bias"],
        np.ascontiguousarray(state["to_output.weight"].T), state["to_output.bias"], module.vectors, trust,
    )  # fmt: skip
