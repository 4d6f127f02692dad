"""Characters shared among threads: alike whoever animates them, and nobody waits for a slow one or for an error."""

import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Crowd, runner, warm_up
from kinematch.character.kernels import animation
from kinematch.character.kernels.helping import sleep_and_help
from kinematch.compile import helpers as compile_helpers
from kinematch.compile.helpers import ASLEEP, POSTED, STATE
from kinematch.compile.jit import is_missing, kernel
from kinematch.compile.memory import claim
from kinematch.compile.threads import at_most, count_most_threads, count_threads, run_each
from kinematch.control.command import move
from kinematch.terrain.terrain import HeightFunction

animate = animation.animate
COUNT = 1200  # several times what a thread claims at once, and enough for all to search
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
        with at_most(1):
            one = alone.step(command, 1 / 60)
        with at_most(2):
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
def test_helpers_animate_while_this_thread_does_something_else(database, two_threads):
    crowd, plain = Crowd(database, COUNT), Crowd(database, COUNT)
    expected, shown = (own.step(next(commands(1)), 1 / 60) for own in (plain, crowd))
    shown.global_positions[:] = 0
    with crowd.runner.helped(crowd.characters, 0.0, animation.SHOW):
        until = time.monotonic() + 60  # only a failure waits so long
        while not shown.global_positions[-1].any() and time.monotonic() < until:
            time.sleep(0.001)
        assert shown.global_positions[-1].any()
    np.testing.assert_allclose(shown.global_positions, expected.global_positions, atol=1e-5)  # legs were solved before


@two_cores
def test_this_thread_does_what_a_helper_does_not_get_to(database, two_threads, monkeypatch):
    """The helper is posted everything and never woken: it takes nothing, and nobody waits for it."""
    crowd, plain = Crowd(database, COUNT), Crowd(database, COUNT)
    wake = compile_helpers.post
    for step, command in enumerate(commands(4)):
        expected = plain.step(command, 1 / 60)
        with monkeypatch.context() as changed:
            if step % 2:
                changed.setattr(compile_helpers, "post", lambda flags, *_: flags.__setitem__(STATE, POSTED))
            shown = crowd.step(command, 1 / 60)
        assert compile_helpers.post is wake
        np.testing.assert_array_equal(shown.global_positions, expected.global_positions)


@two_cores
def test_after_an_error_helpers_are_done_and_free(database, two_threads):
    crowd = Crowd(database, COUNT)
    crowd.step(next(commands(1)), 1 / 60)
    with pytest.raises(ValueError, match="no"), crowd.runner.helped(crowd.characters, 0.0, animation.SHOW):
        raise ValueError("no")
    with compile_helpers.helpers(sleep_and_help) as own:
        assert len(own) == 1
        assert all(helper.flags[STATE] == ASLEEP for helper in own)


@two_cores
def test_a_helper_that_was_posted_nothing_is_waited_for_too(database, two_threads):
    """Else the next wait ends at once, while the helper is still at work."""
    crowd = Crowd([database, database], COUNT)
    crowd.step(next(commands(1)), 1 / 60)
    for _ in range(200):
        with crowd.runner.helped(crowd.characters[:0], 0.0, animation.SHOW):
            pass
        with compile_helpers.helpers(sleep_and_help) as (helper,):
            assert helper.flags[STATE] == ASLEEP
            assert not compile_helpers.ctypes.pythonapi.PyThread_acquire_lock(
                compile_helpers.ctypes.c_void_p(helper._done), 0
            )


@two_cores
def test_two_threads_with_a_crowd_each_do_not_wait_for_each_other(database, two_threads):
    """One has the helpers, the other does without, and both show what a crowd alone does."""
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
    monkeypatch.setattr(runner, "animate", lambda *given: taken.append(animate(*given)) or 0)
    warm_up(database)
    assert len(taken) == 1
    assert not is_missing(animate)


def test_threads_are_counted_without_starting_those_of_numba():
    """Numba's own set the number that torch works with, and trainings took ten times as long."""
    code = "import os; from kinematch.compile.threads import count_threads, run_each; run_each(range(4), print); "
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
