"""The recurrent network in torch, as it is trained; `orientation/network.py` runs it without torch."""

from typing import Any

import numpy as np

from kinematch.avatar.orientation.constants import RATE
from kinematch.avatar.orientation.inputs import COLUMNS, MIRROR_ORDER, MIRROR_SIGNS
from kinematch.avatar.orientation.network import Network, join_networks


def make_network(hidden: int, vectors: int, seed: int, members: int = 1) -> Any:
    """Some `Network`s side by side, with weights at random; their answer is the headset's direction at first."""
    import torch
    from torch import nn

    def weigh(rows: int, columns: int, gain: float) -> Any:
        weights = torch.empty(members, rows, columns)
        for one in weights:
            nn.init.xavier_uniform_(one, gain=gain)
        return nn.Parameter(weights)

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.vectors = vectors
            self.inputs, self.hidden = weigh(COLUMNS, 3 * hidden, 0.7), weigh(hidden, 3 * hidden, 0.7)
            self.outputs = weigh(hidden, 3, 0.1)
            self.input_biases = nn.Parameter(torch.zeros(members, 1, 3 * hidden))
            self.hidden_biases = nn.Parameter(torch.zeros(members, 1, 3 * hidden))
            self.output_biases = nn.Parameter(torch.tensor([0.0, 1.0, -1.5]).repeat(members, 1, 1))
            with torch.no_grad():
                self.input_biases[..., :hidden] = -1.5  # gates begin nearly closed: a memory of some frames

        def forward(self, inputs, turns, dts):
            """Outputs (M, B, T, 3) of members for normalised inputs (B, T, C), headset turns (B, T) and dts (B,)."""
            count, length, columns = inputs.shape
            flat = inputs.reshape(1, -1, columns).expand(members, -1, -1)
            wide = torch.baddbmm(self.input_biases, flat, self.inputs)
            given = wide.reshape(members, count, length, 3 * hidden).unbind(2)
            c, s = torch.cos(turns).unsqueeze(-1).unbind(1), torch.sin(turns).unsqueeze(-1).unbind(1)
            steps = -(dts * RATE).unsqueeze(-1)
            h = torch.zeros(members, count, hidden)
            states = []
            for t in range(length):
                x, y, rest = h.split([vectors, vectors, hidden - 2 * vectors], dim=2)
                h = torch.cat([c[t] * x - s[t] * y, s[t] * x + c[t] * y, rest], dim=2)
                gate, mix, new = given[t].split(hidden, dim=2)
                own_gate, own_mix, own_new = torch.baddbmm(self.hidden_biases, h, self.hidden).split(hidden, dim=2)
                share = -torch.expm1(steps * nn.functional.softplus(gate + own_gate))
                h = h + share * (torch.tanh(new + torch.sigmoid(mix + own_mix) * own_new) - h)
                states.append(h)
            whole = torch.stack(states, dim=2).reshape(members, -1, hidden)
            return torch.baddbmm(self.output_biases, whole, self.outputs).reshape(members, count, length, 3)

    torch.manual_seed(seed)
    return Recurrent()


def measure_loss(outputs: Any, truths: Any, *, smoothness: float) -> Any:
    """Laplace likelihood of the angle errors, and how unsteadily the estimate turns; NaN truths do not count.

    Truths are (B, T); outputs (B, T, 3), or of several members (M, B, T, 3), each of which is to be right by itself.
    """
    import torch

    truths = truths.expand(outputs.shape[:-1])
    known = torch.isfinite(truths)
    truths = torch.where(known, truths, torch.zeros(()))
    yaws = torch.atan2(outputs[..., 0], outputs[..., 1])
    wrong = yaws - truths
    errors = torch.atan2(torch.sin(wrong), torch.cos(wrong))
    scales = outputs[..., 2].clamp(-4.5, 1.2)
    likelihood = errors.abs() * torch.exp(-scales) + scales
    both = known[..., 1:] & known[..., :-1]
    steps = errors[..., 1:] - errors[..., :-1]
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


def export_network(module: Any, scales: np.ndarray, trust: tuple[float, float] = (0.0, 1.0)) -> Network:
    """The trained module as arrays; what inputs were divided by becomes part of the weights."""
    state = {name: value.detach().numpy().astype(np.float32) for name, value in module.state_dict().items()}
    members = [
        Network(
            (state["inputs"][k] / scales[:, None]).astype(np.float32), state["hidden"][k], state["input_biases"][k, 0],
            state["hidden_biases"][k, 0], state["outputs"][k], state["output_biases"][k, 0], module.vectors, trust,
        ) for k in range(len(state["inputs"]))
    ]  # fmt: skip
    return join_networks(members)
