"""Stretches in which the upper body is held as nowhere else in a set are found, and left out of locomotion."""

import tomllib
from dataclasses import replace

import numpy as np
import pytest

from kinematch.doctor import examine
from kinematch.doctor.labels import list_labels
from kinematch.doctor.prescribe import prescribe
from kinematch.doctor.unusual import mark_unusual
from kinematch.files import write_clip
from kinematch.math import quaternion, rotation
from kinematch.synth import motions, perform

RAISED = 3.0, 5.0  # s in which both arms are overhead


def raise_arms(clip):
    """The clip with both upper arms turned straight up for a while."""
    rotations = clip.rotations.copy()
    own = slice(*(round(time * clip.frame_rate) for time in RAISED))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joint = clip.skeleton.roles[f"{side}_upper_arm"]
        up = rotation.from_axis_angle(np.array([0.0, 0.0, 1.0]), sign * np.pi / 2)
        rotations[own, joint] = quaternion.multiply(up, clip.skeleton.tpose[joint])
    return clip.with_(rotations=rotations.astype(np.float32))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Three walks and a run as they are, and a walk with its arms overhead for two seconds."""
    folder = tmp_path_factory.mktemp("set")
    card = {motion.name: motion for motion in motions()}
    for number, name in enumerate(("walk_1.35", "walk_1.35", "walk_1.35", "run_2.6")):
        clip = perform(card[name], seed=number).clip
        clip = raise_arms(clip) if number == 2 else clip
        write_clip(folder / f"{number}.bvh", clip)
    return [examine(path) for path in sorted(folder.glob("*.bvh"))]


def test_arms_overhead_are_found_among_walks(reports):
    marked = mark_unusual(reports)
    found = {report.path[-5]: [one for one in report.activities if one.name == "unusual"] for report in marked}
    assert not found["0"] + found["1"] + found["3"]
    (one,) = found["2"]
    assert RAISED[0] - 0.5 < one.start < RAISED[0] + 0.1
    assert RAISED[1] - 0.1 < one.stop < RAISED[1] + 0.5


def test_what_all_files_of_a_set_do_is_usual(reports):
    """Three copies of the walk with its arms overhead for a while, cut to that while."""
    start, stop = (round(10 * time) for time in RAISED)
    own = reports[2].upper_body
    cut = replace(own, speeds=np.tile(own.speeds[start:stop], 3), places=np.tile(own.places[start:stop], (3, 1, 1)))
    alike = [replace(reports[2], path=f"{name}.bvh", upper_body=cut) for name in "abc"]
    assert not any(one.name == "unusual" for report in mark_unusual(alike) for one in report.activities)
    assert mark_unusual([]) == []


def test_a_recipe_leaves_unusual_stretches_out_and_the_timeline_shows_them(reports, tmp_path):
    recipe = tomllib.loads(prescribe(reports, tmp_path))
    assert "!unusual" in recipe["matching"]["filter"]
    tagged = [one for source in recipe["source"] for one in source.get("range", []) if "unusual" in one["tags"]]
    assert [one["files"] for one in tagged] == ["2.bvh"]
    assert "unusual" in {one.name for report in mark_unusual(reports) for one in list_labels(report)}


def test_who_waves_through_the_only_stand_of_a_set_is_unusual(data):
    reports = [examine(path) for path in sorted((data / "bandai-namco").glob("dataset-2_wa*.bvh"))]
    found = [report for report in mark_unusual(reports) if any(one.name == "unusual" for one in report.activities)]
    assert any("wave-right-hand" in report.path for report in found)
