"""Pages: who watches, what waits to be sent to each, and who of them steers."""

import asyncio
import secrets
from collections import deque
from dataclasses import dataclass, field
from time import monotonic

from kinematch.errors import KinematchError, unknown
from kinematch.studio.answers import FromServer, Watcher, written

MOST_PAGES = 64
MOST_FRAMES = 4  # poses that wait for a page; a slower one skips
MOST_MESSAGES = 500  # that wait for a page; one that does not read at all is let go
IDLE = 5.0  # s without a word, after which others may take over
GRACE = 5.0  # s for which a lost page keeps its place


@dataclass(eq=False)
class Page:
    client: str
    name: str
    every: int = 1  # steps between poses; 0 for none
    active: float = field(default_factory=monotonic)  # when it last did something
    lost: bool = False  # told too much that it did not read
    waiting: deque[str | bytes] = field(default_factory=deque)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Future] = field(default_factory=set)  # answers that are being worked out

    def tell(self, message: FromServer) -> None:
        self.put(written(message))

    def put(self, item: str | bytes) -> None:
        """Put something in the queue; of poses that a slow page has not taken, the oldest are skipped."""
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
    """All pages; used by the server's loop alone."""

    def __init__(self) -> None:
        self.all: dict[str, Page] = {}
        self.steers = ""  # client
        self.asking = ""
        self._left = 0.0  # when who steers was lost
        self._count = 0

    def join(self, client: str = "") -> Page:
        """A new page, or one that comes back."""
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
        """Give the steering that somebody has left to the next; true when that changed anything."""
        if self.steers in self.all:
            return False
        if self.steers and monotonic() - self._left < GRACE and len(self.all) > 1:
            return False
        before = self.steers
        self.steers = self.asking or next(iter(self.all), "")
        self.asking = ""
        return self.steers != before

    def take(self, page: Page) -> None:
        """Who asks gets the steering if nobody needs it; else the one who steers is asked."""
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
        """A frame for those who want this step; step 0 is for all."""
        for page in self.all.values():
            if page.every and step % page.every == 0:
                page.put(frame)

    @property
    def watchers(self) -> list[Watcher]:
        return [Watcher(page.client, page.name) for page in self.all.values()]
