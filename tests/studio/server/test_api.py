"""What pages fetch, by real requests; strangers, paths that lead out and nonsense are refused in words."""

import io
import json
import re
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from kinematch.access.guard import Guard
from kinematch.access.request_bodies import LARGEST_UPLOAD
from kinematch.stream.layout import POSES, TIMELINE, unpack
from kinematch.studio.server import api
from kinematch.studio.server.application import application
from kinematch.studio.server.serving import address, listen


def fetch(server, path: str, **options) -> tuple[int, bytes, dict]:
    return server.fetch(path, **options)


def test_stretches_of_the_database_are_told(studio_server, database):
    status, content, _ = fetch(studio_server, "/api/poses?start=100&stop=160")
    header, arrays = unpack(POSES, content)
    assert (status, header["count"]) == (200, 60)
    np.testing.assert_array_equal(arrays["rotations"][..., 3], database.poses.rotations[100:160, :, 0])
    np.testing.assert_array_equal(arrays["roots"][:, :3], database.poses.positions[100:160, 0])


def test_the_timeline_tells_what_was_played(fresh_server):
    with fresh_server.page() as page:
        page.say("stick", sequence=1, x=0, y=1)
        last = page.pose(lambda header, _: header["step"] > 60)[0]["step"]
        header, arrays = unpack(TIMELINE, fetch(fresh_server, f"/api/timeline?start=10&stop={last}")[1])
    assert arrays["steps"].tolist() == list(range(10, int(last)))
    assert (arrays["bits"] & 1).sum() >= 3
    assert header["character"] == 0


def test_too_many_downloads_at_once_are_refused(fresh_server, monkeypatch):
    monkeypatch.setattr(api, "MOST_DOWNLOADS", 0)
    assert fetch(fresh_server, "/api/export?format=bvh")[0] == 503
    monkeypatch.undo()
    for _ in range(api.MOST_DOWNLOADS + 2):  # those that were sent, or failed, are no longer counted
        assert fetch(fresh_server, "/api/preset?name=Smooth")[0] == 200
        assert fetch(fresh_server, "/api/preset?name=none")[0] == 400


def test_recordings_are_downloaded_and_opened_again(fresh_server):
    with fresh_server.page() as page:
        page.say("stick", sequence=1, x=0, y=1)
        page.pose(lambda header, _: header["step"] > 30)
        status, content, headers = fetch(fresh_server, "/api/recording")
        assert status == 200
        assert re.search(r'filename="small-\d{8}-\d{6}\.kinerec"', headers["content-disposition"])
        status, answer, _ = fetch(fresh_server, "/api/recording?name=mine.kinerec", method="POST", body=content)
        assert (status, "another page is steering" in json.loads(answer)["message"]) == (403, True)
        mine = page.identity
        status, answer, _ = fetch(fresh_server, "/api/recording?name=mine.kinerec", method="POST", body=content, **mine)
        assert status == 200, answer
        welcome = page.message("welcome")
        assert not welcome["situation"]["playing"]
        assert welcome["situation"]["newest"] >= 30
        status, answer, _ = fetch(
            fresh_server, "/api/recording?name=bad.kinerec", method="POST", body=content[:-9], **mine
        )
        assert status == 400
        assert "bad.kinerec" in json.loads(answer)["message"]


def test_the_stand_alone_page_of_what_was_played_is_downloaded(fresh_server, tmp_path, monkeypatch):
    static = tmp_path / "static"
    static.mkdir()
    (static / "index.html").write_text("<html><head></head></html>")
    monkeypatch.setattr("kinematch.studio.session.standalone.STATIC", static)
    with fresh_server.page() as page:
        page.say("stick", sequence=1, x=0, y=1)
        page.pose(lambda header, _: header["step"] > 30)
        status, content, headers = fetch(fresh_server, "/api/page?start=5&stop=25")
    assert status == 200, content
    assert headers["content-disposition"].endswith('.zip"')
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        (folder,) = {Path(name).parts[0] for name in archive.namelist()}
        assert "kinematch-recording" in archive.read(f"{folder}/index.html").decode()
        assert len(archive.read(f"{folder}/recording.bin")) > 1000


def test_a_pose_model_is_fetched_when_it_is_asked_for(fresh_server, monkeypatch, tmp_path):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path))
    fetched = []
    monkeypatch.setattr("kinematch.studio.vr.routes.set_up_model", lambda: fetched.append(True))
    told = json.loads(fetch(fresh_server, "/api/room/pose_model/source")[1])
    assert (told["there"], told["fetchable"]) == (False, True)
    assert told["bytes"] > 1_000_000
    assert told["address"].startswith("https://")
    assert told["place"].startswith(str(tmp_path))
    assert not fetched
    with fresh_server.page() as page:
        assert fetch(fresh_server, "/api/room/pose_model", method="POST")[0] == 403
        assert fetch(fresh_server, "/api/room/pose_model", method="POST", **page.identity)[0] == 200
    assert fetched


