"""Rude clients: what a server on a network has to put up with, all of it on loopback and bounded in rate."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic

PAUSE = 0.25  # s between two acts of one client, on average
HUNG = 15.0  # s after which a client gives up
NONSENSE = (
    *("/../../etc/passwd", "/api/poses?from=1e999", "/api/%00", "/" + "a" * 5000),
    "/api/workshop/preview?file=x&clip=" + "9" * 400,
)
MESSAGES: tuple[str | bytes, ...] = (
    b"\0" * 1000, "{", "[" * 2000, json.dumps({"type": "stick", "sequence": 1, "x": 1e308, "y": "no"}),
    json.dumps({"type": "set_crowd", "count": 10**9}), json.dumps({"type": "ping", "time": 1.0}),
)  # fmt: skip
Act = Callable[[str, int], Awaitable[None]]


async def _connect(host: str, port: int):
    return await asyncio.wait_for(asyncio.open_connection(host, port), HUNG)


async def _say(host: str, port: int, data: bytes, *, listen: bool = True) -> None:
    reader, writer = await _connect(host, port)
    try:
        writer.write(data)
        await writer.drain()
        if listen:
            await asyncio.wait_for(reader.read(4096), HUNG)
    finally:
        writer.transport.abort()


async def hold_half_open(host: str, port: int) -> None:
    """Begin a request and never finish it."""
    reader, writer = await _connect(host, port)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        await asyncio.wait_for(reader.read(), HUNG)  # until the server has had enough
    finally:
        writer.transport.abort()


async def send_noise(host: str, port: int) -> None:
    await _say(host, port, random.randbytes(3000))


async def send_long_headers(host: str, port: int) -> None:
    await _say(host, port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n")


async def come_from_elsewhere(host: str, port: int) -> None:
    await _say(host, port, b"GET /api/poses HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n")


async def ask_for_nonsense(host: str, port: int) -> None:
    path = random.choice(NONSENSE)
    await _say(host, port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())


async def post_junk(host: str, port: int) -> None:
    """Files that are none, or of thousands of joints of one name, where a page may send a character or a motion."""
    path = random.choice(["/api/character", "/api/room/motion", "/api/recording", "/api/workshop/upload/a.bvh"])
    body = random.choice([b"glTF" + random.randbytes(2000), b"", b"HIERARCHY\n" + b"ROOT a\n{\nOFFSET 0 0 0\n" * 3000])
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\n\r\n"
    await _say(host, port, head.encode() + body)


async def send_less_than_promised(host: str, port: int) -> None:
    head = f"POST /api/character HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 400000000\r\n\r\n"
    await _say(host, port, head.encode() + b"x" * 1000, listen=False)


async def vanish(host: str, port: int) -> None:
    """Open the stream and be gone without a goodbye."""
    from websockets.asyncio.client import connect

    page = await connect(f"ws://{host}:{port}/stream", max_size=None, compression=None, open_timeout=HUNG)
    await asyncio.wait_for(page.recv(), HUNG)
    page.transport.abort()


async def talk_nonsense(host: str, port: int) -> None:
    """Messages that make no sense, too large or too many, and a name of 60 kB."""
    from websockets.asyncio.client import connect

    name = "" if random.random() < 0.8 else "x" * 60_000
    place = f"ws://{host}:{port}/stream?client={name}"
    async with connect(place, max_size=None, compression=None, open_timeout=HUNG, close_timeout=1) as page:
        for _ in range(50):
            await page.send(random.choice(MESSAGES))


async def listen_to_nothing(host: str, port: int) -> None:
    """Open the stream and never read it, so that the server's buffers fill."""
    _, writer = await _connect(host, port)
    try:
        writer.write(
            f"GET /stream HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        await writer.drain()
        writer.transport.pause_reading()
        await asyncio.sleep(HUNG / 3)
    finally:
        writer.transport.abort()


ACTS: tuple[Act, ...] = (
    hold_half_open, send_noise, send_long_headers, come_from_elsewhere, ask_for_nonsense, post_junk,
    send_less_than_promised, vanish, talk_nonsense, listen_to_nothing,
)  # fmt: skip


def be_rude(host: str, port: int, clients: int, seconds: float, seed: int = 0) -> dict[str, int]:
    """Have so many clients do one rude thing after the other; how often each was done."""
    random.seed(seed)
    return asyncio.run(_be_rude(host, port, clients, seconds))


async def _be_rude(host: str, port: int, clients: int, seconds: float) -> dict[str, int]:
    done: Counter[str] = Counter()
    until = monotonic() + seconds

    async def visit() -> None:
        while monotonic() < until:
            act = random.choice(ACTS)
            done[act.__name__] += 1
            with suppress(Exception):  # to be refused, cut off or kept waiting is what it asks for
                await asyncio.wait_for(act(host, port), 2 * HUNG)
            await asyncio.sleep(random.uniform(0, 2 * PAUSE))

    await asyncio.gather(*(visit() for _ in range(clients)))
    return dict(done)
