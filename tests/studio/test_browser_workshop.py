"""Build, Coverage and Clips in a real browser: from a dropped file to a playing character, and what is told of it."""

import json
import tomllib

import pytest

from kinematch.files import write_clip
from kinematch.synth import motions, perform

pytestmark = pytest.mark.slow

DROP = """([name, text]) => {
  const data = new DataTransfer();
  for (const one of [name].flat()) data.items.add(new File([text], one));
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
WATCH_LIST = """window.most = 0; new MutationObserver(() => {
  most = Math.max(most, document.querySelectorAll(".file-list .file .state.busy").length);
}).observe(document.body, { childList: true, subtree: true });"""
BROKEN = "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0\n"


@pytest.fixture(scope="session")
def walk(tmp_path_factory) -> str:
    """A few steps of the built-in walker as a BVH file's text."""
    path = tmp_path_factory.mktemp("walk") / "steps.bvh"
    motion = next(motion for motion in motions() if motion.name == "walk_1.35")
    clip = perform(motion, seed=[0, 0]).clip
    write_clip(path, clip.frames(120, min(clip.frame_count, 420)))
    return path.read_text()


@pytest.fixture
def server(tmp_path, monkeypatch, request):
    """A server whose workspace is empty."""
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "cache"))
    return request.getfixturevalue("fresh_server")


@pytest.fixture
def recipe(tmp_path):
    """The recipe as it stands in its file."""
    return lambda: tomllib.loads((tmp_path / "cache" / "workspace" / "recipe.toml").read_text())


def drop(page, name, text):
    page.page.evaluate(DROP, [name, text])


def shown(page, name):
    """Wait until a file is examined and on the stage."""
    page.until(f"document.querySelector('[data-file={json.dumps(name)}] .state:not(.busy)')?.className")
    page.until("!document.querySelector('.clip-dock').hidden")


def texts(page, selector):
    return page.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")


def test_a_dropped_file_becomes_a_database_that_plays(screen, server, walk):
    page = screen(server)
    drop(page, "steps.bvh", walk)
    shown(page, "steps.bvh")
    page.picture("build_files")
    page.until("document.querySelector('#generate:not([disabled])')")
    page.page.click("#generate")
    page.until("kinematch.live.welcome.database === 'workspace'")
    page.until("document.querySelector('#tab-play[aria-selected=true]')")
    assert page.ask("kinematch.live.welcome.clips.map((clip) => clip.name)") == ["steps", "steps (mirrored)"]
    page.until("kinematch.live.playback.newest")  # of the new one
    before = page.ask("Array.from(kinematch.live.playback.newest.roots.slice(0, 3))")
    page.page.keyboard.down("w")
    place = f"[{before[0]}, {before[2]}]"
    page.until(f"((r, p) => Math.hypot(r[0] - p[0], r[2] - p[1]) > 0.5)(kinematch.live.playback.newest.roots, {place})")
    page.page.keyboard.up("w")
    page.picture("build_played")


def test_a_broken_file_says_what_is_wrong_and_what_to_do(screen, server):
    page = screen(server, "build")
    page.until("document.querySelector('.invitation')")
    page.picture("build_empty")
    drop(page, "holiday.c3d", "P")
    page.until("document.querySelector('.refusals')")
    assert "readable are" in texts(page, ".refusals")[0]
    page.ask(WATCH_LIST)
    drop(page, ["broken.bvh", "second.bvh", "third.bvh"], BROKEN)
    page.until("most === 3")  # all that were chosen are listed at once, before they have arrived
    page.until("document.querySelector('[data-file=\"broken.bvh\"] .state.error')")
    page.page.click("[data-file='broken.bvh']")
    page.until("document.querySelector('.clip-view .finding.error')")
    assert any("line 4" in text.lower() for text in texts(page, ".clip-view .finding.error"))
    assert page.ask("document.querySelector('#generate').disabled")
    page.picture("build_broken")


