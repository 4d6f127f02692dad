"""`kinematch train`: trains the networks that the package runs, and scores them on people they never saw."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from kinematch.cli.options import check_output, option
from kinematch.cli.train_capacity import capacity
from kinematch.cli.train_learned import learned
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kinematch.avatar.orientation.training.people import Person
    from kinematch.avatar.orientation.training.record import Table

PAPER = ("paper-r1-adam", "paper-r1-adamw", "paper-r50-adam", "paper-r50-adamw")
Paths = Annotated[tyro.conf.Positional[list[Path]], option("training motion: files, and folders of BVH")]
Networks = Literal["recurrent", "paper-r1-adam", "paper-r1-adamw", "paper-r50-adam", "paper-r50-adamw"]


def orientation(
    paths: Paths,
    /,
    output: Annotated[Path, option("weights to write, with a record of the training beside them", "-o")] = Path(
        "orientation.safetensors"
    ),
    network: Annotated[
        Networks, option("the default, or MMVR's with r consecutive predictions and an optimizer")
    ] = "recurrent",
    seed: Annotated[int, option("random seed, 0 or more")] = 0,
    steps: Annotated[int, option("training steps; 0: as many as for the shipped weights")] = 0,
    plan: Annotated[Path | None, option("training record (json) to take the settings from")] = None,
    without_card: Annotated[bool, option("do not train on the built-in motion")] = False,
    unseen: Annotated[list[Path], option("motion on other rigs, only for scoring")] = [],  # noqa: B006 (tyro wants a list)
    resume: Annotated[Path | None, option("checkpoint file: written during training, and resumed if it exists")] = None,
    tune: Annotated[
        int, option("number of trials to tune settings first; needs the extra 'tune', with --ray 'scale'")
    ] = 0,
    ray: Annotated[str | None, option("search with Ray Tune's ASHA: 'local', 'auto' or a cluster's address")] = None,
    score: Annotated[bool, option("do not train: score the shipped estimators on these people")] = False,
) -> int:
    """Train the network that estimates where a user's hips face, and score it on held-out subjects.

    Every sixth subject is held out with all clips. Needs an extra: pip install 'kinematch[train]'.
    """
    from kinematch.avatar.orientation.training.people import read_people, split_people
    from kinematch.avatar.orientation.training.record import score_estimators
    from kinematch.cli.screen import Screen, progress_bar

    _check(output, seed, steps, network, plan, resume, tune, score)
    with progress_bar("reading motion") as show:
        people = read_people(
            paths, card=not without_card, progress=lambda done, total: show(done, total, "reading motion")
        )
        learners, held = split_people(people)
        groups = {"held out": held}
        if unseen:
            groups["unseen rig"] = read_people(unseen)
        if score:
            from kinematch.avatar.orientation import ESTIMATORS, make_estimator

            estimators = {name: make_estimator(name) for name in ESTIMATORS if name != "headset"}
            _print(Screen(), score_estimators(estimators, groups, show))
            return 0
        job = _Job(output, seed, learners, held, groups, show, _tell_command(paths, network, seed, steps, unseen))
        table = job.train_paper(network, steps) if network != "recurrent" else job.train(steps, plan, resume, tune, ray)
    screen = Screen()
    _print(screen, table)
    screen.say("written: ", (str(output), "bold"), ", with its record beside")
    return 0


train = {"orientation": orientation, "learned": learned, "capacity": capacity}


class _Job:
    """What both kinds of network need while they are trained."""

    def __init__(
        self, output: Path, seed: int, learners: "list[Person]", held: "list[Person]",
        groups: "dict[str, list[Person]]", show: "Callable[..., None]", command: str,
    ):  # fmt: skip
        self.output, self.seed, self.learners, self.held = output, seed, learners, held
        self.groups, self.show, self.command = groups, show, command

    def train(self, steps: int, record: Path | None, resume: Path | None, trials: int, ray: str | None) -> "Table":
        from dataclasses import asdict, replace

        from kinematch.avatar.orientation.network import save_network
        from kinematch.avatar.orientation.recurrent import RecurrentEstimator
        from kinematch.avatar.orientation.training.calibrate import calibrate
        from kinematch.avatar.orientation.training.record import read_plan
        from kinematch.avatar.orientation.training.train import NetworkPlan, train_recurrent
        from kinematch.avatar.orientation.training.tune import tune_here, tune_with_ray

        plan = read_plan(record) if record is not None else NetworkPlan()
        plan = replace(plan, steps=steps or plan.steps)
        if trials and ray is not None:
            address = None if ray == "local" else ray
            plan, _ = tune_with_ray(self.learners, plan, trials=trials, seed=self.seed, address=address)
        elif trials:
            plan, _ = tune_here(self.learners, plan, trials=trials, seed=self.seed, progress=self.show)
        network = train_recurrent(self.learners, plan, seed=self.seed, checkpoint=resume, progress=self.show)
        if self.held:
            network = calibrate(network, self.held)
        table = self._score({"recurrent": RecurrentEstimator(network=network)})
        self._write(lambda path, about: save_network(path, network, about), asdict(plan), table)
        return table

    def train_paper(self, name: str, steps: int) -> "Table":
        from kinematch.avatar.orientation.paper import PaperNetwork, save_paper
        from kinematch.avatar.orientation.training.paper import DEFAULT_STEPS, train_paper

        _, row, optimizer = name.split("-")
        settings: dict[str, Any] = {"recursions": int(row[1:]), "optimizer": optimizer, "steps": steps or DEFAULT_STEPS}
        weights = train_paper(self.learners, **settings, seed=self.seed, progress=self.show)
        table = self._score({name: PaperNetwork(weights=weights)})
        self._write(lambda path, about: save_paper(path, weights, about), settings, table)
        return table

    def _score(self, estimators: dict[str, Any]) -> "Table":
        from kinematch.avatar.orientation.training.record import score_estimators

        return score_estimators(estimators, self.groups, self.show)

    def _write(self, save: "Callable[[Path, dict[str, Any]], None]", settings: dict[str, Any], table: "Table") -> None:
        from kinematch.avatar.orientation.training.record import describe_training, write_record

        save(self.output, {"command": self.command, "seed": self.seed})
        people = [*self.learners, *self.held]
        write_record(self.output, describe_training(self.command, self.seed, settings, people, self.held, table))


def _check(
    output: Path, seed: int, steps: int, network: str, plan: Path | None, resume: Path | None, tune: int, score: bool
) -> None:
    """Refuse at once what cannot come to an end."""
    from kinematch.avatar.orientation.training.train import check_training

    if not score:
        check_training()
        check_output(output, ".safetensors")
    if seed < 0 or steps < 0 or tune < 0:
        raise KinematchError(f"seed {seed}, steps {steps}, tune {tune}: expected 0 or more each")
    given = {"--plan": plan, "--resume": resume, "--tune": tune}
    wrong = [name for name, value in given.items() if value and network != "recurrent"]
    if wrong:
        raise KinematchError(f"{', '.join(wrong)} is for the recurrent network; MMVR's has its own settings")


def _tell_command(paths: list[Path], network: str, seed: int, steps: int, unseen: list[Path]) -> str:
    """The command, with the last part of each path alone: folders of this machine stay private."""
    words = ["kinematch", "train", "orientation", *(path.name for path in paths)]
    words += ["--network", network, "--seed", str(seed), *(["--steps", str(steps)] if steps else [])]
    return shlex.join([*words, *(["--unseen", *(path.name for path in unseen)] if unseen else [])])


def _print(screen: Any, table: "Table") -> None:
    from rich.table import Table as Grid

    grid = Grid(
        "people", "estimator", "mean", "deviation", "p95", "over 45", "own guess", "unsteady", "together", box=None
    )
    for people, rows in table.items():
        for name, one in rows.items():
            together = "-" if one.together != one.together else f"{one.together:+.1f}"
            values = (f"{one.mean:.1f}", f"{one.deviation:.1f}", f"{one.p95:.1f}", f"{one.large:.1%}")
            grid.add_row(people, name, *values, f"{one.expected:.1f}", f"{one.unsteady:.0f}/s", together)
    screen.print(grid)
    screen.say(
        "degrees from the true direction of the hips; together: the most that a clip whose head and hips stay within 6 "
        "degrees is worse than its headset"
    )
