"""Events of an action on the timeline, in a real browser: seen, dragged, added, deleted and undone in the recipe."""

import tomllib

import pytest

from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.files import write_clip
from kinematch.synth.actions import list_actions, perform_action

pytestmark = pytest.mark.slow


@pytest.fixture
def clip():
    """A standing jump, as a take that says nothing of what is in it."""
    number = next(k for k, one in enumerate(list_actions()) if one.name == "jump_1.2")
    return perform_action(number).with_(actions=())


@pytest.fixture
def recipe_path(clip, tmp_path):
    """The recipe that `init` writes for it."""
    folder = tmp_path / "cache" / "workspace"
    folder.mkdir(parents=True)
    write_clip(folder / "jump.bvh", clip)
    path = folder / "recipe.toml"
    path.write_text(prescribe([examine(folder / "jump.bvh")], folder, path.name))
    return path


@pytest.fixture
def server(recipe_path, tmp_path, monkeypatch, request):
    """A server whose workspace has that recipe."""
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "cache"))
    return request.getfixturevalue("fresh_server")


def test_events_of_an_action_are_dragged_added_deleted_and_undone(screen, server, recipe_path, clip):
    page = screen(server, "build")
    page.until("document.querySelector('canvas.event-lane:not([hidden])')?.clientWidth > 0")

    def actions():
        return tomllib.loads(recipe_path.read_text())["source"][0].get("action", [])

    def times(kind):
        return [one["at"] for action in actions() for one in action["events"] if one["kind"] == kind]

    def place(time):
        box = page.page.query_selector("canvas.event-lane").bounding_box()
        return box["x"] + time / clip.duration * box["width"], box["y"] + box["height"] / 2

    before = actions()
    (action,) = before
    (landing,) = times("landing")
    page.picture("events_seen")

    # dragged to later; the take-off stays
    page.page.mouse.move(*place(landing))
    page.page.mouse.down()
    page.page.mouse.move(*place(landing + 0.1), steps=4)
    page.page.mouse.up()
    page.until(lambda: times("landing") and abs(times("landing")[0] - landing - 0.1) < 0.03)
    assert times("take-off") == [action["events"][0]["at"]]
    assert page.ask("document.querySelector('[data-key=event-kind]').value") == "landing"

    # an event never passes the one before it
    moved = times("landing")[0]
    page.page.mouse.move(*place(moved))
    page.page.mouse.down()
    page.page.mouse.move(*place(action["entry"][0]), steps=4)
    page.page.mouse.up()
    page.until(lambda: times("landing")[0] < moved)
    assert times("landing")[0] >= times("take-off")[0]
    page.page.keyboard.press("Control+z")
    page.until(lambda: times("landing") == [moved])

    # added at the playhead, and given another kind
    page.page.mouse.click(*place(moved))
    page.page.click(".clip-bar >> text=Add event")
    page.until(lambda: times("foot"))
    assert times("landing") == [moved]
    page.picture("events_added")

    # deleted, and all of it undone
    page.page.mouse.click(*place(times("take-off")[0]))
    page.page.click(".clip-bar >> text=Delete event")
    page.until(lambda: not times("take-off"))
    undo = page.page.get_by_role("button", name="Undo the last change to the recipe")
    for _ in range(3):
        undo.click()
    page.until(lambda: actions() == before)

    # the whole action
    page.page.mouse.click(*place((action["entry"][0] + action["entry"][1]) / 2))
    page.page.click(".clip-bar >> text=Delete action")
    page.until(lambda: not actions())
