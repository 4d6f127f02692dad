"""Takes are labelled by what happens in them; labels by hand stand in takes.toml beside this file."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from kinematch.bench.labels import LabelScore, Running, TakeScore, read_takes, score_take
from kinematch.cli.doctor_strip import write_strip
from kinematch.database.recipe import parse_recipe
from kinematch.database.schema import default_features
from kinematch.doctor import examine
from kinematch.doctor.prescribe import join_stretches, prescribe
from kinematch.doctor.report import Activity, Problem, Report
from kinematch.doctor.stands import activity_lines, list_apart
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.labels.activity import find_activities, flag_activities
from kinematch.motion.labels.calibration import find_calibration_poses
from kinematch.synth import walk_along

LABELS_BY_HAND = Path(__file__).parent / "takes.toml"
TARGETS = ("sitting", "crouching", "lying", "climbing", "jumping")


@pytest.fixture(scope="module")
def unseen(data) -> list[TakeScore]:
    return [score_take(take, data) for take in read_takes(LABELS_BY_HAND)]


def test_enough_takes_of_enough_people_are_labelled_by_hand():
    people = [re.match(r"cmu.*/(\d+)_", take["path"]) for take in read_takes(LABELS_BY_HAND) if take.get("complete")]
    assert len(people) >= 40
    assert len({person[1] for person in people if person}) >= 10
    seen = {take["path"].split("_")[0].split("/")[1] for take in read_takes(LABELS_BY_HAND, seen=True)
            if take.get("complete")}  # fmt: skip
    assert not seen & {person[1] for person in people if person}


@pytest.mark.parametrize("name", TARGETS)
def test_labels_agree_with_those_written_by_hand(unseen, name):
    score = sum((take.scores[name] for take in unseen if name in take.scores), LabelScore())
    assert score.found + score.missed > 8.0  # s
    assert score.precision >= 0.9
    assert score.recall >= 0.9


def test_running_is_no_jumping_and_jumps_are_found(unseen):
    running = sum((take.running for take in unseen), Running())
    assert running.seconds > 30.0
    assert running.called_jumping <= 0.02 * running.seconds
    assert running.jumps >= 25
    assert running.missed <= 0.05 * running.jumps


def test_kneeling_and_what_is_near_the_ground_is_found(data):
    take = next(take for take in read_takes(LABELS_BY_HAND) if "kneeling" in take)
    clip = read_clip(data / f"{take['path']}.bvh")
    flags = flag_activities(clip)
    for name, precision, recall in (("low", 0.95, 0.99), ("kneeling", 0.85, 0.99)):
        near = mark(take[name], clip.frame_count, clip.frame_rate, 0.5)
        within = mark(take[name], clip.frame_count, clip.frame_rate, -0.3)
        assert near[flags[name]].mean() >= precision, name
        assert flags[name][within].mean() >= recall, name


def mark(stretches: list[list[float]], frames: int, rate: float, wider: float) -> np.ndarray:
    flags = np.zeros(frames, bool)
    for start, stop in stretches:
        flags[max(0, round((start - wider) * rate)) : max(0, round((stop + wider) * rate))] = True
    return flags


def test_a_pose_at_the_origin_before_a_run_is_no_floor_below_it(arms_at):
    """Frame 0 of CMU files is a T-pose somewhere else: with it as floor, each stride flies."""
    whole = walk_along([(0.0, 0.0), (0.0, 16.0)], speed=4.5)
    run = arms_at(whole.frames(138, whole.frame_count - 120), slice(0, 1), 0)
    positions = np.array(run.positions)
    positions[0, 0, 1] -= 0.4
    run = run.with_(positions=positions)
    poses = find_calibration_poses(run)
    assert [(pose.start, pose.stop) for pose in poses] == [(0, 1)]
    assert "jumping" in {one.activity for one in find_activities(run)}
    found = {one.activity for one in find_activities(run, poses)}
    assert "running" in found
    assert "jumping" not in found


def test_a_short_stand_on_a_box_is_off_the_floor_and_a_leap_is_not():
    walk = walk_along([(0.0, 0.0), (0.0, 6.0)])
    rate, count = walk.frame_rate, walk.frame_count
    since = np.arange(count) / rate - 2.0
    box = 0.3 * np.clip(np.minimum(since, 0.9 - since) / 0.15, 0, 1)  # up within 0.15 s, and down 0.9 s after that
    leap = np.where((since > 0) & (since < 0.5), 4.905 * since * (0.5 - since), 0.0)  # half a second of free flight
    for rise, climbs in ((box, True), (leap, False)):
        positions = np.array(walk.positions)
        positions[:, 0, 1] += rise
        flags = flag_activities(walk.with_(positions=positions))
        assert flags["climbing"].any() == climbs
        assert flags["jumping"].any() != climbs


def test_a_walk_is_a_walk_and_a_body_laid_down_lies():
    walk = walk_along([(0.0, 0.0), (0.0, 6.0)])
    found = {stretch.activity for stretch in find_activities(walk)}
    assert {"walking", "forward"} <= found
    assert not found & {"low", "lying", "sitting", "kneeling", "crouching", "climbing", "jumping"}
    rotations, positions = np.array(walk.rotations), np.array(walk.positions)
    back = from_axis_angle(np.array([1.0, 0, 0]), -np.pi / 2)
    rotations[200:300, 0] = quaternion.multiply(back, rotations[200:300, 0])
    positions[200:300, 0, 1] = 0.12
    flags = flag_activities(walk.with_(rotations=rotations, positions=positions))
    assert flags["lying"][210:295].all()
    assert not flags["lying"][:190].any()
    assert flags["low"][195:310].all()  # with the way down and up


def test_what_lies_briefly_between_stretches_set_apart_is_set_apart_too():
    between = [("low", 1.0, 2.0), ("jumping", 2.5, 3.0), ("jumping", 5.0, 5.5)]
    lines = activity_lines([Activity(*one) for one in between], "take.bvh")
    ranges = tomllib.loads("[[source]]\n" + "\n".join(lines))["source"][0]["range"]
    assert [(one["from"], one["to"], one["tags"]) for one in ranges] == [
        (1.0, 2.0, ["low"]), (2.0, 2.5, ["between"]), (2.5, 3.0, ["jumping"]), (5.0, 5.5, ["jumping"]),
    ]  # fmt: skip


def test_each_tag_is_put_on_what_it_is_about_alone():
    seen = (("low", 1.0, 6.0), ("sitting", 2.0, 3.0), ("lying", 3.0, 4.5), ("falling", 4.0, 4.1))
    pieces = list_apart([Activity(*one) for one in seen])
    assert [(one.start, one.stop, tags) for one, tags in pieces] == [
        (1.0, 2.0, ["low"]), (2.0, 3.0, ["low", "sitting"]), (3.0, 4.5, ["low", "lying"]), (4.5, 6.0, ["low"]),
    ]  # fmt: skip


def test_one_file_without_stances_keeps_the_contact_joints_of_the_others(tmp_path):
    lone = Problem("warning", "no foot ever stands still", 'contact_joints = ["left_foot", "right_foot"]')
    about = {"frames": 300, "duration": 5.0, "rig": "a", "family": "CMU", "joints": 31, "clips": ("",)}
    plain = Report(str(tmp_path / "walk.bvh"), **about)
    swims = Report(str(tmp_path / "swim.bvh"), **about, problems=(lone,))
    assert "contact_joints" in prescribe([swims], tmp_path)
    together = prescribe([plain, swims], tmp_path)
    assert "contact_joints =" not in together
    assert "no foot ever stands still" in together


def test_hands_are_matched_beside_the_numbers_of_the_papers(tmp_path):
    report = Report(str(tmp_path / "walk.bvh"), frames=300, duration=5.0, rig="a", family="CMU", joints=31, clips=("",))
    text = prescribe([report], tmp_path)
    features = parse_recipe(text, tmp_path / "recipe.toml").feature_schema().features
    assert features[:5] == default_features()[:5]
    assert [one.joint for one in features[5:7]] == ["left_hand", "right_hand"]
    for own, papers in zip(features[7:], default_features()[5:]):
        np.testing.assert_allclose(own.times, papers.times, atol=1e-6)
        assert (own.kind, own.dimensions) == (papers.kind, papers.dimensions)


def test_a_take_gets_ranges_a_filter_and_a_strip(data, tmp_path):
    report = examine(data / "lafan1-takes" / "fallAndGetUp3_subject1.bvh")
    recipe = tomllib.loads(prescribe([report], tmp_path))
    assert recipe["matching"]["filter"] == "!low"
    ranges = recipe["source"][0]["range"]
    low = [one for one in ranges if "low" in one["tags"]]
    assert 10 <= len(join_stretches([[one["from"], one["to"]] for one in low])) <= 25
    assert all(one["to"] - one["from"] < 5 for one in low if "lying" in one["tags"])
    assert any("lying" in one["tags"] for one in low)
    idles = [one for one in ranges if one["tags"] == ["idle"]]
    assert idles
    assert not any(a["from"] < b["to"] and b["from"] < a["to"] for a in idles for b in low)
    strip = write_strip(report)
    assert strip.startswith("T")
    assert strip.endswith("T")
    assert {"L", "I", "w"} <= set(strip)
