"""Users in the room over a real connection: bodies that follow, watchers that see, and rude clients that are told."""

import json
import math
import threading

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from kinematch.avatar.calibration import Calibration
from kinematch.avatar.recordings import read_trackers
from kinematch.avatar.trackers import HEAD, LEFT_HAND, RIGHT_HAND
from kinematch.stream.layout import AVATAR, split, unpack
from kinematch.studio.server.application import MOST_MISTAKES
from kinematch.studio.vr.room import MOST_USERS
from kinematch.studio.vr.samples import read_sample, to_trackers
from kinematch.studio.vr.user import MAX_SAMPLE_RATE


def find_joint(user: dict, arrays: dict, role: str) -> np.ndarray:
    """Where a joint of a frame is, by the skeleton that was told."""
    skeleton = user["skeleton"]
    joint, place = skeleton["roles"][role], np.zeros(3)
    while joint >= 0:
        x, y, z, w = arrays["rotations"][joint]
        axis = np.array([x, y, z])
        place = place + 2 * np.cross(axis, np.cross(axis, place) + w * place) + arrays["positions"][joint]
        joint = skeleton["parents"][joint]
    return place


def test_a_body_goes_where_the_user_goes(fresh_server, walker):
    with fresh_server.page() as page:
        user = walker(page)
        told = user.enter()
        assert told["database"] == "small"
        for _ in range(400):
            header, arrays = user.step()
        user.sequence = 399
        joints = Calibration().locate_joints(to_trackers([read_sample(user.sample(sequence=399))]))
        for point, role in ((HEAD, "head"), (LEFT_HAND, "left_hand"), (RIGHT_HAND, "right_hand")):
            away = np.linalg.norm(find_joint(told, arrays, role) - joints.positions[0, point])
            assert away < (0.001 if point == HEAD else 0.03)  # arms are as long as the guessed height suggests
        assert header["joints"] == len(told["skeleton"]["names"])
        assert header["milliseconds"] > 0
        np.testing.assert_allclose(np.linalg.norm(arrays["rotations"], axis=-1), 1, atol=1e-4)


def test_others_see_a_body_of_their_own_for_each_user(fresh_server, walker):
    with fresh_server.page() as watcher, fresh_server.page() as page, fresh_server.page() as other:
        users = [walker(page), walker(other)]
        numbers = [user.enter()["user"] for user in users]
        told = watcher.message("room_now", lambda m: len(m["users"]) == 2)
        assert {user["place"] for user in told["users"]} == {0, 1}
        seen: set[int] = set()
        for _ in range(300):
            for user in users:
                user.send()
            message = watcher.frame(lambda frame: frame[:4] in (AVATAR.magic, b"KMP1"))
            if message[:4] == AVATAR.magic:
                for frame in split(AVATAR, message):
                    header, _ = unpack(AVATAR, frame)
                    assert header["own"] == 0
                    seen.add(int(header["user"]))
            if seen == set(numbers):
                break
        assert seen == set(numbers)


def test_who_leaves_or_is_lost_takes_the_body_along(fresh_server, walker):
    with fresh_server.page() as watcher:
        with fresh_server.page() as page:
            walker(page).enter()
            watcher.message("room_now", lambda m: len(m["users"]) == 1)
            page.say("leave_room")
            watcher.message("room_now", lambda m: not m["users"])
            walker(page).enter()
            watcher.message("room_now", lambda m: len(m["users"]) == 1)
        watcher.message("room_now", lambda m: not m["users"])


def test_samples_before_entering_are_refused(fresh_server, walker):
    with fresh_server.page() as page:
        walker(page).send()
        assert "not entered" in page.message("error_message")["message"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"positions": np.full((7, 3), math.nan)}, "no usable pose"),
        ({"rotations": np.zeros((7, 4))}, "no usable pose"),
        ({"time": 1.0}, "restarted"),
        ({"time": 100 + 30 / 60}, "time went backwards"),
        ({"time": math.inf}, "time"),
    ],
)
def test_bad_samples_are_told_and_the_body_goes_on(fresh_server, walker, change, words):
    with fresh_server.page() as page:
        user = walker(page)
        told = user.enter()
        for _ in range(60):
            user.step()
        user.send(**change)
        assert words in page.message("error_message")["message"]
        for k in range(20):
            later = {} if change.get("time") != 1.0 else {"time": 1.1 + k / 60}
            _, arrays = user.step(**later)
        assert np.isfinite(arrays["positions"]).all()
        headset = user.arrays["positions"][user.sequence - 1, HEAD]
        assert np.linalg.norm((find_joint(told, arrays, "head") - headset)[[0, 2]]) < 0.4