def test_what_panels_and_figure_change_stands_in_the_recipe(screen, server, walk, recipe):
    page = screen(server, "build")
    page.until("document.querySelector('.invitation')")
    drop(page, "steps.bvh", walk)
    shown(page, "steps.bvh")
    page.until("document.querySelector('.clip-view .group')")

    canvas = page.page.query_selector(".clip-dock canvas").bounding_box()
    x, y, width = canvas["x"], canvas["y"] + canvas["height"] - 12, canvas["width"]
    page.page.mouse.move(x + 0.25 * width, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 0.5 * width, y, steps=4)
    page.page.mouse.up()
    page.page.fill(".clip-bar .tag-input", "steady")
    page.page.keyboard.press("Enter")
    page.until("[...document.querySelectorAll('.tags .tag')].some((tag) => tag.textContent.startsWith('steady'))")
    marked = recipe()["source"][0]["range"][0]
    assert marked["tags"] == ["steady"]
    assert 0 < marked["from"] < marked["to"] < 5
    page.picture("build_tagged")

    page.page.locator("summary", has_text="Roles").click()
    page.page.select_option("[data-key='role:jaw']", "Head")
    page.until("document.querySelector('.role.forced')")
    assert recipe()["source"][0]["roles"] == {"jaw": "Head"}
    page.picture("build_roles")

    page.page.click(".build-head .segments button:nth-child(2)")
    page.page.click("[data-key='mirror']")
    page.until(lambda: recipe()["cleaning"]["mirror"] is False)
    page.picture("build_cleaning")

    page.page.click(".build-head .segments button:nth-child(3)")
    page.until("document.querySelectorAll('.feature input[type=range]').length === 9")  # the papers', and the hands
    assert len(recipe()["feature"]) == 9
    page.page.mouse.move(300, 300)
    page.picture("build_features")


def test_the_recipes_text_is_checked_line_by_line_as_it_is_typed(screen, server, walk, recipe):
    page = screen(server, "build")
    page.until("document.querySelector('.invitation')")
    drop(page, "steps.bvh", walk)
    shown(page, "steps.bvh")
    before = recipe()
    page.page.click(".build-head .segments button:nth-child(4)")
    good = page.page.input_value("textarea.code")
    page.page.fill("textarea.code", good.replace("frame_rate = 60", "frame_rate = 60\nmiror = true"))
    line = good[: good.index("frame_rate")].count("\n") + 2
    page.until(f"document.querySelector('.problem')?.textContent.includes('line {line}')")
    assert "did you mean 'mirror'" in texts(page, ".problem")[0]
    assert recipe() == before
    page.picture("build_recipe")
    page.page.fill("textarea.code", good.replace("frame_rate = 60", "frame_rate = 30"))
    page.until("document.querySelector('.recipe-panel .chip.good')")
    assert recipe()["cleaning"]["frame_rate"] == 30


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_panel_opens(screen, server, theme):
    page = screen(server, color_scheme=theme)
    for tab in page.ask("[...document.querySelectorAll('.rail [role=tab]')].map((one) => one.id)"):
        page.page.click(f"#{tab}")
        panel = tab.replace("tab-", "panel-")
        page.until(f"document.querySelector('#{panel}')?.textContent.length > 20")
        page.until(f"!document.querySelector('#{panel} .loading')")
        assert "could not be opened" not in texts(page, f"#{panel}")[0]
        page.picture(f"{panel.removeprefix('panel-')}_{theme}")


def test_a_cell_of_the_coverage_map_leads_to_its_clips(screen, server):
    page = screen(server, "coverage")
    page.until("document.querySelector('.heat')")
    fullest = """(() => { const values = [...document.querySelectorAll('.heat .cell')];
      return values.find((cell) => cell.dataset.cell === '5,12').dataset.cell })()"""
    page.page.click(f"[data-cell='{page.ask(fullest)}']")
    page.until("document.querySelectorAll('.stretches li').length")
    assert "going straight" in texts(page, ".reading")[0]
    page.until("!document.querySelector('.clip-dock:not([hidden])')?.hidden")
    assert texts(page, ".gap-row .name")
    page.picture("coverage_cell")


def test_clips_are_searched_and_played(screen, server):
    page = screen(server, "clips")
    page.until("document.querySelectorAll('.clip-row').length > 3")
    page.page.fill(".search", "walk_turn 180")
    page.until("document.querySelectorAll('.clip-row').length === 2")
    page.page.click(".clip-row")
    name = texts(page, ".clip-row .name")[0]
    page.until(
        f"[...document.querySelectorAll('.clip-dock strong')].some((one) => one.textContent === {json.dumps(name)})"
    )
    page.picture("clips_searched")
    page.page.fill(".search", "nothing is called this")
    page.until("document.querySelector('.clip-list .empty')")
    page.page.click(".clip-list .empty button")
    page.until("document.querySelectorAll('.clip-row').length > 3")
