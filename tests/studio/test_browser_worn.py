"""The user's own character in a real browser: fitted, shown in previews, and taken along into files."""

import numpy as np
import pytest
from PIL import Image, ImageSequence

from kinematch.files import read_clips
from kinematch.files.gltf_container import open_document
from kinematch.studio.session import fitting

pytestmark = pytest.mark.slow

# how far the nodes of a stage's copy are from the joints of a clip's worn motion, m
STRAY = """(() => { const { stage } = kinematch.browse(), { dressed, model, frame } = stage, worn = dressed;
  return Math.max(...model.joints.map(({ node, joint }) => { const m = node.matrixWorld.elements;
    const p = worn.positions.subarray(3 * (worn.joints * frame + joint));
    return Math.hypot(m[12] - p[0], m[13] - p[1], m[14] - p[2]); })); })()"""


def test_previews_and_exports_wear_the_character(screen, fresh_server, data, tmp_path):
    page = screen(fresh_server)
    page.page.set_input_files("input[type=file]", data / "characters" / "CesiumMan.glb")
    page.until("kinematch.live.heroHidden")
    for panel in ("clips", "coverage"):
        page.ask(f"kinematch.open('{panel}')")
        page.until("kinematch.browse()?.stage.wears")
        page.until(f"{STRAY} < 1e-3")
        page.picture(f"worn-{panel}")
    page.page.get_by_role("button", name="Joints", exact=True).last.click()  # on the clip's own skeleton
    page.until("!kinematch.browse().stage.wears")
    page.ask("kinematch.open('play')")
    page.walk(1.0)
    page.page.get_by_role("button", name="Save", exact=True).click()
    with page.page.expect_download() as saved:
        page.page.get_by_role("menuitem", name="GLB").click()
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    assert "CesiumMan" in path.name
    assert open_document(path).gltf.meshes
    assert read_clips(path)[0].duration > 0.5


def test_a_character_is_fitted_by_hand_and_walks(screen, fresh_server, data, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "find_settings_folder", lambda: tmp_path)
    page = screen(fresh_server)
    page.page.set_input_files("input[type=file]", data / "characters" / "CesiumMan.glb")
    page.until("kinematch.live.heroHidden")
    page.page.get_by_role("button", name="Fit", exact=True).click()
    foot = page.page.get_by_role("combobox", name="left foot", exact=True)
    found = foot.input_value()
    assert "foot" in found.lower() or "ankle" in found.lower() or "leg" in found.lower()
    foot.select_option("")  # a body without that foot cannot be played
    page.until("!!document.querySelector('.role [aria-label=\"left foot\"][aria-invalid=true]')")
    page.forgive("400")
    page.picture("fit-missing")
    foot.select_option(found)
    page.until("!document.querySelector('.role [aria-invalid=true]')")
    page.page.get_by_role("switch", name="Show its rest pose").click()
    page.until("kinematch.character.rest")
    raised = "kinematch.live.rig.reference.positions[3 * kinematch.live.rig.info.roles.left_hand + 1]"
    height = page.ask(raised)
    turn = page.page.get_by_role("spinbutton", name="left upper arm about z")
    turn.fill("30")
    turn.blur()
    page.until(f"Math.abs({raised} - {height}) > 0.05")
    page.picture("fit-rest-pose")
    page.page.get_by_role("button", name="Back to what was found").click()
    page.until(f"Math.abs({raised} - {height}) < 1e-4")
    page.page.get_by_role("switch", name="Show its rest pose").click()
    page.walk(1.0)


