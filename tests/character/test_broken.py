"""Nothing that users may write into or give can crash a crowd, show NaN, or have numba compile at step time."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kinematch.character import Command, Crowd, Settings
from kinematch.character.step.step import run_step
from kinematch.character.step.update import begin_transition, predict_places, sample_playing
from kinematch.control.command import follow_trajectory, move
from kinematch.control.trajectory import Trajectory
from kinematch.errors import KinematchError
from kinematch.scene.terrain import HeightFunction
from kinematch.search import Matches, WideMatcher, search_space

DT = 1 / 60
KERNELS = (run_step, sample_playing, begin_transition, predict_places)


@pytest.mark.parametrize("count", ["3", 2.5, None, 0, -1, True, [2]])
def test_a_count_that_is_none_is_refused(database, count):
    with pytest.raises(KinematchError, match="a crowd of"):
        Crowd(database, count)


@pytest.mark.parametrize("dt", [None, "1", 1j, True, np.inf, -0.1])
def test_a_time_that_is_none_is_refused(database, dt):
    with pytest.raises(KinematchError, match="a step of"):
        Crowd(database).step(move([[0.0, 0, 1]]), dt)


@pytest.mark.parametrize(
    "command",
    [
        None,
        "go",
        Command(np.zeros((1, 3)) + 1j, np.zeros((1, 3))),
        Command(np.array([["a", "b", "c"]]), np.zeros((1, 3))),
        Command(np.zeros((1, 3), object), np.zeros((1, 3))),
        Command(np.zeros((1, 3)), np.zeros((1, 3)), source="0"),
        Command(np.zeros((1, 3)), np.zeros((1, 3)), source=0.5),
        Command(np.zeros((1, 3)), np.zeros((1, 3)), trajectory="ahead"),
    ],
)
def test_a_command_that_is_none_is_refused(database, command):
    with pytest.raises(KinematchError, match="command"):
        Crowd(database).step(command, DT)


@pytest.mark.parametrize("settings", ["fast", {"ignore": 1}, Settings])
def test_settings_that_are_none_are_refused(database, settings):
    with pytest.raises(KinematchError, match="expected Settings"):
        Crowd(database).settings = settings


def test_a_terrain_that_raises_is_told(database):
    crowd = Crowd(database, terrain=HeightFunction(lambda x, z: 1 / 0))
    with pytest.raises(KinematchError, match=r"terrain HeightFunction: heights: ZeroDivisionError"):
        crowd.step(move([[0.0, 0, 1]]), DT)


class Answers:
    """A matcher that says whatever it is told to."""

    def __init__(self, space, answer):
        self.space, self.weights, self.answer = space, space.weights, answer
        self.right = WideMatcher(space)

    def set_weights(self, weights):
        pass

    def find(self, queries, current=None, **options):
        if current is None or (current < 0).all():
            return self.right.find(queries, current, **options)
        return self.answer(len(queries))


@pytest.mark.parametrize(
    "answer",
    [
        lambda n: Matches(np.full(n, np.nan), np.zeros(n)),
        lambda n: Matches(np.zeros(n, np.int32), np.zeros(0)),
        lambda n: Matches(np.full(n, 2_000_000_000), np.zeros(n)),
        lambda n: Matches(np.full(n, -7), np.zeros(n)),
        lambda n: None,
        lambda n: 1 / 0,
    ],
)
def test_what_a_matcher_of_ones_own_says_is_checked(database, answer):
    crowd = Crowd(database, 3, matcher=lambda one: Answers(search_space(one), answer))
    crowd.state.schedule.since[:] = 1.0  # s: it is their turn
    with pytest.raises(KinematchError, match="Answers"):
        crowd.step(move(np.tile([0.0, 0, 1.3], (3, 1))), DT)


class Layers:
    def __init__(self, what):
        self.what = what

    def apply(self, pose, dt):
        if self.what == "nan":
            pose.rotations[:, 5] = np.nan
        return {"nan": [5], "joint": [999], "type": ["hips"], "raise": 1 / 0 if self.what == "raise" else 0}[self.what]


@pytest.mark.parametrize("what", ["nan", "joint", "type", "raise"])
def test_what_a_layer_does_is_checked(database, what):
    crowd = Crowd(database, layers=[Layers(what)])
    with pytest.raises(KinematchError, match="Layers"):
        crowd.step(move([[0.0, 0, 1]]), DT)


@pytest.mark.parametrize(("compiled", "value"), [(True, np.nan), (True, np.inf), (True, 1e300), (False, np.nan)])
def test_a_character_whose_state_is_not_finite_begins_anew_and_the_others_go_on(database, compiled, value):
    crowd, undisturbed = (Crowd(database, 3, compiled=compiled) for _ in range(2))
    walk = move(np.tile([0.3, 0, 1.3], (3, 1)))
    restarted: set[str] = set()
    with np.errstate(all="ignore"):
        for name, array in crowd.state.arrays().items():
            if array.dtype.kind != "f" or not array[1].size:
                continue
            for other in (crowd, undisturbed):
                other.start_over(np.zeros((3, 3)), np.zeros(3))
                for _ in range(6):
                    other.step(walk, DT)
            crowd.state.arrays()[name][1] = value
            for _ in range(12):
                pose, expected = crowd.step(walk, DT), undisturbed.step(walk, DT)
                assert np.isfinite(pose.global_positions).all(), name
                assert np.isfinite(pose.global_rotations).all(), name
                assert not pose.restarted[[0, 2]].any()
                np.testing.assert_array_equal(pose.global_positions[[0, 2]], expected.global_positions[[0, 2]])
                if pose.restarted[1]:
                    restarted.add(name)
    assert crowd.restarts >= len(restarted) > 5


def test_arrays_of_any_kind_are_taken_and_nothing_is_compiled(database):
    crowd = Crowd(database, 2, terrain=HeightFunction(lambda x, z: 0 * x))
    velocities = np.tile([0.0, 0, 1.3], (2, 1))
    times, path = [0.0, 0.5, 1.0], np.tile([0.0, 0, 1], (2, 3, 1))
    crowd.step(move(velocities), DT)
    crowd.step(follow_trajectory(Trajectory(times, path, path)), DT)
    compiled = [len(kernel.signatures) for kernel in KERNELS]
    read_only = velocities.copy()
    read_only.flags.writeable = False
    wide = np.zeros((2, 6))
    wide[:, ::2] = velocities
    kinds = (read_only, velocities.astype(np.float32), np.asfortranarray(velocities), wide[:, ::2], velocities.tolist(),
             velocities.astype(">f8"), velocities.astype(int))  # fmt: skip
    for given in kinds:
        crowd.step(Command(given, given), DT)
    lists = times, path.tolist(), path.astype(np.float32)
    crowd.step(follow_trajectory(Trajectory(*lists)), DT)
    crowd.step(Command(velocities, velocities, source=np.zeros(2, np.uint8)), np.float32(DT))
    assert [len(kernel.signatures) for kernel in KERNELS] == compiled


FUZZ = Path(__file__).with_name("fuzz_crowd.py")


@pytest.mark.parametrize("seed", range(2))
def test_random_states_and_objects_never_crash_it(seed, tmp_path, database):
    """In a child process, which a crash would end."""
    from kinematch.database.storage import save

    save(tmp_path / "small.kinematch", database)
    done = subprocess.run(
        [sys.executable, str(FUZZ), str(tmp_path / "small.kinematch"), str(seed), "2500"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "2500 states" in done.stdout


WRITER = """
import sys, threading, time
import numpy as np
from kinematch.character import Crowd
from kinematch.control.command import move
from kinematch.database.storage import load


