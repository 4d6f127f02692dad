"""References: what commands ask for happens, without jumps, in MuJoCo's order, and what is foretold comes."""

import json

import numpy as np
import pytest

import kinematch as km
from kinematch.cli.main import main
from kinematch.errors import KinematchError
from kinematch.robot.reference.robot_reference import RobotReference


def play(reference, velocity, steps):
    command = km.move(np.tile(velocity, (reference.count, 1)))
    return [reference.step(command) for _ in range(steps)]


def test_each_frame_of_the_database_is_on_the_robot_within_limits(source, biped, database):
    frames = source[1]
    assert len(frames.angles) == database.poses.frame_count
    assert (frames.angles >= biped.limits[:, 0]).all()
    assert (frames.angles <= biped.limits[:, 1]).all()
    ends = database.poses.clip_stops - 1
    loops = database.poses.clip_loops
    assert (frames.following[ends] == np.where(loops, database.poses.clip_starts, ends)).all()


def test_a_robot_goes_where_it_is_commanded_and_nothing_jumps(source, biped):
    reference = RobotReference(biped, source)
    reference.reset()
    shown = play(reference, [0.0, 0.0, 0.8], 150) + play(reference, [0.8, 0.0, 0.0], 150)
    angles = np.array([one.joint_positions[0, 0] for one in shown])
    base = np.array([one.base_positions[0, 0] for one in shown])
    assert base[149, 0] > 1.0  # ahead is x in files
    assert base[299, 1] - base[149, 1] > 1.0  # to the left is y
    speeds = np.diff(angles, axis=0) * 50
    assert np.abs(speeds).max() < 20
    assert np.abs(np.diff(base, axis=0)).max() < 0.1
    told = np.array([one.joint_velocities[0, 0] for one in shown])[:-1]
    assert np.median(np.abs(told - speeds)) < 0.05


def test_what_lies_ahead_comes_when_the_search_does_not_jump(source, biped):
    reference = RobotReference(biped, source, rate=60, horizon=0.5)
    play(reference, [0.0, 0.0, 0.0], 120)  # it stands
    walking = play(reference, [0.0, 0.0, 0.8], 240)
    steps = round(float(reference.times[1]) * 60)
    misses = [np.abs(a.joint_positions[0, 1] - b.joint_positions[0, 0]).max() for a, b in zip(walking, walking[steps:])]
    assert np.quantile(misses, 0.25) < 1e-6


def test_bodies_are_where_the_joints_put_them_and_above_the_floor(source, biped):
    reference = RobotReference(biped, source, count=3)
    rng = np.random.default_rng(0)
    shown = reference.reset(
        frames=rng.integers(len(source[1].angles), size=3), positions=[[0, 0, 0], [1, 0, 2], [3, 0, 0]]
    )
    assert np.allclose(shown.body_positions[:, :, 0], shown.base_positions)
    assert np.allclose(np.abs((shown.body_rotations[:, :, 0] * shown.base_rotations).sum(axis=-1)), 1)
    assert shown.base_positions[1, 0, 0] - shown.base_positions[0, 0, 0] > 1.0
    assert shown.body_positions[..., 2].min() > 0


def test_robots_that_are_reset_leave_the_others_alone(source, biped):
    two = RobotReference(biped, source, count=2)
    play(two, [0.0, 0.0, 0.8], 30)
    before = two.show()
    after = two.reset([0], frames=np.array([5]))
    assert np.array_equal(before.joint_positions[1], after.joint_positions[1])
    assert np.allclose(after.joint_positions[0, 0], source[1].angles[5])
    with pytest.raises(KinematchError, match="frames"):
        two.reset([0], frames=np.array([10**9]))
    with pytest.raises(KinematchError, match="rate"):
        RobotReference(biped, source, rate=0)


def test_the_command_writes_what_a_script_asks_for(database, biped, tmp_path, capsys):
    km.save(tmp_path / "few.kinematch", database)
    script = tmp_path / "commands.jsonl"
    lines = [
        {"kinematch": "script", "version": 1},
        {"seconds": 1.0, "speed": 0.8, "heading": 0},
        {"seconds": 1.0, "speed": 0},
    ]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    output = tmp_path / "walk.npz"
    options = ["--robot", biped.path, "--script", str(script), "-o", str(output)]
    assert main(["reference", str(tmp_path / "few.kinematch"), *options]) == 0
    with np.load(output) as found:
        assert found["joint_pos"].shape == (100, biped.hinge_count)
        assert found["body_names"].tolist() == list(biped.body_names)
        assert found["body_pos_w"][-1, 0, 0] > 0.3
    assert "100 frames at 50 fps" in " ".join(capsys.readouterr().out.split())


def test_velocities_are_those_of_what_is_shown(source, biped):
    reference = RobotReference(biped, source, rate=120, horizon=0.5)
    shown = play(reference, [0.0, 0.0, 1.2], 480)[240:]
    for positions, velocities in (
        ("joint_positions", "joint_velocities"), ("base_positions", "base_velocities")
    ):  # fmt: skip
        places = np.array([getattr(one, positions)[0] for one in shown], np.float64)
        speeds = np.array([getattr(one, velocities)[0] for one in shown])
        found = np.diff(places, axis=0)[:, 0] * 120
        assert np.quantile(np.abs(found - speeds[:-1, 0]), 0.9) < 0.15
        # those ahead lead to the next place ahead as well, where the search did not jump
        ahead = np.diff(places, axis=0)[:, 2] * 120
        assert np.median(np.abs(ahead - speeds[:-1, 2])) < 0.1


def test_the_same_commands_after_the_same_reset_give_the_same_motion(source, biped):
    reference, runs = RobotReference(biped, source, count=2), []
    for _ in range(2):
        reference.reset(frames=np.array([30, 60]))
        runs.append(np.array([one.body_positions for one in play(reference, [0.3, 0.0, 0.9], 60)]))
    assert np.array_equal(*runs)


def test_results_can_be_written_over(source, biped):
    fresh, kept = RobotReference(biped, source, count=2), RobotReference(biped, source, count=2)
    out = kept.make_result()
    command = km.move([[0.0, 0.0, 1.0], [0.5, 0.0, 0.0]])
    for _ in range(10):
        a, b = fresh.step(command), kept.step(command, out=out)
    assert b is out
    assert all(np.array_equal(x, y) for x, y in zip(a, b))
