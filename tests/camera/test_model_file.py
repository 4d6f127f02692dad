"""The model file: found, copied or downloaded from loopback, and never taken unchecked."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from kinematch.camera import model_file
from kinematch.camera.model_file import MODELS, PublishedModel, find_model, find_place, set_up_model
from kinematch.cli.main import main
from kinematch.errors import FileError, KinematchError

CONTENT = b"PK" + bytes(200_000)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache of its own, and a published model that is small."""
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(model_file.VARIABLE, raising=False)
    monkeypatch.setitem(MODELS, "full", PublishedModel(len(CONTENT), hashlib.sha256(CONTENT).hexdigest()))
    return tmp_path


@pytest.fixture
def served():
    """An address on this machine, and what it serves."""
    answer = {"content": CONTENT}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer["content"])))
            self.end_headers()
            self.wfile.write(answer["content"])

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/model.task", answer
    server.shutdown()
    thread.join()
    server.server_close()


def test_without_a_model_it_says_what_to_fetch_and_where_to_put_it():
    with pytest.raises(KinematchError, match="kinematch camera setup") as told:
        find_model()
    assert str(find_place("full")) in str(told.value)
    assert "https://" in str(told.value)


def test_a_model_is_downloaded_once_with_progress(served):
    address, answer = served
    steps = []
    place = set_up_model(address=address, progress=lambda done, total: steps.append((done, total)))
    assert find_model() == place
    assert steps[-1] == (len(CONTENT), len(CONTENT))
    answer["content"] = b"gone"
    assert set_up_model(address=address) == place


def test_the_environment_overrides_the_address(served, monkeypatch, capsys):
    monkeypatch.setenv(model_file.VARIABLE, served[0])
    assert main(["camera", "setup"]) == 0
    assert "SHA-256 as published" in capsys.readouterr().out


def test_a_changed_download_is_not_kept(served):
    address, answer = served
    answer["content"] = CONTENT[:-1] + b"x"
    with pytest.raises(FileError, match="is not the published model"):
        set_up_model(address=address)
    assert not find_place("full").exists()
    assert list(find_place("full").parent.iterdir()) == []


def test_offline_it_says_where_to_put_the_file():
    with pytest.raises(KinematchError, match="put it at") as told:
        set_up_model(address="http://127.0.0.1:9/none")
    assert str(find_place("full")) in str(told.value)


def test_only_web_addresses_are_fetched(folder):
    (folder / "secret").write_bytes(CONTENT)
    with pytest.raises(KinematchError, match="expected one that begins with"):
        set_up_model(address=f"file://{folder / 'secret'}")


def test_a_file_is_copied_into_the_cache(folder, capsys):
    (folder / "own.task").write_bytes(CONTENT)
    assert main(["camera", "setup", "--model", str(folder / "own.task")]) == 0
    assert find_model().read_bytes() == CONTENT


def test_a_wrong_file_is_named(folder, capsys):
    (folder / "wrong.task").write_bytes(b"hello")
    with pytest.raises(FileError, match="is not a pose model"):
        find_model(folder / "wrong.task")
    assert main(["camera", "setup", "--model", str(folder / "wrong.task")]) == 2
    assert "5 bytes, expected" in capsys.readouterr().err


def test_a_model_in_the_cache_that_was_damaged_is_refused(folder):
    place = find_place("full")
    place.parent.mkdir(parents=True)
    place.write_bytes(CONTENT[:100])
    with pytest.raises(FileError, match="is not the published model"):
        find_model()
