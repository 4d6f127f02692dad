"""Characters shared among threads: alike to the bit whichever thread steps them, and an error is raised once."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematch.character import Crowd, runner, warm_up
from kinematch.character.step.step import BLOCK, run_step
from kinematch.compile.code_cache import is_missing
from kinematch.compile.jit import kernel
from kinematch.compile.memory import claim
from kinematch.control.command import move
from kinematch.database.storage import save
from kinematch.errors import KinematchError
from kinematch.scene.terrain import HeightFunction
from kinematch.threads import SHARED, at_most, count_most_threads, count_threads, run_each

COUNT = 1200
HAMMER = Path(__file__).with_name("hammer_crowd.py")
assert max(SHARED, 8 * BLOCK) < COUNT  # enough to be shared, in many blocks
two_cores = pytest.mark.skipif(count_most_threads() < 2, reason="a machine of one core")


def commands(steps: int):
    rng = np.random.default_rng(0)
    for step in range(steps):
        if step % 10 == 0:
            velocities = rng.normal(size=(COUNT, 3)) * [1.3, 0.0, 1.3]
        yield move(velocities)


@pytest.fixture
def two_threads():
    with at_most(2):
        yield


@two_cores
@pytest.mark.parametrize("terrain", [None, HeightFunction(lambda x, z: 0.1 * np.sin(x))])
def test_any_number_of_threads_shows_the_same(database, terrain):
    alone, shared = (Crowd([database, database], COUNT, terrain=terrain) for _ in range(2))
    for step, command in enumerate(commands(25)):
        command = replace(command, source=np.arange(COUNT) % 2 if step > 12 else 0)
        for crowd in (alone, shared):
            if step == 8:  # some begin anew
                crowd.body.velocities[::100] = np.nan
        with at_most(1):
            one = alone.step(command, 1 / 60)
        with at_most(2):
            two = shared.step(command, 1 / 60)
        for name, a, b in zip(one._fields, one, two):
            np.testing.assert_array_equal(a, b, err_msg=name)
    for name, array in alone.state.arrays().items():
        np.testing.assert_array_equal(array, shared.state.arrays()[name], err_msg=name)
    assert alone.restarts == shared.restarts == COUNT // 100


def test_shared_crowds_that_change_between_unlike_sources_are_shown_as_unshared_ones(built_of):
    """A character that has just changed its source is animated from the new one."""
    databases = [built_of("idle", "walk_1.35").database, built_of("run_2.6", "walk_turn_*_90", "idle").database]
    shared, alone = Crowd(databases, 400), Crowd(databases, 400)
    for step, command in enumerate(commands(40)):
        own = replace(
            command, velocities=command.velocities[:400], facings=command.facings[:400], source=step // 10 % 2
        )
        many = shared.step(own, 1 / 60)
        with at_most(1):
            expected = alone.step(own, 1 / 60)
        for name, a, b in zip(many._fields, many, expected):
            np.testing.assert_array_equal(a, b, err_msg=f"step {step}: {name}")


@two_cores
def test_two_threads_with_a_crowd_each_do_not_wait_for_each_other(database, two_threads):
    """Both show what a crowd alone does."""
    crowds = [Crowd(database, COUNT) for _ in range(3)]
    expected = [crowds[2].step(command, 1 / 60).global_positions.copy() for command in commands(12)]
    shown: list[list] = [[], []]

    def run(n: int) -> None:
        with at_most(2):
            for command in commands(12):
                shown[n].append(crowds[n].step(command, 1 / 60).global_positions.copy())

    others = [threading.Thread(target=run, args=(n,)) for n in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    np.testing.assert_array_equal(shown[0], expected)
    np.testing.assert_array_equal(shown[1], expected)


@two_cores
def test_a_filter_that_admits_nothing_is_refused_whichever_thread_finds_it(database, two_threads):
    crowd = Crowd(database, COUNT)
    command = next(commands(1))
    crowd.state.schedule.since[-5:] = 1.0  # these search first
    nothing = ["" if n < COUNT - 5 else "idle & run" for n in range(COUNT)]
    with pytest.raises(KinematchError, match="the filter 'idle & run' admits none"):
        crowd.step(replace(command, filter=nothing), 1 / 60)
    assert np.isfinite(crowd.step(command, 1 / 60).global_positions).all()


def test_an_error_in_one_of_many_pieces_is_raised_after_the_others():
    done: list[int] = []

    def work(piece: int) -> None:
        if piece == 3:
            raise ValueError("no")
        done.append(piece)

    with pytest.raises(ValueError, match="no"):
        run_each(range(20), work)
    assert len(done) == len(set(done)) < 20


@kernel
def take_all(counter, taken):
    start = claim(counter, 1)
    while start < len(taken):
        taken[start] += 1
        start = claim(counter, 1)


def test_each_is_claimed_once_by_any_of_many_threads():
    counter, taken = np.zeros(1, np.int64), np.zeros(200_000, np.int64)
    others = [threading.Thread(target=take_all, args=(counter, taken)) for _ in range(4)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert (taken == 1).all()


def test_the_step_can_be_compiled_beforehand(database, monkeypatch):
    taken = []
    monkeypatch.setattr(runner, "run_step", lambda *given: taken.append(run_step(*given)))
    warm_up(database)
    assert len(taken) == 1
    assert not is_missing(run_step)


def test_threads_are_counted_without_starting_those_of_numba():
    """Numba's own set the number that torch works with, and trainings took ten times as long."""
    code = "import os; from kinematch.threads import count_threads, run_each; run_each(range(4), print); "
    code += "assert count_threads(); import numba.np.ufunc.parallel as p; assert not p._is_initialized"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_number_of_threads_holds_within_and_is_forgotten_after():
    most = count_most_threads()
    with at_most(1):
        assert count_threads() == 1
        with at_most(most + 5):
            assert count_threads() == most
        assert count_threads() == 1
    assert count_threads() == most


def test_threads_that_step_and_change_one_crowd_cannot_crash_it(tmp_path, database):
    """In a child process, which a crash would end."""
    save(tmp_path / "small.kinematch", database)
    done = subprocess.run(
        [sys.executable, str(HAMMER), str(tmp_path / "small.kinematch"), "8"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-2000:]}"
    assert done.stdout.startswith("alive")


def test_a_setter_waits_for_the_step_of_another_thread(database):
    """A layer that is half way through a step sees the settings of that step."""
    within, changed, seen = threading.Event(), threading.Event(), []

    class Watcher:
        def apply(self, pose, dt):
            seen.append(crowd.settings.quality)
            within.set()
            changed.wait(0.2)  # it cannot be set before the step ends
            seen.append(crowd.settings.quality)
            return []

    crowd = Crowd(database, layers=[Watcher()])

    def change() -> None:
        within.wait()
        crowd.settings = replace(crowd.settings, quality=2.0)
        changed.set()

    other = threading.Thread(target=change)
    other.start()
    crowd.step(move([0.0, 0.0, 1.0]), 1 / 60)
    other.join()
    assert seen == [1.0, 1.0]
    assert crowd.settings.quality == 2.0


def test_a_layer_may_change_the_crowd_that_runs_it(database):
    class Changer:
        def apply(self, pose, dt):
            crowd.settings = replace(crowd.settings, quality=2.0)
            crowd.layers = []
            return []

    crowd = Crowd(database, layers=[Changer()])
    assert np.isfinite(crowd.step(move([0.0, 0.0, 1.0]), 1 / 60).positions).all()
    assert crowd.settings.quality == 2.0
    assert not crowd.layers
