"""The workshop's routes of the web server: requests are checked, and errors answered with a message."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from kinematch.database import storage
from kinematch.database.features import KINDS
from kinematch.database.recipe import LARGEST_RECIPE
from kinematch.database.storage import Database
from kinematch.errors import FileError, KinematchError
from kinematch.files import READABLE
from kinematch.folders import find_cache_folder
from kinematch.motion.roles import ROLES
from kinematch.studio.session.library import LibraryMotion
from kinematch.studio.workshop import messages as m
from kinematch.studio.workshop.database_view import cell, database_info
from kinematch.studio.workshop.edits import edited
from kinematch.studio.workshop.job import Jobs
from kinematch.studio.workshop.preview import Dress, Previews, database_preview, file_preview, undressed
from kinematch.studio.workshop.project import check, kind_needs, listing, reference, save
from kinematch.studio.workshop.project_files import Project
from kinematch.studio.workshop.reports import Reports, file_reports, list_label_infos
from kinematch.studio.workshop.upload import Taken, TooLarge, receive

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

LARGEST_FILE = 200_000_000  # bytes of an upload
LARGEST_BODY = 4 * LARGEST_RECIPE  # bytes of a message: a recipe's text, escaped


class PlayedDatabase(Protocol):
    @property
    def database(self) -> Database: ...
    @property
    def name(self) -> str: ...


class Player(Protocol):
    """What the workshop needs from the studio."""

    path: Path | None  # what the studio was started with; None for the built-in motion

    @property
    def stage(self) -> PlayedDatabase: ...
    def open(self, motion: LibraryMotion) -> None: ...


def project_of(path: Path | None) -> Project:
    """The recipe that Build edits: the given one, that of the given folder, or one in the program's workspace."""
    if path is None:
        folder = find_cache_folder() / "workspace"
        folder.mkdir(parents=True, exist_ok=True)
        return Project(folder / "recipe.toml", temporary=True)
    if path.is_dir():  # as `kinematch play` chooses it
        recipes = sorted(path.glob("*.toml"))
        return Project(recipes[0] if len(recipes) == 1 else path / "recipe.toml")
    own, usual = path.with_suffix(".toml"), path.parent / "recipe.toml"
    return Project(usual if usual.exists() and not own.exists() else own)


