"""Slow connections are closed, whichever request of theirs and whichever part of it is late; so are oversized heads."""

import socket
import threading
import time
from contextlib import suppress

import pytest
from starlette.requests import ClientDisconnect
from websockets.sync.client import connect

from kinematch.access import deadlines
from kinematch.access import request_bodies as bodies
from kinematch.access.guard import Guard
from kinematch.studio.server.serving import listen, make_server

ended: list[str] = []  # bodies that were given up


async def hello(scope, receive, send):
    if scope["type"] == "lifespan":
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})
        return
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "text": "still here"})
        return
    if scope["path"] == "/much":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(400):
            await send({"type": "http.response.body", "body": bytes(65536), "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        ended.append(scope["path"])
        return
    if scope["path"] == "/read":
        while (part := await receive()).get("more_body"):
            pass
        if part["type"] == "http.disconnect":
            ended.append(scope["path"])
            raise ClientDisconnect
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


@pytest.fixture
def port(monkeypatch):
    monkeypatch.setattr(deadlines, "HEAD_SECONDS", 0.3)
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


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"


def read_answer(connection: socket.socket) -> None:
    answer = b""
    while not answer.endswith(b"hi"):
        part = connection.recv(65536)
        assert part
        answer += part


def read_until_closed(connection: socket.socket) -> bytes:
    answer = b""
    while part := connection.recv(65536):
        answer += part
    return answer


def test_a_slow_head_of_a_later_request_is_closed(port):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        for _ in range(3):
            connection.sendall(GET)
            read_answer(connection)
        connection.sendall(GET[:-2])
        assert read_until_closed(connection) == b""


def test_a_connection_may_rest_between_requests(port):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        for _ in range(2):
            connection.sendall(GET)
            read_answer(connection)
            time.sleep(0.5)  # longer than the deadline of a head


def test_a_websocket_on_a_used_connection_outlives_the_deadline_of_its_head(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection.sendall(GET)
    read_answer(connection)
    with connect(f"ws://localhost:{port}/stream", sock=connection) as stream:
        for _ in range(5):
            time.sleep(0.1)
            stream.send("?")
            assert stream.recv(timeout=20) == "still here"


@pytest.mark.parametrize("body", [b"", b"x" * 50])
@pytest.mark.parametrize("head", [POST, POST.replace(b"Content-Length: 100", b"Transfer-Encoding: chunked")])
def test_a_slow_body_is_given_up(port, monkeypatch, body, head):
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.3)
    ended.clear()
    if b"chunked" in head and body:
        body = b"32\r\n" + body + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head + b"\r\n" + body)
        read_until_closed(connection)
    assert ended == ["/read"]


def test_dripping_does_not_extend_the_deadline_of_a_body(port, monkeypatch):
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.3)
    ended.clear()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(POST.replace(b"100", b"100000") + b"\r\n")
        for _ in range(2000):
            time.sleep(0.01)
            try:
                connection.sendall(b"x")
            except OSError:
                break
    assert ended == ["/read"]


def test_bodies_are_limited_in_number(port, monkeypatch):
    monkeypatch.setattr(bodies, "MOST_BODIES_PER_ADDRESS", 2)
    held = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(2)]
    for connection in held:
        connection.sendall(POST + b"\r\n" + b"x")
    close = POST + b"Connection: close\r\n\r\n" + b"x" * 100
    end = time.monotonic() + 60
    while b" 503 " not in (answer := say(port, close)) and time.monotonic() < end:
        assert answer.endswith(b"hi")  # the two were not there yet
    assert b"too many uploads" in answer
    assert say(port, GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")).endswith(b"hi")
    held[0].sendall(b"x" * 99)
    read_answer(held[0])
    assert say(port, close).endswith(b"hi")
    for connection in held:
        connection.close()


def test_an_answer_that_nobody_reads_is_given_up(port, monkeypatch):
    monkeypatch.setattr(deadlines, "READ_SECONDS", 0.5)
    ended.clear()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.sendall(GET.replace(b"GET / ", b"GET /much "))
        until = time.monotonic() + 20
        while not ended and time.monotonic() < until:
            time.sleep(0.05)
        assert ended == ["/much"]  # the application went on, as it does when a client has gone
        taken = 0
        with suppress(ConnectionResetError):
            while part := connection.recv(1 << 20):
                taken += len(part)
        assert taken < 400 * 65536


def test_an_answer_that_is_read_slowly_arrives(port):
    taken = 0
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(GET.replace(b"GET / ", b"GET /much ").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        while part := connection.recv(1 << 20):
            taken += len(part)
            time.sleep(0.05)
    assert taken > 400 * 65536
