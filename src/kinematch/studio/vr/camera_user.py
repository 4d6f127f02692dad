"""The server's own camera corrects the first user of the room, or drives a body of its own."""

import asyncio
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from kinematch.camera.feed import CameraFeed, Glimpse
from kinematch.errors import KinematchError
from kinematch.studio.vr.camera_views import CameraView
from kinematch.studio.vr.user import VrUser

if TYPE_CHECKING:
    from kinematch.studio.vr.vr_session import VrSession

CLIENT, NAME = "camera", "Camera"
LOOK_INTERVAL = 1 / 60  # s between looks at what the camera has found
GONE_SECONDS = 3.0  # s without anybody in the picture, after which the user has left


class CameraUser:
    """A user with trackers gets what the camera sees; without such a user, the person it sees enters the room."""

    def __init__(self, feed: CameraFeed, vr_session: "VrSession"):
        self._feed, self._vr_session = feed, vr_session
        self._seen_at = -np.inf  # s, when a person was last in the picture
        self._told = ""

    async def run(self) -> None:
        """Until cancelled."""
        self._feed.start()
        try:
            while True:
                await asyncio.sleep(LOOK_INTERVAL)
                await self.look()
        finally:
            await asyncio.to_thread(self._feed.stop)

    async def look(self) -> None:
        """Hand on what was found."""
        if self._feed.trouble != self._told:
            self._told = self._feed.trouble
            self._vr_session.announce(self._told or f"camera {self._feed.source} is back")
        glimpses = self._feed.take()
        if any(glimpse.landmarks.seen[0] for glimpse in glimpses):
            self._seen_at = monotonic()
        user, room = self._find_user(), self._vr_session.room
        inside = room.users.get(CLIENT)
        if inside is not None and (user is not None or monotonic() - self._seen_at > GONE_SECONDS):
            room.leave(CLIENT)
            self._vr_session.tell()
        elif user is None and inside is None and glimpses and monotonic() - self._seen_at < GONE_SECONDS:
            await self._enter()
        chosen = user or inside
        if chosen is not None and chosen.client in room.users:
            for glimpse in glimpses:
                room.hear(chosen.client, _make_view(glimpse, chosen))

    def _find_user(self) -> VrUser | None:
        """The first who has trackers and no camera of the page's own."""
        users = self._vr_session.room.users.values()
        return next((one for one in users if one.client != CLIENT and one.is_tracked and not one.own_camera), None)

    async def _enter(self) -> None:
        try:
            await self._vr_session.admit(CLIENT, NAME, "generic")
        except KinematchError as error:  # the room is full, or the motion fits no avatar
            self._vr_session.announce(f"the person before the camera cannot enter: {error}")
            self._seen_at = -np.inf
        self._vr_session.tell()


def _make_view(glimpse: Glimpse, user: VrUser) -> CameraView:
    times = np.array([user.find_time(float(glimpse.landmarks.times[0]))])
    return CameraView(replace(glimpse.landmarks, times=times), glimpse.people, glimpse.brightness, own=False)
