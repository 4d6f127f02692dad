"""What pages fetch and send besides their stream: poses, the timeline, recordings, exports, presets and characters."""

import asyncio
import importlib.util
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import strftime
from typing import Any

import msgspec
import numpy as np

from kinematch.errors import FileError, KinematchError, unknown
from kinematch.learned.training.journal import list_journals
from kinematch.stream.layout import TIMELINE, pack
from kinematch.stream.picture import pack_stretch
from kinematch.studio.server.character_routes import character_routes
from kinematch.studio.server.receiving import BYTES, receive_file
from kinematch.studio.session.exporting import FORMATS, export
from kinematch.studio.session.filming import film_routes
from kinematch.studio.session.gallery import make_figure
from kinematch.studio.session.mesh_clips import dress_clip
from kinematch.studio.session.recording import SUFFIX, open_recording, save_recording
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio
from kinematch.studio.vr.routes import room_routes

ARCHIVE = "application/zip"
MOST_POSES = 3600  # frames in one answer
MOST_DOWNLOADS = 8  # files that are made and sent at a time


def api_routes(studio: Studio) -> list[Any]:
    """Routes below /api."""
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import FileResponse, Response
    from starlette.routing import Mount, Route

    downloads = 0  # that are being made or sent

    class Download(FileResponse):
        """A file whose folder is deleted once it is sent or its reader is gone."""

        def __init__(self, path: Path, kind: str, folder: tempfile.TemporaryDirectory[str]):
            super().__init__(path, media_type=kind, filename=path.name)
            self._folder = folder

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            nonlocal downloads
            try:
                await super().__call__(scope, receive, send)
            finally:
                downloads -= 1
                self._folder.cleanup()

    def answering(work: Callable[[Stage, Any], bytes]) -> Callable[..., Any]:
        """Work on another thread, so that poses keep flowing meanwhile."""

        async def endpoint(request: Request) -> Response:
            content = await asyncio.to_thread(work, studio.stage, request.query_params)
            return Response(content, media_type=BYTES, headers={"cache-control": "no-store"})

        return endpoint

    def written(work: Callable[[Stage, Any, Path], tuple[Path, str]]) -> Callable[..., Any]:
        """A file that is written to a place of its own, sent as a download and removed."""

        async def endpoint(request: Request) -> Response:
            nonlocal downloads
            if downloads >= MOST_DOWNLOADS:
                raise HTTPException(503, "too many downloads at once; try again when they are done")
            downloads += 1
            folder = tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True)
            try:
                path, kind = await asyncio.to_thread(work, studio.stage, request.query_params, Path(folder.name))
            except BaseException:
                downloads -= 1
                folder.cleanup()
                raise
            return Download(path, kind, folder)

        return endpoint

    def write_preset(_: Stage, query: Any, folder: Path) -> tuple[Path, str]:
        name = query.get("name", "")
        path = folder / studio.presets.path(name).name
        studio.presets.write(name, path)
        return path, "application/toml"

    async def training(_: Request) -> Response:
        """How the last trainings of learned models on this machine go."""
        found = await asyncio.to_thread(list_journals)
        return Response(
            msgspec.json.encode(found), media_type="application/json", headers={"cache-control": "no-store"}
        )

    async def open_sent(request: Request) -> Response:
        """A recording that was dropped on a page."""
        folder = tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True)
        path = Path(folder.name) / f"sent{SUFFIX}"
        try:
            await receive_file(request, path)
            stage = await asyncio.to_thread(_opened, path, request.query_params.get("name", "")[:200])
            stage.keep_alive = folder  # its arrays are mapped from the file
            studio.open_stage(stage)
        except BaseException:
            folder.cleanup()
            raise
        return Response(b"{}", media_type="application/json")

    routes: list[Any] = [
        Route("/poses", answering(_poses)),
        Route("/timeline", answering(_timeline)),
        Route("/export", written(_export)),
        Route("/recording", written(_recording)),
        Route("/recording", open_sent, methods=["POST"]),
        Route("/page", written(_page)),
        Route("/preset", written(write_preset)),
        *character_routes(studio),
        *film_routes(studio),
        Route("/training", training),
        Route("/figure", answering(_figure)),
        Mount("/room", routes=room_routes(studio.vr_session)),
    ]
    if importlib.util.find_spec("kinematch.studio.workshop.routes"):
        from kinematch.studio.workshop.routes import routes as workshop_routes

        made = workshop_routes(studio, lambda clip: dress_clip(clip, studio.stage))
        routes.append(Mount("/workshop", routes=made))
    return routes


