"""The workshop's web interface: uploads with their limits, recipes with their lines, builds, cancels and the swap."""

import asyncio
import json
import os
import shutil
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.database import storage
from kinematch.database.build import build
from kinematch.files import write_clip
from kinematch.studio.server.permissions import Permissions, check_routes
from kinematch.studio.workshop import routes as web
from kinematch.studio.workshop import trial
from kinematch.studio.workshop.upload import safe_name
from kinematch.synth import motions, perform


def finish(work) -> None:
    """Run to its end in a thread of its own: a browser that other tests drive may have this one's loop running."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


class Player:
    """A studio that plays nothing, and remembers what it was given to open."""

    def __init__(self, path, database):
        self.path = path
        self.stage = SimpleNamespace(database=database, name="first")
        self.opened = []
        self.permissions = Permissions()

    def open(self, motion):
        self.opened.append(Path(motion.path))
        self.stage = SimpleNamespace(database=motion.database, name=motion.name)


class Web:
    """Requests to an application without a server."""

    def __init__(self, player):
        from starlette.applications import Starlette
        from starlette.routing import Mount

        self.player = player
        routes = check_routes([Mount("/api/workshop", routes=web.routes(player))], player.permissions)
        self.application = Starlette(routes=routes)

    def raw(self, method, path, *chunks, headers=()):
        route, _, query = f"/api/workshop{path}".partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": route, "raw_path": route.encode(), "root_path": "", "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers], "client": ("127.0.0.1", 1),
        }  # fmt: skip
        waiting = [{"type": "http.request", "body": c, "more_body": k < len(chunks) - 1} for k, c in enumerate(chunks)]
        waiting = waiting or [{"type": "http.request", "body": b"", "more_body": False}]
        sent = []

        async def receive():
            return waiting.pop(0) if waiting else {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        finish(self.application(scope, receive, send))
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])

    def json(self, method, path, value=None, status=200):
        got, body = self.raw(method, path, *([json.dumps(value).encode()] if value is not None else []))
        assert got == status, body
        return json.loads(body)


@pytest.fixture(scope="session")
def walks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walks")
    for name, motion in zip("ab", motions()):
        clip = perform(motion, seed=[0, 0]).clip
        write_clip(folder / f"{name}.bvh", clip.frames(0, 150))
    return folder


@pytest.fixture(scope="session")
def database(walks):
    recipe = walks / "all.toml"
    recipe.write_text('[[source]]\nfiles = ["*.bvh"]\ntags = ["walk"]\n')
    return build(recipe).database


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture
def page(folder, database):
    return Web(Player(folder, database))


def test_a_dropped_file_is_examined_taken_and_built_and_then_plays(page, walks, folder):
    assert page.json("GET", "/project")["checked"]["text"] == ""
    got, body = page.raw("PUT", "/files/a.bvh", (walks / "a.bvh").read_bytes())
    assert (got, json.loads(body)) == (200, {"path": "a.bvh"})
    report = page.json("POST", "/reports", {"files": ["a.bvh"]})[0]
    assert report["buildable"]
    assert report["frames"] == 150
    checked = page.json("POST", "/recipe/edit", {"text": "", "edits": [{"type": "take", "files": ["a.bvh"]}]})
    assert checked["saved"]
    assert checked["files"] == [{"path": "a.bvh", "name": "a", "source": 0}]
    assert (folder / "recipe.toml").read_text() == checked["text"]
    job = page.json("POST", "/build")
    assert job["state"] == "running"
    assert page.json("POST", "/build", status=400)["message"].startswith("a build is running")
    job = finished(page)
    assert job["state"] == "done", job
    assert page.player.opened == [Path(job["database"])]
    assert storage.load(job["database"]).poses.clip_names[0] == "a"
    assert page.json("GET", "/database")["clips"][0]["name"] == "a"


def finished(page, seconds=120):
    end = time.monotonic() + seconds
    while (job := page.json("GET", "/build"))["state"] == "running":
        assert time.monotonic() < end, job
        time.sleep(0.05)
    return job


def test_a_cancelled_build_leaves_what_was_there(page, walks, folder):
    shutil.copy(walks / "a.bvh", folder)
    page.json("PUT", "/recipe", {"text": 'output = "x.kinematch"\n\n[[source]]\nfiles = ["a.bvh"]\n'})
    (folder / "x.kinematch").write_bytes(b"an earlier one")
    page.json("POST", "/build")
    assert page.json("DELETE", "/build")["state"] == "cancelled"
    time.sleep(0.3)
    assert page.json("GET", "/build")["state"] == "cancelled"
    assert (folder / "x.kinematch").read_bytes() == b"an earlier one"
    assert page.player.opened == []


def test_a_build_that_fails_says_why_and_where(page, folder):
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0\n")
    page.json("PUT", "/recipe", {"text": '[[source]]\nfiles = ["broken.bvh"]\n'})
    page.json("POST", "/build")
    job = finished(page)
    assert job["state"] == "failed"
    assert job["file"].endswith("broken.bvh")
    assert job["line"] == 4
    report = page.json("POST", "/reports", {"files": ["broken.bvh"]})[0]
    assert not report["buildable"]
    assert "line 4" in report["findings"][0]["what"]


@pytest.mark.parametrize(
    "name", ["../x.bvh", "..%2f..%2fx.bvh", "/etc/x.bvh", "..\\x.bvh", "a/../../x.bvh", "%00x.bvh", ".bvh"]
)
def test_names_of_uploads_cannot_lead_out_of_the_folder(page, folder, walks, name):
    from urllib.parse import unquote

    page.raw("PUT", f"/files/{unquote(name)}", (walks / "a.bvh").read_bytes())
    assert not (folder.parent / "x.bvh").exists()
    assert {path.parent for path in folder.rglob("*") if path.is_file()} <= {folder}


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", "a\0b"])
def test_reports_previews_and_listings_stay_in_the_folder(page, name):
    files = json.dumps({"files": [name]}).encode()
    for answer in (
        page.raw("POST", "/reports", files),
        page.raw("GET", f"/preview?file={quote(name)}"),
        page.raw("GET", f"/files?under={quote(name)}"),
    ):
        status, body = answer
        assert status == 400
        assert b"root:" not in body


@pytest.mark.parametrize(
    ("given", "kept"), [("Walk 1.BVH", "Walk 1.bvh"), ("C:\\me\\a.bvh", "a.bvh"), ("ü?.glb", "ü_.glb")]
)
def test_names_are_made_fit_for_every_file_system(given, kept):
    assert safe_name(given) == kept


def test_uploads_are_limited_in_kind_and_size_and_leave_nothing_behind(page, folder, walks, monkeypatch):
    motion = (walks / "a.bvh").read_bytes()
    for name, content in {
        "a.exe": motion,
        "a.c3d": motion,
        "a.bvh": b"MZ\x90\0" * 100,
        "b.glb": b"PK\x03\x04 zip",
    }.items():
        status, body = page.raw("PUT", f"/files/{name}", content)
        assert status == 400, name
        assert json.loads(body)["message"]
    monkeypatch.setattr(web, "LARGEST_FILE", 1000)
    assert page.raw("PUT", "/files/a.bvh", *[motion[k : k + 500] for k in range(0, 3000, 500)])[0] == 413
    assert page.raw("PUT", "/files/a.bvh", headers=[("content-length", "100000")])[0] == 413
    assert list(folder.iterdir()) == []


def test_a_name_that_is_taken_is_replaced_only_on_request(page, folder, walks):
    (folder / "a.bvh").write_text("mine")
    motion = (walks / "a.bvh").read_bytes()
    assert page.raw("PUT", "/files/a.bvh", motion)[0] == 409
    assert (folder / "a.bvh").read_text() == "mine"
    assert page.raw("PUT", "/files/a.bvh?replace=true", motion)[0] == 200
    assert (folder / "a.bvh").read_bytes() == motion


def test_an_upload_that_takes_too_long_to_read_is_refused(page, folder, walks, monkeypatch):
    monkeypatch.setattr("kinematch.studio.workshop.trial.SECONDS", 0.001)
    status, answer = page.raw("PUT", "/files/slow.bvh", (walks / "a.bvh").read_bytes())
    assert status == 400
    assert "takes more than" in json.loads(answer)["message"]
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
def test_uploads_are_read_by_forks_of_one_process_that_may_end(page, folder, walks):
    motion = (walks / "a.bvh").read_bytes()
    ends = []
    for name in ("a", "b", "c"):
        assert page.raw("PUT", f"/files/{name}.bvh", motion)[0] == 200
        ends.append(trial._readers.process)
        if name == "b":
            trial._readers.process.kill()
            trial._readers.process.wait()
    assert ends[0] is ends[1]
    assert ends[2] is not ends[1]


def test_an_upload_broken_off_leaves_nothing(page, folder, walks):
    motion = (walks / "a.bvh").read_bytes()
    route = "/api/workshop/files/a.bvh"
    scope = {"type": "http", "method": "PUT", "path": route, "raw_path": route.encode(), "root_path": "",
             "query_string": b"", "headers": [], "http_version": "1.1", "scheme": "http"}  # fmt: skip
    waiting = [{"type": "http.request", "body": motion[:5000], "more_body": True}, {"type": "http.disconnect"}]

    async def receive():
        return waiting.pop(0)

    async def send(message):
        pass

    finish(page.application(scope, receive, send))
    assert list(folder.iterdir()) == []


def test_recipes_are_checked_by_line_and_garbage_is_answered_in_words(page):
    told = page.json("POST", "/recipe/check", {"text": "[[source]]\nfiles = [\n"})
    assert told["recipe"] is None
    assert told["problems"][0]["line"] == 2
    for body in (b"", b"{", b'{"text": 3}', b'{"edits": [{"type": "explode"}], "text": ""}', b"\xff\xfe"):
        status, answer = page.raw("POST", "/recipe/edit", body)
        assert status == 400
        assert json.loads(answer)["message"]
    assert page.json("POST", "/build", status=400)["message"].startswith("there is no recipe yet")


def tensors(content):
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    about = json.loads(header.pop("__metadata__")["clip"])
    kinds = {"F32": np.float32, "U8": np.uint8}
    arrays = {
        name: np.frombuffer(content[8 + size :][slice(*one["data_offsets"])], kinds[one["dtype"]]).reshape(one["shape"])
        for name, one in header.items()
    }
    return about, arrays


def test_a_file_can_be_looked_at_before_and_after_it_is_in_the_recipe(page, folder, walks):
    shutil.copy(walks / "a.bvh", folder)
    about, arrays = tensors(page.raw("GET", "/preview?file=a.bvh")[1])
    assert about["grounded"]
    assert arrays["positions"].shape == (*arrays["rotations"].shape[:2], 3)
    assert arrays["features"].shape[1] == 0
    text = '[[source]]\nfiles = ["a.bvh"]\ntrim = [0.5, 1.0]\n\n[[feature]]\nkind = "position"\njoint = "head"\n'
    page.json("PUT", "/recipe", {"text": text})
    about, arrays = tensors(page.raw("GET", "/preview?file=a.bvh")[1])
    assert about["duration"] > 2  # the whole file, so that it can be trimmed
    assert arrays["features"].shape[1] == 3
    head = arrays["features"][10] @ [0, 1, 0]
    assert arrays["positions"][10, about["skeleton"]["roles"]["head"], 1] == pytest.approx(head, abs=1e-3)


def test_clips_of_the_database_come_with_features_and_contacts(page, database):
    about, arrays = tensors(page.raw("GET", "/database/clips/1")[1])
    assert about["name"] == "b"
    frame = int(database.poses.clip_starts[1]) + 20 * about["step"]
    np.testing.assert_allclose(arrays["features"][20], database.features.physical(np.array([frame]))[0], atol=1e-5)
    np.testing.assert_array_equal(arrays["contacts"][20], database.poses.contacts[frame])
    assert page.raw("GET", "/database/clips/7")[0] == 400


def test_the_cells_of_the_coverage_maps_add_up_to_their_stretches(page, database):
    info = page.json("GET", "/database")["coverage"]
    for which, table in (("turn", info["speed_turn"]), ("direction", info["speed_direction"])):
        values = np.array(table)
        row, column = np.unravel_index(values.argmax(), values.shape)
        told = page.json("GET", f"/database/cell?map={which}&row={row}&column={column}")
        assert told["seconds"] == pytest.approx(values[row, column], abs=2e-3)
        assert sum(one["seconds"] for one in told["stretches"]) >= told["seconds"] - 1e-6
    assert page.json("GET", "/database/cell?map=turn&row=0&column=99")["stretches"] == []
    assert page.raw("GET", "/database/cell?map=nothing&row=0&column=0")[0] == 400


def test_build_edits_the_recipe_that_is_played(tmp_path, monkeypatch):
    assert web.project_of(tmp_path).recipe_path == tmp_path / "recipe.toml"
    (tmp_path / "mine.toml").touch()
    assert web.project_of(tmp_path).recipe_path == tmp_path / "mine.toml"
    assert web.project_of(tmp_path / "mine.kinematch").recipe_path == tmp_path / "mine.toml"
    (tmp_path / "recipe.toml").touch()
    assert web.project_of(tmp_path).recipe_path == tmp_path / "recipe.toml"
    assert web.project_of(tmp_path / "other.kinematch").recipe_path == tmp_path / "recipe.toml"
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "cache"))
    assert web.project_of(None).temporary


def test_who_watches_looks_at_everything_and_changes_nothing(page, walks):
    steering = page.player.permissions.pages.join()
    assert page.json("GET", "/project", status=200)["job"]["state"] == "none"
    page.json("POST", "/reports", {"files": []})
    for method, path in [("PUT", "/recipe"), ("POST", "/recipe/edit"), ("PUT", "/files/a.bvh"), ("POST", "/build"),
                         ("DELETE", "/build")]:  # fmt: skip
        got, body = page.raw(method, path, b"{}")
        assert (got, b"another page is steering" in body) == (403, True)
    mine = [("x-kinematch-secret", steering.secret)]
    assert page.raw("PUT", "/files/a.bvh", (walks / "a.bvh").read_bytes(), headers=mine)[0] == 200


def test_a_database_without_its_recipe_offers_the_one_it_remembers(database, folder):
    (folder / "walks.kinematch").touch()
    page = Web(Player(folder / "walks.kinematch", database))
    stored = page.json("GET", "/project")["stored"]
    assert stored == database.about["recipe"]
    assert page.json("PUT", "/recipe", {"text": stored})["recipe"]
    assert page.json("GET", "/project")["stored"] == ""
    assert (folder / "walks.toml").read_text() == stored


def test_missing_files_and_absurd_numbers_are_answered_in_words(page):
    assert page.raw("GET", "/preview?file=nothing.bvh")[0] == 404
    many = "9" * 5000
    for address in (
        f"/database/clips/{many}",
        f"/preview?file=a.bvh&clip={many}",
        f"/database/cell?row={many}&column=x",
    ):
        status, body = page.raw("GET", address)
        assert status == 400
        assert b"expected a whole number" in body


@pytest.fixture
def elsewhere(tmp_path_factory, walks):
    """A folder that is not the project's, with a motion file."""
    place = tmp_path_factory.mktemp("elsewhere")
    shutil.copy(walks / "a.bvh", place / "secret.bvh")
    return place


