"""Keys: without one a server beyond loopback answers nothing but a page that asks for it."""

import json
import socket
from pathlib import Path

import pytest
from PIL import Image
from websockets.exceptions import InvalidStatus

from kinematch.access import addresses, certificate, keys
from kinematch.access.addresses import describe_access, draw_code, list_places
from kinematch.access.keys import AccessKey
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio

ELSEWHERE = {"x_forwarded_for": "192.0.2.9"}  # from loopback, where a proxy may say whom it speaks for
BROWSER = {"accept": "text/html,application/xhtml+xml"}
PATHS = ["/", "/index.html", "/assets/none.js", "/api/timeline", "/api/workshop/project", "/api/none", "//", "/API/x"]


@pytest.fixture
def key() -> AccessKey:
    return AccessKey()


@pytest.fixture
def keyed_server(database, tmp_path: Path, run_studio, key):
    studio = Studio(Stage(database, name="small"), path=tmp_path, presets=tmp_path / "presets")
    with run_studio(studio, key) as made:
        yield made


def exchange(server, key: AccessKey, path: str = "/") -> tuple[str, str]:
    """The cookie that a browser gets for the key, and where it is sent."""
    status, content, headers = server.fetch(f"{path}?key={key.text}", **BROWSER)
    assert (status, content) == (303, b"")
    return headers["set-cookie"], headers["location"]


def test_keys_are_long_and_differ():
    made = {AccessKey().text for _ in range(100)}
    assert len(made) == 100
    assert all(len(one) == 20 and set(one) <= set(keys.ALPHABET) for one in made)
    assert len(set(keys.ALPHABET)) == 32


def test_an_address_keeps_its_fragment():
    key = AccessKey()
    assert key.add_to("http://192.0.2.7:8123") == f"http://192.0.2.7:8123/?key={key.text}"
    assert key.add_to("https://[::1]:8123/#vr") == f"https://[::1]:8123/?key={key.text}#vr"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("given", ["", "?key=", "?key=wrong", "?key=%FF", "?kex={key}", "?key={key}x"])
def test_without_the_key_nothing_is_told(keyed_server, key, path, given):
    status, content, headers = keyed_server.fetch(path + given.format(key=key.text), **BROWSER)
    assert status == 401
    assert "set-cookie" not in headers
    assert headers["x-content-type-options"] == "nosniff"
    if path.startswith("/api"):
        assert "?key=KEY" in json.loads(content)["message"]
    else:
        assert b'<input name="key"' in content
        assert (b"That is not the key" in content) == given.startswith("?key")


def test_the_key_is_exchanged_for_a_cookie_that_scripts_and_other_sites_cannot_use(keyed_server, key):
    cookie, place = exchange(keyed_server, key)
    assert place == "/"
    value, *flags = cookie.split("; ")
    assert {flag.lower() for flag in flags} == {"httponly", "samesite=strict", "path=/"}
    assert key.text not in cookie
    for path in ("/", "/api/timeline"):
        assert keyed_server.fetch(path, cookie=f"a=b; {value}")[0] == 200
        assert keyed_server.fetch(path, cookie=value[:-1])[0] == 401
        assert keyed_server.fetch(path, cookie=f"x{value}")[0] == 401


def test_the_rest_of_the_address_stays_and_leads_to_no_other_host(keyed_server, key):
    status, _, headers = keyed_server.fetch(f"/?quality=low&key={key.text}&a=b", **BROWSER)
    assert (status, headers["location"]) == (303, "/?quality=low&a=b")
    assert exchange(keyed_server, key, "//elsewhere.example/")[1] == "/elsewhere.example/"
    assert exchange(keyed_server, key, "/\\elsewhere.example/")[1].startswith("/elsewhere")


def test_programs_use_the_key_without_cookies(keyed_server, key):
    assert keyed_server.fetch(f"/?key={key.text}")[0] == 200
    assert keyed_server.fetch(f"/api/timeline?key={key.text}&start=0")[0] == 200
    assert keyed_server.fetch("/api/timeline", x_kinematch_key=key.text)[0] == 200
    assert keyed_server.fetch("/api/timeline", x_kinematch_key="wrong")[0] == 401


def test_the_stream_needs_the_key_too(keyed_server, key):
    for headers in ({}, {"x-kinematch-key": "wrong"}, {"cookie": "kinematch-0=x"}):
        with pytest.raises(InvalidStatus) as refused, keyed_server.page(additional_headers=headers):
            pass
        assert refused.value.response.status_code == 403
    value = exchange(keyed_server, key)[0].split(";")[0]
    for headers in ({"x-kinematch-key": key.text}, {"cookie": value}):
        with keyed_server.page(additional_headers=headers) as page:
            assert page.welcome["type"] == "welcome"