def routes(studio: Player, dress: Dress = undressed) -> list["Route"]:
    """Everything below /api/workshop; `dress` puts previews on the character that the user wears."""
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import ClientDisconnect
    from starlette.responses import Response
    from starlette.routing import Route

    project = project_of(studio.path)
    reports, previews, jobs = Reports(), Previews(), Jobs()
    known: list[tuple[Database, bytes]] = []  # the last answer about the playing database

    def answer(value: Any, status: int = 200) -> "Response":
        return Response(msgspec.json.encode(value), status, media_type="application/json")

    def route(path: str, method: str, handler: Callable[["Request"], Awaitable["Response"]]) -> "Route":
        async def careful(request: "Request") -> "Response":
            try:
                return await handler(request)
            except TooLarge as error:
                return answer({"message": str(error)}, 413)
            except Taken as error:
                return answer({"message": str(error)}, 409)
            except FileError as error:
                return answer({"message": error.message, "file": error.path.name, "line": error.line}, 400)
            except (KinematchError, msgspec.MsgspecError, ValueError, RecursionError) as error:
                return answer({"message": str(error)}, 400)
            except OSError as error:  # a file that went away while a page showed it
                return answer({"message": error.strerror or str(error)}, 404)
            except ClientDisconnect:
                return answer({"message": "the page went away"}, 400)

        return Route(path, careful, methods=[method])

    async def body(request: "Request") -> bytes:
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > LARGEST_BODY:
                raise TooLarge(f"messages may have {LARGEST_BODY} bytes at most")
        return bytes(data)

    async def told(work: Callable[..., Any], *arguments: Any, **more: Any) -> "Response":
        return answer(await run_in_threadpool(work, *arguments, **more))

    async def binary(work: Callable[..., bytes], *arguments: Any, **more: Any) -> "Response":
        content = await run_in_threadpool(work, *arguments, **more)
        return Response(content, media_type="application/octet-stream")

    async def show_project(request: "Request") -> "Response":
        return await told(lambda: _project_info(project, jobs, studio.stage.database))

    async def check_text(request: "Request") -> "Response":
        text = msgspec.json.decode(await body(request), type=m.RecipeText).text
        return await told(check, project, text)

    async def save_text(request: "Request") -> "Response":
        text = msgspec.json.decode(await body(request), type=m.RecipeText).text
        return await told(save, project, text)

    async def edit(request: "Request") -> "Response":
        wanted = msgspec.json.decode(await body(request), type=m.EditRequest)
        return await told(lambda: save(project, edited(project, reports, wanted.text, wanted.edits)))

    async def download(request: "Request") -> "Response":
        name = project.recipe_path.name.replace('"', "_").encode("ascii", "replace").decode()
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(await run_in_threadpool(project.text), media_type="text/plain; charset=utf-8", headers=headers)

    async def list_folder(request: "Request") -> "Response":
        return await told(listing, project, request.query_params.get("under", ""))

    async def upload(request: "Request") -> "Response":
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > LARGEST_FILE:
            raise TooLarge(f"files may have {LARGEST_FILE // 1_000_000} MB at most")
        replace = request.query_params.get("replace") == "true"
        name = request.path_params["name"]
        path = await receive(project, name, request.stream(), largest=LARGEST_FILE, replace=replace)
        return answer({"path": project.relative(path.resolve())})

    async def report(request: "Request") -> "Response":
        wanted = msgspec.json.decode(await body(request), type=m.ReportRequest)
        return await told(file_reports, project, reports, wanted.files)

    async def preview(request: "Request") -> "Response":
        given = request.query_params
        name, which = given.get("file", ""), _read_number(given.get("clip", "0"))
        return await binary(file_preview, project, previews, name, which=which, dress=dress)

    def open_database(path: Path) -> None:
        studio.open(LibraryMotion(path.stem, str(path), storage.load(path)))

    async def start(request: "Request") -> "Response":
        if not project.recipe_path.exists():
            raise KinematchError("there is no recipe yet: add motion files first")
        return await told(jobs.start, project.recipe_path, open_database)

    async def job(request: "Request") -> "Response":
        return answer(jobs.info())

    async def cancel(request: "Request") -> "Response":
        return await told(jobs.cancel)

    def described() -> bytes:
        database = studio.stage.database
        if not known or known[0][0] is not database:
            known[:] = [(database, msgspec.json.encode(database_info(database, studio.stage.name)))]
        return known[0][1]

    async def show_database(request: "Request") -> "Response":
        return Response(await run_in_threadpool(described), media_type="application/json")

    async def show_cell(request: "Request") -> "Response":
        given = request.query_params
        row, column = _read_number(given.get("row", "-1")), _read_number(given.get("column", "-1"))
        return await told(cell, studio.stage.database, given.get("map", ""), row, column)

    async def clip(request: "Request") -> "Response":
        index = _read_number(request.path_params["index"])
        return await binary(database_preview, studio.stage.database, index, dress=dress)

    return [
        route("/project", "GET", show_project),
        route("/recipe", "PUT", save_text),
        route("/recipe/check", "POST", check_text),
        route("/recipe/edit", "POST", edit),
        route("/recipe/download", "GET", download),
        route("/files", "GET", list_folder),
        route("/files/{name:path}", "PUT", upload),
        route("/reports", "POST", report),
        route("/preview", "GET", preview),
        route("/build", "POST", start),
        route("/build", "GET", job),
        route("/build", "DELETE", cancel),
        route("/database", "GET", show_database),
        route("/database/cell", "GET", show_cell),
        route("/database/clips/{index}", "GET", clip),
    ]


def _read_number(text: str) -> int:
    """A whole number that indices can have; no index has more digits."""
    if not text.lstrip("-").isdecimal() or len(text) > 10:
        raise KinematchError(f"{text[:20]!r}, expected a whole number")
    return int(text)


def _project_info(project: Project, jobs: Jobs, playing: Database) -> m.ProjectInfo:
    stored = "" if project.temporary or project.recipe_path.exists() else playing.about.get("recipe", "")
    return m.ProjectInfo(
        folder=str(project.folder.resolve()),
        recipe=project.recipe_path.name,
        temporary=project.temporary,
        largest_upload=LARGEST_FILE,
        readable=list(READABLE),
        roles=list(ROLES),
        kinds=list(KINDS),
        kind_needs=kind_needs(),
        labels=list_label_infos(),
        reference=reference(),
        stored=stored if isinstance(stored, str) else "",
        checked=check(project, project.text()),
        job=jobs.info(),
    )
