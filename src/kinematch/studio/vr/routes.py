"""The room's part of the web server: characters that users wear, motions of simulated users, recordings of trackers."""

import asyncio
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kinematch.avatar.recordings import write_trackers
from kinematch.avatar.velocities import find_velocities
from kinematch.camera.model_file import MODELS, choose_model, find_address, find_place, set_up_model
from kinematch.errors import FileError, KinematchError, unknown
from kinematch.files import READABLE, read_clip
from kinematch.studio.server.permissions import SECRET, UNKNOWN_SECRET
from kinematch.studio.server.receiving import BYTES, receive_file
from kinematch.studio.session.avatar_mesh import KINDS, read_character
from kinematch.studio.vr.samples import to_poses
from kinematch.studio.vr.simulated_motions import pack_clip, pack_motion
from kinematch.studio.vr.user import VrUser
from kinematch.studio.vr.vr_session import VrSession

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

LARGEST_CHARACTER = 100_000_000  # bytes
LARGEST_CLIP = 100_000_000  # bytes
JSON = "application/json"


def room_routes(vr_session: VrSession) -> list[Any]:
    """Routes below /api/room."""
    from starlette.exceptions import HTTPException
    from starlette.responses import FileResponse, Response
    from starlette.routing import Route

    def user_of(request: "Request") -> VrUser:
        page = vr_session.pages.find(request.headers.get(SECRET, ""))
        if page is None:
            raise HTTPException(403, UNKNOWN_SECRET)
        return vr_session.find(page.client)

    def answer(content: bytes, kind: str = BYTES) -> "Response":
        return Response(content, media_type=kind, headers={"cache-control": "no-store"})

    async def motion(request: "Request") -> "Response":
        return answer(await asyncio.to_thread(pack_motion, request.query_params.get("name", "")[:200]))

    async def clip_motion(request: "Request") -> "Response":
        """A clip's file that a simulated user is to replay."""
        with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
            path, name = await receive_named(request, folder, READABLE, LARGEST_CLIP)
            try:
                return answer(await asyncio.to_thread(lambda: pack_clip(read_clip(path))))
            except FileError as error:
                raise FileError(name, error.message, line=error.line) from None

    async def wear(request: "Request") -> "Response":
        user = user_of(request)
        with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
            path, name = await receive_named(request, folder, KINDS, LARGEST_CHARACTER)
            worn = await asyncio.to_thread(read_character, path, name)
        await vr_session.change(user, worn=worn)
        return answer(b"{}", JSON)

    async def take_off(request: "Request") -> "Response":
        await vr_session.change(user_of(request), worn=None)
        return answer(b"{}", JSON)

    async def character(request: "Request") -> "Response":
        """The file that a user wears, for pages to draw."""
        number = request.query_params.get("user", "")
        found = [user for user in vr_session.room.users.values() if str(user.number) == number]
        worn = found[0].outfit.worn if found else None
        if worn is None:
            raise HTTPException(404, "no such user, or the user wears no character of a file")
        return answer(worn.content, "model/gltf-binary")

    async def recording(request: "Request") -> "Response":
        """The tracker samples that were kept, in the project's own format."""
        samples = list(user_of(request).recorded)
        if not samples:
            raise KinematchError("nothing was recorded yet")
        with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "trackers.jsonl"
            await asyncio.to_thread(lambda: write_trackers(path, find_velocities(to_poses(samples))))
            return answer(path.read_bytes(), "application/jsonl")

    async def pose_model(_: "Request") -> "Response":
        """The file of the pose model, for cameras of pages; nothing is downloaded."""
        path = await asyncio.to_thread(choose_model, vr_session.pose_model)
        return FileResponse(path, media_type=BYTES)

    async def pose_model_source(_: "Request") -> "Response":
        """Whether a model is here, and where one would come from: what users are asked before it is fetched."""
        return answer(msgspec.json.encode(await asyncio.to_thread(describe_source, vr_session.pose_model)), JSON)

    fetching = False

    async def fetch_pose_model(_: "Request") -> "Response":
        """Download the model to this machine's cache, which users asked for."""
        nonlocal fetching
        if fetching:
            raise HTTPException(409, "the model is being fetched already")
        fetching = True
        try:
            await asyncio.to_thread(set_up_model)
        finally:
            fetching = False
        return answer(b"{}", JSON)

    return [
        Route("/pose_model", pose_model),
        Route("/pose_model", fetch_pose_model, methods=["POST"]),
        Route("/pose_model/source", pose_model_source),
        Route("/recording", recording),
        Route("/motion", motion),
        Route("/motion", clip_motion, methods=["POST"]),
        Route("/character", character),
        Route("/character", wear, methods=["POST"]),
        Route("/character", take_off, methods=["DELETE"]),
    ]


def describe_source(model: str | Path) -> dict[str, Any]:
    """Whether the pose model is here; size, address and place of the one that would be fetched."""
    try:
        there = bool(choose_model(model))
    except KinematchError:
        there = False
    name = next(iter(MODELS))
    told = {"there": there, "bytes": MODELS[name].size, "address": find_address(name), "place": str(find_place(name))}
    return told | {"fetchable": not model}  # a model that was named with --model is not fetched


async def receive_named(request: "Request", folder: str, kinds: Collection[str], largest: int) -> tuple[Path, str]:
    """A file that was sent, and its name as the user knows it."""
    name = request.query_params.get("name", "")[:200]
    suffix = Path(name).suffix.lower()
    if suffix not in kinds:
        raise KinematchError(unknown("kind of file", suffix, kinds))
    path = Path(folder) / f"sent{suffix}"
    await receive_file(request, path, largest)
    return path, name
