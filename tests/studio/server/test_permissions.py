"""Permissions: every route of the application, and every message, asks the same rules."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest
from starlette.responses import Response
from starlette.routing import Route

from kinematch.errors import KinematchError
from kinematch.studio.server.application import application
from kinematch.studio.server.messages import PageMessage
from kinematch.studio.server.permissions import (
    FREE_MESSAGES,
    ROUTES,
    Permissions,
    Right,
    check_routes,
    find_message_right,
    is_on_this_machine,
    walk_routes,
)
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio

HERE, ELSEWHERE = ("127.0.0.1", 5), ("192.0.2.9", 5)
# what a role may do: where it asks from, whose secret it has, whether a page steers and the project is shared
ALL = {"watch", "steer", "read the project", "edit the project", "own body"}
ROLES = {
    "steering page": (HERE, "steering", ALL),
    "watching page": (HERE, "watching", {"watch", "read the project", "own body"}),
    "program": (HERE, "", {"watch", "read the project"}),
    "forger": (HERE, "forged", {"watch", "read the project"}),
    "steering page elsewhere": (ELSEWHERE, "steering", {"watch", "steer", "own body"}),
    "watching page elsewhere": (ELSEWHERE, "watching", {"watch", "own body"}),
    "program elsewhere": (ELSEWHERE, "", {"watch"}),
    "steering page elsewhere, shared": (ELSEWHERE, "steering", ALL),
    "watching page elsewhere, shared": (ELSEWHERE, "watching", {"watch", "read the project", "own body"}),
    "program while no page steers": (HERE, "", ALL - {"own body"}),
    "program elsewhere while no page steers": (ELSEWHERE, "", {"watch", "steer"}),
}
KEEPS_NOTHING = {"POST /api/film", "POST /api/room/motion", "POST /api/workshop/reports"}


async def stub(scope, receive, send):
    await Response("done")(scope, receive, send)


@pytest.fixture
def studio(database, tmp_path):
    return Studio(Stage(database, name="small"), path=tmp_path, presets=tmp_path / "presets")


@pytest.fixture
def guarded(studio):
    """The real application and its routes, whose work is replaced by an answer."""
    made = application(studio)
    found = list(walk_routes(made.application.routes))
    for _, route in found:
        route.app.inner = stub
    return made, found


def ask(guarded, method: str, path: str, *, client, secret: str) -> int:
    sent = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "root_path": "", "query_string": b"", "client": client,
        "server": ("127.0.0.1", 80), "headers": [(b"host", b"localhost"), (b"x-kinematch-secret", secret.encode())],
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    with ThreadPoolExecutor(1) as pool:  # a browser that other tests drive may have this thread's loop running
        pool.submit(asyncio.run, guarded(scope, receive, send)).result()
    return sent[0]["status"]


@pytest.mark.parametrize("role", ROLES)
def test_every_route_admits_exactly_the_roles_that_its_rule_names(studio, guarded, role):
    client, who, rights = ROLES[role]
    secrets = {"": "", "forged": "f" * 64}
    if "no page steers" not in role:
        secrets |= {name: studio.pages.join().secret for name in ("steering", "watching")}
    studio.permissions.shares_project = "shared" in role
    made, routes = guarded
    walked = set()
    for path, route in routes:
        for method in getattr(route, "methods", None) or ([] if path == "/stream" else ["GET"]):
            name = f"{'GET' if method == 'HEAD' else method} {path}"
            place = path.replace("{name:path}", "a.bvh").replace("{index}", "0")
            status = ask(made, method, place, client=client, secret=secrets[who])
            assert (status, name) == (200 if ROUTES[name].value in rights else 403, name)
            walked.add(name)
    assert walked == set(ROUTES) - {"WEBSOCKET /stream"}


def test_a_route_without_a_rule_is_refused():
    with pytest.raises(KinematchError, match="no rule for POST /api/new"):
        check_routes([Route("/api/new", stub, methods=["POST"])], Permissions())


def test_whatever_writes_needs_more_than_watching():
    writes = {name for name in ROUTES if not name.startswith(("GET", "WEBSOCKET"))} - KEEPS_NOTHING
    assert {ROUTES[name] for name in writes} == {Right.STEER, Right.EDIT_PROJECT, Right.OWN_BODY}


def test_a_watching_page_may_send_few_messages_and_one_elsewhere_writes_no_files(studio):
    kinds = get_args(PageMessage)
    free = {kind for kind in kinds if find_message_right(kind) in (Right.WATCH, Right.OWN_BODY)}
    assert {kind.__name__ for kind in free - set(FREE_MESSAGES)} == {
        "EnterRoom", "LeaveRoom", "Calibrate", "ChangeBody", "RecordTrackers"
    }  # fmt: skip
    first, second = studio.join("", is_here=False), studio.join("")
    text = {"values": {}, "name": "mine", "to": "2", "how": "stick", "kind": "flat", "count": 1, "keypoints": [],
            "on": True, "step": 1, "every": 1, "time": 0.0, "sequence": 1, "x": 0.0, "y": 0.0}  # fmt: skip
    for kind in kinds:
        message = kind(**{name: text[name] for name in kind.__struct_fields__ if name in text})
        refusal = studio.permissions.find_message_refusal(second, message)
        assert ("another page is steering" in refusal) == (kind not in free), kind
        refusal = studio.permissions.find_message_refusal(first, message)
        assert ("--share-project" in refusal) == (kind.__name__ in ("SavePreset", "DeletePreset")), kind


@pytest.mark.parametrize(
    ("client", "server", "here"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("::1", "::1", True),
        ("::ffff:127.0.0.1", "::", True),
        ("192.0.2.7", "192.0.2.7", True),  # this machine's own browser, at the address that it was given
        ("192.0.2.8", "192.0.2.7", False),
        ("somewhere", "somewhere", False),
        (None, None, False),
    ],
)
def test_this_machine_is_known_by_the_connection(client, server, here):
    ends = {"client": client and (client, 1), "server": server and (server, 2)}
    assert is_on_this_machine(ends) == here


@pytest.mark.parametrize(
    ("headers", "here"),
    [
        ({"x-forwarded-for": "10.9.8.7"}, False),
        ({"X-Forwarded-For": "127.0.0.1, 10.9.8.7"}, False),
        ({"x-forwarded-for": ""}, False),
        ({"x-forwarded-for": "unknown"}, False),
        ({"forwarded": "for=127.0.0.1"}, False),
        ({"x-forwarded-for": "127.0.0.1"}, True),
        ({"x-forwarded-for": "::1, 127.0.0.1"}, True),
    ],
)
@pytest.mark.parametrize("proxy", ["127.0.0.1", "127.0.0.3", "::1", "::ffff:127.0.0.1", "192.0.2.7"])
def test_what_a_proxy_forwards_comes_from_where_it_says(proxy, headers, here):
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert is_on_this_machine({"client": (proxy, 1), "server": ("192.0.2.7", 2), "headers": sent}) == here


def test_a_page_elsewhere_is_not_told_of_the_project(studio, monkeypatch):
    studio.stage.path = "/home/somebody/takes.kinematch"
    studio.presets.folder.mkdir()
    (studio.presets.folder / "mine.toml").write_text("")
    told = {}
    for is_here in (True, False):
        page = studio.join("", is_here=is_here)
        told[is_here] = json.loads(next(one for one in page.waiting if isinstance(one, str) and '"welcome"' in one))
    assert (told[True]["path"], told[True]["presets"]["names"]) == (studio.stage.path, ["mine"])
    assert (told[False]["path"], told[False]["presets"]["names"]) == ("", [])
    assert told[False]["presets"]["own"] == told[True]["presets"]["own"] != {}


def test_a_page_is_told_why_it_may_not(fresh_server):
    with fresh_server.page(), fresh_server.page() as second:
        second.say("save_preset", name="mine")
        assert "another page is steering" in second.message("error_message")["message"]
        assert json.loads(fresh_server.fetch("/api/lineup", method="DELETE")[1])["message"].startswith("another page")
