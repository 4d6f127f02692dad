"""Scores of camera fusion: known errors score what they are, and every row of the table is made."""

import json

import numpy as np
import pytest

from kinematch.camera.landmarks import NAMES
from kinematch.cli.main import main
from kinematch.errors import KinematchError
from kinematch.evaluate.camera.evaluation import measure_alignments, watch_cast
from kinematch.evaluate.camera.measures import COLUMNS, find_seen, find_spikes
from kinematch.evaluate.camera.methods import ESTIMATORS
from kinematch.evaluate.camera.places import PLACES, place_camera
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import make_cast
from kinematch.math.angles import wrap_angle


@pytest.fixture(scope="module")
def cast():
    return make_cast(make_clips(2, seconds=7.0, seed=2, room=1.5)[1:], look_around=0.5)


def test_a_short_or_a_small_error_is_no_spike():
    errors = np.zeros(600)
    errors[100:120] = 90  # a third of a second
    errors[200:300] = 40
    errors[400:460] = -60
    assert find_spikes(errors, 60.0) == [slice(400, 460)]


def test_users_stay_in_their_room():
    for clip in make_clips(3, seconds=20.0, room=1.5):
        assert np.linalg.norm(clip.positions[:, 0] * [1, 0, 1], axis=-1).max() < 3.0


@pytest.mark.parametrize("place", PLACES)
def test_a_camera_looks_at_its_user(cast, place):
    user = cast.users[0]
    camera = place_camera(user, place)
    to_user = user.joints.positions[:, 3].mean(axis=0) - np.array(camera.position)
    assert np.degrees(np.abs(wrap_angle(np.arctan2(to_user[0], to_user[2]) - camera.yaw))) < 35


def test_an_unknown_place_is_named(cast):
    with pytest.raises(KinematchError, match="no camera place 'frnt'; did you mean 'front'"):
        place_camera(cast.users[0], "frnt")


def test_hips_count_as_seen_when_the_last_picture_shows_them(cast):
    landmarks = watch_cast(cast, "front")[0]
    landmarks.visibility[:] = 0.9
    landmarks.visibility[landmarks.times > 3, NAMES.index("left_hip")] = 0.1
    seen = find_seen(cast.users[0], landmarks)
    assert not seen[:5].any()
    assert seen[30:175].all()
    assert not seen[190:].any()


def test_cameras_are_found_within_five_seconds():
    """The median of some users: one who hardly walks in this time says little about distances."""
    users = make_cast(make_clips(6, seconds=6.0, seed=2, room=1.5))
    found = measure_alignments(users, watch_cast(users, "front"), "front")
    assert len(found) > 2
    yaw, place, offset = (np.median([one[column] for one in found]) for column in (1, 2, 3))
    assert yaw < 2
    assert place < 10
    assert offset < 50


def test_the_verb_scores_every_source_and_writes_what_it_is_asked_to(tmp_path, capsys):
    report, figures = tmp_path / "a.html", tmp_path / "a.json"
    asked = ["evaluate", "camera", "--quick", "--seconds", "3", "--report", str(report), "--json", str(figures)]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    sources = json.loads(figures.read_text())["places"]["front"]["sources"]
    assert list(sources) == list(ESTIMATORS)
    assert all(column.name in sources["fused"] for column in COLUMNS)
    assert sources["true"]["fed"] < 1e-6
    assert all(source in shown for source in ESTIMATORS)
    assert "like figure 3" in report.read_text()
