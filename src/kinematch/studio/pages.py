"""Pages: the connected browser pages, the send queue of each, and which one of them steers."""

import asyncio
import secrets
from collections import deque
from dataclasses import dataclass, field
from time import monotonic

from kinematch.errors import KinematchError, unknown
from kinematch.studio.answers import FromServer, Watcher, written

MOST_PAGES = 64
MOST_FRAMES = 4  # poses queued for a page; a slower one skips some
MOST_MESSAGES = 500  # queued for a page; one that does not read at all is disconnected
IDLE = 5.0  # s without input, after which another page may take over
GRACE = 5.0  # s for which a page that lost its connection stays the one that steers


@dataclass(eq=False)
class Page:
    client: str
    name: str
    every: int = 1  # steps between poses; 0 for none
    active: float = field(default_factory=monotonic)  # when its last input arrived
    lost: bool = False  # its queue overflowed: it does not read
    waiting: deque[str | bytes] = field(default_factory=deque)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Future] = field(default_factory=set)  # answers being computed

    def tell(self, message: FromServer) -> None:
        self.put(written(message))

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
        self.steers = ""  # client id of the page that steers
        self.asking = ""  # client id of the page that asks to steer
        self._left = 0.0  # when the steering page lost its connection
        self._count = 0

    def join(self, client: str = "") -> Page:
        """Add a new page, or one that reconnects."""
        if len(self.all) >= MOST_PAGES:
            raise KinematchError(f"{MOST_PAGES} pages are connected already")
        returns = client and client == self.steers and client not in self.all
        self._count += not returns
        page = Page(client if returns else secrets.token_hex(8), f"page {self._count}")
        self.all[page.client] = page
        self.settle()
        return page

    def leave(self, page: Page) -> None:
        self.all.pop(page.client, None)
        if page.client == self.steers:
            self._left = monotonic()
        if page.client == self.asking:
            self.asking = ""

    def settle(self) -> bool:
        """If the steering page has left, let the next one steer; true when that changed anything."""
        if self.steers in self.all:
            return False
        if self.steers and monotonic() - self._left < GRACE and len(self.all) > 1:
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