def test_a_lost_controller_leaves_a_body_that_goes_on(fresh_server, walker):
    with fresh_server.page() as page:
        user = walker(page)
        user.enter()
        for valid in (7, 3, 1, 7):
            for _ in range(20):
                _, arrays = user.step(valid=valid)
            assert np.isfinite(arrays["rotations"]).all()


def test_a_flood_is_thinned_out_and_told(fresh_server, walker):
    with fresh_server.page() as page:
        user = walker(page)
        user.enter()
        samples = [user.sample(time=100 + k / 1000) for k in range(5 * MAX_SAMPLE_RATE)]
        for sample in samples:  # made before: a busy machine may not make so many in a second
            page.connection.send(sample)
        assert f"more than {MAX_SAMPLE_RATE}" in page.message("error_message")["message"]


def test_a_client_that_sends_only_nonsense_is_let_go(fresh_server, walker):
    with fresh_server.page() as page, fresh_server.page() as other:
        for _ in range(MOST_MISTAKES + 1):
            page.connection.send(b"KMX1 and then nothing")
        with pytest.raises(ConnectionClosed):
            page.frame(lambda _: False)
        user = walker(other)
        user.enter()
        user.step()


def test_a_height_is_measured_or_taken_and_too_low_a_headset_is_refused(fresh_server, walker):
    with fresh_server.page() as page:
        user = walker(page)
        user.enter()
        page.say("calibrate")
        assert "headset" in page.message("error_message")["message"]
        for _ in range(30):
            user.step()
        page.say("calibrate")
        told = user.own(lambda one: one["calibrated"])
        assert abs(told["height"] - user.header["height"]) < 0.05
        page.say("calibrate", height=1.2)
        assert user.own(lambda one: one["height"] == 1.2)["version"] > told["version"]
        low = user.arrays["positions"][0] * [1, 0.2, 1]
        user.step(positions=low)
        page.say("calibrate")
        assert "above the floor" in page.message("error_message")["message"]


def test_a_user_with_a_name_is_known_again(fresh_server, walker):
    for _ in range(2):
        with fresh_server.page() as page:
            user = walker(page)
            page.say("enter_room", user="Ada")
            told = user.own(lambda one: True)
            assert told["name"] == "Ada"
            user.step()
            page.say("calibrate", height=1.31)
            user.own(lambda one: one["height"] == 1.31)
        with fresh_server.page() as page:
            page.say("enter_room", user="Ada")
            assert walker(page).own(lambda one: True)["height"] == 1.31
            page.say("leave_room")
            page.say("enter_room", user="../Ada")
            assert "expected up to 64" in page.message("error_message")["message"]


def test_the_users_space_can_be_scaled_to_the_avatar(fresh_server, walker):
    with fresh_server.page() as page:
        user = walker(page)
        before = user.enter()
        assert (before["fit"], before["space"]) == ("avatar", 1)
        page.say("calibrate", height=1.2)
        page.say("change_body", fit="space")
        told = user.own(lambda one: one["fit"] == "space" and one["height"] == 1.2)
        assert told["space"] > 1.2
        lengths = [np.linalg.norm(one["skeleton"]["offsets"]) for one in (before, told)]
        assert told["skeleton"]["names"] == before["skeleton"]["names"]
        assert lengths[1] > 0.9 * lengths[0]


def test_databases_are_switched_by_name(fresh_server, walker, built_of, tmp_path):
    with fresh_server.page() as page:
        user = walker(page)
        first = user.enter()
        page.say("change_body", database="none of that name")
        assert "no motion" in page.message("error_message")["message"]
        fresh_server.studio.vr_session._opened["built-in motion"] = built_of("idle", "walk_1.35").database
        page.say("change_body", database="built-in motion")
        told = user.own(lambda one: one["database"] == "built-in motion")
        assert told["version"] > first["version"]
        header, _ = user.step()
        assert header["version"] == told["version"]


