"""A recording is the past in one file: it opens elsewhere, shows the same, explains the same, and is gone on from."""

import numpy as np
import pytest

from kinematch.database.built_in import open_built_in
from kinematch.database.container import write_arrays
from kinematch.errors import FileError, KinematchError
from kinematch.files import read_clip
from kinematch.motion.kinematics import global_pose
from kinematch.stream.layout import POSE, unpack
from kinematch.studio.server.messages import Explain, StickMessage
from kinematch.studio.session.explaining import explain
from kinematch.studio.session.exporting import export, make_played_clip
from kinematch.studio.session.recording import FORMAT, VERSION, open_recording, read_recording, save_recording
from kinematch.studio.session.stage import Stage


@pytest.fixture(scope="module")
def stage(database) -> Stage:
    stage = Stage(database, name="small")
    stage.pilot.steer(StickMessage(1, 0.3, 1.0))
    for _ in range(60):
        stage.advance()
    stage.set_crowd(3)
    stage.compare(True)
    stage.change_settings({"quality": 2.0}, "b")
    for _ in range(60):
        stage.advance()
    return stage


@pytest.fixture(scope="module")
def file(stage, tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "walk.kinerec"
    save_recording(path, stage)
    return path


@pytest.fixture(scope="module")
def card_stage() -> Stage:
    """Twelve seconds of the built-in motion."""
    stage = Stage(open_built_in(), name="built-in")
    for k in range(720):
        stage.pilot.steer(StickMessage(k + 1, float(np.sin(k / 90)), 1.0, camera_yaw=k / 200))
        stage.advance()
    return stage


def test_a_recording_opens_as_it_was_saved(stage, file):
    opened = open_recording(file)
    before, after = stage.history.between(), opened.history.between()
    assert [moment.picture.pack() for moment in before] == [moment.picture.pack() for moment in after]
    assert [moment.settings for moment in before] == [moment.settings for moment in after]
    assert not opened.playing
    assert opened.shown == before[0].picture.pack()
    asked = Explain(110, character=0)
    assert explain(stage, asked) == explain(opened, asked)


def test_one_can_go_on_from_a_recording(file):
    opened = open_recording(file)
    opened.resume(100)
    assert opened.settings["b"].quality == 2.0
    header, arrays = unpack(POSE, opened.advance())
    assert (header["step"], header["characters"], header["second"]) == (101, 4, 3)
    before = opened.history.at(100).picture.arrays
    np.testing.assert_allclose(arrays["roots"], before["roots"], atol=0.1)


def test_a_recording_keeps_what_it_needs_of_the_database_and_no_more(card_stage, tmp_path):
    path = tmp_path / "walk.kinerec"
    save_recording(path, card_stage)
    assert path.stat().st_size < 3_000_000
    opened = open_recording(path)
    before, after = card_stage.history.between(), opened.history.between()
    assert [one.picture.pack() for one in before] == [one.picture.pack() for one in after]
    last = after[-1].step
    for step in (last // 3, 2 * last // 3, last):
        told, again = (explain(one, Explain(step)) for one in (card_stage, opened))
        assert [one.frame for one in told.candidates] == [one.frame for one in again.candidates]
        assert told.chosen == again.chosen
    opened.resume(last)
    original, held = card_stage.database.poses.rotations, opened.database.poses.rotations
    kept = np.abs(original - held).max(axis=(1, 2)) < 1e-3
    assert 0.002 < kept.mean() < 0.3
    opened.pilot.steer(StickMessage(1, -1.0, 0.2))  # where it has not been
    for _ in range(240):
        _, arrays = unpack(POSE, opened.advance())
        assert kept[arrays["frames"][0]]


def test_a_recording_of_a_stand_offers_the_gaits_of_its_whole_database(database, tmp_path):
    stage = Stage(database, name="small")
    for _ in range(20):
        stage.advance()
    save_recording(tmp_path / "stand.kinerec", stage)
    assert open_recording(tmp_path / "stand.kinerec").pilot.gaits == stage.pilot.gaits


def test_a_stretch_is_a_recording_too(stage, tmp_path):
    save_recording(tmp_path / "part.kinerec", stage, 20, 31)
    assert open_recording(tmp_path / "part.kinerec").history.bounds == (20, 30)
    with pytest.raises(KinematchError, match="steps"):
        save_recording(tmp_path / "none.kinerec", stage, 5000, 5001)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("steps", lambda a: a[::-1]),
        ("frames", lambda a: a[:-4]),
        ("frame_stops", lambda a: a - 8),
        ("state.a.playing.frames", lambda a: a + 1_000_000),
        ("state.a.playing.frames", lambda a: a - 1_000_000),
        ("state.a.schedule.frames", lambda a: a + 1_000_000),
        ("state.a.schedule.left", lambda a: a + 1_000_000),
        ("state.a.playing.sources", lambda a: a + 3),
        ("state.a.playing.fractions", lambda a: a * np.nan),
        ("state.a.body.positions", lambda a: a[:-1]),
        ("state.b.feet.places", lambda a: a.astype(np.float64)),
        ("counts.a", lambda a: -a),
        ("settings.a", lambda a: a + 99),
        ("database.poses.positions", lambda a: a[:-1]),
    ],
)
def test_a_file_that_is_no_recording_of_its_database_is_refused(file, tmp_path, name, change):
    arrays, about = read_recording(file)
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    broken = tmp_path / "broken.kinerec"
    write_arrays(broken, arrays, format=FORMAT, version=VERSION, about=about)
    with pytest.raises(FileError, match=r"broken\.kinerec"):
        open_recording(broken)


def test_a_recording_of_before_there_was_a_way_back_opens(stage, file, tmp_path):
    arrays, about = read_recording(file)
    older = {name: array for name, array in arrays.items() if not name.endswith("schedule.left")}
    assert len(older) < len(arrays)
    write_arrays(tmp_path / "older.kinerec", older, format=FORMAT, version=VERSION, about=about)
    opened = open_recording(tmp_path / "older.kinerec")
    assert opened.history.bounds == stage.history.bounds
    assert (opened.history.at(100).states["a"].schedule.left == -1).all()


def test_a_damaged_recording_is_refused(file, tmp_path):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "damaged.kinerec").write_bytes(content)
    with pytest.raises(FileError, match="damaged"):
        open_recording(tmp_path / "damaged.kinerec")


def test_what_was_played_is_exported_as_it_was_shown(stage, tmp_path):
    clip = make_played_clip(stage, 20, 80)
    assert clip.frame_count == 60
    root = stage.history.at(20).picture.arrays["roots"][0, :3]
    np.testing.assert_array_equal(clip.positions[0, 0], root)
    for name in ("played.bvh", "played.glb"):
        export(tmp_path / name, stage, start=20, stop=80)
        back = read_clip(tmp_path / name)
        there, here = global_pose(back)[0], global_pose(clip)[0]
        hips = back.skeleton.roles["hips"], clip.skeleton.roles["hips"]
        np.testing.assert_allclose(there[:, hips[0]], here[:, hips[1]], atol=2e-3)
    with pytest.raises(KinematchError, match="no format"):
        export(tmp_path / "played.exe", stage)
