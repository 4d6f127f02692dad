"""What users make in the page, in a real browser: paths, comparisons, presets and recordings."""

import base64
import math

import pytest

from kinematch.character import Settings
from kinematch.character.settings_file import load_settings
from kinematch.studio.session.library import LibraryMotion
from kinematch.studio.session.opening import open_path

pytestmark = pytest.mark.slow

# Where a place of the floor is on the screen.
PIXEL = """([x, z]) => { const { camera } = kinematch.viewport.follow;
  const box = kinematch.viewport.renderer.domElement.getBoundingClientRect();
  const at = camera.position.clone().set(x, 0, z).project(camera);
  return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height]; }"""
KEYPOINTS = "kinematch.live.situation.keypoints"
DROP = """([name, content]) => { const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })); }"""


def near(point, x, z, metres=0.15) -> bool:
    return math.hypot(point["x"] - x, point["z"] - z) < metres


def test_a_path_is_placed_dragged_and_cut_and_the_character_follows_it(driven):
    page, mouse = driven, driven.page.mouse

    def pixel(x, z):
        return page.page.evaluate(PIXEL, [x, z])

    page.page.get_by_role("radio", name="Free").click()  # the camera stays, so that places on the screen do
    page.page.keyboard.press("p")
    page.until(f"kinematch.live.situation.how === 'path' && {KEYPOINTS}.length === 4")  # one stands ready
    page.page.get_by_role("button", name="Clear").click()
    page.until(f"{KEYPOINTS}.length === 0")
    for count, place in enumerate([(0.6, 1.2), (-0.8, 1.6), (-0.4, 0.8)], start=1):
        mouse.click(*pixel(*place))
        page.until(f"{KEYPOINTS}.length === {count}")
        assert near(page.ask(KEYPOINTS)[-1], *place)

    mouse.move(*pixel(-0.8, 1.6))
    mouse.down()
    mouse.move(*pixel(0.2, 2.2), steps=5)
    mouse.up()
    page.until(f"{KEYPOINTS}[1].x > 0")
    assert near(page.ask(KEYPOINTS)[1], 0.2, 2.2)
    page.page.get_by_label("Speed at point 2, m/s").fill("0.9")
    page.page.keyboard.press("Enter")
    page.until(f"{KEYPOINTS}[1].speed === 0.9")
    page.picture("path")
    mouse.click(*pixel(-0.4, 0.8))  # picks it
    page.page.keyboard.press("Delete")
    page.until(f"{KEYPOINTS}.length === 2")
    assert page.ask(f"{KEYPOINTS}.map((one) => one.speed)") == [1.4, 0.9]
    page.until(f"(([x, , z]) => Math.hypot(x - 0.2, z - 2.2) < 0.5)({page.ROOT})")  # it went there by itself


def test_two_settings_are_compared_on_the_same_stick(driven):
    page = driven
    page.ask("kinematch.open('tune')")
    page.page.get_by_role("switch", name="Compare two settings").click()
    page.until("kinematch.live.situation.comparing")
    page.page.get_by_role("radio", name="B", exact=True).click()
    before = page.ask("kinematch.live.settings.a.velocity_halflife")
    page.page.get_by_role("slider", name="Velocity half-life").focus()
    page.page.keyboard.press("End")
    page.until(f"kinematch.live.settings.b?.velocity_halflife > {2 * before}")
    assert page.ask("kinematch.live.settings.a.velocity_halflife") == before
    page.until("kinematch.live.playback.newest.second === 1")
    roots = "((r) => [[r[0], r[2]], [r[4], r[6]]])(kinematch.live.playback.newest.roots)"
    first = page.ask(roots)
    page.page.keyboard.down("w")
    page.until_moved(1.0)
    a, b = (math.dist(*both) for both in zip(page.ask(roots), first))
    page.page.keyboard.up("w")
    assert 0 < b < 0.8 * a  # the same stick, answered more slowly
    # drawn apart, and nowhere else
    drawn = "kinematch.live.pose(1).positions[0] - kinematch.live.moment.before.roots[4]"
    assert abs(page.ask(drawn)) < 0.1
    page.page.get_by_role("slider", name="Distance between them").focus()
    page.page.keyboard.press("End")
    page.until(f"Math.abs({drawn} - 4) < 0.1")
    page.picture("compared")
    page.page.keyboard.press("Home")
    page.page.get_by_role("switch", name="Compare two settings").click()
    page.until("kinematch.live.playback.newest.characters === 1")


