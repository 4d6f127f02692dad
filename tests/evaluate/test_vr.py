"""Scores of VR avatars: the truth scores zero, known errors score what they are, and every row of the table is made."""

import json
from dataclasses import replace

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.orientation import Headset
from kinematch.avatar.trackers import HEAD
from kinematch.cli.main import main
from kinematch.evaluate.vr import figures
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.casting import cast_users, find_motion_files
from kinematch.evaluate.vr.columns import BY_NAME
from kinematch.evaluate.vr.evaluation import evaluate_vr, run_sweep
from kinematch.evaluate.vr.measures import (
    find_direction_errors,
    measure_all,
    measure_direction,
    measure_joints,
    measure_places,
)
from kinematch.evaluate.vr.methods import METHODS, TrueDirection
from kinematch.evaluate.vr.performance import Performance, perform
from kinematch.evaluate.vr.recovery import find_recovered
from kinematch.evaluate.vr.report import make_html
from kinematch.evaluate.vr.users import make_cast
from kinematch.math import quaternion, rotation
from kinematch.motion import kinematics
from kinematch.synth.path import Move, path_of_moves
from kinematch.synth.walker import walk


@pytest.fixture(scope="module")
def cast():
    return make_cast(make_clips(2, seconds=4.0))


def copy_user(user, *, shift=(0, 0, 0), turn=0.0):
    """A performance that repeats the user, moved and turned."""
    clip = user.clip
    positions, rotations = kinematics.global_pose(clip)
    hips = clip.skeleton.roles["hips"]
    return Performance(
        user, clip.skeleton, clip.positions, clip.rotations, positions + np.array(shift, np.float32), rotations,
        positions[:, hips] * [1, 0, 1], user.yaws + turn, np.zeros(len(user.yaws), int),
    )  # fmt: skip


def test_the_truth_has_no_error(cast):
    row = measure_all([copy_user(user) for user in cast.users])
    for name in (
        "direction_mean",
        "true_root",
        "hips",
        "hands",
        "position",
        "angle",
        "velocity",
        "head_mm",
        "hands_mm",
    ):
        assert row[name] == pytest.approx(0, abs=2e-3), name
    assert row["jitter"] == pytest.approx(row["true_jitter"])


def test_a_moved_body_is_wrong_by_as_much_but_not_against_its_own_head(cast):
    shown = [copy_user(user, shift=(0, 0, 0.1)) for user in cast.users]
    assert measure_places(shown)["hips"] == pytest.approx(10, abs=0.01)
    assert measure_joints(shown)["position"] == pytest.approx(0, abs=0.01)


def test_directions_are_compared_the_short_way_round(cast):
    one = copy_user(cast.users[0], turn=2 * np.pi - 0.1)
    np.testing.assert_allclose(find_direction_errors(one), np.degrees(-0.1), atol=1e-6)


def test_jitter_is_the_third_derivative_in_hundreds(cast):
    user = cast.users[0]
    times = np.arange(len(user.yaws)) / user.rate
    one = copy_user(user)
    moved = one.global_positions.astype(np.float64)
    moved[:] = 0
    moved[..., 0] = (times**3 / 6 * 250)[:, None]  # a jerk of 250 m/s^3
    assert measure_joints([replace(one, global_positions=moved)])["jitter"] == pytest.approx(2.5, rel=1e-3)


def test_every_method_makes_bodies_that_stay_finite_and_near_their_user(cast):
    for name in METHODS:
        performances, _ = perform(cast, METHODS[name](cast, km.load("built-in"), 0.3))
        row = measure_all(performances)
        assert row["true_root"] < 40, name
        assert row["head_mm"] < 1, name
        assert all(np.isfinite(one.global_positions).all() for one in performances)


def test_a_dragged_body_skates_and_ours_does_not(cast):
    found = evaluate_vr(km.load("built-in"), [cast], methods=("dragged", "ours"), sweep=False)
    assert found.rows["ours"]["skate"] < 0.3 * found.rows["dragged"]["skate"]
    assert set(found.rows["ours"]) <= set(BY_NAME)


def test_the_true_direction_is_the_users(cast):
    estimator = TrueDirection(cast)
    for frame in range(3):
        yaws = estimator.estimate(None, 1 / 60).yaws
        np.testing.assert_array_equal(yaws, [user.yaws[frame] for user in cast.users])


def test_averages_over_stretches_keep_the_mean():
    times, means = figures.average_over(np.arange(600.0), 60.0, 2.0)
    assert len(times) == 5
    assert means.mean() == pytest.approx(299.5)
    assert times[0] == pytest.approx(1.0)


