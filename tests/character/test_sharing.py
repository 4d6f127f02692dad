"""Characters shared among threads: alike whoever does them, and nobody waits for a slow one or for an error."""

import threading
import time
from dataclasses import replace

import numba
import numpy as np
import pytest

from kinematch.character import Crowd, warm_up
from kinematch.character.kernels import step as step_kernels
from kinematch.compile.jit import is_missing, kernel
from kinematch.compile.memory import claim
from kinematch.compile.threads import in_two
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.terrain.terrain import HeightFunction

animate = step_kernels.animate
COUNT = 300  # several times what a thread takes on at once
two_cores = pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="a machine of one core")


def commands(steps: int):
    rng = np.random.default_rng(0)
    for step in range(steps):
        if step % 10 == 0:
            velocities = rng.normal(size=(COUNT, 3)) * [1.3, 0.0, 1.3]
        yield move(velocities)


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
        command = replace(command, database=np.arange(COUNT) % 2 if step > 12 else 0)
        threads(1)
        one = alone.step(command, 1 / 60)
        threads(2)
        two = shared.step(command, 1 / 60)
        for name, a, b in zip(one._fields, one, two):
            np.testing.assert_array_equal(a, b, err_msg=name)


class SlowCrowd(Crowd):
    """One whose second thread is taken away as soon as both have searched."""

    def __init__(self, *given):
        super().__init__(*given)
        self.both = threading.Barrier(2, timeout=30)
        self.helped: list[set[int]] = []  # the first characters of the parts that the main thread took on, of each step

    def step(self, *given):
        self.helped.append(set())
        return super().step(*given)

    def _search(self, *given):
        self.both.wait()  # each has a part of its own
        super()._search(*given)

    def _animate(self, who, *given):
        if threading.current_thread() is threading.main_thread():
            self.helped[-1].add(int(who[0]))
        else:
            time.sleep(0.5)
        super()._animate(who, *given)


@two_cores
def test_who_is_done_early_helps_one_that_is_late(database, threads):
    threads(2)
    crowd, plain = SlowCrowd(database, COUNT), Crowd(database, COUNT)
    for command in commands(3):
        shown, expected = crowd.step(command, 1 / 60), plain.step(command, 1 / 60)
        np.testing.assert_array_equal(shown.global_positions, expected.global_positions)
    assert crowd.helped == 3 * [{0, COUNT // 2}]


@two_cores
def test_a_lost_character_of_one_thread_is_told_and_nobody_hangs(database, threads):
    threads(2)
    crowd = Crowd(database, COUNT)
    for command in commands(3):
        crowd.step(command, 1 / 60)
    crowd.body.positions[COUNT - 1, 0] = np.nan
    crowd.state.schedule.since[-1] = 1.0  # s: it is its turn
    with pytest.raises(KinematchError, match=f"character {COUNT - 1}"):
        crowd.step(next(commands(1)), 1 / 60)


def test_after_an_error_nobody_helps_and_nobody_waits():
    done: list[int] = []

    def first(part: int) -> None:
        if part == 0:
            raise ValueError("no")
        time.sleep(0.1)

    with pytest.raises(ValueError, match="no"):
        in_two(2, first, done.append, shared=True)
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
    monkeypatch.setattr(step_kernels, "animate", lambda *given: taken.append(animate(*given)))
    warm_up(database)
    assert len(taken) == 1
    assert not is_missing(animate)
