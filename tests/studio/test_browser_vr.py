"""The VR panel in a real browser: a simulated user, an emulated headset, mirror, first person, and who watches."""

import math

import pytest

from kinematch.avatar.recordings import read_trackers

pytestmark = pytest.mark.slow

BODY = "kinematch.vr.avatars.pose(kinematch.vr.room.own?.user ?? -1)"
HIPS = "Array.from(kinematch.vr.avatars.main.position.toArray())"
WRIST = f"""(() => {{ const joint = kinematch.vr.room.own.skeleton.roles.right_hand, pose = {BODY};
  return Array.from(pose.positions.slice(3 * joint, 3 * joint + 3)); }})()"""
SEEN = """(() => { let seen = 0; const { scene } = kinematch.viewport;
  scene.traverse((one) => { if (one.isMesh && one.layers.mask === 1 << LAYER) seen++; }); return seen; })()"""


def open_vr(screen, server, **options):
    page = screen(server, "vr", **options)
    page.until("!!kinematch.vr.room.now")
    return page


def start(page, motion: str) -> None:
    page.page.get_by_role("button", name=motion).click()
    page.until(f"!!{BODY}")


def test_a_simulated_user_has_a_body_that_walks_and_is_seen_by_others(screen, fresh_server):
    page = open_vr(screen, fresh_server)
    assert page.page.get_by_text("choose Stroll, to see a body here").is_visible()  # the stage is not just empty
    start(page, "Stroll")
    x, _, z = page.ask(HIPS)
    page.until(f"(([x, , z]) => Math.hypot(x - {x}, z - {z}) > 0.8)({HIPS})")
    page.until("kinematch.vr.answer !== null")
    page.until(
        "[...document.querySelectorAll('#panel-vr .figures')].some((one) => one.textContent.includes('of 16 ms'))"
    )
    assert page.ask("kinematch.vr.room.milliseconds") > 0
    page.picture("vr-outside")
    watcher = screen(fresh_server, "play")
    watcher.until("!!kinematch.vr.avatars.main")
    assert watcher.ask("kinematch.vr.room.own") is None
    watcher.picture("vr-watched")
    page.page.get_by_role("button", name="Stop", exact=True).click()
    watcher.until("kinematch.vr.room.now.users.length === 0")


def test_one_sees_oneself_without_a_head_and_the_mirror_with_it(screen, fresh_server):
    page = open_vr(screen, fresh_server)
    start(page, "Gestures")
    page.page.get_by_role("radio", name="First person").click()
    page.page.get_by_role("switch", name="Mirror").click()
    page.until("!!kinematch.viewport.eye")
    assert page.ask("kinematch.viewport.eye.layers.isEnabled(9) && !kinematch.viewport.eye.layers.isEnabled(10)")
    assert page.ask(SEEN.replace("LAYER", "9")) == 2  # the body without its head, and what casts the shadow
    assert page.ask(SEEN.replace("LAYER", "10")) == 1
    eye = page.ask("kinematch.viewport.eye.position.toArray()")
    head = page.ask(f"(() => {{ const joint = kinematch.vr.room.own.skeleton.roles.head, pose = {BODY};"
                    " return Array.from(pose.positions.slice(3 * joint, 3 * joint + 3)); })()")  # fmt: skip
    assert math.dist(eye, head) < 0.6  # it moves between the two questions
    page.picture("vr-mirror")
    page.ask("kinematch.open('play')")
    page.until("!kinematch.viewport.eye && !kinematch.vr.mirror.shown")


def test_an_emulated_headset_moves_a_body(screen, fresh_server):
    page = open_vr(screen, fresh_server, viewport={"width": 1000, "height": 360})  # drawn twice, in software
    assert not page.ask("performance.getEntriesByType('resource').some((one) => /emulator/.test(one.name))")
    page.page.get_by_role("button", name="Emulate a headset").click()
    page.until("kinematch.vr.headset.worn")
    page.until(f"!!{BODY}")
    low = page.ask(WRIST)
    page.page.get_by_role("slider", name="Right hand up").fill("0.2")
    page.until(f"{WRIST}[1] > {low[1]} + 0.25")
    page.picture("vr-emulated")
    spot = page.ask(HIPS)
    page.page.keyboard.down("w")
    page.until(f"{HIPS}[2] > {spot[2]} + 0.5")  # towards the mirror
    page.page.keyboard.up("w")
    page.page.get_by_role("button", name="Recentre").click()
    page.until(f"{HIPS}[2] < {spot[2]} + 0.3")
    page.page.get_by_role("switch", name="Right hand is tracked").click()
    page.until(f"{WRIST}[1] < {low[1]} + 0.2")  # the arm is handed back
    page.page.get_by_role("button", name="Leave VR").first.click()
    page.until("!kinematch.vr.headset.worn && kinematch.vr.room.now.users.length === 0")
    assert page.ask("kinematch.viewport.renderer.domElement.parentElement.className") == "stage"


def test_a_character_that_is_dropped_in_vr_is_worn(screen, fresh_server, data):
    page = open_vr(screen, fresh_server)
    start(page, "Gestures")
    page.page.set_input_files("#panel-vr input[accept='.glb,.vrm']", data / "characters" / "CesiumMan.glb")
    page.until("kinematch.vr.room.own?.character === 'CesiumMan.glb'")
    page.until(f"!!{BODY}")
    page.until("(() => { let twins = 0; kinematch.vr.avatars.layer.traverse((one) => {"
               " if (one.isSkinnedMesh && one.layers.mask === 1 << 9) twins++; }); return twins; })()")  # fmt: skip
    page.picture("vr-character")
    page.page.get_by_role("button", name="Take off").last.click()
    page.until("kinematch.vr.room.own?.character === ''")


def test_trackers_are_recorded_and_saved(screen, fresh_server, tmp_path):
    page = open_vr(screen, fresh_server)
    start(page, "Side steps")
    page.page.get_by_role("button", name="Record", exact=True).click()
    page.until("kinematch.vr.room.own.recording")
    page.page.wait_for_timeout(1500)
    with page.page.expect_download() as saved:
        page.page.get_by_role("button", name="Stop and save").click()
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    trackers = read_trackers(path)
    assert trackers.times[-1] > 1
    assert trackers.valid[:, :3].all()
