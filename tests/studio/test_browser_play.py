"""The page in a real browser: it opens, is steered, rewinds, explains and tunes."""

import math

import pytest

from .conftest import PIXELS

pytestmark = pytest.mark.slow

# A gamepad that tests move: window.pad.axes and window.pad.buttons.
PAD = """
window.pad = { id: "Test pad", index: 0, connected: true, mapping: "standard", timestamp: 0, axes: [0, 0, 0, 0],
  buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })) };
navigator.getGamepads = () => [window.pad, null, null, null];
"""
PLAYED = """{ const kept = {}; window.kept = kept;
kinematch.live.connection.onFrame((frame) => { kept[frame.step] = Array.from(frame.rotations); }); }"""


def walked(screen, begin, end) -> tuple[float, float]:
    """How far the character went, ahead and to the right as the camera sees it, m."""
    camera = screen.ask("kinematch.viewport.follow.yaw")
    begin()
    dx, dz = screen.until_moved(1.2)
    end()
    return dx * math.sin(camera) + dz * math.cos(camera), -dx * math.cos(camera) + dz * math.sin(camera)


@pytest.mark.parametrize(("key", "ahead", "right"), [("w", 1, 0), ("d", 0, 1), ("ArrowLeft", 0, -1)])
def test_keys_move_the_character_where_they_point(driven, key, ahead, right):
    page = driven
    keyboard = page.page.keyboard
    went = walked(page, lambda: keyboard.down(key), lambda: keyboard.up(key))
    assert went[0] * ahead + went[1] * right > 0.75 * math.hypot(*went)


def test_keys_steer_after_a_click_and_move_a_slider_after_tab(driven):
    page = driven
    page.page.get_by_role("radio", name="Stairs").click()
    page.until("kinematch.live.situation.terrain === 'stairs'")
    gait = page.ask("kinematch.steering.gait")
    walked(page, lambda: page.page.keyboard.down("ArrowRight"), lambda: page.page.keyboard.up("ArrowRight"))
    assert page.ask("kinematch.steering.gait") == gait
    assert page.ask("kinematch.live.situation.terrain") == "stairs"
    page.page.get_by_role("radio", name="Flat").click()
    page.until("kinematch.live.situation.terrain === 'flat'")
    page.page.keyboard.press("Space")  # pauses, and presses no control again
    page.until("!kinematch.live.playing")
    page.page.get_by_role("button", name="from here", exact=True).click()
    page.until("kinematch.live.playing")
    slider = page.page.get_by_role("slider", name="Characters")
    slider.focus()
    page.page.keyboard.press("ArrowRight")
    page.until("kinematch.live.situation.crowd === 2")
    assert slider.get_attribute("aria-valuetext") == "2 characters"
    page.page.keyboard.press("ArrowLeft")
    page.until("kinematch.live.situation.crowd === 1")


def test_a_gamepad_moves_the_character_where_it_points(driven):
    page = driven
    page.ask(PAD)
    ahead, right = walked(
        page, lambda: page.ask("pad.axes = [0.9, 0, 0, 0]"), lambda: page.ask("pad.axes = [0, 0, 0, 0]")
    )
    assert right > 0.75 * math.hypot(ahead, right)
    yaw = page.ask("kinematch.viewport.follow.yaw")
    page.ask("pad.axes = [0, 0, 1, 0]")
    page.until(f"Math.abs(kinematch.viewport.follow.yaw - {yaw}) > 0.3")
    page.ask("pad.axes = [0.05, -0.08, 0.1, 0]")
    page.until("kinematch.steering.keyboard.letters.x === 0")
    page.ask("pad.buttons[9].pressed = true")
    page.until("!kinematch.live.playing")
    page.ask("pad.buttons[9].pressed = false; pad.axes.fill(0)")


def test_a_finger_on_the_stick_moves_the_character_where_it_points(screen, fresh_server):
    page = screen(fresh_server, has_touch=True, viewport={"width": 768, "height": 1024})
    fingers = page.page.context.new_cdp_session(page.page)
    box = page.page.locator(".screen-stick").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind, *places):
        points = [{"x": at_x, "y": at_y} for at_x, at_y in places]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def push():
        touch("touchStart", (x, y))
        touch("touchMove", (x + 20, y))
        touch("touchMove", (x + 60, y))  # beyond the rim

    ahead, right = walked(page, push, lambda: touch("touchEnd"))
    assert right > 0.75 * math.hypot(ahead, right)
    assert page.ask("kinematch.steering.screen.axes") == {"x": 0, "y": 0}
    page.picture("tablet")
    page.page.tap("#tab-tune")
    page.page.get_by_role("slider", name="Velocity half-life").tap()
    page.until("!!document.querySelector('#panel-tune .changed')")


def test_rewinding_shows_the_very_pose_that_was_played(driven):
    page = driven
    page.ask(PLAYED)
    page.page.keyboard.down("w")
    page.until("Object.keys(kept).length > 40")
    page.page.keyboard.press("Space")
    page.until("!kinematch.live.playing")
    page.page.keyboard.up("w")
    step = page.ask("Number(Object.keys(kept)[15])")
    played = page.ask(f"kept[{step}]")
    page.ask("delete window.kept")
    page.ask(f"kinematch.timeline.scrub({step})")
    page.until(f"kinematch.live.moment.before.step === {step}")
    assert page.ask("Array.from(kinematch.live.moment.before.rotations)") == played
    assert page.ask("kinematch.live.moment.share") == 0
    page.page.keyboard.press("l")
    page.until("kinematch.live.playing")


