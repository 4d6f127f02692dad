"""`kinematch train learned`: a model of a few megabytes from a database, and whether it is good enough."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from kinematch.cli.options import blaming, check_output, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.database.storage import Database
    from kinematch.learned.training.plan import ModelPlan
    from kinematch.learned.verdict import Verdict

MINUTES = 12.0


def learned(
    database: Annotated[
        tyro.conf.Positional[Path | None], option("training database; default: the built-in one")
    ] = None,
    /,
    output: Annotated[Path, option("model to write", "-o")] = Path("learned.kinematch-model"),
    minutes: Annotated[float, option(f"minutes of training; default: {MINUTES:g}, unless --steps is given")] = 0.0,
    steps: Annotated[int, option("steps per stage, instead of --minutes: the same on every machine")] = 0,
    seed: Annotated[int, option("random seed, 0 or more")] = 0,
    design: Annotated[Literal["snap", "paper"], option("our design, or the three networks of the papers")] = "snap",
    capacity: Annotated[
        Literal["auto", "small", "large"],
        option("size of networks and codebook; auto depends on the frame count"),
    ] = "auto",
    resume: Annotated[Path | None, option("checkpoint file: written during training, and resumed if it exists")] = None,
    tune: Annotated[
        int, option("number of trials to tune settings first; needs the extra 'tune', with --ray 'scale'")
    ] = 0,
    ray: Annotated[str | None, option("search with Ray Tune's ASHA: 'local', 'auto' or a cluster's address")] = None,
) -> int:
    """Train networks that replace a database; exit status 1 if the model is not fit for use.

    Needs an extra: pip install 'kinematch[train]'. Ctrl-C stops at any time; --resume continues.
    """
    from kinematch.cli.opening import open_database
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.learned.model_file import SUFFIX, save_model
    from kinematch.learned.training.finish import finish_model
    from kinematch.learned.training.journal import SUFFIX as JOURNAL
    from kinematch.learned.training.journal import Journal, find_journal_folder
    from kinematch.learned.training.plan import make_plan
    from kinematch.learned.training.train import Training
    from kinematch.learned.verdict import judge

    _check(output, SUFFIX, minutes, steps, seed, tune)
    lasting: dict[str, Any] = {"compress_steps": steps, "step_steps": steps} if steps else {}
    if steps and design == "paper":
        lasting["project_steps"] = steps
    with progress_bar("opening") as show, blaming(database):
        opened, name, _ = open_database(database, None, show)
        plan = make_plan(design, opened.poses.frame_count, capacity=capacity, **lasting)
        if tune:
            plan = _tune(opened, plan, tune, seed, ray, show)
        folder = str(output.resolve().parent)
        journal = Journal(find_journal_folder() / f"{output.stem}{JOURNAL}", output.stem, database=name, folder=folder)
        allowed = None if steps else minutes or MINUTES
        training = Training(opened, plan, seed=seed, resume=resume, minutes=allowed, journal=journal)
        training.run(show)
        words = ["kinematch", "train", "learned", *([database.name] if database else []), "--design", design]
        words += ["--capacity", capacity] if capacity != "auto" else []
        words += [
            "--seed",
            str(seed),
            *(["--steps", str(steps)] if steps else ["--minutes", f"{minutes or MINUTES:g}"]),
        ]
        model = finish_model(training, {"command": shlex.join(words), "name": name}, show)
    save_model(output, model)
    verdict = judge(model.scores, snaps=model.snaps)
    journal.note_end(verdict.grade)
    screen = Screen()
    print_scores(screen, model.scores, verdict)
    screen.say("written: ", (str(output), "bold"), f", {output.stat().st_size / 1e6:.1f} MB; kinematch play {output}")
    return 0 if verdict.accepted else 1


def print_scores(screen: Any, scores: Mapping[str, float], verdict: "Verdict") -> None:
    """A table of all scores against what is good, and the verdict."""
    from rich.table import Table

    from kinematch.learned.verdict import VERDICT_LIMITS

    grid = Table("score", "found", "good", "usable", box=None)
    for limit in VERDICT_LIMITS:
        if limit.score in scores:
            grid.add_row(limit.text, f"{scores[limit.score]:.2f}", f"{limit.good:g}", f"{limit.usable:g}")
    screen.print(grid)
    screen.say("verdict: ", (verdict.grade, "bold"), "" if verdict.reasons else ": within every limit")
    for reason in verdict.reasons:
        screen.say(f"  {reason}")
    for advice in verdict.advice:
        screen.say(f"  to do: {advice}")


def _check(output: Path, suffix: str, minutes: float, steps: int, seed: int, tune: int) -> None:
    """Refuse at once what cannot come to an end."""
    from kinematch.learned.training.plan import check_training

    check_training()
    check_output(output, suffix)
    if seed < 0 or steps < 0 or tune < 0 or not 0 <= minutes < 1e5:
        raise KinematchError(f"seed {seed}, steps {steps}, tune {tune}, minutes {minutes}: expected 0 or more each")
    if steps and minutes:
        raise KinematchError("--steps and --minutes both say how long to train; give one of them")


def _tune(database: "Database", plan: "ModelPlan", trials: int, seed: int, ray: str | None, show: Any) -> "ModelPlan":
    from kinematch.learned.training.tune import tune_here, tune_with_ray

    if ray is not None:
        return tune_with_ray(database, plan, trials=trials, seed=seed, address=None if ray == "local" else ray)[0]
    return tune_here(database, plan, trials=trials, seed=seed, progress=show)[0]
