"""The page for everybody: axe-core finds nothing on any panel, the tour leads newcomers, help is in place."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kinematch.studio.session.own_presets import OWN_PRESETS

from .conftest import MUST

pytestmark = pytest.mark.slow

CLIENT = Path(__file__).parents[2] / "client"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
FOUND = """async () => (await axe.run(document, { runOnly: %s, resultTypes: ["violations"] })).violations.flatMap(
  (rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary.split("\\n")[1]}`))"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory) -> str:
    """The source of axe-core, with the hash of the lock file; fetched if the client has none installed."""
    place = CLIENT / "node_modules" / "axe-core" / "axe.min.js"
    if not place.exists():
        folder = tmp_path_factory.mktemp("axe")
        for name in ("package.json", "package-lock.json"):
            shutil.copy(CLIENT / name, folder)
        npm = shutil.which("npm", path=str(Path(sys.executable).parent)) or shutil.which("npm")
        command = [npm or "npm", "ci", "--prefix", str(folder), "--ignore-scripts"]
        done = subprocess.run(command, capture_output=True, text=True) if npm else None
        place = folder / "node_modules" / "axe-core" / "axe.min.js"
        if not place.exists():
            reason = "axe-core cannot be fetched: " + (done.stderr[-300:] if done else "no npm on this machine")
            (pytest.fail if MUST else pytest.skip)(reason)
    return place.read_text(encoding="utf-8")


def find_faults(page, axe: str) -> list[str]:
    page.ask(f"{axe}; 0")
    return page.ask(FOUND % json.dumps(RULES))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("panel", ["play", "why", "tune", "build", "coverage", "clips", "train", "vr"])
def test_axe_finds_no_fault_on_a_panel(driven, axe, panel, theme):
    page = driven
    page.ask(f"document.documentElement.dataset.theme = '{theme}'")
    page.ask(f"kinematch.open('{panel}')")
    page.until(f"!!document.querySelector('#panel-{panel}')?.firstElementChild")
    page.page.wait_for_timeout(300)
    try:
        assert not find_faults(page, axe)
    finally:
        page.ask("document.documentElement.dataset.theme = 'light'")


def test_axe_finds_no_fault_in_dialogs(driven, axe):
    page = driven
    for name in ("Help", "Film"):
        if name == "Help":
            page.page.get_by_role("button", name="Help", exact=True).click()
        else:
            page.page.get_by_role("button", name="Save", exact=True).click()
            page.page.get_by_role("menuitem", name="GIF").click()
        page.until("!!document.querySelector('dialog[open]')")
        page.page.wait_for_timeout(300)
        assert not find_faults(page, axe), name
        page.page.keyboard.press("Escape")
        page.until("!document.querySelector('dialog[open]')")


def test_motion_of_the_page_itself_stops_for_those_who_ask_for_that(screen, fresh_server):
    page = screen(fresh_server, reduced_motion="reduce")
    page.ask("kinematch.open('tune')")
    page.until("!!document.querySelector('#panel-tune')?.firstElementChild")
    moving = """[...document.querySelectorAll('*')].filter((one) => { const style = getComputedStyle(one);
      return parseFloat(style.animationDuration) > 0.01 || parseFloat(style.transitionDuration) > 0.01; }).length"""
    assert page.ask(moving) == 0


def test_newcomers_are_led_around_and_can_leave(screen, fresh_server, axe):
    page = screen(fresh_server, newcomer=True)
    tour = page.page.get_by_role("region", name="Tour")
    assert "W A S D" in tour.inner_text()
    assert not page.page.locator(".cover").is_visible()  # there is a character that one can drive
    page.picture("tour")
    assert not find_faults(page, axe)
    page.page.keyboard.down("w")  # nothing is locked
    page.until_moved(0.5)
    page.page.keyboard.up("w")
    seen = []
    while tour.count():
        seen.append(tour.locator("h2").inner_text())
        box = tour.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280
        assert box["y"] + box["height"] <= 720
        tour.get_by_role("button", name="Done" if len(seen) == 6 else "Next").click()
    assert len(seen) == len(set(seen)) == 6
    page.page.reload()
    page.until("!!window.kinematch?.live.moment")
    assert not tour.count()
    page.page.get_by_role("button", name="Help", exact=True).click()
    page.page.get_by_role("button", name="Take the tour").click()
    page.page.keyboard.press("Escape")
    page.until("!document.querySelector('.tour')")


def test_help_of_a_panel_opens_the_manual_there(driven):
    page = driven
    page.ask("kinematch.open('tune')")
    page.page.get_by_role("button", name="Help with this panel").click()
    page.until("!!document.querySelector('#manual-tune')")
    # scrolled to the section
    page.until("""Math.abs(document.querySelector('#manual-tune').getBoundingClientRect().top
      - document.querySelector('.manual-text').getBoundingClientRect().top) < 60""")
    page.picture("manual")
    page.page.get_by_role("button", name="The recipe").click()
    page.until("document.querySelector('.manual-text h2').textContent.toLowerCase().includes('recipe')")
    page.page.keyboard.press("Escape")
    page.until("!document.querySelector('dialog[open]')")


def test_a_preset_of_ours_is_chosen_and_explained(driven):
    page = driven
    page.ask("kinematch.open('tune')")
    page.page.get_by_role("combobox", name="Preset", exact=True).select_option("Heavy")
    page.until("kinematch.live.settings.a.velocity_halflife === 0.8")
    assert page.page.get_by_text(OWN_PRESETS["Heavy"].text).is_visible()
    assert page.page.get_by_role("button", name="Delete the preset").is_disabled()
    page.picture("preset")
