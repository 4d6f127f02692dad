"""Filming: what was played goes to a page, which draws it frame by frame; its pictures come back and are encoded."""

import asyncio
import io
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from kinematch.draw.movie import write_movie
from kinematch.errors import KinematchError, unknown
from kinematch.studio.server.receiving import receive_file
from kinematch.studio.session.exporting import FILMS, find_formats
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio

MOST_STEPS = 1200  # in one answer
MOST_PICTURES = 7200  # two minutes at 60 a second
LARGEST_SIDE = 1920  # pixels
RATES = (10, 60)  # pictures a second, least and most
LENGTH = struct.Struct("<I")


def film_routes(studio: Studio) -> list[Any]:
    """Routes below /api."""
    from starlette.background import BackgroundTask
    from starlette.requests import Request
    from starlette.responses import FileResponse, Response
    from starlette.routing import Route

    encoding = asyncio.Semaphore(1)  # an encoder takes all cores that it gets

    async def played(request: Request) -> Response:
        given = request.query_params
        content = await asyncio.to_thread(pack_played, studio.stage, given.get("start", ""), given.get("stop", ""))
        return Response(content, media_type="application/octet-stream", headers={"cache-control": "no-store"})

    async def encode(request: Request) -> Response:
        kind, rate = _read_options(request.query_params)
        folder = tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True)
        try:
            sent, film = Path(folder.name) / "pictures", Path(folder.name) / f"film.{kind}"
            await receive_file(request, sent)
            async with encoding:
                await asyncio.to_thread(encode_film, film, sent, rate)
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(film, media_type=FILMS[kind], background=BackgroundTask(folder.cleanup))

    return [Route("/played", played), Route("/film", encode, methods=["POST"])]


def pack_played(stage: Stage, start: str, stop: str) -> bytes:
    """The frames of steps [start, stop) as they were sent, each after its length; a lineup's follows its step's."""
    if not all(text.isascii() and text.isdecimal() and len(text) < 10 for text in (start, stop)):
        raise KinematchError(f"steps {start[:20]!r} to {stop[:20]!r}, expected whole numbers")
    moments = stage.history.between(int(start), min(int(stop), int(start) + MOST_STEPS))
    frames = [frame for moment in moments for frame in (moment.picture.pack(), moment.lineup) if frame]
    return b"".join(LENGTH.pack(len(frame)) + frame for frame in frames)


def encode_film(path: Path, pictures: Path, rate: float) -> None:
    """Write a film of the JPEG pictures in a file, each after its length."""
    if not pictures.stat().st_size:
        raise KinematchError("a film needs at least one picture")
    write_movie(path, _read_pictures(pictures), rate)


def _read_pictures(path: Path) -> Iterator[Image.Image]:
    size = None
    with path.open("rb") as file:
        for count in range(MOST_PICTURES + 1):
            head = file.read(LENGTH.size)
            if not head:
                return
            if count == MOST_PICTURES:
                raise KinematchError(f"more than {MOST_PICTURES} pictures")
            content = file.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
            picture = _read_picture(content, count)
            if size not in (None, picture.size):
                raise KinematchError(f"picture {count} is {picture.size}, those before it {size}")
            size = picture.size
            yield picture


def _read_picture(content: bytes, number: int) -> Image.Image:
    try:
        picture = Image.open(io.BytesIO(content), formats=["JPEG"])
        if max(picture.size) > LARGEST_SIDE:
            raise KinematchError(f"picture {number} is {picture.size}, expected at most {LARGEST_SIDE} pixels a side")
        return picture.convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise KinematchError(f"picture {number} is not a JPEG: {error}") from None


def _read_options(query: Any) -> tuple[str, float]:
    kind, rate = query.get("format", ""), query.get("rate", "")
    films = [one for one in find_formats() if one in FILMS]
    if kind not in films:
        raise KinematchError(unknown("film format", kind, films))
    if not (rate.isascii() and rate.isdecimal() and len(rate) < 4) or not RATES[0] <= int(rate) <= RATES[1]:
        raise KinematchError(f"{rate[:20]!r} pictures a second, expected {RATES[0]} to {RATES[1]}")
    return kind, float(rate)