def test_exports_are_downloaded(fresh_server):
    with fresh_server.page() as page:
        page.pose(lambda header, _: header["step"] > 20)
        for kind, start in (("bvh", b"HIERARCHY"), ("glb", b"glTF")):
            status, content, headers = fetch(fresh_server, f"/api/export?format={kind}&start=5&stop=20")
            assert status == 200
            assert content.startswith(start)
            assert re.search(rf'filename="small-[\d-]+\.{kind}"', headers["content-disposition"])


@pytest.mark.parametrize(
    "path",
    ["/api/poses?start=-1", "/api/poses?start=0&stop=99999999", "/api/poses?start=x", "/api/export?format=exe",
     "/api/poses?start=5&stop=5", "/api/timeline?start=1e3", "/api/preset?name=../../etc/passwd", "/api/preset",
     "/api/export?format=bvh&character=99", "/api/recording?start=99999999", "/api/poses?start=٣"],
)  # fmt: skip
def test_nonsense_is_refused_in_words(studio_server, path):
    from urllib.parse import quote

    status, content, _ = fetch(studio_server, quote(path, safe="/?=&"))
    assert status == 400
    assert json.loads(content)["message"]


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/%2e%2e/studio.py", "/..%2f..%2fstudio.py", "/assets/../../studio.py", "/%2fetc/passwd",
     "//etc/passwd", "/static/../../messages.py", "/..\\studio.py"],
)  # fmt: skip
def test_paths_that_lead_out_lead_nowhere(studio_server, path):
    status, content, _ = fetch(studio_server, path)
    assert status in (400, 404, 405)
    assert b"kinematch" not in content


@pytest.mark.parametrize(
    "headers",
    [{"Host": "elsewhere.example"}, {"Host": "127.0.0.1.elsewhere.example"}, {"Host": ""}, {"Host": "[::1"},
     {"Origin": "https://elsewhere.example"}, {"Origin": "null"}, {"Origin": "http://["}, {"Origin": ""}, {"Origin": "http://127.0.0.1:1"},
     {"Sec_Fetch_Site": "cross-site"}],
)  # fmt: skip
def test_strangers_are_refused(studio_server, headers):
    status, _, _ = fetch(studio_server, "/api/timeline", **headers)
    assert status in (400, 403)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machine_has_several_names(studio_server, name):
    host = f"{name}:{urlsplit(studio_server.url).port}"
    status, _, headers = fetch(studio_server, "/api/timeline", Host=host, Origin=f"http://{host}")
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]


def test_too_large_a_body_is_refused_before_it_is_read(studio_server):
    size = str(LARGEST_UPLOAD + 1)
    assert fetch(studio_server, "/api/character?name=a.glb", method="POST", Content_Length=size)[0] == 413


@pytest.mark.parametrize(
    ("host", "name", "welcome"),
    [("0.0.0.0", "192.168.1.5:8123", True), ("0.0.0.0", "evil.example", False), ("box.lan", "box.lan:8123", True),
     ("127.0.0.1", "192.168.1.5:8123", False), ("::1", "[::1]:8123", True)],
)  # fmt: skip
def test_hosts_are_known_by_name_or_by_address(host, name, welcome):
    async def nothing(*_) -> None: ...

    assert Guard(nothing, host=host)._is_own(name) == welcome


def test_a_page_that_was_not_built_says_how(studio_server, tmp_path):
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    sent = []

    async def ask() -> None:
        scope = {"type": "http", "path": "/", "raw_path": b"/", "method": "GET", "query_string": b"", "root_path": "",
                 "headers": [(b"host", b"localhost")]}  # fmt: skip
        receive = asyncio.Queue()
        await application(studio_server.studio, static=tmp_path)(scope, receive.get, _into(sent))

    with ThreadPoolExecutor(1) as pool:  # a browser that other tests drive may have this thread's loop running
        pool.submit(asyncio.run, ask()).result()
    assert sent[0]["status"] == 503
    assert b"pip install ." in sent[1]["body"]


def _into(sent: list):
    async def send(message: dict) -> None:
        sent.append(message)

    return send


def test_another_port_is_taken_where_one_is_in_use():
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with listen("127.0.0.1", port) as second:
            assert second.getsockname()[1] != port
            assert address("127.0.0.1", second) == f"http://127.0.0.1:{second.getsockname()[1]}"
            assert address("0.0.0.0", first) == f"http://127.0.0.1:{port}"
