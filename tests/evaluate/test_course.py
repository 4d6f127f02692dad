"""The course: drawn by a seed, with speeds that the database holds, and events where the command changes."""

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.evaluate.course import CommandSpan, of_legs
from kinematch.evaluate.gaits import Gaits, find_gaits
from kinematch.evaluate.scenarios import course

GAITS = Gaits({"walk": 1.3, "jog": 2.4, "sprint": 3.6}, 0.6)


def commands(seed: int) -> dict[str, np.ndarray]:
    made = {}
    for scenario in course(GAITS, seed):
        times = np.arange(0, scenario.seconds, 1 / 60)
        made[scenario.name] = np.concatenate(scenario.wanted(times), axis=-1)
    return made


def test_a_seed_draws_one_course_and_another_seed_another():
    one, same, other = commands(0), commands(0), commands(1)
    assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not np.array_equal(one["random stick"], other["random stick"])
    assert not np.array_equal(one["turn 180, walk"], other["turn 180, walk"])


def test_every_kind_of_scenario_is_there():
    groups = {scenario.group for scenario in course(GAITS)}
    expected = {"start and stop", "turn 45", "turn 90", "turn 135", "turn 180", "gradual turns", "circles", "slalom"}
    expected |= {"strafing", "gait changes", "stick waggle", "random stick", "path following", "uneven terrain"}
    assert groups == expected | {"turning in place", "standing", "rude"}
    seconds = {scenario.group: scenario.seconds for scenario in course(GAITS)}
    assert seconds["standing"] > 35
    assert seconds["random stick"] >= 120
    assert {s.group for s in course(GAITS, quick=True)} == groups


def test_who_is_to_stand_has_walked_and_stopped():
    stand = next(scenario for scenario in course(GAITS, 4) if scenario.group == "standing")
    speeds = np.linalg.norm(stand.wanted(np.arange(0, stand.seconds, 0.05))[0], axis=1)
    moving = np.flatnonzero(speeds)
    assert 35 < len(moving) < 65
    assert (len(speeds) - 1 - moving[-1]) * 0.05 == pytest.approx(33, abs=0.1)


def test_turns_are_made_at_each_gait():
    names = {scenario.name for scenario in course(GAITS)}
    assert {f"turn {d}, {gait}" for d in (45, 90, 135, 180) for gait in GAITS.forward} <= names


def test_no_command_is_faster_than_the_fastest_gait():
    for values in commands(3).values():
        assert np.isfinite(values).all()
        assert np.linalg.norm(values[:, :3], axis=-1).max() <= 3.6 + 1e-9


def test_events_stand_where_the_command_changes_and_last_until_the_next():
    legs = [CommandSpan(1.0, 0.0), CommandSpan(2.0, 1.3), CommandSpan(2.0, 1.3, np.pi / 2), CommandSpan(1.0, 0.0)]
    events = of_legs("made", "made", legs).events
    assert [(e.kind, e.time, e.until) for e in events] == [
        ("speed", 1.0, 3.0), ("turn", 3.0, 5.0), ("speed", 5.0, 6.0)
    ]  # fmt: skip
    assert [e.change for e in events] == pytest.approx([1.3, np.pi / 2, -1.3])


def test_speeds_are_those_of_the_database(database):
    found = find_gaits(database)
    assert found.forward["walk"] == pytest.approx(1.3, abs=0.15)
    assert found.forward["jog"] == pytest.approx(2.5, abs=0.2)
    assert "sprint" not in found.forward
    assert 0 < found.strafe <= found.forward["walk"]


def test_a_database_that_only_stands_is_refused(database):
    with pytest.raises(KinematchError, match=r"less than 2 s of walking, .* under the filter"):
        find_gaits(database, "idle")
