"""Room: the users with trackers, and the thread that steps the body of each as soon as a sample comes in."""

import logging
import threading
from collections.abc import Callable
from time import perf_counter

from kinematch.avatar.calibrator import Calibrator
from kinematch.errors import KinematchError, failure
from kinematch.stream.broadcast import Broadcast
from kinematch.studio.server.answers import CameraNow
from kinematch.studio.vr.body import Outfit
from kinematch.studio.vr.camera_views import CameraView
from kinematch.studio.vr.samples import DeviceSample
from kinematch.studio.vr.user import VrUser

MOST_USERS = 16
SEEN_STEP = 1 / 30  # s between frames of others' bodies; pages move them evenly in between

Send = Callable[[str, bytes], None]  # to one page, by its client
Show = Callable[[bytes], None]  # to all pages
Tell = Callable[[str, str], None]  # words for one page
Report = Callable[[str, CameraNow], None]  # what is known of a user's camera
Grow = Callable[[VrUser], None]  # that a user has another height than the body


class Room:
    """Samples come in from the server's loop; frames go out on the room's own thread.

    A user's own page is sent the body at once, for each sample. All other pages see all bodies at a steady rate.
    """

    def __init__(self, *, send: Send, show: Show, tell: Tell, fail: Tell, grow: Grow, report: Report):
        self.users: dict[str, VrUser] = {}  # by client
        self.watched = False  # by a page that is not the only user's own
        self._send, self._show, self._tell, self._fail, self._grow = send, show, tell, fail, grow
        self._report = report
        self.broadcast: Broadcast | None = None  # to where the first user's body is sent
        self._changed = threading.Condition()
        self._stopped = False
        self._count = 0
        self._thread = threading.Thread(target=self._run, name="kinematch room", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join(timeout=10)

    def enter(self, client: str, name: str, outfit: Outfit, calibrator: Calibrator) -> VrUser:
        if len(self.users) >= MOST_USERS:
            raise KinematchError(f"{MOST_USERS} users are in the room already")
        taken = {user.place for user in self.users.values()}
        self._count += 1
        user = VrUser(self._count, client, name, min(set(range(MOST_USERS)) - taken), outfit, calibrator)
        self.users = {**self.users, client: user}  # the thread goes through the old one
        return user

    def leave(self, client: str) -> bool:
        """Whether a user has left."""
        if client not in self.users:
            return False
        self.users = {other: user for other, user in self.users.items() if other != client}
        return True

    def hear(self, client: str, said: DeviceSample | CameraView) -> str:
        """Take a page's sample, or what its camera sees; returns the answer to the page, if any."""
        user = self.users.get(client)
        if user is None:
            raise KinematchError("samples of a page that has not entered the room")
        problem = user.hear(said) if isinstance(said, DeviceSample) else user.see(said)
        with self._changed:
            self._changed.notify()
        return problem

    def _run(self) -> None:
        seen = _Round()
        while True:
            with self._changed:
                if not self._stopped and not self._has_fresh() and not seen.waiting:
                    asleep = max(seen.due - perf_counter(), 1e-4) if self.users and self.watched else 0.2
                    self._changed.wait(asleep)
                if self._stopped:
                    return
            for user in self.users.values():
                if user.fresh is not None:
                    self._step_own(user)
                self._tell_camera(user)
            if self.watched and not seen.waiting and perf_counter() >= seen.due:
                seen.begin(list(self.users.values()))
            if seen.waiting:  # one at a time: fresh samples come first
                user, began = seen.waiting.pop(), perf_counter()
                seen.take(self._tried(user, user.step_seen), perf_counter() - began)
                if not seen.waiting and seen.frames:
                    self._show(b"".join(seen.frames))

    def _has_fresh(self) -> bool:
        return any(user.fresh is not None for user in self.users.values())

    def _step_own(self, user: VrUser) -> None:
        frame = self._tried(user, user.step_own)
        if frame:
            self._send(user.client, frame)
            if self.broadcast is not None and user is next(iter(self.users.values()), None):
                self._broadcast(user, self.broadcast)
        for text in user.take_words():
            self._tell(user.client, text)
        if user.has_grown:
            self._grow(user)

    def _tell_camera(self, user: VrUser) -> None:
        now, user.camera_now = user.camera_now, None
        if now is not None:
            self._report(user.client, now)

    def _broadcast(self, user: VrUser, broadcast: Broadcast) -> None:
        try:
            if user.pose is not None:
                broadcast.send(user.outfit.skeleton, user.pose, user.recent[-1].time, user.devices)
        except Exception as error:  # other programs' trouble is not the room's
            logging.getLogger(__name__).exception("a body could not be sent")
            self.broadcast = None
            self._tell(user.client, f"your body is no longer sent to other programs: {failure(error)}")

    def _tried(self, user: VrUser, step: Callable[[], bytes | None]) -> bytes | None:
        try:
            return step()
        except Exception as error:  # one user's trouble is not the others'
            logging.getLogger(__name__).exception("the body of a user failed")
            self._fail(user.client, f"your body failed and was taken out of the room: {failure(error)}")
            self.leave(user.client)
            return None


class _Round:
    """One frame of all users as others see them; rounds take a third of the time at most, however many there are."""

    def __init__(self) -> None:
        self.due = perf_counter()
        self.waiting: list[VrUser] = []  # still to be stepped in this round
        self.frames: list[bytes] = []
        self._began = self._spent = 0.0

    def begin(self, users: list[VrUser]) -> None:
        self.waiting, self.frames, self._began, self._spent = users, [], perf_counter(), 0.0

    def take(self, frame: bytes | None, seconds: float) -> None:
        if frame:
            self.frames.append(frame)
        self._spent += seconds
        self.due = self._began + max(SEEN_STEP, 3 * self._spent)
