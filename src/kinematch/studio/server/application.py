"""Application: what the server answers to which address; the WebSocket of pages, and what they fetch."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from kinematch.access.guard import FAILED, Guard
from kinematch.access.keys import AccessKey
from kinematch.access.request_bodies import LARGEST_UPLOAD
from kinematch.errors import KinematchError
from kinematch.studio.server.answers import ErrorMessage
from kinematch.studio.server.api import api_routes
from kinematch.studio.server.messages import read
from kinematch.studio.server.pages import Page
from kinematch.studio.server.permissions import check_routes, is_on_this_machine
from kinematch.studio.session.studio import Studio

STATIC = Path(__file__).parents[1] / "static"
SUBPROTOCOL = "kinematch"
RESUMES = "kinematch-secret."  # before the secret of a page that lost its connection
MOST_MISTAKES = 100  # in a row, after which a page is taken for something else
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Kinematch Studio</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:12vh auto;padding:0 1em}</style>
<h1>Kinematch Studio runs, but its page is not built</h1>
<p>The page is built when Kinematch is installed: <code>pip install .</code> in its folder.</p>
<p>While you work on the page itself: <code>npm ci && npm run build</code> in <code>client</code>.</p>
"""


def application(
    studio: Studio, *, host: str = "127.0.0.1", static: Path = STATIC, key: AccessKey | None = None
) -> Guard:
    """The whole server as an ASGI application, guarded."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect
    from starlette.responses import HTMLResponse, JSONResponse
    from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        task = asyncio.create_task(studio.run())
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def stream(websocket: Any) -> None:
        await _stream(studio, websocket)

    async def not_built(_: Any) -> HTMLResponse:
        return HTMLResponse(NOT_BUILT, status_code=503)

    async def told(_: Any, error: Exception) -> JSONResponse:
        status = error.status_code if isinstance(error, HTTPException) else 400
        return JSONResponse({"message": getattr(error, "detail", None) or str(error)}, status_code=status)

    async def end_quietly(request: Any, _: Exception) -> JSONResponse:
        """Handle an upload that ends early; only a client that the guard cut off is there to read the answer."""
        logging.getLogger(__name__).debug("an upload to %s was cancelled", request.url.path)
        message = f"the upload ended early, or was too slow; it may have {LARGEST_UPLOAD // 1_000_000} MB at most"
        return JSONResponse({"message": message}, status_code=400)

    async def fail(_: Any, error: Exception) -> JSONResponse:
        """Answer after a mistake of ours, which the guard writes to the log."""
        return JSONResponse({"message": FAILED}, status_code=500)

    routes: list[BaseRoute] = [WebSocketRoute("/stream", stream), Mount("/api", routes=api_routes(studio))]
    if (static / "index.html").is_file():
        routes.append(Mount("/", StaticFiles(directory=static, html=True)))
    else:
        routes.append(Route("/", not_built))
    check_routes(routes, studio.permissions)
    handlers: dict[Any, Any] = {KinematchError: told, HTTPException: told, ClientDisconnect: end_quietly}
    handlers[Exception] = fail
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), host=host, key=key)


async def _stream(studio: Studio, websocket: Any) -> None:
    """One page, from its arrival to its leaving."""
    offered = websocket.scope.get("subprotocols", [])
    await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
    # not in the address, which servers and proxies write to their logs
    secret = next((one.removeprefix(RESUMES) for one in offered if one.startswith(RESUMES)), "")
    address = (websocket.scope.get("client") or ("",))[0]
    try:
        page = studio.join(secret[:64], address=address, is_here=is_on_this_machine(websocket.scope))
    except KinematchError as error:
        await websocket.close(1013, str(error))
        return
    sending = asyncio.create_task(_send(page, websocket))
    hearing = asyncio.create_task(_hear(studio, page, websocket))
    try:
        ended, _ = await asyncio.wait((sending, hearing), return_when=asyncio.FIRST_COMPLETED)
        for one in ended:
            one.result()  # raises a mistake of ours, for the guard
    finally:
        studio.leave(page)
        for task in (sending, hearing, *page.tasks):
            task.cancel()
        await asyncio.gather(sending, hearing, return_exceptions=True)


async def _send(page: Page, websocket: Any) -> None:
    from starlette.websockets import WebSocketDisconnect

    try:
        while not page.lost:
            item = await page.next()
            if isinstance(item, bytes):
                await websocket.send_bytes(item)
            else:
                await websocket.send_text(item)
            await asyncio.sleep(0)  # a lost connection is noticed here, not after a whole queue
        await websocket.close(1008, "too slow")
    except (WebSocketDisconnect, RuntimeError, OSError):  # it disconnected during a send
        return


async def _hear(studio: Studio, page: Page, websocket: Any) -> None:
    from starlette.websockets import WebSocketDisconnect

    mistakes = 0
    while mistakes < MOST_MISTAKES:
        received = await websocket.receive()
        if received["type"] == "websocket.disconnect":
            return
        try:
            if received.get("text") is None:
                studio.vr_session.hear_sample(page, received.get("bytes") or b"")
                mistakes = 0
                continue
            message = read(received["text"])
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            mistakes += 1
            page.tell(ErrorMessage(f"invalid message: {error}"))
            continue
        mistakes = 0
        studio.hear(page, message)
    with suppress(WebSocketDisconnect, RuntimeError, OSError):  # it went away meanwhile
        await websocket.close(1008, "not a page of this server")
