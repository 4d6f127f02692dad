"""Takes are labelled by what happens in them; labels by hand stand in takes.toml beside this file."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from kinematch.cli.doctor_strip import write_strip
from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.activity import find_activities, flag_activities
from kinematch.synth import walk_along

TAKES = {take["path"]: take for take in tomllib.loads((Path(__file__).parent / "takes.toml").read_text())["take"]}
# of takes that the detector was not made on: seconds found that are right, seconds labelled that are found
UNSEEN = {
    "lafan1-takes/push1_subject2": {"low": (0.95, 0.99), "kneeling": (0.85, 0.99)},
    "lafan1-takes/obstacles1_subject1": {"climbing": (0.85, 0.9)},
}


def mark(stretches: list[list[float]], frames: int, rate: float, wider: float) -> np.ndarray:
    flags = np.zeros(frames, bool)
    for start, stop in stretches:
        flags[max(0, round((start - wider) * rate)) : max(0, round((stop + wider) * rate))] = True
    return flags


@pytest.mark.parametrize("path", UNSEEN)
def test_labels_agree_with_those_written_by_hand(data, path):
    clip = read_clip(data / f"{path}.bvh")
    flags = flag_activities(clip)
    for name, (precision, recall) in UNSEEN[path].items():
        near, within = (mark(TAKES[path][name], clip.frame_count, clip.frame_rate, w) for w in (0.5, -0.3))
        assert near[flags[name]].mean() >= precision, name
        assert flags[name][within].mean() >= recall, name


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


def test_a_take_gets_ranges_a_filter_and_a_strip(data, tmp_path):
    report = examine(data / "lafan1-takes" / "fallAndGetUp3_subject1.bvh")
    recipe = tomllib.loads(prescribe([report], tmp_path))
    assert recipe["matching"]["filter"] == "!low"
    ranges = recipe["source"][0]["range"]
    low = [one for one in ranges if "low" in one["tags"]]
    assert 10 <= len(low) <= 25
    assert any("lying" in one["tags"] for one in low)
    idles = [one for one in ranges if one["tags"] == ["idle"]]
    assert idles
    assert not any(a["from"] < b["to"] and b["from"] < a["to"] for a in idles for b in low)
    strip = write_strip(report)
    assert strip.startswith("T")
    assert strip.endswith("T")
    assert {"L", "I", "w"} <= set(strip)
