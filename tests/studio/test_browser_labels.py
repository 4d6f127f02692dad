"""The strip of labels on the timeline, in a real browser: seen, changed, undone, and built as the recipe then says."""

import re
import tomllib

import pytest

from kinematch.database.build import build
from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.files import read_clip, write_clip

pytestmark = pytest.mark.slow

# how many pixels of the timeline's foot have the colour of a label
PAINTED = """(name) => { const canvas = document.querySelector(".clip-dock:not([hidden]) canvas");
  const tall = Math.round(8 * devicePixelRatio), top = canvas.height - tall - 2;
  const { data } = canvas.getContext("2d").getImageData(0, top, canvas.width, tall);
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  let count = 0;
  for (let k = 0; k < data.length; k += 4) count += data[k] === r && data[k + 1] === g && data[k + 2] === b;
  return count / tall; }"""
SECONDS = 12.0
RANGE = re.compile(r"(?:# .*\n)*\[\[source\.range\]\]\n(?:[a-z]+ = .*\n)+")


@pytest.fixture
def recipe_path(data, tmp_path):
    """The recipe that `init` writes for the first seconds of a take: a T-pose, a walk, and a fall.

    Its low ranges, one for each thing that happens there, are joined to one, so that there is one label to edit.
    """
    folder = tmp_path / "cache" / "workspace"
    folder.mkdir(parents=True)
    take = read_clip(data / "lafan1-takes" / "fallAndGetUp3_subject1.bvh")
    write_clip(folder / "take.bvh", take.frames(0, round(SECONDS * take.frame_rate)))
    path = folder / "recipe.toml"
    text = prescribe([examine(folder / "take.bvh")], folder, path.name)
    low = [one for one in tomllib.loads(text)["source"][0]["range"] if "low" in one["tags"]]
    assert [one["from"] for one in low[1:]] == [one["to"] for one in low[:-1]]
    tables = RANGE.findall(text)
    assert len(tables) == len(low)
    for table in tables[1:]:
        text = text.replace(table, "")
    path.write_text(text.replace(f"to = {low[0]['to']}", f"to = {low[-1]['to']}"))
    return path


@pytest.fixture
def server(recipe_path, tmp_path, monkeypatch, request):
    """A server whose workspace has that recipe."""
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "cache"))
    return request.getfixturevalue("fresh_server")


def test_labels_of_a_take_are_seen_changed_undone_and_built(screen, server, recipe_path):
    page = screen(server, "build")
    page.until("document.querySelectorAll('.label-chip').length > 2")
    page.until("!document.querySelector('.clip-dock').hidden")

    def source():
        return tomllib.loads(recipe_path.read_text())["source"][0]

    def filter_of():
        return tomllib.loads(recipe_path.read_text())["matching"].get("filter", "")

    seen = page.ask("[...document.querySelectorAll('.label-chip')].map((one) => one.textContent)")
    assert any(text.startswith("T-pose 2.") for text in seen), seen
    page.until(lambda: page.page.evaluate(PAINTED, "series-6") > 20)  # the T-pose's red, near a sixth of the width
    (low,) = [one for one in source()["range"] if "low" in one["tags"]]
    assert filter_of() == "!low"
    page.picture("labels_seen")

    def place(time, above=22):
        """Where a time is on the screen, so many pixels above the timeline's foot; a bar below it moves it up."""
        box = page.page.query_selector(".clip-dock:not([hidden]) canvas").bounding_box()
        return box["x"] + time / SECONDS * box["width"], box["y"] + box["height"] - above

    def pick(time, above=22):
        page.page.mouse.click(*place(time, above))
        page.until("document.querySelector('[data-key=label-name]')")

    def put(key, value):
        page.page.fill(f"[data-key={key}]", value)
        page.page.keyboard.press("Enter")

    def ranges():
        return source().get("range", [])

    def wait_for(start, stop, tags):
        """Until the recipe has one range, which is so; a drag ends within a pixel or two."""

        def so():
            found = ranges()
            (one,) = found if len(found) == 1 else [{}]
            return one and one["from"] == start and abs(one["to"] - stop) < 0.1 and one["tags"] == tags

        try:
            page.until(so)
        except AssertionError as error:
            error.add_note(f"the recipe has {ranges()}")
            raise

    # three edits in a row, none of which waits for the one before: another label, its end dragged, its start typed
    assert len(ranges()) == 1
    pick((low["from"] + low["to"]) / 2)
    page.page.select_option("[data-key=label-name]", "jumping")
    page.page.mouse.move(*place(low["to"]))
    page.page.mouse.down()
    page.page.mouse.move(*place(low["to"] + 0.5), steps=4)
    page.page.mouse.up()
    put("label-from", "7.5")
    wait_for(7.5, low["to"] + 0.5, ["jumping"])
    assert filter_of() == "!jumping"
    page.picture("labels_changed")
    # undone one by one, by button and by key
    undo = page.page.get_by_role("button", name="Undo the last change to the recipe")
    undo.click()
    wait_for(low["from"], low["to"] + 0.5, ["jumping"])
    page.until("!document.querySelector('[data-key=label-name]')")  # what was picked is no more
    undo.click()
    wait_for(low["from"], low["to"], ["jumping"])
    page.page.keyboard.press("Control+z")
    wait_for(low["from"], low["to"], low["tags"])
    assert ranges() == [low]
    page.until(undo.is_disabled)  # the page knows it, and there is no more to undo
    assert filter_of() == "!low"

    # taken out by a click that also leaves a field: neither gets in the other's way, and the bar does not come back
    pick((low["from"] + low["to"]) / 2)
    page.page.fill("[data-key=label-from]", "8.5")
    page.page.click(".clip-bar >> text=Delete")
    page.until(lambda: not ranges())
    page.page.wait_for_timeout(200)
    assert not page.ask("document.querySelector('[data-key=label-name]')")
    assert filter_of() == ""
    # put in from what the doctor saw, and a T-pose that is left out made longer
    pick((low["from"] + low["to"]) / 2, above=7)
    page.page.select_option("[data-key=label-name]", "crouching")
    page.page.click(".clip-bar >> text=Put into the recipe")
    page.until(lambda: any(one["tags"] == ["low", "crouching"] for one in ranges()))
    assert filter_of() == "!low"
    (dropped,) = source()["drop"]
    page.page.mouse.click(*place(1.0))
    page.until("document.querySelector('[data-key=label-name]')?.value === 'left out'")
    put("label-to", "3.5")
    page.until(lambda: source()["drop"] == [[dropped[0], 3.5]])

    made = build(recipe_path).database.poses
    crouched = made.tags.of("crouching").sum() / made.frame_rate
    (label,) = ranges()
    clips = made.frame_count / made.frame_rate
    assert abs(crouched / 2 - (label["to"] - label["from"])) < 0.05  # mirrored, so twice
    assert abs(clips / 2 - (SECONDS - 3.5)) < 0.1