def test_a_preset_is_saved_loaded_and_undone(driven):
    page, keyboard = driven, driven.page.keyboard
    page.ask("kinematch.open('tune')")
    page.page.locator("summary", has_text="Weights of the features").click()
    weight = page.page.get_by_role("slider", name="Hips velocity")
    for slider in (page.page.get_by_role("slider", name="Facing half-life"), weight):
        slider.focus()
        keyboard.press("End")
    tuned = page.until("Object.keys(kinematch.live.settings.a.weights).length && kinematch.live.settings.a")
    page.page.get_by_role("button", name="Save these settings as a preset").click()
    keyboard.type("Slow turns")
    keyboard.press("Enter")
    page.until("kinematch.live.presets.names.includes('Slow turns')")
    kept = load_settings(page.server.studio.presets.folder / "Slow turns.toml")
    assert (kept.facing_halflife, dict(kept.weights)) == (tuned["facing_halflife"], tuned["weights"])

    page.page.get_by_role("button", name="Reset all").click()
    first = Settings().facing_halflife
    is_reset = f"""((s) => Math.abs(s.facing_halflife - {first}) < 1e-6 && !Object.keys(s.weights).length)
      (kinematch.live.settings.a)"""
    page.until(is_reset)
    page.page.get_by_label("Preset", exact=True).select_option("")  # so that choosing it again is a change
    page.page.get_by_label("Preset", exact=True).select_option("Slow turns")
    page.until(f"kinematch.live.settings.a.facing_halflife === {tuned['facing_halflife']}")
    assert page.ask("kinematch.live.settings.a.weights") == tuned["weights"]
    page.page.get_by_role("button", name="Undo").click()
    page.until(is_reset)
    page.page.get_by_role("button", name="Delete the preset").click()
    page.until("!kinematch.live.presets.names.length")


def test_a_saved_recording_shows_the_same_when_it_is_opened(driven, database, tmp_path):
    page = driven
    page.ask("kinematch.open('why')")
    page.walk(1.0)
    page.page.keyboard.press("Space")
    page.until("!kinematch.live.playing")
    page.until("kinematch.live.moment.before === kinematch.live.playback.newest")
    shown = page.until("kinematch.live.step === kinematch.live.history.newest && kinematch.live.step")
    pose = page.ask("Array.from(kinematch.live.moment.before.rotations)")
    page.page.get_by_role("button", name="Save", exact=True).click()
    with page.page.expect_download() as download:
        page.page.get_by_role("menuitem", name="Recording").click()
    path = tmp_path / "walk.kinerec"
    download.value.save_as(path)
    assert open_path(path).history.bounds[1] == shown  # as `kinematch play walk.kinerec` opens it

    page.page.keyboard.press("l")
    page.until(f"kinematch.live.step > {shown} + 20")
    page.page.evaluate(DROP, ["walk.kinerec", base64.b64encode(path.read_bytes()).decode()])
    page.until(f"!kinematch.live.playing && kinematch.live.history.newest === {shown}")
    page.ask(f"kinematch.timeline.scrub({shown})")
    page.until(f"kinematch.live.moment?.before.step === {shown}")
    assert page.ask("Array.from(kinematch.live.moment.before.rotations)") == pose
    page.until("document.querySelector('.candidate')")  # and says why
    page.picture("recording")
    page.page.locator(".chip", has_text="Paused").wait_for()  # keys do nothing, and it says so
    page.ask(f"kinematch.timeline.scrub({shown - 30})")
    page.until(f"kinematch.live.moment?.before.step === {shown - 30}")
    page.page.get_by_role("button", name="from here", exact=True).click()
    page.until("kinematch.live.playing")
    page.walk(0.5)
    page.server.studio.open(LibraryMotion("small", database=database))
    page.until("kinematch.live.playing")


def test_a_damaged_recording_is_told(driven):
    driven.page.evaluate(DROP, ["torn.kinerec", base64.b64encode(b"torn" * 100).decode()])
    told = driven.page.locator(".message.bad", has_text="torn.kinerec")
    told.wait_for()
    assert "recording" in told.text_content().lower()
    assert "build" not in told.text_content()
    told.get_by_role("button").click()
    driven.problems[:] = [one for one in driven.problems if "400" not in one]  # what the browser says of a refusal
