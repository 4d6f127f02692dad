"""`kinematch train capacity`: whether a large database averages out in a small network, shown by three models."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from kinematch.cli.options import option
from kinematch.cli.train_learned import learned
from kinematch.errors import FileError, KinematchError

if TYPE_CHECKING:
    from kinematch.learned.model import Model

COLUMNS = {
    "poses, cm": ("database_mean",), "stretches / clips held out, cm": ("held_mean", "held_clip_mean"),
    "alone for 10 / 20 / 60 frames, cm": ("run_10", "run_20", "run_60"), "from exact search, cm": ("project_exact",),
    "from the data, stick, cm": ("stick_off",), "toes slide, cm/s": ("toe_slide",),
}  # fmt: skip


def capacity(
    small: Annotated[tyro.conf.Positional[Path], option("a small database")],
    big: Annotated[tyro.conf.Positional[Path], option("a big database")],
    /,
    output: Annotated[Path, option("folder of the three models; existing ones are not trained again", "-o")],
    minutes: Annotated[float, option("minutes of training for each")] = 0.0,
    steps: Annotated[int, option("steps per stage, instead of --minutes: the same on every machine")] = 0,
    seed: Annotated[int, option("random seed, 0 or more")] = 0,
) -> int:
    """Train on a small database, on a big one with the same networks, and on the big one with its own; compare them.

    A network that is too small averages motions (5.3.4 of the dissertation on learned motion matching). After an
    interruption the next call resumes.
    """
    from kinematch.cli.screen import Screen
    from kinematch.learned.model_file import load_model
    from kinematch.learned.verdict import judge

    if output.exists() and not output.is_dir():
        raise FileError(output, "is no folder")
    output.mkdir(parents=True, exist_ok=True)
    runs = {"small": (small, "small"), "big-small-network": (big, "small"), "big": (big, "large")}
    models: dict[str, Model] = {}
    for name, (database, size) in runs.items():
        path = output / f"{name}.kinematch-model"
        if not path.exists():
            learned(
                database, output=path, minutes=minutes, steps=steps, seed=seed, capacity=size,  # type: ignore[arg-type]
                resume=output / f"{name}.checkpoint",
            )  # fmt: skip
        models[name] = load_model(path)
        _check_source(path, models[name], database)
    print_models(Screen(), models)
    return 0 if judge(models["big"].scores).accepted else 1


def _check_source(path: Path, model: "Model", database: Path) -> None:
    """A model of an earlier call may be of another database."""
    from kinematch.database import storage
    from kinematch.learned.scoring import find_digest

    if dict(model.about.get("database", {})).get("digest") != find_digest(storage.load(database)):
        raise KinematchError(
            f"{path} was trained on another database than {database.name}; remove it, or name another folder"
        )


def print_models(screen: Any, models: "dict[str, Model]") -> None:
    """A row of scores for each model."""
    from rich.table import Table

    from kinematch.learned.verdict import judge

    grid = Table("model", "frames", "MB", "minutes", *COLUMNS, "verdict", box=None)
    for name, model in models.items():
        scores, about = model.scores, model.about
        values = [
            " / ".join(f"{scores[key]:.2f}" if key in scores else "–" for key in keys) for keys in COLUMNS.values()
        ]
        frames, minutes = dict(about.get("database", {})).get("frames", "–"), float(about.get("seconds", 0.0)) / 60
        grid.add_row(name, str(frames), f"{model.nbytes / 1e6:.1f}", f"{minutes:.1f}", *values, judge(scores).grade)
    screen.print_wide(grid)