def test_other_machines_get_the_stick_and_the_project_only_where_it_is_shared(keyed_server, key):
    own = {"x_kinematch_key": key.text}
    headers = {"x-kinematch-key": key.text, "x-forwarded-for": "192.0.2.9"}
    with keyed_server.page(additional_headers=headers) as page:
        mine = {**own, **ELSEWHERE, **page.identity}
        assert str(keyed_server.studio.presets.folder) not in json.dumps(page.welcome)
        page.say("pause")
        page.message("situation", lambda told: not told["playing"])
        assert keyed_server.fetch("/api/lineup", method="DELETE", **mine)[0] == 200
        for shared, status in ((False, 403), (True, 200)):
            keyed_server.studio.permissions.shares_project = shared
            assert keyed_server.fetch("/api/workshop/project", **mine)[0] == status
            text = b'{"text": ""}'
            assert keyed_server.fetch("/api/workshop/recipe/check", method="POST", body=text, **mine)[0] == status
        keyed_server.studio.permissions.shares_project = False
        page.say("save_preset", name="mine")
        assert "--share-project" in page.message("error_message")["message"]
    assert keyed_server.fetch("/api/workshop/project", **own)[0] == 200
    with keyed_server.page(additional_headers={"x-kinematch-key": key.text}) as page:
        assert str(keyed_server.studio.presets.folder) in json.dumps(page.welcome)


def test_the_key_is_compared_in_constant_time(monkeypatch, key):
    compared = []
    monkeypatch.setattr(keys.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or a == b)
    scope = {"type": "http", "path": "/api/x", "query_string": b"key=wrong", "server": ("127.0.0.1", 80)}
    headers = {keys.HEADER: "bad", b"cookie": "kinematch-80=worse"}
    assert key.find_answer(scope, headers) is not None
    assert [given for given, _ in compared] == [b"wrong", b"bad", b"worse"]
    assert scope["query_string"] == b""  # what logs of addresses see


def test_on_loopback_the_key_is_taken_and_not_needed(database, tmp_path, run_studio):
    key = AccessKey(is_required=False)
    with run_studio(Studio(Stage(database, name="small"), presets=tmp_path / "presets"), key) as made:
        assert made.fetch("/")[0] == made.fetch("/api/timeline")[0] == 200
        assert exchange(made, key)[1] == "/"
        assert made.fetch("/?key=old", **BROWSER)[0] == 200  # a bookmark of an earlier run


def test_what_other_machines_may_do_is_told():
    key = AccessKey()
    told = describe_access("192.0.2.7", 8123, None, key=key)
    assert f"http://192.0.2.7:8123/?key={key.text}" in told[0]
    assert "not the project" in told[1]
    assert "--https" in told[2]
    assert "change the project's files" in describe_access("192.0.2.7", 8123, None, key=key, shares_project=True)[1]


def test_addresses_are_found_where_the_name_leads_to_loopback_alone(monkeypatch):
    class Route:
        def __init__(self, family, _):
            self.family = family

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def connect(self, _):
            if self.family == socket.AF_INET6:
                raise OSError("no route")

        def getsockname(self):
            return "192.0.2.7", 9

    monkeypatch.setattr(certificate.socket, "socket", Route)
    monkeypatch.setattr(certificate.socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("127.0.1.1", 0))])
    assert list_places("0.0.0.0", 8123, False) == ["http://192.0.2.7:8123/"]


@pytest.mark.parametrize(("host", "told"), [("0.0.0.0", ["192.0.2.7"]), ("::", ["192.0.2.7", "[fd00::2]"])])
def test_only_addresses_that_are_listened_on_are_told(monkeypatch, host, told):
    monkeypatch.setattr(addresses, "list_addresses", lambda: ["192.0.2.7", "fd00::2"])
    assert list_places(host, 8123, False) == [f"http://{one}:8123/" for one in told]


def test_the_code_has_the_size_and_the_finders_of_a_qr_code():
    rows = draw_code(AccessKey().add_to("https://192.168.100.200:8123/#vr"))
    cells = {" ": (1, 1), "▀": (0, 1), "▄": (1, 0), "█": (0, 0)}  # dark is 1
    dots = [[cells[one][half] for one in row] for row in rows for half in (0, 1)]
    side = len(dots[0]) - 4  # two light cells around it
    assert (side - 17) % 4 == 0
    image = Image.new("1", (7, 7), 1)
    image.paste(0, (1, 1, 6, 6))
    image.paste(1, (2, 2, 5, 5))
    finder = [[int(bool(image.getpixel((x, y)))) for x in range(7)] for y in range(7)]
    for x, y in ((2, 2), (side - 5, 2), (2, side - 5)):
        assert [row[x : x + 7] for row in dots[y : y + 7]] == finder
