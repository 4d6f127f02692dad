"""Failures: a mistake of ours is answered in words and logged in one line; a lost page is sent nothing more."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from kinematch.errors import KinematchError
from kinematch.studio.server.application import _send
from kinematch.studio.server.pages import Page
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio
from kinematch.studio.workshop.recipe_text import add_table, remove, set_value

RECIPE = 'output = "a.kinematch"\n[[source]]\nfiles = ["a.bvh"]\ntags = ["walk"]\n'
PLACES = [
    [], ["source", 1_000_000_000], ["source", -1], ["source", "x"], ["source", 0, "files", 0], ["output", "x"], [0],
    ["source", 0, "files", "x"], ["source", 0, 0], ["source", 0, "a", 1],
]  # fmt: skip


def fail(*_, **__):
    raise ZeroDivisionError("first line\nsecond line")


@pytest.mark.parametrize("at", PLACES)
def test_places_that_are_not_in_a_recipe_raise_no_error_but_ours(at):
    for edit in (
        lambda: set_value(RECIPE, tuple(at), 5),
        lambda: set_value(RECIPE, tuple(at), {"a": [1]}),
        lambda: remove(RECIPE, tuple(at)),
        lambda: add_table(RECIPE, tuple(at), {"a": 1}),
    ):
        with suppress(KinematchError):  # and no other error
            edit()


@pytest.mark.parametrize("at", [[], ["source", 1_000_000_000], ["output", "x"], ["source", "x"]])
@pytest.mark.parametrize("edit", [{"type": "set", "value": 1}, {"type": "add", "values": {}}, {"type": "remove"}])
def test_edits_of_no_place_are_bad_requests(database, tmp_path, run_studio, at, edit):
    (tmp_path / "recipe.toml").write_text(RECIPE)
    with run_studio(Studio(Stage(database, name="small"), path=tmp_path, presets=tmp_path / "presets")) as server:
        body = json.dumps({"text": RECIPE, "edits": [{**edit, "at": at}]}).encode()
        status, answer, _ = server.fetch("/api/workshop/recipe/edit", method="POST", body=body)
    assert (status, set(json.loads(answer))) == (400, {"message"})
    assert (tmp_path / "recipe.toml").read_text() == RECIPE


def test_a_mistake_of_ours_is_answered_and_logged_in_one_line(fresh_server, server_log, monkeypatch):
    monkeypatch.setattr("kinematch.studio.server.api.list_journals", fail)
    status, answer, _ = fresh_server.fetch("/api/training")
    assert (status, "terminal" in json.loads(answer)["message"]) == (500, True)
    assert fresh_server.fetch("/api/timeline")[0] == 200
    failures = [line for line in server_log if "failed" in line]
    assert len(failures) == 1
    line = r"GET '/api/training' failed: ZeroDivisionError: first line second line \(test_failures\.py:\d+\)"
    assert re.fullmatch(line, failures[0])
    assert "Traceback" not in "\n".join(server_log)


def test_a_mistake_of_ours_ends_one_page_with_one_line(fresh_server, server_log, monkeypatch):
    with fresh_server.page() as other, fresh_server.page() as page:
        monkeypatch.setattr(fresh_server.studio.vr_session, "hear_sample", fail)
        page.connection.send(b"sample")
        with pytest.raises(ConnectionClosed):
            page.message("nothing that it is ever told")
        other.pose()
    assert sum("failed" in line for line in server_log) == 1
    assert "Traceback" not in "\n".join(server_log)


class Lost:
    """A WebSocket whose connection is lost by the first message; the loop is told so, as asyncio does it."""

    def __init__(self):
        self.sent, self.is_lost = 0, asyncio.Event()

    async def send_text(self, _: str) -> None:
        self.sent += 1
        asyncio.get_running_loop().call_soon(self.is_lost.set)


def test_a_lost_page_is_not_sent_the_rest_of_its_queue():
    async def run() -> int:
        page, socket = Page("1", "page 1"), Lost()
        for _ in range(400):
            page.put("{}")
        sending = asyncio.create_task(_send(page, socket))
        await socket.is_lost.wait()
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        return socket.sent

    with ThreadPoolExecutor(1) as pool:  # a browser that other tests drive may have this thread's loop running
        assert pool.submit(asyncio.run, run()).result() < 5  # from which asyncio warns at every further one
