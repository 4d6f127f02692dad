"""Files side by side: those behind the first are told the same, begin beside it, and are shown with their names."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kinematch.database.packing.pack import pack
from kinematch.database.rebuild import retarget_database
from kinematch.database.tags import Tags
from kinematch.errors import FileError, KinematchError
from kinematch.learned.training.journal import Journal, find_journal_folder
from kinematch.studio.server import messages
from kinematch.studio.session.compared import APART, ComparedSource, fit_compared, open_compared
from kinematch.studio.session.explaining import explain
from kinematch.studio.session.opening import open_path
from kinematch.studio.session.recording import save_recording
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio


@pytest.fixture(scope="module")
def packed(database):
    return pack(database)


@pytest.fixture
def stage(database, packed):
    return Stage(database, name="exact", compared=(ComparedSource("packed", packed), ComparedSource("again", database)))


def roots(stage):
    """Of the first character and of those beside it (3, 3)."""
    names = ["a", *stage.compared]
    return np.concatenate([stage.crowds[name].root_positions for name in names])


def test_rivals_are_told_the_same_and_stay_beside_the_first(stage):
    first = roots(stage)
    np.testing.assert_allclose(first[1:] - first[0], [[APART, 0, 0], [-APART, 0, 0]], atol=1e-6)
    stage.set_crowd(3)
    stage.pilot.steer(messages.StickMessage(1, 0.0, 1.0, gait=stage.pilot.gait_infos[0].name))
    for _ in range(90):
        stage.advance()
    now = roots(stage)
    assert np.linalg.norm(now[0] - first[0]) > 0.8
    np.testing.assert_allclose(now[2] - now[0], [-APART, 0, 0], atol=1e-4)  # the same file, the same motion
    np.testing.assert_allclose(now[1] - now[0], [APART, 0, 0], atol=0.05)  # packed, within its errors
    picture = stage.history.at(stage.step).picture
    assert len(picture.arrays["frames"]) == picture.header["second"] == 5
    np.testing.assert_allclose(picture.arrays["roots"][-2:, :3], now[1:], atol=1e-5)
    step = stage.step
    for _ in range(20):
        stage.advance()
    stage.resume(step - 5)
    assert np.linalg.norm(roots(stage) - now, axis=-1).max() < 0.5
    stage.start_over()
    np.testing.assert_allclose(roots(stage)[:, [0, 2]], first[:, [0, 2]], atol=1e-3)


def test_a_rival_of_another_rig_and_other_tags_is_retargeted_to_the_first(database):
    poses = database.poses
    rig = poses.skeleton
    longer = replace(rig, names=tuple(f"their {name}" for name in rig.names), offsets=1.2 * rig.offsets)
    theirs = retarget_database(database, longer, poses.contact_joints, database.features.schema)
    frames = theirs.poses.tags.frames[:, :0]
    source = ComparedSource("theirs", replace(theirs, poses=replace(theirs.poses, tags=Tags((), frames)), filter=""))
    with pytest.raises(KinematchError, match="another skeleton"):
        Stage(database, name="a", compared=(source,))
    fitted = fit_compared(database, source)
    assert "theirs is retargeted" in fitted.note
    stage = Stage(database, name="a", compared=(fitted,))
    walk = stage.pilot.gait_infos[0].name
    stage.pilot.steer(messages.StickMessage(1, 0.0, 1.0, gait=walk))
    first = roots(stage)
    for _ in range(90):
        stage.advance()
    went = np.linalg.norm(roots(stage) - first, axis=-1)
    assert (went > 0.8).all()
    stage.pilot.steer(messages.StickMessage(2, 0.0, 1.0, gait="crouch"))  # of which it has no frame
    for _ in range(30):
        stage.advance()
    assert fit_compared(database, ComparedSource("same", database)).note == ""


def test_a_rivals_search_is_not_explained_by_another_file(stage):
    for _ in range(5):
        stage.advance()
    assert explain(stage, messages.Explain(step=stage.step)).character == 0
    with pytest.raises(KinematchError, match="plays another file"):
        explain(stage, messages.Explain(step=stage.step, character=1))


def test_those_that_cannot_be_compared_are_refused(database, stage, built_of, tmp_path):
    poses = database.poses
    tags = replace(poses.tags, names=tuple(name + "x" for name in poses.tags.names))
    with pytest.raises(KinematchError, match="it has other tags"):
        Stage(
            database,
            name="a",
            compared=(ComparedSource("b", replace(database, poses=replace(poses, tags=tags), filter="")),),
        )
    with pytest.raises(KinematchError, match="expected 7 at most"):
        Stage(database, name="a", compared=(ComparedSource("b", database),) * 7)
    with pytest.raises(KinematchError, match="one database"):
        save_recording(tmp_path / "a.kinematch-recording", stage)
    with pytest.raises(FileError, match="cannot play beside another"):
        open_compared(tmp_path / "recipe.toml")
    path = built_of("idle", "walk_1.35").path
    assert [source.name for source in open_path(path, beside=[path]).compared.values()] == [path.stem]


@pytest.mark.slow
def test_the_page_names_them_shows_one_alone_and_draws_how_a_training_goes(
    stage, screen, run_studio, tmp_path, monkeypatch
):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path))
    journal = Journal(find_journal_folder() / "walk.jsonl", "walk")
    for step in range(1, 9):
        journal.note_report("compress", step, 10, 1 / step, f"{1 / step:.2f} cm")
    with run_studio(Studio(stage, presets=tmp_path / "presets")) as server:
        page = screen(server)
        assert page.ask("kinematch.live.names") == ["exact", "packed", "again"]
        page.page.keyboard.down("w")
        page.until_moved(1.0)
        page.picture("side-by-side")
        page.page.keyboard.up("w")
        apart = "kinematch.live.namedPose(1).positions[0] - kinematch.live.namedPose(0).positions[0]"
        wide = page.ask(apart)
        page.ask("kinematch.live.apart.files = 0")  # in one place, as far as they agree
        page.until(f"{apart} < {wide} - 1.2")
        page.ask("kinematch.live.apart.files = 1.5")
        page.page.keyboard.down("w")
        page.page.get_by_role("radio", name="packed").click()
        page.until(
            "kinematch.live.alone === 1 && kinematch.live.namedPose(0) === null && !!kinematch.live.namedPose(1)"
        )
        page.until("kinematch.live.hips.x - kinematch.live.moment.before.roots[0] > 1")
        page.page.keyboard.up("w")
        page.page.get_by_role("radio", name="All").click()
        page.ask("kinematch.open('train')")
        page.until("document.querySelector('#panel-train')?.textContent.includes('walk: running')")
        assert page.ask("document.querySelector('#panel-train polyline').getAttribute('points').split(' ').length") == 8
        page.picture("train")
        status, told, _ = server.fetch("/api/training")
        assert (status, json.loads(told)[0]["stages"]["compress"]["step"]) == (200, 8)