def test_a_character_that_is_dropped_is_worn_by_its_user_alone(fresh_server, walker, data):
    with fresh_server.page() as page, fresh_server.page() as other:
        user, second = walker(page), walker(other)
        user.enter()
        second.enter()
        content = (data / "characters" / "CesiumMan.glb").read_bytes()
        own = page.identity
        status, answer, _ = fresh_server.fetch("/api/room/character?name=man.glb", method="POST", body=content, **own)
        assert status == 200, answer
        told = user.own(lambda one: one["character"] == "man.glb")
        assert len(told["nodes"]) == len(told["skeleton"]["names"])
        assert user.step()[0]["joints"] == len(told["nodes"])
        room = other.message("room_now", lambda m: any(one["character"] for one in m["users"]))
        assert [one["character"] for one in room["users"]] == ["man.glb", ""]
        assert fresh_server.fetch(f"/api/room/character?user={told['user']}")[1] == content
        assert fresh_server.fetch("/api/room/character?user=77")[0] == 404
        assert fresh_server.fetch("/api/room/character", method="DELETE", **own)[0] == 200
        user.own(lambda one: not one["character"])
        status, answer, _ = fresh_server.fetch("/api/room/character?name=a.glb", method="POST", body=b"no", **own)
        assert status == 400
        assert "a.glb" in json.loads(answer)["message"]
        assert fresh_server.fetch("/api/room/character?name=a.glb", method="POST", body=content)[0] == 403


def test_what_was_recorded_is_what_was_sent(fresh_server, walker, tmp_path):
    with fresh_server.page() as page:
        user = walker(page)
        user.enter()
        own = page.identity
        assert fresh_server.fetch("/api/room/recording", **own)[0] == 400
        page.say("record_trackers", on=True)
        user.own(lambda one: one["recording"])
        for _ in range(50):
            user.step()
        page.say("record_trackers", on=False)
        user.own(lambda one: not one["recording"])
        status, content, _ = fresh_server.fetch("/api/room/recording", **own)
        assert status == 200
        path = tmp_path / "trackers.jsonl"
        path.write_bytes(content)
        trackers = read_trackers(path)
        np.testing.assert_allclose(trackers.times, np.arange(50) / 60, atol=1e-9)
        np.testing.assert_allclose(trackers.positions[:, :3], user.arrays["positions"][:50, :3], atol=1e-6)


def test_a_clips_person_can_be_the_simulated_user(fresh_server, data):
    clip = sorted((data / "cmu").glob("*.bvh"))[0]
    status, content, _ = fresh_server.fetch(f"/api/room/motion?name={clip.name}", method="POST", body=clip.read_bytes())
    assert status == 200, content
    assert content[:4] == b"KMM1"
    status, content, _ = fresh_server.fetch("/api/room/motion?name=swim")
    assert status == 400
    assert "no motion 'swim'" in json.loads(content)["message"]


@pytest.mark.slow
def test_eight_users_are_all_answered(fresh_server, walker):
    """Bounded: eight users of a hundred samples each, and one who watches."""
    answered, ready, problems = [0] * 8, threading.Barrier(8, timeout=60), []

    def play(k: int) -> None:
        try:
            with fresh_server.page() as page:
                user = walker(page)
                user.enter()
                ready.wait()
                for _ in range(100):
                    user.step()
                    answered[k] += 1
        except BaseException as error:
            problems.append(error)
            raise

    threads = [threading.Thread(target=play, args=[k], daemon=True) for k in range(8)]
    with fresh_server.page() as watcher:
        for thread in threads:
            thread.start()
        most = watcher.message("room_now", lambda m: len(m["users"]) == 8)
        for thread in threads:
            thread.join(120)
    assert not problems
    assert answered == [100] * 8
    assert sorted(user["place"] for user in most["users"]) == list(range(8))


def test_a_full_room_is_told(fresh_server):
    vr_session = fresh_server.studio.vr_session
    with fresh_server.page() as page:
        page.say("enter_room")
        page.message("room_now", lambda m: m["users"])
        user = next(iter(vr_session.room.users.values()))
        vr_session.room.users = {**vr_session.room.users, **{f"user {k}": user for k in range(MOST_USERS - 1)}}
        with fresh_server.page() as late:
            late.say("enter_room")
            assert "in the room already" in late.message("error_message")["message"]
