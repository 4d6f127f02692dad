"""A folder of loops: `init` alone makes a character that walks at any speed, turns, stops and stands by them."""

import tomllib

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.cli.main import main
from kinematch.control.command import Command, move
from kinematch.database.build import build
from kinematch.evaluate.evaluation import make_assignment
from kinematch.evaluate.feet import feet
from kinematch.math.angles import wrap_angle

from ..loop_files import write_loops

DT = 1 / 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("loops")
    write_loops(made)
    assert main(["init", str(made)]) == 0
    return made


@pytest.fixture(scope="module")
def database(folder):
    return build(folder / "recipe.toml").database


@pytest.fixture(scope="module")
def course(database):
    return make_assignment(database, database.filter, quick=True)


def walk(database, speeds, seconds=6.0, heading=0.0):
    """Global positions (T, N, J, 3), root yaws (T, N) and frames (T, N) of characters that stand and then walk."""
    velocities = np.outer(speeds, [np.sin(heading), 0.0, np.cos(heading)])
    crowd, rows = Crowd(database, len(velocities)), []
    for step in range(round(seconds / DT)):
        going = velocities if step >= 30 else np.zeros_like(velocities)
        pose = crowd.step(Command(going, going, database.filter), DT)
        rows.append((pose.global_positions.copy(), crowd.root_yaws.copy(), pose.frames.copy()))
    return [np.array(part) for part in zip(*rows)]


def test_each_file_is_a_loop_and_the_stand_belongs_to_the_gaits(folder, capsys):
    recipe = tomllib.loads((folder / "recipe.toml").read_text())
    sources = {tuple(source["files"]): source for source in recipe["source"]}
    assert all(source["loop"] for source in sources.values())
    assert sources["run.bvh", "walk.bvh"]["in_place"]
    assert sources["idle.bvh",]["tags"] == ["idle"]
    assert "filter" not in recipe["matching"]


def test_the_course_asks_for_the_speeds_of_the_loops_and_says_what_they_lack(course, database):
    poses = database.poses
    lengths = (poses.clip_stops - poses.clip_starts) / poses.frame_rate
    own = np.linalg.norm(poses.loop_positions, axis=-1) / lengths
    asked = np.array(list(course.gaits.forward.values()))
    assert len(asked) == 2
    assert np.abs(asked[:, None] - own).min(axis=1).max() < 0.01
    assert any("degrees within a second" in scenario.lack for scenario in course.scenarios)
    assert any(not scenario.lack for scenario in course.scenarios)


def test_it_walks_at_every_speed_without_an_idle_frame_and_its_feet_stay_where_they_are(course, database):
    speeds = np.concatenate([[0.15, 0.4, 0.9, 1.6], list(course.gaits.forward.values())])
    positions, _, frames = walk(database, speeds)
    later = slice(150, None)
    assert not database.poses.tags.of("idle")[frames[60:]].any()
    seconds = (len(positions) - 151) * DT
    reached = (positions[-1, :, 0, 2] - positions[later][0, :, 0, 2]) / seconds
    np.testing.assert_allclose(reached, speeds, atol=0.08)
    walks = np.abs(speeds / next(iter(course.gaits.forward.values())) - 1) < 0.4  # what a loop's rate makes up for
    for n in np.flatnonzero(walks):
        slides = feet(positions[later, n], 1 / DT, course.yardstick.floor).speeds
        assert len(slides) > 60
        assert slides.mean() < 0.05


def test_it_turns_to_where_it_is_sent_though_no_loop_turns(database):
    _, yaws, _ = walk(database, [1.0, 2.2], seconds=3.5, heading=2.5)
    assert np.abs(wrap_angle(yaws[-1] - 2.5)).max() < 0.1


def test_it_stops_and_stands_in_its_loop_where_it_stopped(database):
    crowd, speeds = Crowd(database, 6), np.linspace(0.6, 2.4, 6)
    velocities = np.outer(speeds, [0.0, 0, 1])
    places, jumps, frames = [], [], []
    for step in range(60 * 14):
        pose = crowd.step(move(velocities * (step < 150 + 7 * np.arange(6))[:, None]), DT)
        if step > 60 * 6:
            places.append(pose.global_positions.copy())
            jumps.append(pose.jumped.copy())
            frames.append(pose.frames.copy())
    assert database.poses.tags.of("idle")[np.array(frames)].all()
    assert not np.any(jumps)
    names = database.poses.skeleton.names
    body = [j for j, name in enumerate(names) if not any(part in name for part in ("Leg", "Foot", "Toe"))]
    assert np.ptp(np.array(places)[:, :, body], axis=0).max() < 0.03
