"""A user of the room whose trackers come from another program as VMC, instead of from a page."""

import asyncio
import math
from time import monotonic
from typing import TYPE_CHECKING

from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.errors import KinematchError
from kinematch.stream.vmc_in import VmcReceiver
from kinematch.studio.vr.samples import DeviceSample

if TYPE_CHECKING:
    from kinematch.studio.vr.vr_session import VrSession

CLIENT, NAME = "vmc", "VMC"
LOOK_INTERVAL = 1 / 120  # s between looks at what has arrived
GONE_SECONDS = 3.0  # s without a headset or a head, after which the user has left


class VmcUser:
    """Enters the room when a headset or a body is received, and leaves when nothing comes any more."""

    def __init__(self, receiver: VmcReceiver, vr_session: "VrSession"):
        self.receiver, self._vr_session = receiver, vr_session
        self._sequence = 0
        self._heard = -math.inf  # s, when a head was last tracked
        self._bones = False  # whether the body is followed, for there is no headset
        self._refused = False

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                await asyncio.sleep(LOOK_INTERVAL)
                await self.look()
        finally:
            self.receiver.close()

    async def look(self) -> None:
        """Take in what has arrived."""
        room, news = self._vr_session.room, self.receiver.update()
        inside = CLIENT in room.users
        if not inside and news:
            self._bones = not self.receiver.find_devices().valid[0, HEAD]
        now = self.receiver.find_joints() if self._bones else self.receiver.find_devices()
        seconds, tracked = monotonic(), bool(now.valid[0, HEAD])
        self._heard = seconds if tracked else self._heard
        if inside and seconds - self._heard > GONE_SECONDS:
            room.leave(CLIENT)
            self._vr_session.tell()
        elif inside and news:
            room.hear(CLIENT, self._make_sample(now))
        elif news and tracked and not self._refused:
            try:
                await self._vr_session.admit(CLIENT, NAME, "none" if self._bones else "generic")
            except KinematchError as error:  # the room is full, or the motion fits no avatar
                self._refused = True
                self._vr_session.announce(f"a user of VMC cannot enter: {error}")
            self._vr_session.tell()

    def _make_sample(self, now: Trackers) -> DeviceSample:
        self._sequence += 1
        return DeviceSample(
            self._sequence, float(now.times[0]), now.positions[0], now.rotations[0], now.valid[0], fingers=None
        )
