"""Characters shared among threads: alike whoever does them, and nobody waits for a slow one or for an error."""

import threading
import time
from dataclasses import replace

import numba
import numpy as np
import pytest

from kinematch.character import Crowd, runner, warm_up
from kinematch.character.kernels import animation
from kinematch.compile.jit import is_missing, kernel
from kinematch.compile.memory import claim
from kinematch.compile.threads import run_in_two
from kinematch.control.command import move
from kinematch.terrain.terrain import HeightFunction

animate = animation.animate
COUNT = 1200  # several times what a thread claims at once, and enough for all to search
two_cores = pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="a machine of one core")


def commands(steps: int):
    rng = np.random.default_rng(0)
    for step in range(steps):
        if step % 10 == 0:
            velocities = rng.normal(size=(COUNT, 3)) * [1.3, 0.0, 1.3]
        yield move(velocities)


@pytest.fixture(autouse=True)
def few_are_shared(monkeypatch):
    """Small crowds are shared among threads as large ones are."""
    monkeypatch.setattr(runner, "DIVIDED", 1000)
    for module in ("runner", "step"):
        monkeypatch.setattr(f"kinematch.character.{module}.SHARED", 300)


@pytest.fixture
def threads():
    before = numba.get_num_threads()
    yield numba.set_num_threads
    numba.set_num_threads(before)


@two_cores
@pytest.mark.parametrize("terrain", [None, HeightFunction(lambda x, z: 0.1 * np.sin(x))])
def test_any_number_of_threads_shows_the_same(database, terrain, threads):
    alone, shared = (Crowd([database, database], COUNT, terrain=terrain) for _ in range(2))
    for step, command in enumerate(commands(25)):
        command = replace(command, source=np.arange(COUNT) % 2 if step > 12 else 0)
        threads(1)
        one = alone.step(command, 1 / 60)
        threads(2)
        two = shared.step(command, 1 / 60)
        for name, a, b in zip(one._fields, one, two):
            np.testing.assert_array_equal(a, b, err_msg=name)


def test_shared_crowds_that_change_between_unlike_sources_are_shown_as_unshared_ones(built_of, monkeypatch):
    """A character that has just changed its source is animated from the new one."""
    databases = [built_of("idle", "walk_1.35").database, built_of("run_2.6", "walk_turn_*_90", "idle").database]
    shared, alone = Crowd(databases, 400), Crowd(databases, 400)
    for step, command in enumerate(commands(40)):
        own = replace(
            command, velocities=command.velocities[:400], facings=command.facings[:400], source=step // 10 % 2
        )
        many = shared.step(own, 1 / 60)
        with monkeypatch.context() as changed:
            changed.setattr("kinematch.character.step.SHARED", 10**9)
            expected = alone.step(own, 1 / 60)
        for name, a, b in zip(many._fields, many, expected):
            np.testing.assert_array_equal(a, b, err_msg=f"step {step}: {name}")


@two_cores
def test_a_thread_that_is_done_steals_from_one_that_is_late(database, threads, monkeypatch):
    """The second thread is taken away as soon as both have searched: the first one does its half too."""
    threads(2)
    crowd, plain = Crowd(database, COUNT), Crowd(database, COUNT)
    claimed: list[int] = []

    def animate_late(scene, characters, begun, *given):
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.5)
        elif begun[0] < len(characters):
            claimed.append(int(characters[0]))
        return animate(scene, characters, begun, *given)

    for command in commands(3):
        expected = plain.step(command, 1 / 60)
        claimed.clear()
        with monkeypatch.context() as changed:
            changed.setattr(runner, "animate", animate_late)
            shown = crowd.step(command, 1 / 60)
        np.testing.assert_array_equal(shown.global_positions, expected.global_positions)
        assert set(claimed) == {0, COUNT // 2}


@two_cores
def test_an_error_of_one_thread_is_raised_and_nobody_hangs(database, threads, monkeypatch):
    threads(2)
    crowd = Crowd(database, COUNT)

    def fail(scene, characters, begun, *given):
        if characters[0] > 0:
            raise ValueError("no")
        return animate(scene, characters, begun, *given)

    monkeypatch.setattr(runner, "animate", fail)
    with pytest.raises(ValueError, match="no"):
        crowd.step(next(commands(1)), 1 / 60)


def test_after_an_error_nobody_helps_and_nobody_waits():
    done: list[int] = []

    def first(part: int) -> None:
        if part == 0:
            raise ValueError("no")
        time.sleep(0.1)

    with pytest.raises(ValueError, match="no"):
        run_in_two(2, first, done.append)
    assert set(done) <= {1}


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
    monkeypatch.setattr(runner, "animate", lambda *given: taken.append(animate(*given)) or 0)
    warm_up(database)
    assert len(taken) == 1
    assert not is_missing(animate)
