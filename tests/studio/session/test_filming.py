"""Films: what was played is handed out as it was sent, and pictures come back as a film."""

import io
import struct

import numpy as np
import pytest
from PIL import Image

from kinematch.errors import KinematchError
from kinematch.stream.layout import POSE, unpack
from kinematch.studio.session.avatar_mesh import read_character
from kinematch.studio.session.filming import encode_film, pack_played
from kinematch.studio.session.lineup import add_member, make_member
from kinematch.studio.session.stage import Stage


def jpeg(colour: str, size: tuple[int, int] = (64, 36)) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", size, colour).save(content, "JPEG")
    return content.getvalue()


def join(*pictures: bytes) -> bytes:
    return b"".join(struct.pack("<I", len(one)) + one for one in pictures)


def test_played_steps_are_the_frames_that_were_sent(database):
    stage = Stage(database, name="small")
    sent = [stage.shown, *(stage.advance() for _ in range(20))]  # of step 1 and those after it
    content, at, found = pack_played(stage, "5", "12"), 0, []
    while at < len(content):
        (length,) = struct.unpack_from("<I", content, at)
        found.append(content[at + 4 : at + 4 + length])
        at += 4 + length
    steps = [unpack(POSE, frame)[0]["step"] for frame in found]
    assert steps == list(range(5, 12))
    assert found == sent[4:11]


def test_those_beside_the_first_are_kept_with_each_step(database, data):
    stage = Stage(database, name="small")
    worn = read_character(data / "characters" / "CesiumMan.glb", "CesiumMan.glb")
    member = make_member(worn, database.poses.skeleton)
    add_member(stage.lineup, member, stage.crowds["a"])
    stage.advance()
    alone, kept = stage.history.at(1), stage.history.at(2)
    assert alone.lineup == b""
    assert kept.lineup == stage.lineup.frame
    assert pack_played(stage, "2", "3").endswith(kept.lineup)
    assert len(pack_played(stage, "1", "2")) == 4 + len(alone.picture.pack())


@pytest.mark.parametrize("steps", [("-1", "4"), ("a", "4"), ("", ""), ("1", "99999999999")])
def test_steps_that_are_no_numbers_are_refused(database, steps):
    with pytest.raises(KinematchError, match="whole numbers"):
        pack_played(Stage(database, name="small"), *steps)


def test_pictures_become_a_film(fresh_server):
    body = join(*(jpeg(colour) for colour in ("red", "green", "blue")))
    status, content, headers = fresh_server.fetch("/api/film?format=gif&rate=20", method="POST", body=body)
    assert status == 200
    assert headers["content-type"] == "image/gif"
    with Image.open(io.BytesIO(content)) as film:
        assert (film.n_frames, film.size, film.info["duration"]) == (3, (64, 36), 50)


def test_an_mp4_has_every_picture_in_order(tmp_path):
    films = pytest.importorskip("imageio_ffmpeg")
    (tmp_path / "pictures").write_bytes(join(*(jpeg(colour) for colour in ("red", "lime", "blue"))))
    encode_film(tmp_path / "film.mp4", tmp_path / "pictures", 30)
    film = films.read_frames(tmp_path / "film.mp4")
    about = next(film)
    assert (about["size"], about["fps"]) == ((64, 36), 30)
    assert [np.frombuffer(one, np.uint8).reshape(-1, 3).mean(axis=0).argmax() for one in film] == [0, 1, 2]


@pytest.mark.parametrize(
    ("query", "body", "said"),
    [
        ("format=gif&rate=20", b"", "at least one"),
        ("format=gif&rate=20", join(b"no picture"), "picture 0 is not a JPEG"),
        ("format=gif&rate=20", join(jpeg("red"), jpeg("red", (32, 36))), "those before it"),
        ("format=gif&rate=20", join(jpeg("red"))[:-9], "picture 0 is not a JPEG"),
        ("format=gif&rate=20", join(jpeg("red", (1922, 16))), "at most 1920"),
        ("format=avi&rate=20", join(jpeg("red")), "film format"),
        ("format=gif&rate=2000", join(jpeg("red")), "pictures a second"),
    ],
)
def test_what_is_no_film_is_refused_with_the_reason(studio_server, query, body, said):
    status, content, _ = studio_server.fetch(f"/api/film?{query}", method="POST", body=body)
    assert status == 400
    assert said in content.decode()


def test_a_film_may_be_cut_off_in_a_length(tmp_path):
    path = tmp_path / "pictures"
    path.write_bytes(join(jpeg("red")) + b"\x01")
    with pytest.raises(KinematchError, match="picture 1"):
        encode_film(tmp_path / "film.gif", path, 20)
