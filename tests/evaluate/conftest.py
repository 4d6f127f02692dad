"""A small database and a short run over it, and takes made by hand, for the tests of the scoring."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kinematch.database.storage import Database
from kinematch.evaluate.course import CommandChange, Scenario
from kinematch.evaluate.evaluation import Assignment, Evaluation, evaluate, make_assignment
from kinematch.evaluate.run import Take
from kinematch.motion.skeleton import Skeleton, skeleton

CLIPS = ("idle", "walk_1.35", "run_2.6", "starts_and_stops_walk", "walk_turn_*_90", "walk_turn_*_180")
RATE = 60.0


@pytest.fixture(scope="session")
def database_file(built_of) -> Path:
    """A few clips of the built-in motion."""
    return built_of(*CLIPS).path


@pytest.fixture(scope="session")
def database(database_file) -> Database:
    from kinematch.database.storage import load

    return load(database_file)


@pytest.fixture(scope="session")
def small(database) -> Assignment:
    """Half a dozen scenarios."""
    given = make_assignment(database, quick=True)
    wanted = ("start and stop", "turn 180", "path following", "uneven terrain", "turning in place", "standing")
    from dataclasses import replace

    return replace(given, scenarios=tuple(s for s in given.scenarios if s.group in wanted))


@pytest.fixture(scope="session")
def evaluation(small) -> Evaluation:
    return evaluate(small)


@pytest.fixture(scope="session")
def stick_figure() -> Skeleton:
    """A root, hips and two toes."""
    offsets = np.array([[0, 0, 0], [0, 0.9, 0], [0.1, -0.9, 0], [-0.1, -0.9, 0]], float)
    roles = {"root": 0, "hips": 1, "left_toes": 2, "right_toes": 3}
    return skeleton(["Root", "Hips", "LeftToe", "RightToe"], np.array([-1, 0, 1, 1]), offsets, roles=roles)


@pytest.fixture(scope="session")
def make_take(stick_figure) -> Callable[..., Take]:
    """A take of given root positions (T, 3) and yaws (T,), the rest standing upright on it."""

    def make(
        roots: np.ndarray, yaws: np.ndarray | None = None, *, events: tuple[CommandChange, ...] = (), **changes
    ) -> Take:
        count = len(roots)
        yaws = np.zeros(count) if yaws is None else yaws
        still = np.zeros((count, 3))
        scenario = Scenario("made", "made", count / RATE, lambda times: (still, still), events)
        offsets = np.array([[0, 0, 0], [0, 0.9, 0], [0.1, 0, 0], [-0.1, 0, 0]])
        local = np.tile(stick_figure.offsets, (count, 1, 1)).astype(np.float32)
        local[:, 0] = roots
        values = {
            "positions": local,
            "rotations": np.tile(np.array([1, 0, 0, 0], np.float32), (count, 4, 1)),
            "global_positions": roots[:, None] + offsets,
            "root_yaws": yaws,
            "body_positions": roots,
            "body_yaws": yaws,
            "velocities": still,
            "facings": still,
            "frames": np.arange(count),
            "jumped": np.zeros(count, bool),
        }
        return Take(scenario, stick_figure, RATE, **(values | changes))

    return make
