"""Permissions: the one place that decides what a request, or a page's message, may do."""

import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from kinematch.errors import KinematchError
from kinematch.studio.server import messages as m
from kinematch.studio.server.pages import Page, Pages

FORWARDED = b"x-forwarded-for"
SECRET = "x-kinematch-secret"  # of the page that sends a request, from the Welcome of its stream
UNKNOWN_SECRET = f"no page has the secret in {SECRET}; send the `secret` from the welcome of yours"
NOT_STEERING = "another page is steering; take the stick first (in Play), then try again"
NOT_SHARED = "the project belongs to the machine that `kinematch play` runs on; --share-project opens it to others"


class Right(Enum):
    WATCH = "watch"  # see the stage and the room, and ask about them
    STEER = "steer"  # change what all pages see: the steering page, or any program while no page steers
    READ_PROJECT = "read the project"  # files, recipe and trainings of this machine
    EDIT_PROJECT = "edit the project"  # write files of this machine: needs the stick as well
    OWN_BODY = "own body"  # a page's own body in the room: needs the page's secret


WATCH, STEER, READ, EDIT, BODY = Right.WATCH, Right.STEER, Right.READ_PROJECT, Right.EDIT_PROJECT, Right.OWN_BODY

ROUTES = {  # every route of the server; one that is missing here keeps it from starting
    "GET /": WATCH,  # the page itself
    "WEBSOCKET /stream": WATCH,  # whose messages are listed below
    "GET /api/poses": WATCH,
    "GET /api/timeline": WATCH,
    "GET /api/export": WATCH,
    "GET /api/recording": READ,  # it has the recipe and the database in it
    "POST /api/recording": STEER,
    "GET /api/page": READ,  # likewise
    "GET /api/preset": READ,
    "GET /api/character": WATCH,
    "POST /api/character": STEER,
    "DELETE /api/character": STEER,
    "GET /api/lineup": WATCH,
    "POST /api/lineup": STEER,
    "DELETE /api/lineup": STEER,
    "GET /api/character/fit": WATCH,
    "POST /api/character/fit": STEER,
    "GET /api/played": WATCH,
    "POST /api/film": WATCH,  # encodes the sender's own pictures and keeps nothing
    "GET /api/training": READ,
    "GET /api/figure": WATCH,
    "GET /api/room/pose_model": WATCH,
    "GET /api/room/pose_model/source": WATCH,
    "POST /api/room/pose_model": EDIT,  # downloads it to this machine
    "GET /api/room/recording": BODY,
    "GET /api/room/motion": WATCH,
    "POST /api/room/motion": WATCH,  # converts the sender's own clip and keeps nothing
    "GET /api/room/character": WATCH,
    "POST /api/room/character": BODY,
    "DELETE /api/room/character": BODY,
    "GET /api/workshop/project": READ,
    "PUT /api/workshop/recipe": EDIT,
    "POST /api/workshop/recipe/check": EDIT,  # its globs walk through folders
    "POST /api/workshop/recipe/edit": EDIT,
    "GET /api/workshop/recipe/download": READ,
    "GET /api/workshop/files": READ,
    "PUT /api/workshop/files/{name:path}": EDIT,
    "POST /api/workshop/reports": READ,
    "GET /api/workshop/preview": READ,
    "POST /api/workshop/build": EDIT,
    "GET /api/workshop/build": READ,
    "DELETE /api/workshop/build": EDIT,
    "GET /api/workshop/database": WATCH,  # these three are about the motion that plays
    "GET /api/workshop/database/cell": WATCH,
    "GET /api/workshop/database/clips/{index}": WATCH,
}
FREE_MESSAGES = (m.Explain, m.Stream, m.Ping, m.TakeSteering)
BODY_MESSAGES = (m.EnterRoom, m.LeaveRoom, m.Calibrate, m.ChangeBody, m.RecordTrackers)
FILE_MESSAGES = (m.SavePreset, m.DeletePreset)  # presets are files of this machine


