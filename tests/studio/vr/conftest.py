"""A user of the room, as a program: sends what devices say and receives the body."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from kinematch.avatar.calibration import Calibration
from kinematch.stream.layout import AVATAR, MOTION, SAMPLE, pack, split, unpack
from kinematch.studio.vr.body import make_outfit
from kinematch.studio.vr.simulated_motions import pack_motion
from kinematch.studio.vr.user import MAX_SAMPLE_RATE

NO_FINGERS = np.zeros((0, 25, 3))


def make_sample(sequence: int, time: float, positions, rotations, *, valid: int = 7, fingers=NO_FINGERS) -> bytes:
    header = {"sequence": sequence, "valid": valid, "time": time, "points": 7, "hands": len(fingers)}
    return pack(SAMPLE, header, {"positions": positions, "rotations": rotations, "fingers": fingers})


class Walker:
    """Sends a simulated user's motion over a page's connection, sample by sample."""

    def __init__(self, page, motion: str = "stroll"):
        self.page, self.sequence, self.due = page, 0, 0.0
        self.header, self.arrays = unpack(MOTION, pack_motion(motion))

    def enter(self) -> dict:
        self.page.say("stream", every=0)
        self.page.say("enter_room")
        return self.own(lambda user: True)

    def own(self, when: Callable[[dict], bool]) -> dict:
        """What the room says of this page's own body, once it fits."""
        client = self.page.welcome["client"]

        def mine(room: dict) -> list[dict]:
            return [user for user in room["users"] if user["client"] == client and when(user)]

        return mine(self.page.message("room_now", lambda room: bool(mine(room))))[0]

    def sample(self, **changes) -> bytes:
        frame = self.sequence % int(self.header["count"])
        given = {
            "sequence": self.sequence, "time": 100 + self.sequence / 60, "positions": self.arrays["positions"][frame],
            "rotations": self.arrays["rotations"][frame],
        }  # fmt: skip
        self.sequence += 1
        return make_sample(**{**given, **changes})

    def send(self, **changes) -> int:
        """Returns the sample's number; no faster than a server takes them."""
        time.sleep(max(0.0, self.due - time.monotonic()))
        self.due = time.monotonic() + 1.2 / MAX_SAMPLE_RATE
        self.page.connection.send(self.sample(**changes))
        return self.sequence - 1

    def answer(self, sequence: int) -> tuple[dict, dict]:
        """Header and arrays of the body that answers a sample, or a later one."""

        def fits(message: bytes) -> bool:
            if message[:4] != AVATAR.magic:
                return False
            header, _ = unpack(AVATAR, split(AVATAR, message)[0])
            return header["own"] == 1 and header["sequence"] >= sequence

        return unpack(AVATAR, self.page.frame(fits))

    def step(self, **changes) -> tuple[dict, dict]:
        return self.answer(self.send(**changes))


@pytest.fixture(scope="session", autouse=True)
def _compiled(database) -> None:
    """On a new machine the first body takes longer than a page is waited for."""
    make_outfit(database, "small", calibration=Calibration())


@pytest.fixture
def walker():
    return Walker
