"""Secrets of pages: each is told its own alone, and no request changes anything without it."""

import json

import pytest

from kinematch.avatar.calibration import Calibration
from kinematch.studio.server import pages
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio
from kinematch.studio.vr.body import make_outfit

CHANGES = [
    ("POST", "/api/recording?name=a.kinerec"),
    ("POST", "/api/character?name=a.glb"),
    ("DELETE", "/api/character"),
    ("POST", "/api/character/fit"),
    ("POST", "/api/lineup?name=a.glb"),
    ("DELETE", "/api/lineup"),
    ("PUT", "/api/workshop/recipe"),
    ("POST", "/api/workshop/recipe/check"),
    ("POST", "/api/workshop/recipe/edit"),
    ("PUT", "/api/workshop/files/a.bvh"),
    ("POST", "/api/workshop/build"),
    ("DELETE", "/api/workshop/build"),
]
OWN = [("POST", "/api/room/character?name=a.glb"), ("DELETE", "/api/room/character"), ("GET", "/api/room/recording")]
LOOKS = ["/", "/api/timeline", "/api/training", "/api/character", "/api/workshop/project", "/api/room/character?user=1"]


@pytest.fixture
def build_server(database, tmp_path, run_studio):
    """A server whose recipe is in a folder of the test's own."""
    make_outfit(database, "small", calibration=Calibration())  # compiles, for longer than a page is waited for
    with run_studio(Studio(Stage(database, name="small"), path=tmp_path, presets=tmp_path / "presets")) as made:
        yield made


def hear_all(page) -> list[bytes]:
    """All that a page was told until now, as it came."""
    page.say("ping", time=7.0)
    heard: list[bytes] = []
    while not heard or b'"pong"' not in heard[-1]:
        received = page.connection.recv(timeout=240)
        heard.append(received if isinstance(received, bytes) else received.encode())
    return heard


def test_a_page_is_told_its_own_secret_and_no_other(build_server, monkeypatch):
    monkeypatch.setattr(pages, "GRACE", 240.0)
    with build_server.page() as second:
        with build_server.page() as first:
            secret, number = first.welcome["secret"], first.welcome["client"]
            for page in (first, second):  # whose poses nobody reads
                page.say("stream", every=0)
            assert len(secret) >= 32
            assert secret != second.welcome["secret"]
            second.say("hand_over", to=number)
            first.message("situation", lambda told: told["steers"] == number)
            first.say("hand_over", to="nobody")
            assert number in first.message("error_message")["message"]
            first.say("enter_room")
            first.message("room_now", lambda told: len(told["users"]) == 1)
            for method, path in CHANGES + OWN:
                build_server.fetch(path, method=method, body=b"{", **first.identity)
            first.message("welcome")  # again, since the character was taken off
            second.say("fly")
            second.say("hand_over", to=number)
            heard = [json.dumps(second.welcome).encode(), *hear_all(second)]
        with build_server.page(secret) as again:
            assert again.welcome["client"] == number
            heard += hear_all(second)
            fetched = [build_server.fetch(path, **second.identity) for path in LOOKS]
            heard += [content + str(headers).encode() for _, content, headers in fetched]
    kinds = {json.loads(one)["type"] for one in heard if one.startswith(b'{"type"')}
    assert {"welcome", "situation", "room_now", "error_message"} <= kinds
    assert any(f'"client":"{number}"'.encode() in one for one in heard)
    assert not any(secret.encode() in one for one in heard)


def test_only_the_steering_pages_secret_changes_anything(build_server):
    with build_server.page() as first, build_server.page() as second:
        number = first.welcome["client"]
        assert second.welcome["situation"]["steers"] == number
        for method, path in CHANGES:
            for given, reason in ((number, "no page has the secret"), ("\xe9" * 64, "no page has the secret"),
                                  (second.welcome["secret"], "another page is steering"),
                                  ("", "another page is steering")):  # fmt: skip
                status, answer, _ = build_server.fetch(path, method=method, body=b"{", x_kinematch_secret=given)
                assert (status, path, reason in json.loads(answer)["message"]) == (403, path, True)
        for method, path in CHANGES:
            status, answer, _ = build_server.fetch(path, method=method, body=b"{", **first.identity)
            assert status != 403, (path, answer)
        assert build_server.fetch("/api/lineup", method="DELETE", **first.identity)[0] == 200


def test_a_body_in_the_room_obeys_its_own_page_alone(build_server):
    with build_server.page() as first, build_server.page() as second:
        first.say("enter_room")
        first.message("room_now", lambda told: len(told["users"]) == 1)
        for method, path in OWN:
            for given in (first.welcome["client"], "", "vmc"):
                status, answer, _ = build_server.fetch(path, method=method, body=b"{", x_kinematch_secret=given)
                assert (status, "no page has the secret" in json.loads(answer)["message"]) == (403, True)
            status, answer, _ = build_server.fetch(path, method=method, body=b"{", **second.identity)
            assert (status, "no body" in json.loads(answer)["message"]) == (400, True)
        assert build_server.fetch("/api/room/character", method="DELETE", **first.identity)[0] == 200


def test_secrets_are_not_logged_nor_in_what_is_printed_of_a_page(fresh_server, server_log, monkeypatch):
    monkeypatch.setattr(pages, "GRACE", 240.0)
    with fresh_server.page() as first, fresh_server.page():
        secret = first.welcome["secret"]
        (page,) = (one for one in fresh_server.studio.pages.all.values() if one.secret == secret)
        assert secret not in repr(page)
        fresh_server.fetch("/api/lineup", method="DELETE", **first.identity)
    with fresh_server.page(secret) as again:
        assert again.welcome["secret"] == secret
    assert any("/stream" in line for line in server_log)
    assert secret not in "\n".join(server_log)
