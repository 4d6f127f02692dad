"""Bodies of requests: how large, how slow and how many at a time they may be."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from kinematch.access.asgi import Message, Receive

LARGEST_UPLOAD = 500_000_000  # bytes of a request's body
BODY_SECONDS = 20.0  # that may be spent waiting for a body, besides the time its bytes take at the least rate
LEAST_RATE = 20_000  # bytes per second
MOST_BODIES = 64  # that are being received
MOST_BODIES_PER_ADDRESS = 8  # a browser has six connections to a server
DISCONNECT: Message = {"type": "http.disconnect"}


class OpenBodies:
    """The bodies that are being received, by the address that sends them."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def is_full(self, address: str) -> bool:
        return self._counts.total() >= MOST_BODIES or self._counts[address] >= MOST_BODIES_PER_ADDRESS

    @contextmanager
    def receiving(self, address: str, receive: Receive) -> Iterator[Receive]:
        """A `receive` that ends a body as if its sender had left once it is too large or too late."""
        self._counts[address] += 1
        is_open, taken, waited = True, 0, 0.0
        clock = asyncio.get_running_loop().time

        def close() -> None:
            nonlocal is_open
            if is_open:
                is_open = False
                self._counts[address] -= 1
                self._counts += Counter()  # forgets addresses that send nothing

        async def receiving() -> Message:
            nonlocal taken, waited
            if not is_open:  # responses ask whether their reader is still there
                return await receive()
            began = clock()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, BODY_SECONDS + taken / LEAST_RATE - waited))
            except TimeoutError:
                close()
                return DISCONNECT
            waited += clock() - began
            taken += len(message.get("body", b""))
            if taken > LARGEST_UPLOAD:
                close()
                return DISCONNECT
            if not message.get("more_body"):
                close()
            return message

        try:
            yield receiving
        finally:
            close()


def find_length(headers: dict[bytes, str]) -> int | None:
    """The length that a request announces; None where it does not, as for a body in chunks."""
    given = headers.get(b"content-length", "" if b"transfer-encoding" in headers else "0")
    if not given:
        return None
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 20 else LARGEST_UPLOAD + 1
