"""Rude clients: what a server on a network has to put up with, all of it on loopback and bounded in rate."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from kinematch.access.keys import ALPHABET, KEY_LETTERS

PAUSE_SECONDS = 0.25  # s between two acts of one client, on average
CLIENT_TIMEOUT = 15.0  # s after which a client gives up
BODY_PIECES = 40  # of a slow body, one each second: longer than the server waits for bodies
INVALID_REQUESTS = (
    *("/../../etc/passwd", "/api/poses?from=1e999", "/api/%00", "/" + "a" * 5000),
    "/api/workshop/preview?file=x&clip=" + "9" * 400,
)
MESSAGES: tuple[str | bytes, ...] = (
    b"\0" * 1000, "{", "[" * 2000, json.dumps({"type": "stick", "sequence": 1, "x": 1e308, "y": "no"}),
    json.dumps({"type": "set_crowd", "count": 10**9}), json.dumps({"type": "ping", "time": 1.0}),
)  # fmt: skip
UPLOAD = "PUT /api/workshop/files/a.bvh"
UPGRADE = (
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Version: 13",
)  # fmt: skip


class Server(NamedTuple):
    """Where a server listens, and the key that lets in."""

    host: str
    port: int
    key: str


Act = Callable[[Server], Awaitable[str | None]]  # returns what the server should not have done


async def _connect(there: Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.wait_for(asyncio.open_connection(there.host, there.port), CLIENT_TIMEOUT)


def _write_head(there: Server, request: str, *lines: str, key: str | None = None) -> bytes:
    """The head of a request, with the server's key unless another is given."""
    known = there.key if key is None else key
    own = f"Host: {there.host}:{there.port}", *([f"X-Kinematch-Key: {known}"] if known else ()), *lines
    return "\r\n".join((f"{request} HTTP/1.1", *own, "", "")).encode()


async def _say(there: Server, data: bytes, *, listen: bool = True) -> bytes:
    """Send bytes and hang up; the beginning of the answer."""
    reader, writer = await _connect(there)
    try:
        writer.write(data)
        await writer.drain()
        return await asyncio.wait_for(reader.read(4096), CLIENT_TIMEOUT) if listen else b""
    finally:
        writer.transport.abort()


async def hold_half_open(there: Server) -> None:
    """Begin a request and never finish it."""
    reader, writer = await _connect(there)
    try:
        writer.write(_write_head(there, "GET /").removesuffix(b"\r\n") + b"X-Slow: ")
        await asyncio.wait_for(reader.read(), CLIENT_TIMEOUT)  # until the server has had enough
    finally:
        writer.transport.abort()


async def send_noise(there: Server) -> None:
    await _say(there, random.randbytes(3000))


async def send_long_headers(there: Server) -> None:
    await _say(there, _write_head(there, "GET /", "X: " + "x" * 100_000))


async def come_from_elsewhere(there: Server) -> None:
    head = f"X-Kinematch-Key: {there.key}\r\nHost: evil.example\r\nOrigin: http://evil.example"
    await _say(there, f"GET /api/poses HTTP/1.1\r\n{head}\r\n\r\n".encode())


async def ask_for_nonsense(there: Server) -> None:
    await _say(there, _write_head(there, f"GET {random.choice(INVALID_REQUESTS)}"))


async def post_junk(there: Server) -> None:
    """Files that are none, or of thousands of joints of one name, where a page may send a character or a motion."""
    request = random.choice(["POST /api/character", "POST /api/room/motion", "POST /api/recording", UPLOAD])
    body = random.choice([b"glTF" + random.randbytes(2000), b"", b"HIERARCHY\n" + b"ROOT a\n{\nOFFSET 0 0 0\n" * 3000])
    await _say(there, _write_head(there, request, f"Content-Length: {len(body)}") + body)


async def send_less_than_promised(there: Server) -> None:
    head = _write_head(there, "POST /api/character", "Content-Length: 400000000")
    await _say(there, head + b"x" * 1000, listen=False)


async def send_body_slowly(there: Server) -> str | None:
    """A byte a second, until the server has had enough."""
    reader, writer = await _connect(there)
    try:
        writer.write(_write_head(there, "POST /api/room/motion", "Content-Length: 400000"))
        for _ in range(BODY_PIECES):
            writer.write(b"x")
            await writer.drain()
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.read(4096), 1.0)
                return None  # refused, or given up
        return f"a body of a byte a second was received for {BODY_PIECES} s"
    finally:
        writer.transport.abort()