def find_message_right(kind: type) -> Right:
    """What a page needs to send this message; one that is not listed needs the stick."""
    listed = ((FREE_MESSAGES, WATCH), (BODY_MESSAGES, BODY), (FILE_MESSAGES, EDIT))
    return next((right for kinds, right in listed if kind in kinds), STEER)


@dataclass
class Permissions:
    pages: Pages = field(default_factory=Pages)
    shares_project: bool = False  # with other machines

    def find_refusal(self, right: Right, *, secret: str = "", is_here: bool = True) -> str:
        """Why a request may not do this; empty if it may. `is_here`: it comes from this machine."""
        page = self.pages.find(secret)
        if right in (READ, EDIT) and not (is_here or self.shares_project):
            return NOT_SHARED
        if right is BODY and page is None:
            return UNKNOWN_SECRET
        if right in (STEER, EDIT) and self.pages.steers in self.pages.all:
            if page is None and secret:
                return UNKNOWN_SECRET
            if page is None or page.client != self.pages.steers:
                return NOT_STEERING
        return ""

    def may_read_project(self, page: Page) -> bool:
        return not self.find_refusal(READ, is_here=page.is_here)

    def find_message_refusal(self, page: Page, message: m.PageMessage) -> str:
        """Why a page may not say this; empty if it may."""
        right = find_message_right(type(message))
        if right in (STEER, EDIT) and page.client != self.pages.steers:
            return NOT_STEERING
        return self.find_refusal(right, secret=page.secret, is_here=page.is_here)


class GuardedRoute:
    """The ASGI application of one route, behind the rules of its methods."""

    def __init__(self, inner: Any, rights: dict[str, Right], permissions: Permissions):
        self.inner, self.rights, self._permissions = inner, rights, permissions

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        from starlette.exceptions import HTTPException

        right = self.rights.get(_find_method(scope.get("method", "WEBSOCKET")))
        if right is not None:  # for a method that the route lacks, the route answers 405 itself
            secret = dict(scope["headers"]).get(SECRET.encode(), b"").decode("latin-1")
            if problem := self._permissions.find_refusal(right, secret=secret, is_here=is_on_this_machine(scope)):
                raise HTTPException(403, problem)
        await self.inner(scope, receive, send)


def check_routes(routes: Sequence[Any], permissions: Permissions) -> Sequence[Any]:
    """Put the rules before every route; a route without a rule is an error."""
    for path, route in walk_routes(routes):
        names = {_find_method(method) for method in getattr(route, "methods", None) or ()}
        rights = {}
        for method in names or {"WEBSOCKET" if type(route).__name__ == "WebSocketRoute" else "GET"}:
            if f"{method} {path}" not in ROUTES:
                raise KinematchError(f"no rule for {method} {path}; add one to permissions.ROUTES")
            rights[method] = ROUTES[f"{method} {path}"]
        route.app = GuardedRoute(route.app, rights, permissions)
    return routes


def walk_routes(routes: Sequence[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every route with its whole path, those of mounts too."""
    for route in routes:
        if inner := getattr(route, "routes", None):
            yield from walk_routes(inner, prefix + route.path)
        else:
            yield prefix + route.path or "/", route


def is_on_this_machine(scope: dict[str, Any]) -> bool:
    """Whether a connection comes from this machine: over loopback, or from the very address that it goes to.

    What a proxy forwards comes from where it says, whatever address the proxy itself has.
    """
    client, server = (_read_address(scope.get(end)) for end in ("client", "server"))
    headers = [(name.lower(), value.decode("latin-1")) for name, value in scope.get("headers", ())]
    forwarded = [one.strip() for name, value in headers if name == FORWARDED for one in value.split(",")]
    if any(name == b"forwarded" for name, _ in headers):
        return False  # the same in another form, which few proxies speak
    senders = [client, *(_read_address((one,)) for one in forwarded)]
    return all(one is not None and (one.is_loopback or one == server) for one in senders)


def _read_address(end: Any) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(end[0])
    except (TypeError, ValueError, IndexError):
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _find_method(method: str) -> str:
    return "GET" if method == "HEAD" else method
