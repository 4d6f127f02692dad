"""Connections are closed that take too long over the head of a request, send too large a one, or read no answer."""

from typing import Any

HEAD_SECONDS = 10.0  # from a connection, or a later request's first byte, to the end of the request's headers
READ_SECONDS = 20.0  # for which a client may leave an answer unread; steady readers need 2 kB/s
LARGEST_HEAD = 32_768  # bytes of address and headers; browsers send 1 to 8 kB
END = b"\r\n\r\n"
REFUSAL = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n"


def make_deadline_protocol() -> type:
    """Uvicorn's own protocol, with a deadline for the head of every request and a limit on the first."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

    class DeadlineProtocol(base):  # type: ignore[misc]
        head: bytes = b""
        is_first: bool = True  # no request has begun yet
        is_between: bool = False  # a response has ended, and the next request has not begun
        deadline: Any = None
        unread: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.set_deadline()

        def data_received(self, data: bytes) -> None:
            if self.is_first:
                self.head += data[: LARGEST_HEAD + len(END)]
                size = self.head.find(END)
                if max(size, len(self.head) if size < 0 else 0) > LARGEST_HEAD:
                    self.cancel_deadline()
                    self.transport.write(REFUSAL)
                    self.transport.close()
                    return
                if size >= 0:
                    self.cancel_deadline()
                    self.is_first, self.head = False, b""
            elif self.is_between and self.deadline is None:
                self.set_deadline()  # for the rest of a refused body too, whose response has been sent
            before = self.cycle
            super().data_received(data)
            # a request began, or became a WebSocket, which has deadlines of its own
            if self.is_between and (self.cycle is not before or self.transport.get_protocol() is not self):
                self.is_between = False
                self.cancel_deadline()

        def on_response_complete(self) -> None:
            before = self.cycle
            self.is_between = True
            super().on_response_complete()  # which may begin a request that has arrived already
            self.is_between = self.cycle is before

        def pause_writing(self) -> None:
            super().pause_writing()
            self.unread = self.loop.call_later(READ_SECONDS, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            self.forget_unread()

        def forget_unread(self) -> None:
            if self.unread is not None:
                self.unread.cancel()
            self.unread = None

        def connection_lost(self, exc: Exception | None) -> None:
            self.cancel_deadline()
            self.forget_unread()
            super().connection_lost(exc)

        def set_deadline(self) -> None:
            self.deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

        def cancel_deadline(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
            self.deadline = None

    return DeadlineProtocol
