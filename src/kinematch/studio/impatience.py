"""Connections that say nothing, or too much before they say what they want, are closed before any work is done."""

from typing import Any

HEAD_SECONDS = 10.0  # from a connection to the end of its first request's headers
LARGEST_HEAD = 32_768  # bytes of address and headers; browsers send 1 to 8 kB
END = b"\r\n\r\n"
REFUSAL = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n"


def make_impatient_protocol() -> type:
    """Uvicorn's own protocol, with a deadline and a limit on the first request of a connection."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

    class ImpatientProtocol(base):
        head: bytes = b""
        deadline: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.deadline = self.loop.call_later(HEAD_SECONDS, transport.close)

        def data_received(self, data: bytes) -> None:
            if self.deadline is not None:
                self.head += data[: LARGEST_HEAD + len(END)]
                size = self.head.find(END)
                if max(size, len(self.head) if size < 0 else 0) > LARGEST_HEAD:
                    self.deadline.cancel()
                    self.transport.write(REFUSAL)
                    self.transport.close()
                    return
                if size >= 0:
                    self.deadline.cancel()
                    self.deadline, self.head = None, b""
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
            super().connection_lost(exc)

    return ImpatientProtocol