def _opened(path: Path, name: str) -> Stage:
    try:
        stage = open_recording(path)
    except FileError as error:
        raise FileError(name or path.name, error.message) from None
    stage.path = ""
    return stage


def _poses(stage: Stage, query: Any) -> bytes:
    start = whole(query, "start", 0)
    stop = whole(query, "stop", start + 1)
    frames = stage.database.poses.frame_count
    if not start < stop <= frames or stop - start > MOST_POSES:
        raise KinematchError(
            f"frames {start} to {stop}: expected one to {MOST_POSES} of the {frames} frames of the database"
        )
    return pack_stretch(stage.source_view, stage.database.poses, start, stop)


def _timeline(stage: Stage, query: Any) -> bytes:
    character = whole(query, "character", 0)
    rows = []
    for moment in stage.history.between(whole(query, "start", 0), _stop(query)):
        arrays = moment.picture.arrays
        if character < len(arrays["frames"]):
            rows.append((moment.step, *(arrays[name][character] for name in ("frames", "bits", "costs"))))
    columns = list(zip(*rows)) or [(), (), (), ()]
    told = {name: np.array(column) for name, column in zip(("steps", "frames", "bits", "costs"), columns)}
    return pack(TIMELINE, {"character": character, "count": len(rows)}, told)


def _export(stage: Stage, query: Any, folder: Path) -> tuple[Path, str]:
    kind = query.get("format", "")
    if kind not in FORMATS:
        raise KinematchError(unknown("format", kind, FORMATS))
    path = folder / f"{_find_name(stage)}.{kind}"
    export(path, stage, start=whole(query, "start", 0), stop=_stop(query), character=whole(query, "character", 0))
    return path, FORMATS[kind]


def _recording(stage: Stage, query: Any, folder: Path) -> tuple[Path, str]:
    path = folder / f"{_find_name(stage)}{SUFFIX}"
    save_recording(path, stage, whole(query, "start", 0), _stop(query))
    return path, BYTES


def _page(stage: Stage, query: Any, folder: Path) -> tuple[Path, str]:
    """The stand-alone page of a stretch of the history, as an archive."""
    from kinematch.studio.session.standalone import export_page  # which needs the application, and that this module

    recording, name = folder / f"played{SUFFIX}", _find_name(stage)
    save_recording(recording, stage, whole(query, "start", 0), _stop(query))
    export_page(recording, folder / name)
    return Path(shutil.make_archive(str(folder / "page"), "zip", folder, name)).rename(folder / f"{name}.zip"), ARCHIVE


def _figure(_: Stage, query: Any) -> bytes:
    return make_figure(query.get("name", ""))


def _find_name(stage: Stage) -> str:
    """A file's name: the database's and the character's, and the time."""
    parts = [stage.name, stage.worn.name.rsplit(".", 1)[0] if stage.worn else "", strftime("%Y%m%d-%H%M%S")]
    return "-".join(re.sub(r"[^\w.-]+", "_", part)[:40] for part in parts if part)


def _stop(query: Any) -> int | None:
    return whole(query, "stop", 0) if query.get("stop") is not None else None


def whole(query: Any, name: str, default: int) -> int:
    """A number of the address's query; whole and not negative."""
    given = query.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdecimal()) or len(given) > 9:
        raise KinematchError(f"{name} is {given[:40]!r}, expected a whole number")
    return int(given)
