"""Laws of scripts: what was recorded replays bit for bit, what was written plays alike at any rate."""

from itertools import pairwise

import numpy as np
import pytest

from kinematch.character import Command, Crowd
from kinematch.control.body import place_at_rest
from kinematch.control.command import follow_trajectory
from kinematch.control.path import Path
from kinematch.control.script import CommandRecorder, Script, ScriptPlayer
from kinematch.control.script_file import read_script, write_script
from kinematch.control.trajectory import Trajectory
from kinematch.control.wander import Wander
from kinematch.errors import FileError, KinematchError

HEADER = '{"kinematch": "script", "version": 1}\n'
WRITTEN = (
    HEADER
    + """# ahead, to the left, and stand
{"seconds": 2, "speed": 1.35, "heading": 0}

{"seconds": 3, "speed": 1.35, "heading": 90, "filter": "level0"}
{"seconds": 1, "velocity": [0, 0, 0], "facing": [0, 0, 1]}
"""
)


def bodies(count: int = 1):
    return place_at_rest(np.zeros((count, 3)), np.zeros(count))


def written(folder, text: str):
    (folder / "course.jsonl").write_text(text)
    return read_script(folder / "course.jsonl")


def test_a_written_script_says_what_it_says(tmp_path):
    script = written(tmp_path, WRITTEN)
    assert script.duration == 6
    np.testing.assert_array_equal(script.seconds, [2, 3, 1])
    np.testing.assert_allclose(script.commands[1].velocities, [[1.35, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(script.commands[1].facings, [[1, 0, 0]], atol=1e-12)
    assert script.commands[1].filter == "level0"
    np.testing.assert_array_equal(script.commands[2].facings, [[0, 0, 1]])


@pytest.mark.parametrize("rate", [20, 30, 60, 144, 500])
def test_a_script_changes_at_its_times_at_any_rate(tmp_path, rate):
    play = ScriptPlayer(written(tmp_path, WRITTEN))
    times = []
    for k in range(7 * rate):
        command = play.command(bodies(4), 1 / rate)
        assert command.velocities.shape == (4, 3)
        times.append((k / rate, round(float(command.velocities[2, 0]), 3), round(float(command.velocities[2, 2]), 3)))
    changes = [b[0] for a, b in pairwise(times) if a[1:] != b[1:]]
    np.testing.assert_allclose(changes, [2, 5], atol=1e-9)
    assert play.done


def random_script(count: int) -> Script:
    rng = np.random.default_rng(count)
    commands = tuple(
        Command(rng.normal(size=(count, 3)) * 10.0**k, rng.normal(size=(count, 3)) * (k % 2), "walk & !idle" * (k % 3))
        for k in range(-3, 8)
    )
    return Script(commands, rng.random(len(commands)) / 60)


@pytest.mark.parametrize("count", [1, 3])
def test_files_keep_every_bit(tmp_path, count):
    script = random_script(count)
    write_script(tmp_path / "a.jsonl", script)
    again = read_script(tmp_path / "a.jsonl")
    assert again.seconds.tobytes() == script.seconds.tobytes()
    for a, b in zip(script.commands, again.commands):
        assert (a.velocities.tobytes(), a.filter, a.source) == (b.velocities.tobytes(), b.filter, b.source)
        np.testing.assert_array_equal(a.facings, b.facings)
    write_script(tmp_path / "b.jsonl", again)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_command_for_each_keeps_its_filters_and_sources(tmp_path):
    command = Command(np.eye(3)[:2], np.zeros((2, 3)), ["walk", "run"], np.array([0, 1]))

    class Constant:
        def command(self, body, dt):
            return command

    recorder = CommandRecorder(Constant())
    recorder.command(bodies(2), 0.02)
    write_script(tmp_path / "a.jsonl", recorder.script)
    again = read_script(tmp_path / "a.jsonl").commands[0]
    assert (again.filter, again.source) == (["walk", "run"], [0, 1])


def test_a_recorder_keeps_what_was_wanted_even_when_arrays_change_later():
    class Changing:
        velocities = np.zeros((1, 3))

        def command(self, body, dt):
            self.velocities += 1
            return Command(self.velocities, self.velocities)

    recorder = CommandRecorder(Changing())
    for _ in range(3):
        recorder.command(bodies(), 0.02)
    assert [command.velocities[0, 0] for command in recorder.script.commands] == [1, 2, 3]


@pytest.fixture(scope="module")
def database(built_of):
    return built_of("idle", "walk_1.35", "run_2.6").database


@pytest.mark.parametrize("kind", ["path", "wander"])
def test_a_recorded_run_replays_bit_for_bit(database, tmp_path, kind):
    count = 1 if kind == "path" else 4
    controllers = {"path": Path([(0, 0), (0, 3), (2, 3)]), "wander": Wander(np.random.default_rng(0), inside=6.0)}
    recorder = CommandRecorder(controllers[kind])
    places = np.arange(count)[:, None] * [1.5, 0, 0]
    crowd, played = Crowd(database, count, positions=places), []
    steps = np.random.default_rng(1).uniform(0.005, 0.05, 100)
    for dt in steps:
        played.append(crowd.step(recorder.command(crowd.body, dt), dt).global_positions.copy())
    write_script(tmp_path / "run.jsonl", recorder.script)
    again = Crowd(database, count, positions=places)
    for (command, dt), expected in zip(read_script(tmp_path / "run.jsonl").steps(count), played, strict=True):
        assert again.step(command, dt).global_positions.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "empty"),
        ("hello\n", 1, "no JSON"),
        ("[1]\n", 1, "expected an object"),
        ('{"kinematch": "recipe"}\n', 1, "no script"),
        ('{"kinematch": "script", "version": 2}\n', 1, "version 2"),
        (HEADER + '# fine\n{"seconds": 1, "sped": 1}\n', 3, "did you mean 'speed'"),
        (HEADER + '{"seconds": 1}\n', 2, "either velocity"),
        (HEADER + '{"seconds": 1, "speed": 1, "velocity": [0, 0, 0]}\n', 2, "either velocity"),
        (HEADER + '{"speed": 1}\n', 2, "seconds is missing"),
        (HEADER + '{"seconds": -1, "speed": 1}\n', 2, "seconds is -1"),
        (HEADER + '{"seconds": 1e999, "speed": 1}\n', 2, "no JSON"),
        (HEADER + "[" * 100_000 + "\n", 2, "no JSON"),
        (HEADER + '{"seconds": true, "speed": 1}\n', 2, "seconds is True"),
        (HEADER + '{"seconds": 1, "velocity": [0, 0]}\n', 2, "velocity is"),
        (HEADER + '{"seconds": 1, "velocity": [[0, 0, 0], [1, 1]]}\n', 2, "velocity is"),
        (HEADER + '{"seconds": 1, "velocity": [0, 0, "x"]}\n', 2, "velocity is"),
        (HEADER + '{"seconds": 1, "speed": 1, "facing": [[0, 0, 1], [0, 0, 1]]}\n', 2, "2 facings for 1"),
        (HEADER + '{"seconds": 1, "speed": 1, "filter": 3}\n', 2, "filter is 3"),
        (HEADER + '{"seconds": 1, "speed": 1, "heading": "left"}\n', 2, "heading is 'left'"),
    ],
)
def test_a_faulty_script_is_told_by_its_line(tmp_path, text, line, message):
    with pytest.raises(FileError, match=message) as caught:
        written(tmp_path, text)
    assert caught.value.line == line


def test_a_script_for_others_is_refused():
    script = random_script(3)
    with pytest.raises(KinematchError, match="3 bodies, but there are 2"):
        ScriptPlayer(script).command(bodies(2), 0.001)


def test_a_script_of_nothing_stands_still(tmp_path):
    play = ScriptPlayer(written(tmp_path, HEADER))
    assert not play.command(bodies(2), 0.1).velocities.any()
    assert play.done


def test_commands_with_a_trajectory_are_kept_but_never_written_without_it(tmp_path):
    trajectory = Trajectory(np.array([0.0, 1.0]), np.zeros((1, 2, 3)), np.tile([0.0, 0, 1], (1, 2, 1)))

    class Constant:
        def command(self, body, dt):
            return follow_trajectory(trajectory)

    recorder = CommandRecorder(Constant())
    assert recorder.command(bodies(1), 0.02).trajectory is trajectory
    with pytest.raises(KinematchError, match="command 0 has a trajectory"):
        write_script(tmp_path / "a.jsonl", recorder.script)
    assert not (tmp_path / "a.jsonl").exists()
    with pytest.raises(KinematchError, match="expected one for each"):
        next(recorder.script.steps(2))
