"""A recording as a page without a server: its frames, its reasons, and a real browser that plays it."""

import functools
import gzip
import http.server
import json
import struct
import threading
from pathlib import Path

import numpy as np
import pytest

from kinematch.errors import FileError
from kinematch.stream.layout import POSE, unpack
from kinematch.studio.server.messages import StickMessage
from kinematch.studio.session.recording import save_recording
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.standalone import DATA, FINEST, export_page


@pytest.fixture(scope="module")
def recorded(database, tmp_path_factory) -> tuple[Path, Stage]:
    stage = Stage(database, name="small", path="/home/someone/secret/small.kinematch")
    stage.set_terrain("stairs")
    stage.pilot.steer(StickMessage(1, 0.0, 1.0))
    for step in range(120):
        if step == 60:
            stage.set_crowd(3)
        stage.advance()
    path = tmp_path_factory.mktemp("recorded") / "mine.kinerec"
    save_recording(path, stage)
    return path, stage


def read(folder: Path) -> tuple[dict, list[bytes]]:
    data = gzip.decompress((folder / DATA).read_bytes())
    (length,) = struct.unpack_from("<I", data)
    frames, at = [], 4 + length
    while at < len(data):
        count, words = struct.unpack_from("<II", data, at)
        changes = np.frombuffer(data, "<u4", count * words, at + 8).reshape(words, count)
        frames += [row.tobytes() for row in np.cumsum(changes, axis=1, dtype=np.uint32).T]
        at += 8 + 4 * count * words
    return json.loads(data[4 : 4 + length]), frames


def test_every_frame_and_every_reason_is_in_the_page(recorded, tmp_path):
    path, stage = recorded
    written = export_page(path, tmp_path / "page")
    assert written[DATA] < 0.5 * path.stat().st_size
    about, frames = read(tmp_path / "page")
    moments = stage.history.between()
    assert len(frames) == len(moments)
    for frame, moment in zip(frames, moments):
        header, arrays = unpack(POSE, frame)
        assert header["step"] == moment.step
        for name, array in moment.picture.arrays.items():
            np.testing.assert_allclose(
                arrays[name], array, atol=0.51 * FINEST if name in ("rotations", "positions") else 0
            )
    searched = [moment.step for moment in moments if moment.picture.arrays["bits"][0] & 1 and moment.states]
    assert [one["step"] for one in about["explanations"]] == searched
    assert "someone" not in json.dumps(about)
    export_page(path, tmp_path / "page")  # an earlier one is replaced


def test_what_is_no_recording_or_no_free_place_is_refused(recorded, tmp_path):
    path, _ = recorded
    (tmp_path / "walk.bvh").write_text("HIERARCHY")
    with pytest.raises(FileError, match="not a recording"):
        export_page(tmp_path / "walk.bvh", tmp_path / "page")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match=r"letter\.txt"):
        export_page(path, tmp_path / "mine")


@pytest.mark.slow
def test_the_page_plays_and_explains_without_a_server(recorded, screen, tmp_path):
    path, stage = recorded
    export_page(path, tmp_path / "page")
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=tmp_path / "page"))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    try:
        place = type("Place", (), {"url": f"http://127.0.0.1:{files.server_port}"})()
        page = screen(place)
        page.until("kinematch.live.moment")
        assert page.ask("kinematch.panels") == ["why"]
        newest = stage.history.bounds[1]
        assert page.ask("kinematch.live.history.newest") == newest
        page.ask(f"kinematch.timeline.scrub({newest - 10})")
        page.until(f"!kinematch.live.playing && kinematch.live.step === {newest - 10}")
        page.until("!!document.querySelector('.candidates > *')")
        page.picture("standalone")
    finally:
        files.shutdown()
        files.server_close()
