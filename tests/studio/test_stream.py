"""Pages and the server over a real connection: welcome, poses that follow the stick, and many pages at once."""

import json
import socket
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from kinematch.errors import KinematchError
from kinematch.stream.layout import POSE, PROTOCOL, unpack
from kinematch.studio.server import pages
from kinematch.studio.server.application import MOST_MISTAKES
from kinematch.studio.server.messages import LARGEST_MESSAGE
from kinematch.studio.server.pages import MOST_PAGES, MOST_PAGES_ELSEWHERE, MOST_PAGES_PER_ADDRESS, Pages

PATIENCE = 240.0  # s
HANDSHAKE = (
    "GET /stream HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


def test_a_page_is_welcomed_with_all_it_needs(studio_server, database):
    with studio_server.page() as page:
        told = page.welcome
        skeleton = database.poses.skeleton
        assert told["protocol"] == PROTOCOL
        assert told["skeleton"]["names"] == list(skeleton.names)
        assert told["skeleton"]["roles"] == dict(skeleton.roles)
        assert [clip["name"] for clip in told["clips"]] == list(database.poses.clip_names)
        assert [f["name"] for f in told["features"]] == [f.name for f in database.features.schema.features]
        assert told["features"][-1]["stop"] == database.features.width
        assert {one["name"] for one in told["settings_info"]} == set(told["settings"]["a"])
        assert [gait["name"] for gait in told["gaits"]] == ["walk", "jog", "crouch"]
        assert told["situation"]["steers"] == told["client"]
        header, arrays = page.pose()
        assert header["joints"] == skeleton.joint_count
        np.testing.assert_allclose(np.linalg.norm(arrays["rotations"], axis=-1), 1, atol=1e-5)


def test_steps_follow_one_another(studio_server):
    with studio_server.page() as page:
        steps = [page.pose()[0]["step"] for _ in range(40)]
        between = np.diff(steps[2:])  # a busy machine may skip some
        assert between.min() == np.median(between) == 1


@pytest.mark.parametrize(
    ("stick", "yaw", "way"), [((0, 1), 0.0, (0, 1)), ((1, 0), 0.0, (-1, 0)), ((0, 1), 1.5708, (1, 0))]
)
def test_the_character_goes_where_the_stick_points(studio_server, stick, yaw, way):
    with studio_server.page() as page:
        page.say("start_over")
        page.say("stick", sequence=77, x=stick[0], y=stick[1], camera_yaw=yaw, gait="walk")
        first, before = page.pose(lambda header, _: header["sequence"] == 77)
        _, after = page.pose(lambda header, _: header["step"] > first["step"] + 180)
        went = after["roots"][0, [0, 2]] - before["roots"][0, [0, 2]]
        assert went @ way > 1.5
        np.testing.assert_allclose(after["bodies"][0, [3, 5]], np.array(way) * 1.4, atol=0.05)
        ends = after["wanted"][0, -1, :2] - after["bodies"][0, [0, 2]]
        assert ends @ way > 1.0
        assert np.abs(after["matched"][0, :, :2] - after["roots"][0, [0, 2]]).max() < 4


def test_a_stick_let_go_by_a_lost_page_stops_the_character(fresh_server):
    with fresh_server.page() as watcher:
        with fresh_server.page() as page:
            watcher.say("hand_over", to=page.welcome["client"])
            page.message("situation", lambda s: s["steers"] == page.welcome["client"])
            page.say("stick", sequence=5, x=0, y=1)
            watcher.pose(lambda header, _: header["sequence"] == 5)
            watcher.pose(lambda _, arrays: np.linalg.norm(arrays["bodies"][0, 3:6]) > 0.3)
        watcher.pose(lambda _, arrays: np.linalg.norm(arrays["bodies"][0, 3:6]) < 0.01)


def test_one_steers_and_hands_over(fresh_server):
    with fresh_server.page() as first, fresh_server.page() as second:
        mine, yours = first.welcome["client"], second.welcome["client"]
        second.say("pause")
        assert "another page is steering" in second.message("error_message")["message"]
        first.say("stick", sequence=1, x=0, y=0)
        second.say("take_steering")
        assert first.message("situation", lambda s: s["asking"])["asking"] == yours
        first.say("hand_over", to=yours)
        assert second.message("situation", lambda s: s["steers"] == yours)["watchers"][0]["client"] == mine
        second.say("pause")
        second.message("situation", lambda s: not s["playing"])


def test_a_lost_page_comes_back_as_itself(fresh_server, monkeypatch):
    monkeypatch.setattr(pages, "GRACE", PATIENCE)  # however long this takes
    with fresh_server.page() as other:
        other.say("hand_over", to="nobody")
        assert "no page" in other.message("error_message")["message"]
        with fresh_server.page() as page:
            client, secret = page.welcome["client"], page.welcome["secret"]
            other.say("hand_over", to=client)
            page.message("situation", lambda s: s["steers"] == client)
        other.message("situation", lambda s: len(s["watchers"]) == 1)
        with fresh_server.page(client) as stranger:  # its number is no secret
            assert stranger.welcome["client"] != client
            assert stranger.welcome["situation"]["steers"] == client
        with fresh_server.page(secret) as again:
            assert again.connection.subprotocol == "kinematch"
            assert again.welcome["client"] == client
            assert again.welcome["secret"] == secret
            assert again.welcome["situation"]["steers"] == client
            named = [one["name"] for one in again.welcome["situation"]["watchers"] if one["client"] == client]
            assert named == [f"page {client}"]


@pytest.mark.parametrize(
    "nonsense",
    [
        "", "{", "[]", "null", '{"type":"fly"}', '{"type":"stick"}', '{"type":"stick","sequence":1,"x":1e999,"y":0}',
        '{"type":"stick","sequence":1,"x":7,"y":0}', '{"type":"set_crowd","count":1000000}', "[" * 100_000,
        '{"type":"scrub","step":-1}', '{"type":"pause","more":1}', b"\x00\xff" * 50,
        '{"type":"stick","sequence":1,"x":0,"y":0,"gait":"gallop"}',
        '{"type":"change_settings","values":{"quality":-1}}', '{"type":"change_settings","values":{"speed":1}}',
        '{"type":"change_settings","values":{"weights":{"nose":1}}}',
        '{"type":"change_settings","values":{},"side":"b"}',
        '{"type":"follow_path","keypoints":[{"x":0,"z":0},{"x":0,"z":0}]}',
    ],
)  # fmt: skip
def test_nonsense_is_answered_and_changes_nothing(studio_server, nonsense):
    with studio_server.page() as page:
        before = page.welcome["settings"]
        page.connection.send(nonsense)
        page.message("error_message")
        page.pose()
    with studio_server.page() as page:
        assert page.welcome["settings"] == before


def test_an_oversized_message_ends_its_page_alone(studio_server):
    with studio_server.page() as other:
        with studio_server.page() as page:
            page.connection.send(json.dumps({"type": "x" * LARGEST_MESSAGE}))
            with pytest.raises(ConnectionClosed):
                page.pose(lambda *_: False)
        other.pose()


@pytest.mark.parametrize(
    "rubbish", [b"\xff" * 200, b"\x81\x82\0\0\0\0\xc3\x28", b"\x82\xff" + b"\xff" * 12, b"\x89\x7e\xff\xff", b""]
)
def test_malformed_frames_end_their_page_alone(studio_server, rubbish):
    place = urlsplit(studio_server.url)
    with studio_server.page() as page, socket.create_connection((place.hostname, place.port)) as raw:
        raw.sendall(HANDSHAKE.format(place.netloc).encode())
        assert b"101 Switching Protocols" in raw.recv(1000)
        raw.sendall(rubbish)
        page.pose()
    with socket.create_connection((place.hostname, place.port)) as raw, studio_server.page() as page:
        raw.sendall(rubbish)  # not even a request
        page.pose()


def test_a_page_that_never_stops_talking_nonsense_is_let_go(studio_server):
    with studio_server.page() as page:
        for _ in range(MOST_MISTAKES):
            page.connection.send("?")
        with pytest.raises(ConnectionClosed):
            page.pose(lambda *_: False)


@pytest.mark.parametrize("headers", [{"Origin": "https://elsewhere.example"}, {"Origin": "null"}])
def test_foreign_pages_are_refused(studio_server, headers):
    with pytest.raises(InvalidStatus), studio_server.page(additional_headers=headers):
        pass


def test_a_page_of_this_server_is_let_in(studio_server):
    with studio_server.page(additional_headers={"Origin": studio_server.url}) as page:
        page.pose()


def test_a_page_that_never_reads_slows_nobody(fresh_server):
    with fresh_server.page(max_queue=1) as deaf, fresh_server.page() as page:
        deaf.connection.socket.setsockopt(1, 8, 4096)  # as little room as the system gives
        start = page.pose()[0]["step"]
        steps = [page.pose()[0]["step"] for _ in range(180)]
        assert steps[-1] - start <= 360  # hardly one was skipped, even on a busy machine
        assert all(len(one.waiting) < 200 for one in fresh_server.studio.pages.all.values())


def test_a_thousand_pages_come_and_go(studio_server):
    with studio_server.page() as page:
        for number in range(1000):
            with studio_server.page():
                pass
            if number % 20 == 0:  # or its buffers fill on a slow machine, and the server takes it for lost
                page.pose()
        page.pose()
        end = time.monotonic() + 120
        while len(studio_server.studio.pages.all) > 1 and time.monotonic() < end:
            time.sleep(0.05)
        assert len(studio_server.studio.pages.all) == 1


def test_too_many_pages_at_once_are_refused(fresh_server):
    from contextlib import ExitStack

    with ExitStack() as stack:
        pages = [stack.enter_context(fresh_server.page()) for _ in range(MOST_PAGES)]
        with pytest.raises(ConnectionClosed), fresh_server.page():
            pass
        pages[0].pose()


def test_the_steering_page_comes_back_where_all_places_are_taken():
    pages = Pages()
    first = pages.join()
    others = [pages.join() for _ in range(MOST_PAGES - 1)]
    pages.leave(first)
    others.append(pages.join())
    with pytest.raises(KinematchError, match="connected already"):
        pages.join("not the secret")
    again = pages.join(first.secret)
    assert (again.client, pages.steers) == (first.client, first.client)


def test_one_address_or_all_other_machines_together_do_not_take_every_place():
    pages = Pages()
    for _ in range(MOST_PAGES_PER_ADDRESS):
        pages.join(address="192.0.2.1", is_here=False)
    with pytest.raises(KinematchError, match="pages of this address"):
        pages.join(address="192.0.2.1", is_here=False)
    for number in range(MOST_PAGES_ELSEWHERE - MOST_PAGES_PER_ADDRESS):
        pages.join(address=f"192.0.2.{number + 2}", is_here=False)
    with pytest.raises(KinematchError, match="connected already"):
        pages.join(address="192.0.2.200", is_here=False)
    for _ in range(MOST_PAGES - MOST_PAGES_ELSEWHERE):
        pages.join(address="127.0.0.1")


def test_a_page_may_want_fewer_poses(studio_server):
    with studio_server.page() as page:
        page.say("stream", every=6)
        page.say("ping", time=1.5)
        assert page.message("pong")["time"] == 1.5
        steps = [page.pose()[0]["step"] for _ in range(8)][4:]
        assert (np.array(steps) % 6 == 0).all()


def test_time_stands_still_while_nobody_watches(fresh_server):
    with fresh_server.page() as page:
        page.pose()
    end, stands = time.monotonic() + 60, False
    while not stands and time.monotonic() < end:  # that the page is gone is noticed sooner or later
        before = fresh_server.studio.stage.step
        time.sleep(0.3)
        stands = not fresh_server.studio.pages.all and fresh_server.studio.stage.step == before
    assert stands


def test_a_crowd_of_any_size_is_shown(fresh_server):
    with fresh_server.page() as page:
        page.say("set_crowd", count=30)
        _, arrays = page.pose(lambda header, _: header["characters"] == 30)
        places = arrays["roots"][:, [0, 2]]
        apart = np.linalg.norm(places[:, None] - places, axis=-1) + 9 * np.eye(30)
        assert apart.min() > 0.5
        page.say("set_crowd", count=1)
        page.pose(lambda header, _: header["characters"] == 1)


def test_a_frame_that_is_cut_is_known_for_one(studio_server):
    with studio_server.page() as page:
        frame = page.frame()
    for broken in (frame[:-4], frame + b"\0\0\0\0", b"", b"KMP1", b"XXXX" + frame[4:]):
        with pytest.raises(ValueError, match="PoseFrame"):
            unpack(POSE, broken)
