"""Checkpoint: all that training needs to go on as if it had not stopped, written beside and then renamed."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database.container import Words, read_arrays, write_arrays
from kinematch.errors import FileError
from kinematch.learned.training.plan import STAGES, ModelPlan

FORMAT, VERSION = "kinematch-learned-checkpoint", 1
WORDS = Words("checkpoint of training", "`kinematch train learned --resume` writes those", "start again without it")


@dataclass(eq=False)
class Checkpoint:
    plan: ModelPlan
    seed: int
    database: str  # digest of what it learns from
    stage: str = STAGES[0]
    step: int = 0  # steps of the stage that are done
    seconds: float = 0.0  # of training so far
    curve: list[float] = field(default_factory=list)  # figures of the stage's reports
    weights: dict[str, np.ndarray] = field(default_factory=dict)  # of all modules so far, by module and name
    moments: dict[str, np.ndarray] = field(default_factory=dict)  # of the stage's optimizer

    def keep(self, stage: str, step: int, modules: dict[str, Any], optimizer: Any) -> None:
        """Take over what a stage has learned."""
        self.stage, self.step = stage, step
        for owner, module in modules.items():
            for name, value in module.state_dict().items():
                self.weights[f"{owner}.{name}"] = value.detach().cpu().numpy().copy()
        self.moments = {}
        for number, own in optimizer.state_dict()["state"].items():
            for name, value in own.items():
                self.moments[f"{number}.{name}"] = np.atleast_1d(value.detach().cpu().numpy()).copy()

    def restore_modules(self, modules: dict[str, Any]) -> None:
        import torch

        for owner, module in modules.items():
            shapes = {name: value.shape for name, value in module.state_dict().items()}
            module.load_state_dict(
                {
                    name: torch.from_numpy(self.weights[f"{owner}.{name}"]).reshape(shape)
                    for name, shape in shapes.items()
                }
            )

    def restore_optimizer(self, optimizer: Any) -> None:
        import torch

        sizes = [parameter.shape for group in optimizer.param_groups for parameter in group["params"]]
        state: dict[int, dict[str, Any]] = {}
        for key, value in self.moments.items():
            number, name = key.split(".")
            tensor = torch.from_numpy(np.array(value))
            shape = () if name == "step" else sizes[int(number)]
            state.setdefault(int(number), {})[name] = tensor.reshape(shape)
        optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})

    def is_past(self, stage: str) -> bool:
        """Whether a stage is over; stages come in one order."""
        return STAGES.index(stage) < STAGES.index(self.stage)

    def write(self, path: Path) -> None:
        arrays = {f"weight.{name}": value for name, value in self.weights.items()}
        arrays |= {f"moment.{name}": value for name, value in self.moments.items()}
        arrays = {name: np.ascontiguousarray(value, np.float32) for name, value in arrays.items()}
        about = {
            "plan": asdict(self.plan), "seed": self.seed, "database": self.database, "stage": self.stage,
            "step": self.step, "seconds": self.seconds, "curve": self.curve,
        }  # fmt: skip
        write_arrays(path, arrays, format=FORMAT, version=VERSION, about=about)


def read_checkpoint(path: Path, plan: ModelPlan, seed: int, database: str, *, timed: bool = False) -> Checkpoint:
    """Go on from a file. Where the time decides how long stages last (`timed`), their lengths are the file's."""
    arrays, about = read_arrays(path, format=FORMAT, version=VERSION, verify=True, words=WORDS)
    try:
        theirs = ModelPlan(**about["plan"])
        given, found = json.loads(json.dumps(asdict(plan))), dict(about["plan"])
        if timed:
            for stage in STAGES:
                given.pop(f"{stage}_steps"), found.pop(f"{stage}_steps")
        if given != found or about["seed"] != seed:
            other = sorted(name for name in given if given[name] != found.get(name))
            what = f"other settings ({', '.join(other)})" if other else f"seed {about['seed']}"
            raise FileError(path, f"belongs to a training with {what}; give those, or a new file")
        if about["database"] != database:
            raise FileError(path, "belongs to a training on another database; give that, or a new file")
        kinds = {kind: {} for kind in ("weight", "moment")}  # type: dict[str, dict[str, np.ndarray]]
        for name, value in arrays.items():
            kind, own = name.split(".", 1)
            kinds[kind][own] = np.array(value)
        return Checkpoint(
            theirs, seed, database, str(about["stage"]), int(about["step"]), float(about["seconds"]),
            [float(value) for value in about["curve"]], kinds["weight"], kinds["moment"],
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(path, f"is damaged: {error}; {WORDS.remedy}", kind="damaged") from error
