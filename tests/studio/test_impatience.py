"""Connections that say nothing are closed, and so are those that say too much before they say what they want."""

import socket
import threading
import time

import pytest

from kinematch.studio import impatience
from kinematch.studio.guard import Guard
from kinematch.studio.serving import listen, make_server


async def hello(scope, receive, send):
    if scope["type"] == "lifespan":
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


@pytest.fixture
def port(monkeypatch):
    monkeypatch.setattr(impatience, "HEAD_SECONDS", 0.3)
    server = make_server(Guard(hello))
    opened = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield opened.getsockname()[1]
    server.should_exit = True
    thread.join(10)


def say(port: int, data: bytes) -> bytes:
    """All that is answered until the other side closes; a timeout means that it never does."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(data)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


def test_silence_and_half_a_request_are_closed(port):
    assert say(port, b"") == b""
    assert say(port, b"GET / HTTP/1.1\r\nHost: localhost\r\n") == b""


def test_a_name_of_60_kilobytes_is_refused(port):
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    upgrade += b"Sec-WebSocket-Version: 13\r\n\r\n"
    answer = say(port, b"GET /stream?client=" + b"a" * 60_000 + b" HTTP/1.1\r\nHost: localhost\r\n" + upgrade)
    assert b" 431 " in answer


def test_an_ordinary_request_is_answered_however_large_its_body(port):
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"
    assert say(port, head + b"x" * 100_000).endswith(b"hi")
