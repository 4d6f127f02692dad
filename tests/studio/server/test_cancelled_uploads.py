"""Cancelled uploads: a client that leaves halfway leaves no file and no traceback behind."""

import os
import socket
import struct
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kinematch.avatar.calibration import Calibration
from kinematch.studio.session.exporting import FILMS, find_formats
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio
from kinematch.studio.vr.body import make_outfit

PATIENCE = 240.0  # s
SIZE = 20_000  # bytes that a request announces; it sends half of them
UPLOADS = [
    ("POST", "/api/recording?name=a.kinerec"),
    ("POST", "/api/character?name=a.glb"),
    ("POST", "/api/character/fit"),
    ("POST", "/api/lineup?name=a.glb"),
    ("POST", "/api/room/character?name=a.glb"),
    ("POST", "/api/room/motion?name=a.bvh"),
    ("PUT", "/api/workshop/files/a.bvh"),
]
RESET = struct.pack("ii", 1, 0)  # SO_LINGER of no seconds


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    """The folder of all temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def fresh_server(temporary, database, run_studio):
    """A server whose recipe, beside which the workshop's uploads are written, is among the temporary files."""
    make_outfit(database, "small", calibration=Calibration())  # compiles, for longer than a page is waited for
    studio = Studio(Stage(database, name="small"), path=temporary, presets=temporary / "presets")
    with run_studio(studio) as made:
        yield made


def wait_until(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("resets", [False, True])
def test_a_cancelled_upload_ends_quietly_and_leaves_no_file(temporary, data, fresh_server, server_log, resets):
    host, port = urlsplit(fresh_server.url).netloc.split(":")
    films = [("POST", f"/api/film?format={one}&rate=30") for one in find_formats() if one in FILMS][:1]

    def list_files() -> list[str]:
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(temporary) for name in names)

    with fresh_server.page() as page:
        page.say("stream", every=0)
        page.say("enter_room")
        page.message("room_now", lambda told: len(told["users"]) == 1)
        content = (data / "characters" / "CesiumMan.glb").read_bytes()
        place, own = "/api/character?name=a.glb", page.identity
        status, answer, _ = fresh_server.fetch(place, method="POST", body=content, **own)
        assert status == 200, answer  # without it there is no fit to send
        before = list_files()
        for method, path in UPLOADS + films:
            headers = {"Host": f"{host}:{port}", "Content-Length": str(SIZE), **own}
            lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
                connection.sendall("\r\n".join(lines).encode() + bytes(SIZE // 2))
                wait_until(lambda: list_files() != before)  # the server is writing
                if resets:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            wait_until(lambda: list_files() == before)
        # the event loop comes to this only after what it did about the last of them
        assert fresh_server.fetch("/api/timeline")[0] == 200
    assert "Traceback" not in "\n".join(server_log)