def test_the_keys_are_told(driven):
    page = driven
    page.page.keyboard.press("?")
    page.until("!!document.querySelector('dialog[open]')")
    assert "Shift" in page.ask("document.querySelector('dialog[open]').textContent")
    page.picture("keys")
    page.page.keyboard.press("Escape")
    page.until("!document.querySelector('dialog[open]')")


def test_a_search_is_explained_and_a_candidate_is_shown_as_a_ghost(driven):
    page = driven
    page.ask("kinematch.open('why')")
    page.page.keyboard.down("w")
    page.until("document.querySelectorAll('.candidate').length > 3")
    page.page.keyboard.up("w")
    with page.page.expect_response("**/api/poses?*") as poses:  # also while the list is replaced under the pointer
        page.page.locator(".candidate").nth(2).click()
    assert poses.value.ok
    page.until("!kinematch.live.playing")
    page.until("!!document.querySelector('.candidate[aria-pressed=true]')")
    costs = page.ask(
        "[...document.querySelectorAll('.candidate:not(:first-child) .cost')].map((one) => +one.textContent)"
    )
    assert costs == sorted(costs)


def test_a_character_of_ones_own_plays_the_motion_as_the_server_retargets_it(driven, data):
    page = driven
    page.page.set_input_files("input[type=file]", data / "characters" / "CesiumMan.glb")
    page.until("kinematch.live.heroHidden")
    page.page.set_input_files("input[type=file]", {"name": "bad.glb", "mimeType": "model/gltf-binary", "buffer": b"no"})
    page.until("[...document.querySelectorAll('.message.bad')].some((one) => one.textContent.includes('bad.glb'))")
    page.until(lambda: len(page.problems) > 1)  # the file, and its fit, are refused
    page.forgive("400")
    page.walk(1.0)
    # each node stands where the streamed skeleton has its joint
    away = page.ask("""(() => { const pose = kinematch.live.pose(); return Math.max(...kinematch.character.joints.map(
      ({ node, joint }) => { const m = node.matrixWorld.elements, p = pose.positions;
        return Math.hypot(m[12] - p[3 * joint], m[13] - p[3 * joint + 1], m[14] - p[3 * joint + 2]); })); })()""")
    assert away < 1e-3
    page.picture("character-cesium")
    page.page.get_by_role("button", name="Take off").click()
    page.until("!kinematch.live.heroHidden && !kinematch.live.welcome.character")


@pytest.mark.parametrize(
    ("file", "kind", "words"),
    [
        ("characters/RobotExpressive.glb", "good", "is not joined"),  # its feet lie beside its legs
        ("characters/100Avatars_003_Jimmy.vrm", "good", "follow the motion"),
        ("game-characters/KayKit-Knight.glb", "good", "follow the motion"),
        ("characters/vrm0-basic_armature.vrm", "bad", "no mesh"),
    ],
)
def test_what_is_odd_about_a_character_is_told(driven, data, file, kind, words):
    page = driven
    page.page.set_input_files("input[type=file]", data / file)
    name = file.rpartition("/")[2]
    told = page.page.locator(f".message.{kind}", has_text=name)
    told.wait_for()
    assert words in told.text_content()
    if kind == "bad":
        page.forgive("400")
    else:
        page.until("kinematch.live.heroHidden")
        page.page.keyboard.down("w")
        page.until_moved(1.5)
        page.picture(f"character-{name}")
        page.page.keyboard.up("w")
        page.page.get_by_role("button", name="Take off").click()
        page.until("!kinematch.live.heroHidden")


def test_a_slider_changes_the_setting_and_undo_takes_it_back(driven):
    page = driven
    page.ask("kinematch.open('tune')")
    slider = page.page.get_by_role("slider", name="Velocity half-life")
    before = page.ask("kinematch.live.settings.a.velocity_halflife")
    slider.focus()
    page.page.keyboard.press("ArrowRight")
    page.until(f"kinematch.live.settings.a.velocity_halflife > {before}")
    page.page.keyboard.press("Control+z")
    page.until(f"kinematch.live.settings.a.velocity_halflife === {before}")


def test_a_browser_that_cannot_draw_is_told_so(browser, fresh_server):
    context = browser.new_context(**PIXELS)
    context.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page = context.new_page()
    page.goto(fresh_server.url)
    page.get_by_text("hardware acceleration").wait_for()
    context.close()


def test_a_lost_server_is_told(driven):
    page = driven
    assert page.ask("document.querySelector('.cover').hidden")
    page.ask("""kinematch.live.connection.onState((state) => {
      if (state === "lost") window.told = document.querySelector(".cover:not([hidden])").textContent; })""")
    page.ask("kinematch.live.connection.drop()")
    assert "kinematch play" in page.until("window.told")
    page.until("document.querySelector('.cover').hidden")  # it came back by itself
