"""An exported page plays a character in the browser without any server of ours: keys and touch steer it."""

import functools
import http.server
import json
import threading

import numpy as np
import pytest

from kinematch.export.character import pack
from kinematch.export.folders import write_page, write_web
from kinematch.export.targets import WEB
from kinematch.studio.session.exported import write_page_data
from kinematch.studio.session.gallery import make_figure

from .conftest import PIXELS

PLACE = "Array.from(character.pose.globalPositions.slice(0, 3))"
PATIENCE = 120_000  # ms


@pytest.fixture(scope="module")
def page_data(built_of) -> bytes:
    return write_page_data(
        [pack(built_of("idle", "walk_1.35", "run_2.6").database)], names=["walker"], filters=["idle"]
    )  # fmt: skip


@pytest.fixture(scope="module")
def address(page_data, compiled, tmp_path_factory):
    """Where a static server shows the exported folder."""
    compiled(WEB)
    folder = tmp_path_factory.mktemp("web") / "walker"
    write_web(page_data, folder)
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=folder))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{files.server_port}/"
    files.shutdown()
    files.server_close()


def open_page(browser, address, **options):
    page = browser.new_page(**{**PIXELS, **options})
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    page.goto(address)
    page.wait_for_function("window.page && page.live.step > 2", timeout=PATIENCE)
    return page, complaints


def wait(page, condition):
    page.wait_for_function(condition, timeout=PATIENCE)


def test_keys_steer_the_exported_character(browser, address):
    page, complaints = open_page(browser, address)
    before = page.evaluate(PLACE)
    yaw = page.evaluate("page.viewport.follow.yaw")
    page.keyboard.down("w")
    wait(page, f"Math.hypot(...{PLACE}) > 1")
    page.keyboard.up("w")
    ahead = np.subtract(page.evaluate(PLACE), before) @ [np.sin(yaw), 0, np.cos(yaw)]
    assert ahead > 0.5  # m, away from the camera, which follows
    assert page.get_by_role("radio", name="Idle", exact=True).count() == 1
    assert complaints == []
    page.close()


def test_the_page_tells_why_and_goes_back_in_time(browser, address):
    page, complaints = open_page(browser, address)
    page.keyboard.down("w")
    wait(page, "page.live.step > 90")
    page.keyboard.up("w")
    page.evaluate("page.open('why')")
    page.wait_for_selector(".candidate.chosen", timeout=PATIENCE)
    found = page.evaluate("""new Promise((done) => {
        page.live.onExplanation(done);
        page.connection.send({type: "explain", step: 80, count: 5, request: 99});
    })""")
    costs = [one["cost"] for one in found["candidates"]]
    assert costs == sorted(costs)
    assert all(abs(sum(one["feature_costs"]) - one["cost"]) < 1e-3 * one["cost"] + 1e-5 for one in found["candidates"])
    page.evaluate("page.connection.send({type: 'scrub', step: 60})")
    wait(page, "!page.live.playing && page.live.step === 60")
    page.evaluate("page.connection.send({type: 'resume', step: 60})")
    wait(page, "page.live.playing && page.live.step > 65")
    assert complaints == []
    page.close()


def test_ground_crowds_and_paths_work_without_a_server(browser, address):
    page, complaints = open_page(browser, address)
    page.evaluate("page.connection.send({type: 'set_terrain', kind: 'stairs'})")
    points = [{"x": 0, "z": 3, "speed": 1.3}, {"x": 0, "z": 9, "speed": 1.3}]
    page.evaluate(f"page.connection.send({{type: 'follow_path', keypoints: {json.dumps(points)}, loops: false}})")
    page.evaluate("page.connection.send({type: 'steer_by', how: 'path'})")
    page.evaluate("page.connection.send({type: 'set_crowd', count: 6})")
    wait(page, f"{PLACE}[1] > 0.3 && {PLACE}[2] > 3")  # m, up the stairs
    assert page.evaluate("page.live.moment.before.characters") == 6
    moved = page.evaluate("Array.from(page.live.moment.before.roots)")
    assert np.isfinite(moved).all()
    assert complaints == []
    page.close()


def test_a_users_own_file_follows_the_motion(browser, address):
    page, complaints = open_page(browser, address)
    page.locator("input[type=file]").first.set_input_files(
        {"name": "own.glb", "mimeType": "model/gltf-binary", "buffer": make_figure("Child")}
    )
    wait(page, "page.character.name === 'own.glb' && page.live.heroHidden")
    page.keyboard.down("w")
    wait(page, f"Math.hypot(...{PLACE}) > 0.6")
    apart = page.evaluate("""(() => {
        const place = page.character.bonePlace("hips");
        const hips = 3 * character.about.roles.hips, positions = page.live.pose().positions;
        return Math.hypot(...place.map((value, k) => value - positions[hips + k]));
    })()""")
    assert apart < 0.05  # m
    assert complaints == []
    page.close()


def test_a_finger_steers_it_on_a_phone(browser, address):
    page, complaints = open_page(browser, address, viewport={"width": 390, "height": 760}, has_touch=True)
    box = page.locator(".screen-stick").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60)
    wait(page, f"Math.hypot(...{PLACE}) > 0.5")
    page.mouse.up()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert complaints == []
    page.close()


def test_a_page_of_one_file_opens_from_the_disk(browser, page_data, compiled, tmp_path):
    compiled(WEB)
    assert list(write_page(page_data, tmp_path / "walker.html")) == ["walker.html"]
    page, complaints = open_page(browser, (tmp_path / "walker.html").as_uri())
    page.keyboard.down("w")
    wait(page, f"Math.hypot(...{PLACE}) > 0.3")
    assert complaints == []
    page.close()


def test_a_missing_file_is_named(browser, address):
    page = browser.new_page(**PIXELS)
    page.route("**/character.dat", lambda route: route.fulfill(status=404))
    page.goto(address)
    page.wait_for_selector(".character-line.bad", timeout=PATIENCE)
    assert "character.dat: 404" in page.locator(".character-line").inner_text()
    page.close()
