"""Receiving: the body of a request as a file."""

from pathlib import Path
from typing import Any

from kinematch.errors import KinematchError

BYTES = "application/octet-stream"


async def receive_file(request: Any, path: Path, largest: int | None = None) -> None:
    """Write a request's body to a file, which stays only if all of it arrives; the guard has its own limit for all.

    Raises starlette's ClientDisconnect when the client cancels; the application ends such requests quietly.
    """
    size = 0
    try:
        with path.open("wb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if largest is not None and size > largest:
                    raise KinematchError(f"the file is larger than {largest // 1_000_000} MB")
                file.write(chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