seconds, count = float(sys.argv[2]), 200
crowd, command = Crowd(load(sys.argv[1]), count), move(np.tile([0.0, 0.0, 1.3], (count, 1)))
crowd.step(command, 1 / 60)  # compiled before the time begins
state, stop, rng = crowd.state, time.monotonic() + seconds, np.random.default_rng(0)
numbers = rng.integers(-(2**31), 2**31 - 1, (64, count)).astype(np.int32)
fractions = rng.choice([np.nan, np.inf, -1e300, 1e300, 0.5], (64, count))
written = 0


def write():
    global written
    while time.monotonic() < stop:
        row = written % 64
        state.playing.frames[:], state.playing.fractions[:] = numbers[row], fractions[row]
        state.schedule.frames[:] = state.schedule.left[:] = state.schedule.filters[:] = numbers[row]
        written += 1


thread = threading.Thread(target=write)
thread.start()
steps = 0
while time.monotonic() < stop:
    crowd.step(command, 1 / 60)
    steps += 1
thread.join()
assert written > 100 and steps > 10
print("alive")
"""


def test_a_thread_that_writes_frames_during_a_step_cannot_crash_it(tmp_path, built_of):
    """In a child process, which a crash would end: indices are clamped where they are read."""
    from kinematch.database.storage import save

    path = tmp_path / "two.kinematch"
    save(path, built_of("idle", "walk_1.35").database)
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(path), "20"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-2000:]}"
    assert done.stdout.endswith("alive\n")
