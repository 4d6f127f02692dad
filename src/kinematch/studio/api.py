"""What pages fetch: stretches of the database, the timeline, recordings and exports."""

import asyncio
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from kinematch.errors import KinematchError
from kinematch.studio.layout import POSE, TIMELINE, pack, unpack
from kinematch.studio.picture import stretch_of
from kinematch.studio.presets import preset_text
from kinematch.studio.stage import Stage
from kinematch.studio.studio import Studio

MOST_POSES = 3600  # frames in one answer


def api_routes(studio: Studio) -> list[Any]:
    """Routes below /api."""
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    def answering(work: Callable[[Stage, Any], tuple[bytes, str, str]]) -> Callable:
        """Work on another thread, so that poses keep flowing; a file's name makes the answer a download."""

        async def endpoint(request: Request) -> Response:
            content, kind, name = await asyncio.to_thread(work, studio.stage, request.query_params)
            headers = {"cache-control": "no-store"}
            if name:
                headers["content-disposition"] = f'attachment; filename="{name}"'
            return Response(content, media_type=kind, headers=headers)

        return endpoint

    def preset(stage: Stage, query: Any) -> tuple[bytes, str, str]:
        name = query.get("name", "")
        settings = studio.presets.load(name) if name else stage.settings["a"]
        return preset_text(settings).encode(), "application/toml", "settings.toml"

    routes: list[Any] = [
        Route("/poses", answering(_poses)),
        Route("/timeline", answering(_timeline)),
        Route("/preset", answering(preset)),
    ]
    if importlib.util.find_spec("kinematch.studio.workshop.routes"):
        from kinematch.studio.workshop.routes import routes as workshop_routes

        routes.append(Mount("/workshop", routes=workshop_routes(studio)))
    return routes


def _poses(stage: Stage, query: Any) -> tuple[bytes, str, str]:
    start = whole(query, "start", 0)
    stop = whole(query, "stop", start + 1)
    frames = stage.database.poses.frame_count
    if not start < stop <= frames or stop - start > MOST_POSES:
        raise KinematchError(
            f"frames {start} to {stop}: expected at most {MOST_POSES} of the {frames} of the database, at least one"
        )
    return stretch_of(stage.view, stage.database.poses, start, stop), "application/octet-stream", ""


def _timeline(stage: Stage, query: Any) -> tuple[bytes, str, str]:
    start, character = whole(query, "start", 0), whole(query, "character", 0)
    stop = whole(query, "stop", 2**32 - 1)
    rows = []
    for moment in stage.history.between(start, stop):
        _, arrays = unpack(POSE, moment.frame)
        if character < len(arrays["frames"]):
            rows.append((moment.step, *(arrays[name][character] for name in ("frames", "bits", "costs"))))
    columns = list(zip(*rows)) or [(), (), (), ()]
    arrays = {name: np.array(column) for name, column in zip(("steps", "frames", "bits", "costs"), columns)}
    content = pack(TIMELINE, {"character": character, "count": len(rows)}, arrays)
    return content, "application/octet-stream", ""


def whole(query: Any, name: str, default: int) -> int:
    """A number of the address's query; whole and not negative."""
    given = query.get(name)
    if given is None:
        return default
    if not given.isdecimal() or len(given) > 10:
        raise KinematchError(f"{name} is {given[:40]!r}, expected a whole number")
    return int(given)