def test_users_look_around_and_the_truth_about_their_hips_stays():
    clips = make_clips(2, seconds=6.0)
    plain, looking = make_cast(clips), make_cast(clips, look_around=0.6)
    np.testing.assert_allclose(plain.users[1].yaws, looking.users[1].yaws, atol=1e-9)
    turned = np.abs(plain.users[1].devices.rotations[:, 0] - looking.users[1].devices.rotations[:, 0]).max()
    assert turned > 0.1


def test_users_are_cast_by_skeleton_and_files_that_do_not_do_are_named(tmp_path, data):
    (tmp_path / "broken.bvh").write_text("no motion")
    files = [data / "cmu" / "02_01.bvh", data / "lafan1-clips" / "walk1_subject1_walk.bvh", tmp_path / "broken.bvh"]
    casts, notes = cast_users(files, longest=3.0)
    assert [len(cast.users) for cast in casts] == [1, 1]
    assert len(notes) == 1
    assert "broken.bvh" in notes[0]


def test_a_folder_without_motion_is_refused(tmp_path):
    with pytest.raises(km.KinematchError, match="no motion files"):
        find_motion_files([tmp_path])


def test_the_report_and_the_json_have_every_row(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("kinematch.evaluate.vr.casting.make_clips", lambda: make_clips(2, seconds=3.0))
    target, page = tmp_path / "vr.json", tmp_path / "vr.html"
    assert main(["evaluate", "avatar", "--quick", "--json", str(target), "--report", str(page)]) == 0
    plain = json.loads(target.read_text())
    assert set(plain["methods"]) == set(METHODS)
    assert plain["methods"]["true direction"]["direction_mean"] == 0
    assert "paper, r = 50" in page.read_text()
    assert "body direction, mean" in capsys.readouterr().out


def test_the_sweep_covers_both_papers_parameters():
    cast = make_cast(make_clips(2, seconds=3.0))
    found = evaluate_vr(km.load("built-in"), [cast], methods=("dragged", "headset", "ours"))
    assert {(run.share, run.accuracy) for run in found.sweep} == {(s, a) for s in (1.0, 0.25, 0.1) for a in (0.3, 0.1)}
    html = make_html(found, title="test")
    assert "like MMVR figure 8" in html
    assert "MMVR figure 6" in html
    assert html.count("image/webp") == 2


def test_a_turn_in_place_is_shown_by_share_of_the_database():
    clip = walk(path_of_moves([Move(1.0), Move(2.0, turn=np.pi), Move(1.0)]), seed=7001, name="turns").clip
    runs = run_sweep(km.load("built-in"), [make_cast([clip])], progress=lambda *told: None)
    assert len(figures.draw_turn(runs, 0.3)) == 4  # the user and three shares
    assert all(np.isfinite(run.turning) for run in runs)
    still = walk(path_of_moves([Move(3.0)]), seed=7001, name="stands").clip
    runs = run_sweep(km.load("built-in"), [make_cast([still])], progress=lambda *told: None)
    assert figures.draw_turn(runs, 0.3) == []
    assert all(np.isnan(run.turning) for run in runs)


def test_wrong_starts_are_counted_for_methods_that_estimate(cast):
    assert find_recovered("headset", [cast]) == 100
    assert find_recovered("ours", [cast]) >= 95
    assert find_recovered("paper, r = 1", [cast]) < find_recovered("paper, r = 50", [cast])
    assert np.isnan(find_recovered("true direction", [cast]))
    assert np.isnan(find_recovered("ours", [make_cast(make_clips(1, seconds=4.0), longest=1.9)]))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--points", "left_hand"], "an avatar needs the head"),
        (["--points", "head", "nose"], "no tracked point 'nose'"),
        (["--users", "nowhere"], "no such file or folder"),
        (["--look-around", "200"], "--look-around 200, expected 0 to 90"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_the_work(options, told, capsys):
    assert main(["evaluate", "avatar", *options]) == 2
    assert told in capsys.readouterr().err


def test_heads_that_look_down_part_from_the_hips_as_the_headset_estimates_it(cast):
    user = cast.users[0]
    rotations = user.joints.rotations.copy()
    down = rotation.from_axis_angle(np.array([1.0, 0, 0]), np.radians(100))  # past vertical: the forward axis flips
    rotations[:, HEAD] = quaternion.multiply(rotation.from_axis_angle([0.0, 1, 0], user.yaws), down)
    joints = replace(user.joints, rotations=rotations)
    found = Headset(len(joints)).estimate(joints, 1 / 60).yaws
    row = measure_direction([replace(copy_user(user), user=replace(user, joints=joints), yaws=found)])
    assert row["parted"] == 0
    assert row["direction_mean"] == pytest.approx(0, abs=1e-6)