def recipe_of(*files: str, more: str = "") -> str:
    return f"{more}[[source]]\nfiles = {json.dumps(files)}\n"


def test_recipes_of_pages_name_nothing_outside_the_project(page, folder, walks, elsewhere):
    shutil.copy(walks / "a.bvh", folder)
    (folder / "linked").symlink_to(elsewhere, target_is_directory=True)
    (folder / "link.bvh").symlink_to(elsewhere / "secret.bvh")
    up = "../" * len(folder.parts)
    texts = [
        recipe_of(one)
        for one in (
            f"{elsewhere}/*",
            f"{up[:-1]}{elsewhere}/*",
            "linked/*",
            "link*/*",
            "**/*.bvh",
            "l*.bvh",
            "link.bvh",
        )
    ]
    texts += [recipe_of("a.bvh", more=f'output = "{place}/x.kinematch"\n') for place in (elsewhere, "linked")]
    texts += [recipe_of("a.bvh") + f"{key}\n" for key in ('tpose = "linked/secret.bvh"', 'exclude = ["linked/s*"]')]
    for text in texts:
        checked = page.json("POST", "/recipe/check", {"text": text})
        assert checked["files"] == [], text
        assert "folder" in checked["problems"][0]["message"]
        assert "secret" not in json.dumps(checked).replace("linked/secret", "")
        assert page.raw("PUT", "/recipe", json.dumps({"text": text}).encode())[0] == 400
        take = {"text": text, "edits": [{"type": "leave_out", "file": "a.bvh"}]}
        assert page.raw("POST", "/recipe/edit", json.dumps(take).encode())[0] == 400
        assert not (folder / "recipe.toml").exists()
    assert page.json("POST", "/recipe/check", {"text": recipe_of("a.bvh")})["problems"] == []
    assert [one["path"] for one in page.json("GET", "/files")["files"]] == ["a.bvh"]
    assert page.raw("GET", "/files?under=linked")[0] == 400
    assert page.raw("PUT", "/files/link.bvh?replace=true", (walks / "b.bvh").read_bytes())[0] == 400
    assert (elsewhere / "secret.bvh").read_bytes() == (walks / "a.bvh").read_bytes()


def test_a_link_that_init_takes_can_be_looked_at_and_edited(page, folder, walks, elsewhere):
    shutil.copy(walks / "b.bvh", folder)
    (folder / "link.bvh").symlink_to(elsewhere / "secret.bvh")
    assert main(["init", str(folder)]) == 0
    assert {one["path"]: one["used"] for one in page.json("GET", "/files")["files"]} == {
        "b.bvh": True,
        "link.bvh": True,
    }
    assert page.json("POST", "/reports", {"files": ["link.bvh"]})[0]["frames"] == 150
    assert page.raw("GET", "/preview?file=link.bvh")[0] == 200
    text = (folder / "recipe.toml").read_text()
    checked = page.json("PUT", "/recipe", {"text": text + "# mine\n"})
    assert len(checked["files"]) == 2
    edits = [{"type": "set_for_files", "files": ["link.bvh"], "values": {"tags": ["far"]}, "whole": False}]
    edited = page.json("POST", "/recipe/edit", {"text": checked["text"], "edits": edits})
    assert edited["problems"] == []
    assert {one["path"]: one["source"] for one in edited["files"]} == {"b.bvh": 0, str(elsewhere / "secret.bvh"): 1}
