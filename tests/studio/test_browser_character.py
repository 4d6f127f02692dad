"""An exported page plays a character in the browser without any server of ours: keys and touch steer it."""

import functools
import http.server
import threading

import numpy as np
import pytest

from kinematch.export.character import pack, write_character
from kinematch.export.folders import write_web
from kinematch.export.targets import WEB

PLACE = "Array.from(character.pose.globalPositions.slice(0, 3))"


@pytest.fixture(scope="module")
def address(built_of, compiled, tmp_path_factory):
    """Where a static server shows the exported folder."""
    compiled(WEB)
    folder = tmp_path_factory.mktemp("web") / "walker"
    write_web(write_character(pack(built_of("idle", "walk_1.35", "run_2.6").database), filters=["idle"]), folder)
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=folder))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{files.server_port}/"
    files.shutdown()
    files.server_close()


def open_page(browser, address, **options):
    page = browser.new_page(**options)
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.wait_for_function("window.page && page.steps > 2", timeout=120_000)
    return page, complaints


def test_keys_steer_the_exported_character(browser, address):
    page, complaints = open_page(browser, address)
    before = page.evaluate(PLACE)
    page.keyboard.down("w")
    page.wait_for_function(f"Math.hypot(...{PLACE}) > 1", timeout=120_000)
    page.keyboard.up("w")
    after = page.evaluate(PLACE)
    yaw = page.evaluate("page.view.follow.yaw")
    ahead = np.subtract(after, before) @ [np.sin(yaw), 0, np.cos(yaw)]
    assert ahead > 0.9  # m, away from the camera
    assert page.locator("select[aria-label=Style] option").count() == 2
    assert complaints == []
    page.close()


def test_a_finger_steers_it_on_a_phone(browser, address):
    page, complaints = open_page(browser, address, viewport={"width": 390, "height": 760}, has_touch=True)
    box = page.locator(".screen-stick").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60)
    page.wait_for_function(f"Math.hypot(...{PLACE}) > 0.5", timeout=120_000)
    page.mouse.up()
    bar = page.locator(".character-bar").bounding_box()
    assert bar["x"] + bar["width"] <= 390
    assert complaints == []
    page.close()


def test_a_missing_file_is_named(browser, address):
    page = browser.new_page()
    page.route("**/character.dat", lambda route: route.fulfill(status=404))
    page.goto(address)
    page.wait_for_selector(".character-line.bad", timeout=120_000)
    assert "character.dat: 404" in page.locator(".character-line").inner_text()
    page.close()
