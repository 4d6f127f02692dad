"""The user's own characters: a file that was dropped on a page, its fit, and its companions."""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kinematch.errors import KinematchError, unknown
from kinematch.files.gltf_read import read_gltf
from kinematch.motion.roles import ROLES, missing_roles
from kinematch.studio.server.receiving import receive_file
from kinematch.studio.session.avatar_mesh import KINDS, OwnCharacter, describe_fit, read_character, try_on
from kinematch.studio.session.fitting import LARGEST_FIT, CharacterFit, find_digest, load_fit, parse_fit, save_fit
from kinematch.studio.session.lineup import add_member, make_member
from kinematch.studio.session.studio import Studio

LARGEST_CHARACTER = 100_000_000  # bytes of a character's file, which is kept while it is worn


@dataclass
class _Sent:
    """The file that was sent last, worn or not: one that does not fit can be mended."""

    name: str = ""
    content: bytes = b""
    fit: CharacterFit | None = None  # as changed, while it does not fit yet


def character_routes(studio: Studio) -> list[Any]:
    """Routes below /api."""
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    sent = _Sent()

    def answer(value: Any) -> Response:
        return Response(msgspec.json.encode(value), media_type="application/json")

    async def put_on(fit: CharacterFit | None = None) -> Response:
        sent.fit = fit
        worn = await asyncio.to_thread(_read_sent, sent, fit)
        retargeting = await asyncio.to_thread(try_on, worn, studio.stage.database.poses.skeleton)
        await studio.wear(worn)
        if fit is not None:
            save_fit(find_digest(sent.content), fit)
        return answer({"joints": len(retargeting.joints), "notes": describe_fit(retargeting)})

    async def receive(request: Request) -> _Sent:
        name = request.query_params.get("name", "")[:200]
        suffix = Path(name).suffix.lower()
        if suffix not in KINDS:
            raise KinematchError(unknown("kind of file", suffix, KINDS))
        with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / f"character{suffix}"
            await receive_file(request, path, LARGEST_CHARACTER)
            return _Sent(name, path.read_bytes())

    async def wear(request: Request) -> Response:
        """A character's file that was dropped on a page: all characters are shown with it from now on."""
        one = await receive(request)
        sent.name, sent.content, sent.fit = one.name, one.content, None
        return await put_on()

    async def line_up(request: Request) -> Response:
        """One more character, which walks beside the first on the same motion."""
        worn = await asyncio.to_thread(_read_sent, await receive(request), None)
        one = await asyncio.to_thread(make_member, worn, studio.stage.database.poses.skeleton)
        await studio.recast(lambda stage: add_member(stage.lineup, one, stage.crowds["a"]))
        return answer({"notes": describe_fit(one.retargeting)})

    async def disperse(_: Request) -> Response:
        await studio.recast(lambda stage: stage.lineup.members.clear())
        return answer({})

    async def member(request: Request) -> Response:
        """The file of a character in the lineup."""
        index = request.query_params.get("index", "")
        lineup = studio.stage.lineup.members
        if not index.isdecimal() or int(index[:4]) >= len(lineup):
            raise HTTPException(404, f"no character {index[:8]!r} in a lineup of {len(lineup)}")
        content = lineup[int(index[:4])].worn.content
        return Response(content, media_type="model/gltf-binary", headers={"cache-control": "no-store"})

    async def take_off(_: Request) -> Response:
        await studio.wear(None)
        return answer({})

    async def character(_: Request) -> Response:
        """The file of the character that is worn, for pages to draw."""
        worn = studio.stage.worn
        if worn is None or not worn.content:
            raise HTTPException(404, "there is no character file to draw")
        return Response(worn.content, media_type="model/gltf-binary", headers={"cache-control": "no-store"})

    async def show_fit(_: Request) -> Response:
        if not sent.content:
            raise HTTPException(404, "no character was sent yet")
        return answer(await asyncio.to_thread(_describe_sent, sent))

    async def change_fit(request: Request) -> Response:
        if not sent.content:
            raise HTTPException(404, "no character was sent yet")
        with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "fit.json"
            await receive_file(request, path, LARGEST_FIT)
            fit = parse_fit(path.read_bytes())
        return await put_on(fit)

    return [
        Route("/character", character),
        Route("/character", wear, methods=["POST"]),
        Route("/character", take_off, methods=["DELETE"]),
        Route("/lineup", member),
        Route("/lineup", line_up, methods=["POST"]),
        Route("/lineup", disperse, methods=["DELETE"]),
        Route("/character/fit", show_fit),
        Route("/character/fit", change_fit, methods=["POST"]),
    ]


def _read_sent(sent: _Sent, fit: CharacterFit | None) -> OwnCharacter:
    with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"character{Path(sent.name).suffix.lower()}"
        path.write_bytes(sent.content)
        return read_character(path, sent.name, fit)


def _describe_sent(sent: _Sent) -> dict[str, Any]:
    """Roles and rest pose as pages show them, also of a file that cannot be worn yet."""
    fit = sent.fit or load_fit(find_digest(sent.content))
    with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"character{Path(sent.name).suffix.lower()}"
        path.write_bytes(sent.content)
        skeleton = read_gltf(path, roles=dict(fit.roles) or None, meshes=False).skeleton
    missing = missing_roles(skeleton.roles)
    return {
        "name": sent.name,
        "joints": list(skeleton.names),
        "possible": list(ROLES),
        "roles": {role: skeleton.names[joint] for role, joint in skeleton.roles.items()},
        "forced": dict(fit.roles),
        "rest": {role: list(turns) for role, turns in fit.rest.items()},
        "missing": list(missing),
        "problems": [f"No joint plays {role.replace('_', ' ')}: choose one below." for role in missing],
    }
