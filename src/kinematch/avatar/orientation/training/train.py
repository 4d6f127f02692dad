"""Training of the recurrent network: it can stop at any step and go on as if it had not."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.avatar.orientation.network import OrientationNetwork
from kinematch.avatar.orientation.training.people import BUILT_IN_SUBJECT, Person
from kinematch.avatar.orientation.training.recurrent import (
    export_network,
    make_network,
    measure_loss,
    mirror_columns,
)  # fmt: skip
from kinematch.avatar.orientation.training.versions import Bank, Variation
from kinematch.database.container import Words, read_arrays, write_arrays
from kinematch.errors import FileError
from kinematch.learned.training.plan import check_training as check_training

FORMAT, VERSION = "kinematch-orientation-checkpoint", 1
WORDS = Words("checkpoint of training", "`kinematch train orientation --resume` writes those", "start again without it")
WARM_UP_STEPS = 50  # steps until the full learning rate
CHECKPOINT_STEPS = 100
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class NetworkPlan:
    """What training does; the defaults are those of the network that ships."""

    hidden: int = 64
    vectors: int = 16
    steps: int = 2400
    batch: int = 96
    length: int = 96  # samples of a window
    learning_rate: float = 3e-3
    weight_decay: float = 0.03
    dropout: float = 0.15  # of inputs
    smoothness: float = 2.0  # weight of unsteady turning against the error itself
    card_share: float = 0.2  # how often a second of the built-in motion is drawn, against one of a person
    variation: Variation = field(default_factory=Variation)


def train_recurrent(
    people: Sequence[Person],
    plan: NetworkPlan | None = None,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    progress: Progress = lambda done, total, text: None,
    watch: Callable[[int, Callable[[], OrientationNetwork]], bool] = lambda done, export: True,
) -> OrientationNetwork:
    """A network trained on people; `checkpoint` is written now and then, and gone on from where it exists.

    `watch(done, export)` is called after each step and ends the training with False.
    """
    check_training()
    import torch

    plan = plan or NetworkPlan()
    torch.set_num_threads(1)
    bank = Bank(list(people), seed, plan.variation)
    weights = np.array([plan.card_share if person.subject == BUILT_IN_SUBJECT else 1.0 for person in people])
    scales = bank.measure_scales()
    module = make_network(plan.hidden, plan.vectors, seed)
    optimizer = torch.optim.AdamW(module.parameters(), lr=plan.learning_rate, weight_decay=plan.weight_decay)
    first = 0
    if checkpoint is not None and checkpoint.exists():
        first = _restore(checkpoint, module, optimizer, plan, seed)
    losses: list[float] = []
    for step in range(first, plan.steps):
        for group in optimizer.param_groups:
            group["lr"] = schedule_rate(plan, step)
        losses.append(_take_step(module, optimizer, bank, plan, step, seed, weights, scales))
        progress(step + 1, plan.steps, "training" if step % 50 else f"training, loss {np.mean(losses[-50:]):.2f}")
        going = watch(step + 1, lambda: export_network(module, scales))
        if checkpoint is not None and (step % CHECKPOINT_STEPS == CHECKPOINT_STEPS - 1 or not going):
            _store(checkpoint, module, optimizer, plan, seed, step + 1)
        if not going:
            break
    return export_network(module, scales)


def schedule_rate(plan: NetworkPlan, step: int) -> float:
    """A short rise, then half a cosine down to nothing."""
    return plan.learning_rate * min(1.0, (step + 1) / WARM_UP_STEPS) * 0.5 * (1 + np.cos(np.pi * step / plan.steps))


def _take_step(
    module: Any,
    optimizer: Any,
    bank: Bank,
    plan: NetworkPlan,
    step: int,
    seed: int,
    weights: np.ndarray,
    scales: np.ndarray,
) -> float:
    import torch

    torch.manual_seed(seed * 1_000_003 + step)
    drawn = bank.draw(step, plan.batch, plan.length, weights)
    inputs = torch.from_numpy((drawn.inputs / scales).astype(np.float32))
    inputs = torch.nn.functional.dropout(inputs, plan.dropout)
    flags = np.random.default_rng([seed, 3, step]).random(plan.batch) < 0.5
    inputs, turns, truths = mirror_columns(inputs, torch.from_numpy(drawn.turns), torch.from_numpy(drawn.truths), flags)
    outputs, _ = module(inputs, turns, torch.as_tensor(drawn.dt))
    loss = measure_loss(outputs, truths, smoothness=plan.smoothness)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())


def _store(path: Path, module: Any, optimizer: Any, plan: NetworkPlan, seed: int, step: int) -> None:
    arrays = {f"weight.{name}": value.detach().numpy() for name, value in module.state_dict().items()}
    for number, moments in optimizer.state_dict()["state"].items():
        arrays |= {f"moment.{number}.{name}": value.detach().numpy() for name, value in moments.items()}
    arrays = {name: np.ascontiguousarray(np.atleast_1d(value), np.float32) for name, value in arrays.items()}
    write_arrays(path, arrays, format=FORMAT, version=VERSION, about={"plan": asdict(plan), "seed": seed, "step": step})


def _restore(path: Path, module: Any, optimizer: Any, plan: NetworkPlan, seed: int) -> int:
    import torch

    arrays, about = read_arrays(path, format=FORMAT, version=VERSION, verify=True, words=WORDS)
    if about["plan"] != json.loads(json.dumps(asdict(plan))) or about["seed"] != seed:
        raise FileError(
            path, f"belongs to a training with seed {about['seed']} and other settings; give those, or a new file"
        )
    shapes = {name: value.shape for name, value in module.state_dict().items()}
    state = {name: torch.from_numpy(np.array(arrays[f"weight.{name}"])).reshape(shapes[name]) for name in shapes}
    module.load_state_dict(state)
    moments: dict[int, dict[str, Any]] = {}
    sizes = [parameter.shape for parameter in module.parameters()]
    for name, value in arrays.items():
        if name.startswith("moment."):
            _, number, kind = name.split(".")
            tensor = torch.from_numpy(np.array(value))
            moments.setdefault(int(number), {})[kind] = (
                tensor.reshape(()) if kind == "step" else tensor.reshape(sizes[int(number)])
            )
    whole = optimizer.state_dict()
    optimizer.load_state_dict({"state": moments, "param_groups": whole["param_groups"]})
    return int(about["step"])