def test_a_film_wears_the_character_and_turns_around_it(screen, fresh_server, tmp_path):
    page = screen(fresh_server)
    page.page.get_by_role("button", name="Child", exact=True).click()
    page.until("kinematch.live.heroHidden")
    page.until("kinematch.viewport.follow.away.radius > 5.2")  # its large head is seen whole
    page.walk(1.0)
    page.page.get_by_role("button", name="Bookmark this view").click()
    page.page.get_by_role("button", name="Front", exact=True).click()
    page.page.get_by_role("button", name="Bookmark this view").click()
    page.page.keyboard.press("Space")
    page.until("!kinematch.live.playing")
    page.page.get_by_role("button", name="Save", exact=True).click()
    page.page.get_by_role("menuitem", name="GIF").click()
    dialog = page.page.get_by_role("dialog", name="Film")
    end = float(dialog.get_by_role("spinbutton", name="To, in seconds").input_value())
    # what was played may end half a tenth earlier than the field says
    dialog.get_by_role("spinbutton", name="To, in seconds").fill(f"{end - 0.1:.1f}")
    dialog.get_by_role("spinbutton", name="From, in seconds").fill(f"{end - 0.4:.1f}")
    dialog.get_by_role("radio", name="½ speed").click()
    dialog.get_by_role("radio", name="Bookmarks").click()
    page.picture("film-dialog")
    before = page.ask("kinematch.viewport.follow.away.theta")
    with page.page.expect_download() as saved:
        dialog.get_by_role("button", name="Film", exact=True).click()
    saved.value.save_as(tmp_path / "film.gif")
    assert "Child" in saved.value.suggested_filename
    with Image.open(tmp_path / "film.gif") as film:
        assert film.size == (480, 270)
        assert 10 <= film.n_frames <= 13  # 0.3 s at half speed and 20 pictures a second
        pictures = [np.asarray(frame.convert("RGB"), float) for frame in ImageSequence.Iterator(film)]
    body = [np.abs(one - np.median(one, axis=(0, 1))).sum(axis=2) > 100 for one in pictures]
    assert all(0.005 < one.mean() < 0.6 for one in body)  # somebody is there
    assert np.abs(pictures[-1] - pictures[0]).mean() > 2  # and is seen from elsewhere
    page.until("!document.querySelector('dialog[open]')")
    assert page.ask("kinematch.viewport.follow.away.theta") == pytest.approx(before, abs=1e-3)
    page.page.keyboard.press("l")
    page.until("kinematch.live.playing")


def make_mp4(page, path) -> np.ndarray:
    """Film the last 0.3 s as shown, and decode the film: pictures (F, H, W, 3)."""
    from imageio_ffmpeg import read_frames

    page.page.get_by_role("button", name="Save", exact=True).click()
    page.page.get_by_role("menuitem", name="MP4").click()
    dialog = page.page.get_by_role("dialog", name="Film")
    dialog.get_by_role("combobox", name="Size").select_option("480")
    end = float(dialog.get_by_role("spinbutton", name="To, in seconds").input_value())
    # what was played may end half a tenth earlier than the field says
    dialog.get_by_role("spinbutton", name="To, in seconds").fill(f"{end - 0.1:.1f}")
    dialog.get_by_role("spinbutton", name="From, in seconds").fill(f"{end - 0.4:.1f}")
    with page.page.expect_download() as saved:
        dialog.get_by_role("button", name="Film", exact=True).click()
    saved.value.save_as(path)
    page.until("!document.querySelector('dialog[open]')")
    film = read_frames(path)
    about = next(film)
    assert about["fps"] == 30
    width, height = about["size"]
    return np.stack([np.frombuffer(one, np.uint8).reshape(height, width, 3) for one in film]).astype(float)


def test_a_film_comes_as_mp4_with_those_who_walk_along(screen, fresh_server, data, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    page = screen(fresh_server)
    page.page.get_by_role("button", name="Child", exact=True).click()
    page.until("kinematch.live.heroHidden")
    with page.page.expect_file_chooser() as chosen:
        page.page.get_by_role("button", name="Add beside").click()
    chosen.value.set_files(data / "characters" / "CesiumMan.glb")
    page.until("kinematch.lineup.members[0]?.model?.scene.visible")
    page.walk(1.0)
    page.page.keyboard.press("Space")
    page.until("!kinematch.live.playing")
    both = make_mp4(page, tmp_path / "both.mp4")
    assert 8 <= len(both) <= 10
    page.page.get_by_role("button", name="Clear", exact=True).click()
    page.until("kinematch.lineup.names.length === 0")
    alone = make_mp4(page, tmp_path / "alone.mp4")
    apart = np.abs(both - alone[: len(both)]).sum(-1) > 60
    assert apart.mean(axis=(1, 2)).min() > 0.003  # the one beside is in every picture
    strip = Image.fromarray(np.concatenate([both[0], both[-1], alone[0]], axis=1).astype(np.uint8))
    strip.save(tmp_path / "strip.png")
