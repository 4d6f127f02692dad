"""Pages: the connected browser pages, the send queue of each, and which one of them steers."""

import asyncio
import hmac
import secrets
from collections import deque
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from msgspec.structs import replace

from kinematch.errors import KinematchError, unknown
from kinematch.studio.server.answers import FromServer, Watcher, Welcome, written

MOST_PAGES = 64
MOST_PAGES_ELSEWHERE = 48  # of other machines, so that this one's user always finds a place
MOST_PAGES_PER_ADDRESS = 16  # of another machine
MOST_FRAMES = 4  # poses queued for a page; a slower one skips some
MOST_MESSAGES = 500  # queued for a page; one that does not read at all is disconnected
IDLE = 5.0  # s without input, after which another page may take over
GRACE = 5.0  # s for which a page that lost its connection stays the one that steers


@dataclass(eq=False)
class Page:
    client: str  # its number, which all pages receive
    name: str
    secret: str = field(default_factory=secrets.token_hex, repr=False)  # its own; by it the server knows its requests
    is_here: bool = True  # on the machine that the server runs on
    address: str = ""  # of its machine
    every: int = 1  # steps between poses; 0 for none
    active: float = field(default_factory=monotonic)  # when its last input arrived
    joined: float = field(default_factory=monotonic)
    lost: bool = False  # its queue overflowed: it does not read
    waiting: deque[str | bytes] = field(default_factory=deque, repr=False)  # a welcome among them has the secret
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Future[Any]] = field(default_factory=set)  # answers being computed

    def tell(self, message: FromServer) -> None:
        self.put(written(message))

    def welcome(self, message: Welcome) -> None:
        """Start over; this message alone has the page's secret."""
        self.waiting.clear()
        self.tell(replace(message, secret=self.secret))

    def put(self, item: str | bytes) -> None:
        """Queue a message or a pose; a full queue drops its oldest pose."""
        if isinstance(item, bytes):
            frames = [other for other in self.waiting if isinstance(other, bytes)]
            if len(frames) >= MOST_FRAMES:
                self.waiting.remove(frames[0])
        elif len(self.waiting) > MOST_MESSAGES:
            self.lost = True
        self.waiting.append(item)
        self.ready.set()

    async def next(self) -> str | bytes:
        while not self.waiting:
            self.ready.clear()
            await self.ready.wait()
        return self.waiting.popleft()


class Pages:
    """All pages; used only by the server's event loop."""

    def __init__(self) -> None:
        self.all: dict[str, Page] = {}
        self.steers = ""  # number of the page that steers
        self.asking = ""  # number of the page that asks to steer
        self._left = 0.0  # when the steering page lost its connection
        self._gone: Page | None = None  # that page
        self._count = 0

    def join(self, secret: str = "", *, address: str = "", is_here: bool = True) -> Page:
        """Add a new page, or the steering page that reconnects with its secret."""
        gone = self._gone
        if gone and gone.client == self.steers and gone.client not in self.all and _has_secret(gone, secret):
            page = Page(gone.client, gone.name, gone.secret, is_here, address)  # even where there is no room
        else:
            self._check_room(address, is_here)
            self._count += 1
            page = Page(str(self._count), f"page {self._count}", is_here=is_here, address=address)
        self.all[page.client] = page
        self.settle()
        return page

    def _check_room(self, address: str, is_here: bool) -> None:
        """Refuse a page where there are too many: in all, of one address, or of other machines together."""
        elsewhere = [page for page in self.all.values() if not page.is_here]
        if len(self.all) >= MOST_PAGES or (not is_here and len(elsewhere) >= MOST_PAGES_ELSEWHERE):
            raise KinematchError(f"{len(self.all)} pages are connected already")
        if not is_here and sum(page.address == address for page in elsewhere) >= MOST_PAGES_PER_ADDRESS:
            raise KinematchError(f"{MOST_PAGES_PER_ADDRESS} pages of this address are connected already")

    def leave(self, page: Page) -> None:
        self.all.pop(page.client, None)
        if page.client == self.steers:
            self._left, self._gone = monotonic(), page
        if page.client == self.asking:
            self.asking = ""

    def find(self, secret: str) -> Page | None:
        """The page that has this secret."""
        return next((page for page in self.all.values() if _has_secret(page, secret)), None)

    def settle(self) -> bool:
        """If the steering page has left, let the next one steer; true when that changed anything."""
        if self.steers in self.all:
            return False
        watched = any(page.joined < self._left for page in self.all.values())  # one that comes after it need not wait
        if self.steers and monotonic() - self._left < GRACE and watched:
            return False
        before = self.steers
        self.steers = self.asking or next(iter(self.all), "")
        self.asking = ""
        return self.steers != before

    def take(self, page: Page) -> None:
        """Let a page steer if the steering page is idle; otherwise ask that one."""
        holder = self.all.get(self.steers)
        if holder is None or monotonic() - holder.active > IDLE:
            self.steers, self.asking = page.client, ""
        elif holder is not page:
            self.asking = page.client

    def hand_over(self, to: str) -> None:
        if to not in self.all:
            raise KinematchError(unknown("page", to, self.all))
        self.steers, self.asking = to, ""

    def tell(self, message: FromServer) -> None:
        text = written(message)
        for page in self.all.values():
            page.put(text)

    def show(self, frame: bytes, step: int = 0) -> None:
        """Queue a frame for the pages that show this step; step 0 is for all."""
        for page in self.all.values():
            if page.every and step % page.every == 0:
                page.put(frame)

    @property
    def watchers(self) -> list[Watcher]:
        return [Watcher(page.client, page.name) for page in self.all.values()]


def _has_secret(page: Page, given: str) -> bool:
    # as bytes, since text outside ASCII cannot be compared; the time does not depend on where they differ
    return hmac.compare_digest(page.secret.encode(), given.encode(errors="surrogatepass"))
