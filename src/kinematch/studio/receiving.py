"""Receiving: the body of a request as a file."""

from pathlib import Path
from typing import Any

from kinematch.errors import KinematchError

BYTES = "application/octet-stream"


async def receive_file(request: Any, path: Path, largest: int | None = None) -> None:
    """A request's body as a file; the guard has its own limit for all."""
    size = 0
    with path.open("wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if largest is not None and size > largest:
                raise KinematchError(f"the file is larger than {largest // 1_000_000} MB")
            file.write(chunk)
