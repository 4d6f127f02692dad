"""Serving: an address on this machine, and the web server behind it."""

import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from kinematch.access.certificate import Certificate
from kinematch.access.guard import Guard
from kinematch.access.keys import AccessKey
from kinematch.errors import KinematchError
from kinematch.studio.server.application import application
from kinematch.studio.server.messages import LARGEST_MESSAGE
from kinematch.studio.session.studio import Studio

if TYPE_CHECKING:
    import uvicorn

TRIES = 20  # ports after the wanted one


def listen(host: str, port: int) -> socket.socket:
    """A socket on the wanted port or, where that is taken, on one of the next; on any when none of them is free."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise KinematchError(f"no host {host!r}: {error.strerror or error}") from None
    problem: OSError | None = None
    for one in (*range(port, min(port + TRIES, 65536)), 0):
        # asyncio sends at once only on sockets that name their protocol; others collect for 40 ms (Nagle)
        taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":  # where it would mean sharing a port with another program
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, one))
            taken.listen(128)
            return taken
        except OSError as error:
            problem = error
            taken.close()
    raise KinematchError(f"no port of {host!r} can be used: {problem}")


def address(host: str, opened: socket.socket, *, secure: bool = False) -> str:
    """What to type into a browser."""
    name = "127.0.0.1" if host in ("", "0.0.0.0") else "[::1]" if host == "::" else host
    if ":" in name and not name.startswith("["):
        name = f"[{name}]"
    return f"{'https' if secure else 'http'}://{name}:{opened.getsockname()[1]}"


def server(
    studio: Studio,
    *,
    host: str = "127.0.0.1",
    key: AccessKey | None = None,
    certificate: Certificate | None = None,
    log_level: str = "warning",
) -> "uvicorn.Server":
    """The server of a studio, not yet running."""
    return make_server(application(studio, host=host, key=key), certificate=certificate, log_level=log_level)


def make_server(
    guarded: Guard, *, certificate: Certificate | None = None, log_level: str = "warning"
) -> "uvicorn.Server":
    """A uvicorn server, not yet running: `run(sockets=[listen(...)])` serves until `should_exit` is set."""
    import uvicorn

    from kinematch.access.deadlines import make_deadline_protocol

    config = uvicorn.Config(
        guarded,
        http=make_deadline_protocol(),
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,  # poses hardly shrink, and a small message could swell
        ws_ping_interval=20,
        ws_ping_timeout=20,
        log_level=log_level,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
        server_header=False,
        forwarded_allow_ips="127.0.0.1,::1",  # only a proxy on this machine may say whom it speaks for
        ssl_certfile=None if certificate is None else certificate.certificate,
        ssl_keyfile=None if certificate is None else certificate.key,
    )
    return uvicorn.Server(config)


def serve(
    studio: Studio,
    opened: socket.socket,
    *,
    host: str,
    key: AccessKey | None = None,
    certificate: Certificate | None = None,
) -> None:
    """Serve until interrupted."""
    with suppress(KeyboardInterrupt):
        server(studio, host=host, key=key, certificate=certificate).run(sockets=[opened])
