"""Guard: lets in only pages of this server's own, and nothing larger than it should be."""

import ipaddress
import json
import logging
import socket
import traceback
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from kinematch.access.asgi import Application, Message, Receive, Scope, Send
from kinematch.access.keys import AccessKey
from kinematch.access.request_bodies import LARGEST_UPLOAD, OpenBodies, find_length

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
FAILED = "the server failed to answer this; its terminal says at what"


class Guard:
    """Wraps an ASGI application.

    A page elsewhere can make a browser talk to this machine, by its address or by a name that is made to lead here
    (DNS rebinding). So the Host must be a name of ours and the Origin, which browsers send and pages cannot forge,
    must be the same host. Programs send no Origin; those on other machines need the key, if there is one.
    """

    def __init__(
        self,
        application: Application,
        *,
        host: str = "127.0.0.1",
        origins: Sequence[str] = (),
        key: AccessKey | None = None,
    ):
        """`origins`: other sites whose pages are let in, such as http://localhost:5173."""
        self.application, self._loopback, self._key = application, is_loopback(host), key
        self._bodies = OpenBodies()
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._names = {"localhost", host.lower(), *(() if self._loopback else _own_names())}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.application(scope, receive, send)
            return
        sending = _Sending(send)
        try:
            await self._admit(scope, receive, sending)
        except Exception as error:  # a mistake of ours: a line for the terminal, and an answer for the client
            log_failure(scope, error)
            if not sending.has_begun:
                await _refuse(scope, receive, send, status=500, message=FAILED)
            elif scope["type"] == "websocket":
                with suppress(RuntimeError, OSError):  # it is closed already
                    await send({"type": "websocket.close", "code": 1011, "reason": FAILED})

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        problem = self._problem(scope, headers)
        if problem:
            await _refuse(scope, receive, send, status=403, message=problem)
        elif self._key is not None and (answer := self._key.find_answer(scope, headers)) is not None:
            await answer(scope, receive, _with_headers(send))
        elif scope["type"] == "http":
            await self._answer(scope, receive, send, headers)
        else:
            await self.application(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, headers: dict[bytes, str]) -> None:
        """Answer a request over HTTP, whose body must not be too large, too slow or one too many."""
        length, address = find_length(headers), (scope.get("client") or ("",))[0]
        if length is not None and length > LARGEST_UPLOAD:
            message = f"larger than {LARGEST_UPLOAD // 1_000_000} MB"
            await _refuse(scope, receive, send, status=413, message=message)
        elif length == 0:
            await self.application(scope, receive, _with_headers(send))
        elif self._bodies.is_full(address):
            message = "too many uploads at once; try again when they are done"
            await _refuse(scope, receive, send, status=503, message=message)
        else:
            with self._bodies.receiving(address, receive) as receiving:
                await self.application(scope, receiving, _with_headers(send))

    def _problem(self, scope: Scope, headers: dict[bytes, str]) -> str:
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


class _Sending:
    """A `send` that knows whether an answer has begun."""

    def __init__(self, send: Send):
        self._send, self.has_begun = send, False

    async def __call__(self, message: Message) -> None:
        self.has_begun = True
        await self._send(message)


def log_failure(scope: Scope, error: Exception) -> None:
    """One line: the request, the error and where it was raised; its traceback at level debug."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else "?"
    what = f"{scope.get('method', 'WebSocket')} {scope['path'][:200]!r}"
    message = f"{type(error).__name__}: {error}".replace("\n", " ")[:500]
    logger = logging.getLogger(__name__)
    logger.error("%s failed: %s (%s)", what, message, place)
    logger.debug("%s", what, exc_info=error)


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


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = message.get("headers", [])
            named = {name.lower() for name, _ in given}
            message = {**message, "headers": [*given, *(header for header in HEADERS if header[0] not in named)]}
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, *, status: int, message: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": message[:100]})
        return
    body = json.dumps({"message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
