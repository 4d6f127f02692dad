"""Guard: lets in only pages of this server's own, and nothing larger than it should be."""

import ipaddress
import json
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

LARGEST_UPLOAD = 500_000_000  # bytes of a request's body
HEADERS = [
    (b"cache-control", b"no-cache"),  # asked for again each time, and answered in a word if nothing has changed
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'self' blob: data:; connect-src 'self' ws: wss: blob: data:; "
        b"script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        b"frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    ),
]
CLIENT = "x-kinematch-client"  # which page sends a request, as its stream was told in Welcome
Application = Callable[[dict, Callable, Callable], Awaitable[None]]


class Guard:
    """Wraps an ASGI application.

    A page elsewhere can make a browser talk to this machine, by its address or by a name that is made to lead here
    (DNS rebinding). So the Host must be a name of ours and the Origin, which browsers send and pages cannot forge,
    must be the same host. Programs without an Origin are let in: they are on this machine already.
    """

    def __init__(self, application: Application, *, host: str = "127.0.0.1", origins: Sequence[str] = ()):
        """`origins`: other sites whose pages are let in, such as http://localhost:5173."""
        self._application, self._loopback = application, is_loopback(host)
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._names = {"localhost", host.lower(), *(() if self._loopback else _own_names())}

    async def __call__(self, scope: dict, receive: Callable, send: Callable) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        problem = self._problem(scope, headers)
        if problem:
            await _refuse(scope, receive, send, status=403, message=problem)
        elif scope["type"] == "http" and _length(headers) > LARGEST_UPLOAD:
            message = f"larger than {LARGEST_UPLOAD // 1_000_000} MB"
            await _refuse(scope, receive, send, status=413, message=message)
        elif scope["type"] == "http":
            await self._application(scope, _counted(receive), _with_headers(send))
        else:
            await self._application(scope, receive, send)

    def _problem(self, scope: dict, headers: dict[bytes, str]) -> str:
        host = headers.get(b"host", "")
        if not self._is_own(host):
            return f"this server is not called {host[:80]!r}"
        origin = headers.get(b"origin")
        if origin is not None and _netloc(origin) != host.lower() and origin.lower() not in self._origins:
            return f"pages of {origin[:80]!r} may not talk to this server"
        # an <img> or <script> of another site sends no Origin, but says where it comes from
        if headers.get(b"sec-fetch-site") in ("cross-site", "same-site") and scope["path"].startswith("/api"):
            return "other sites may not talk to this server"
        return ""

    def _is_own(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        return is_loopback(name) if self._loopback else _is_address(name)


class Watched(Protocol):
    def may_change(self, client: str) -> bool: ...


def refuse_watchers(studio: Watched, headers: Mapping[str, str]) -> None:
    """For requests that change what all pages see."""
    from starlette.exceptions import HTTPException

    if not studio.may_change(headers.get(CLIENT, "")):
        raise HTTPException(403, "another page is steering; take the stick first (in Play), then try again")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    """A name can be made to lead anywhere, an address cannot."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_names() -> tuple[str, ...]:
    name = socket.gethostname().lower()
    return (name, f"{name}.local", socket.getfqdn().lower())


def _netloc(address: str) -> str:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""


def _length(headers: dict[bytes, str]) -> int:
    given = headers.get(b"content-length", "0")
    return int(given) if given.isdecimal() else LARGEST_UPLOAD + 1


def _counted(receive: Callable) -> Callable:
    """A body may be longer than it says, or not say at all."""
    taken = 0

    async def counting() -> dict[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return message if taken <= LARGEST_UPLOAD else {"type": "http.disconnect"}

    return counting


def _with_headers(send: Callable) -> Callable:
    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            given = message.get("headers", [])
            named = {name.lower() for name, _ in given}
            message = {**message, "headers": [*given, *(header for header in HEADERS if header[0] not in named)]}
        await send(message)

    return sending


async def _refuse(scope: dict, receive: Callable, send: Callable, *, status: int, message: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": message[:100]})
        return
    body = json.dumps({"message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