async def come_without_key(there: Server) -> str | None:
    """Ask for the page, its API and its stream, without a key or with a guessed one."""
    path, key = random.choice(["/", "/api/poses", "/api/workshop/files", "/stream"]), _guess_key() * random.randrange(2)
    if random.random() < 0.5:
        path, key = f"{path}?key={key}", ""
    lines = UPGRADE if path.startswith("/stream") else ()
    answer = await _say(there, _write_head(there, f"GET {path}", *lines, key=key))
    status = answer.split(b" ", 2)[1:2]
    return None if status in ([b"401"], [b"403"], []) else f"GET {path} without the key was answered {answer[:100]!r}"


def _guess_key() -> str:
    return "".join(random.choices(ALPHABET, k=KEY_LETTERS))


async def guess_secrets(there: Server) -> str | None:
    """Change the body of another page, or fetch its recording, by a secret that belongs to no page."""
    request = random.choice(["GET /api/room/recording", "POST /api/room/character", "DELETE /api/room/character"])
    secret = random.choice(["none", "1", random.randbytes(32).hex()])
    head = _write_head(there, request, f"X-Kinematch-Secret: {secret}", "Content-Length: 2")
    answer = await _say(there, head + b"{}")
    status = answer.split(b" ", 2)[1:2]
    return None if status in ([b"403"], [b"503"], []) else f"{request} by a guess was answered {answer[:100]!r}"


async def vanish(there: Server) -> None:
    """Open the stream and be gone without a goodbye."""
    from websockets.asyncio.client import connect

    page = await connect(_stream(there), max_size=None, compression=None, open_timeout=CLIENT_TIMEOUT)
    await asyncio.wait_for(page.recv(), CLIENT_TIMEOUT)
    page.transport.abort()


async def talk_nonsense(there: Server) -> None:
    """Messages that make no sense, too large or too many, and a name of 60 kB."""
    from websockets.asyncio.client import connect

    place = _stream(there) + "&client=" + ("" if random.random() < 0.8 else "x" * 60_000)
    async with connect(place, max_size=None, compression=None, open_timeout=CLIENT_TIMEOUT, close_timeout=1) as page:
        for _ in range(50):
            await page.send(random.choice(MESSAGES))


def _stream(there: Server) -> str:
    return f"ws://{there.host}:{there.port}/stream?key={there.key}"


async def listen_to_nothing(there: Server) -> None:
    """Open the stream and never read it, so that the server's buffers fill."""
    _, writer = await _connect(there)
    try:
        writer.write(_write_head(there, "GET /stream", *UPGRADE))
        await writer.drain()
        assert isinstance(writer.transport, asyncio.Transport)
        writer.transport.pause_reading()
        await asyncio.sleep(CLIENT_TIMEOUT / 3)
    finally:
        writer.transport.abort()


ACTS: tuple[Act, ...] = (
    hold_half_open, send_noise, send_long_headers, come_from_elsewhere, ask_for_nonsense, post_junk,
    send_less_than_promised, send_body_slowly, come_without_key, guess_secrets, vanish, talk_nonsense,
    listen_to_nothing,
)  # fmt: skip


def be_rude(there: Server, clients: int, seconds: float, seed: int = 0) -> tuple[dict[str, int], list[str]]:
    """Let clients do one rude thing after the other: how often each was done, and what the server should not
    have done."""
    random.seed(seed)
    return asyncio.run(_be_rude(there, clients, seconds))


async def _be_rude(there: Server, clients: int, seconds: float) -> tuple[dict[str, int], list[str]]:
    done: Counter[str] = Counter()
    findings: list[str] = []
    until = monotonic() + seconds

    async def visit() -> None:
        while monotonic() < until:
            act = random.choice(ACTS)
            done[act.__name__] += 1
            with suppress(Exception):  # to be refused, cut off or kept waiting is what it asks for
                finding = await asyncio.wait_for(act(there), BODY_PIECES + 2 * CLIENT_TIMEOUT)
                findings.extend([finding] if finding else [])
            await asyncio.sleep(random.uniform(0, 2 * PAUSE_SECONDS))

    await asyncio.gather(*(visit() for _ in range(clients)))
    return dict(done), findings
