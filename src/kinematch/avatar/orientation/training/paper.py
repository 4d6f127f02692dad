"""Algorithm 1 of MMVR: the network predicts r times in a row from its own output, and only the last one is compared."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinematch.avatar.orientation.paper import (
    FEEDBACK_COLUMNS,
    HIDDEN_UNITS,
    TRACKED_COLUMNS,
    TURNED,
    PaperWeights,
    check_feedback,
    measure_paper_inputs,
    to_axes,
)
from kinematch.avatar.orientation.training.people import BUILT_IN_SUBJECT, Person
from kinematch.avatar.orientation.training.train import check_training
from kinematch.avatar.trackers import HEAD
from kinematch.errors import KinematchError
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws

BATCH_SIZE, LEARNING_RATE, WEIGHT_DECAY = 64, 3e-4, 0.035  # the paper's, found there with ASHA
DEFAULT_STEPS = 6000
OPTIMIZERS = ("adam", "adamw")


def train_paper(
    people: Sequence[Person],
    *,
    recursions: int = 50,
    optimizer: str = "adam",
    steps: int = DEFAULT_STEPS,
    feedback: str = TURNED,
    seed: int = 0,
    progress: Callable[[int, int, str], None] = lambda done, total, text: None,
) -> PaperWeights:
    """The paper's network with its own batch size, rate and decay; `adam` adds the decay to the gradient (L2).

    `feedback`: `raw` is Algorithm 1 as printed, always with r predictions; `turned` turns each prediction into the
    headset's next frame and makes r - 1 predictions in every other batch.
    """
    check_training()
    check_feedback(feedback)
    if optimizer not in OPTIMIZERS:
        raise KinematchError(f"optimizer {optimizer!r}, expected one of {', '.join(OPTIMIZERS)}")
    if recursions < 1:
        raise KinematchError(f"{recursions} predictions in a row, expected 1 or more")
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    inputs, relatives, turns, starts = _collect([one for one in people if one.subject != BUILT_IN_SUBJECT], recursions)
    fed = to_axes(relatives)
    whole = np.concatenate([inputs, fed], axis=1)
    offsets, scales = whole.mean(axis=0), whole.std(axis=0)
    scales = np.where(scales > 1e-6, scales, 1.0)  # the fed-back axes have columns that never change
    as_tensor = lambda array: torch.from_numpy(array.astype(np.float32))  # noqa: E731
    seen, axes, turned = as_tensor(inputs), as_tensor(fed), as_tensor(turns)
    means, divisors = as_tensor(offsets), as_tensor(scales)
    layers = [
        (TRACKED_COLUMNS + FEEDBACK_COLUMNS, HIDDEN_UNITS),
        (HIDDEN_UNITS, HIDDEN_UNITS),
        (HIDDEN_UNITS, FEEDBACK_COLUMNS),
    ]
    module = torch.nn.Sequential(
        torch.nn.Linear(*layers[0]), torch.nn.ReLU(), torch.nn.Linear(*layers[1]), torch.nn.ReLU(),
        torch.nn.Linear(*layers[2]),
    )  # fmt: skip
    kind = torch.optim.Adam if optimizer == "adam" else torch.optim.AdamW
    descent = kind(module.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    losses = []
    for step in range(steps):
        first = torch.from_numpy(rng.choice(starts, BATCH_SIZE))
        predicted = axes[first - 1]
        # only the last of a run counts: with an even number alone, networks learn to turn round at every prediction
        count = max(1, recursions - step % 2) if feedback == TURNED else recursions
        for j in range(count):
            if feedback == TURNED:
                predicted = _turn(predicted, -turned[first + j])
            predicted = module((torch.cat([seen[first + j], predicted], dim=1) - means) / divisors)
        loss = torch.nn.functional.mse_loss(predicted, axes[first + count - 1])
        descent.zero_grad()
        loss.backward()
        descent.step()
        losses.append(float(loss.detach()))
        if step % 50 == 49 or step == steps - 1:
            progress(step + 1, steps, f"loss {np.mean(losses[-200:]):.4f}")
    return _export(module, offsets, scales)


def _collect(people: Sequence[Person], recursions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, truths against the headset, turns of the headset, and where a run of predictions may start."""
    parts, starts, count = [], [], 0
    for person in people:
        headset = facing_yaws(person.joints.rotations[:, HEAD])
        turns = wrap_angle(np.diff(headset, prepend=headset[:1]))
        parts.append((measure_paper_inputs(person.joints), wrap_angle(person.yaws - headset), turns))
        starts.append(count + np.arange(1, len(headset) - recursions))
        count += len(headset)
    whole = [np.concatenate(column) for column in zip(*parts)]
    if not len(found := np.concatenate(starts)):
        raise KinematchError(f"no clip is longer than the {recursions} predictions in a row")
    return whole[0], whole[1], whole[2], found


def _turn(axes: Any, yaws: Any) -> Any:
    """paper.turn_axes in torch."""
    import torch

    c, s = torch.cos(yaws)[:, None], torch.sin(yaws)[:, None]
    x, y, z = axes[:, 0::3], axes[:, 1::3], axes[:, 2::3]
    return torch.stack([c * x + s * z, y, c * z - s * x], dim=-1).flatten(1)


def _export(module: Any, offsets: np.ndarray, scales: np.ndarray) -> PaperWeights:
    state = [value.detach().numpy().astype(np.float64) for value in module.parameters()]
    arrays = [np.ascontiguousarray(value.T) for value in state]
    return PaperWeights(offsets, scales, *arrays)
