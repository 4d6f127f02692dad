"""Users whose trackers come as VMC enter, have a body, and leave; bodies of users go out as VMC."""

import threading
import time

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.math import quaternion
from kinematch.stream.broadcast import Broadcast
from kinematch.stream.layout import AVATAR
from kinematch.stream.vmc import VmcSender
from kinematch.stream.vmc_in import VmcReceiver
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio


@pytest.fixture
def listener(database, tmp_path, run_studio):
    """A server that listens for VMC, and the port."""
    studio = Studio(Stage(database, name="small"), presets=tmp_path / "presets")
    studio.vr_session.receiver = VmcReceiver(0)
    with run_studio(studio) as server:
        yield server, studio.vr_session.receiver.port


class Program:
    """Another program that sends VMC until it is closed."""

    def __init__(self, port, database, *, devices):
        self.crowd, self.sender = km.Crowd(database), VmcSender(database.skeleton, port=port)
        self.devices, self.running = devices, True
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        seconds = 0.0
        while self.running:
            pose = self.crowd.step(km.move([0, 0, 1.0]), 1 / 30)
            self.sender.send(pose, seconds, devices=self.devices)
            time.sleep(1 / 30)
            seconds += 1 / 30

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.running = False
        self.thread.join()
        self.sender.close()


def make_devices():
    positions, valid = np.zeros((1, 7, 3)), np.zeros((1, 7), bool)
    positions[0, HEAD] = [0.3, 1.6, 0.4]
    valid[0, HEAD] = True
    still = np.zeros((1, 7, 3))
    return Trackers([0.0], positions, quaternion.identity((1, 7)), still, still, valid)


@pytest.mark.parametrize("devices", [None, make_devices()], ids=["bones", "headset"])
def test_somebody_who_is_sent_as_vmc_gets_a_body_and_leaves_with_the_program(listener, database, devices):
    server, port = listener
    with server.page() as watcher:
        watcher.say("stream", every=0)  # of the character that is steered
        with Program(port, database, devices=devices):
            told = watcher.message("room_now", lambda room: len(room["users"]) == 1)
            assert told["users"][0]["name"] == "VMC"
            watcher.frame(lambda frame: frame[:4] == AVATAR.magic)
        watcher.message("room_now", lambda room: not room["users"])


def test_rubbish_lets_nobody_in(listener, database):
    server, port = listener
    sender = VmcSender(database.skeleton, port=port)
    rubbish, end = [b"rubbish", b"", b"/VMC/Ext/Hmd/Pos\0\0\0\0,f\0\0"], time.monotonic() + 120
    while server.studio.vr_session.receiver.malformed < len(rubbish) and time.monotonic() < end:
        sender._sender.send(rubbish)  # again, should a busy machine lose some
        time.sleep(0.1)
    assert server.studio.vr_session.receiver.malformed >= len(rubbish)
    assert not server.studio.vr_session.room.users
    sender.close()


def test_the_body_of_the_first_user_goes_out(fresh_server, walker):
    receiver = VmcReceiver(0)
    fresh_server.studio.vr_session.room.broadcast = Broadcast(vmc_address=f":{receiver.port}")
    with fresh_server.page() as page:
        user = walker(page)
        user.enter()
        heard = False
        for _ in range(300):  # a busy machine may lose some
            user.step()
            receiver.update()
            bones = set(receiver.find_bone_poses())
            heard = {"hips", "left_foot", "head"} <= bones and bool(receiver.find_devices().valid[0, HEAD])
            if heard:
                break
        assert heard
    receiver.close()


def test_a_broadcast_that_fails_leaves_the_user_a_body(fresh_server, walker):
    class Broken(Broadcast):
        def send(self, *arguments):
            raise RuntimeError("no")

    fresh_server.studio.vr_session.room.broadcast = Broken()
    with fresh_server.page() as page:
        user = walker(page)
        user.enter()
        user.step()
        page.message("notice", lambda notice: "no longer sent to other programs: RuntimeError: no" in notice["message"])
        user.step()
