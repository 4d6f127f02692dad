"""The server's own certificate: made once, for its names, readable by its owner alone; and what is said about it."""

import json
import os
import ssl
import threading
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from websockets.sync.client import connect

from kinematch.access.addresses import describe_access
from kinematch.access.certificate import find_names, open_certificate
from kinematch.studio.server.serving import address, listen, server
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio


def test_it_is_kept_and_is_for_the_addresses_of_the_host(tmp_path: Path):
    made = open_certificate("192.0.2.7", tmp_path / "https")
    again = open_certificate("192.0.2.7", tmp_path / "https")
    assert again == made
    assert {"192.0.2.7", "localhost", "127.0.0.1"} <= set(made.names)
    assert len(made.fingerprint.split(":")) == 32


def test_another_address_makes_another_and_so_does_a_broken_file(tmp_path: Path):
    first = open_certificate("192.0.2.7", tmp_path)
    second = open_certificate("192.0.2.8", tmp_path)
    assert second.fingerprint != first.fingerprint
    second.certificate.write_text("nonsense")
    assert open_certificate("192.0.2.8", tmp_path).fingerprint != second.fingerprint


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes")
def test_nobody_else_may_read_the_key_and_one_that_others_could_read_is_replaced(tmp_path: Path):
    made = open_certificate("127.0.0.1", tmp_path)
    assert made.key.stat().st_mode & 0o777 == 0o600
    made.key.chmod(0o644)
    again = open_certificate("127.0.0.1", tmp_path)
    assert again.fingerprint != made.fingerprint
    assert again.key.stat().st_mode & 0o777 == 0o600


def test_loopback_alone_names_no_other_machine():
    assert set(find_names("127.0.0.1")) == {"localhost", "127.0.0.1", "::1"}


def test_page_and_stream_are_served_over_it(database, tmp_path: Path):
    certificate = open_certificate("127.0.0.1", tmp_path / "https")
    trust = ssl.create_default_context(cafile=certificate.certificate)
    opened = listen("127.0.0.1", 0)
    web = server(Studio(Stage(database, name="small"), presets=tmp_path / "presets"), certificate=certificate)
    thread = threading.Thread(target=web.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    place = address("127.0.0.1", opened, secure=True)
    try:
        asked = HTTPSConnection(place.removeprefix("https://"), context=trust, timeout=20)
        asked.request("GET", "/api/poses")
        assert asked.getresponse().status == 200
        with connect(f"{place.replace('https', 'wss')}/stream", ssl=trust, origin=place, max_size=None) as page:
            assert json.loads(page.recv(timeout=20))["type"] == "welcome"
    finally:
        web.should_exit = True
        thread.join(20)


def test_who_can_connect_is_told(tmp_path: Path):
    certificate = open_certificate("192.0.2.7", tmp_path)
    told = " ".join(describe_access("192.0.2.7", 8123, certificate, vr=True))
    assert "https://192.0.2.7:8123" in told
    assert "Whoever has the key" in told
    assert "warn" in told
    assert certificate.fingerprint in told
    assert "--https" in " ".join(describe_access("192.0.2.7", 8123, None, vr=True))
    assert "Only this machine" in " ".join(describe_access("127.0.0.1", 8123, None, vr=True))
    assert describe_access("127.0.0.1", 8123, None) == []
