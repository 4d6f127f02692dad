"""VR session: admits pages to the room, calibrates their users and reports to all pages who is there."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from kinematch import load
from kinematch.avatar.calibration import Calibration
from kinematch.avatar.calibration_file import list_users, load_calibration, save_calibration
from kinematch.avatar.calibrator import Calibrator
from kinematch.avatar.devices import DEVICES
from kinematch.camera.feed import CameraFeed
from kinematch.database.built_in import open_built_in
from kinematch.errors import KinematchError, unknown
from kinematch.stream.descriptions import skeleton_info
from kinematch.stream.layout import VIEW
from kinematch.stream.vmc_in import VmcReceiver
from kinematch.studio.server import messages
from kinematch.studio.server.answers import AvatarInfo, CameraNow, ErrorMessage, Notice, RoomNow
from kinematch.studio.server.pages import Page, Pages
from kinematch.studio.session.compared import KINDS
from kinematch.studio.session.library import BUILT_IN
from kinematch.studio.session.stage import Stage
from kinematch.studio.vr.body import make_outfit
from kinematch.studio.vr.camera_user import CameraUser
from kinematch.studio.vr.camera_views import read_view
from kinematch.studio.vr.room import Room
from kinematch.studio.vr.samples import read_sample
from kinematch.studio.vr.simulated_motions import MOTIONS
from kinematch.studio.vr.user import VrUser
from kinematch.studio.vr.vmc_user import VmcUser

MOST_STORED = 200  # calibrations of users

RoomMessage = (
    messages.EnterRoom | messages.LeaveRoom | messages.Calibrate | messages.ChangeBody | messages.RecordTrackers
)


class VrSession:
    """Used by the server's loop alone; the room's thread calls it back through `call`."""

    def __init__(
        self, pages: Pages, stage: Callable[[], Stage], call: Callable[..., None], *, calibrations: Path | None = None
    ):
        self.pages, self._stage = pages, stage
        self.room = Room(
            send=lambda client, frame: call(self._send, client, frame),
            show=lambda frames: call(self._show, frames),
            tell=lambda client, text: call(self._tell, client, text),
            fail=lambda client, text: call(self._fail, client, text),
            grow=lambda user: call(self._grow, user),
            report=lambda client, now: call(self._report, client, now),
        )
        self.receiver: VmcReceiver | None = None  # of a user whose trackers another program sends
        self.feed: CameraFeed | None = None  # the server's own camera
        self.pose_model: str | Path = ""  # for cameras of pages; whichever was set up if empty
        self._outside_users: list[asyncio.Future[Any]] = []
        self._opened: dict[str, Any] = {}  # databases and models by name
        self._changing = asyncio.Lock()
        self._entering: set[str] = set()  # clients whose body is being made
        self._growing: dict[str, asyncio.Future[Any]] = {}  # clients whose body is being made as tall as they are
        self._calibrations = calibrations

    def start(self) -> None:
        """Called on the server's loop."""
        self.room.start()
        if self.receiver is not None:
            self._outside_users.append(asyncio.ensure_future(VmcUser(self.receiver, self).run()))
        if self.feed is not None:
            self._outside_users.append(asyncio.ensure_future(CameraUser(self.feed, self).run()))

    async def stop(self) -> None:
        """Admit no more users, and end the room's thread."""
        for user in self._outside_users:
            user.cancel()
        await asyncio.gather(*self._outside_users, return_exceptions=True)
        await asyncio.to_thread(self.room.stop)

    def announce(self, text: str) -> None:
        """Tell all pages."""
        self.pages.tell(Notice(text))

    def hear_sample(self, page: Page, data: bytes) -> None:
        """A page's binary message; raises ValueError when it is neither a sample nor a view."""
        said = read_view(data) if data[:4] == VIEW.magic else read_sample(data)
        try:
            problem = self.room.hear(page.client, said)
        except KinematchError as error:
            raise ValueError(str(error)) from None
        if problem:
            page.tell(ErrorMessage(problem, "tracker_sample"))

    def hear(self, page: Page, message: RoomMessage) -> None:
        if isinstance(message, messages.LeaveRoom):
            self.leave(page)
            return
        if isinstance(message, messages.RecordTrackers):
            if user := self.room.users.get(page.client):
                user.record(message.on)
                self.tell()
            return
        task = asyncio.ensure_future(self._do(page, message))
        page.tasks.add(task)
        task.add_done_callback(page.tasks.discard)

    async def _do(self, page: Page, message: RoomMessage) -> None:
        try:
            match message:
                case messages.EnterRoom(device, name):
                    await self.enter(page, device, name)
                case messages.Calibrate():
                    user = self.find(page.client)
                    calibration = user.measure(message)
                    self._keep(user)
                    await self.change(user, calibration=calibration)
                case messages.ChangeBody(database, fit):
                    user = self.find(page.client)
                    await self.change(user, database=database, **({} if fit is None else {"fit": fit}))
        except KinematchError as error:
            page.tell(ErrorMessage(str(error), str(message.__struct_config__.tag)))
        self.tell()

    def find(self, client: str) -> VrUser:
        if client not in self.room.users:
            raise KinematchError("this page has no body; enter the room first")
        return self.room.users[client]

    async def enter(self, page: Page, device: str, name: str) -> None:
        stored = load_calibration(name, self._calibrations) if name else None
        user = await self.admit(page.client, name or page.name, device if stored is None else stored)
        if user is not None and page.client not in self.pages.all:  # it left while its body was made
            self.leave(page)
        elif user is not None:
            user.is_known = bool(name)

    async def admit(self, client: str, name: str, calibration: Calibration | str) -> VrUser | None:
        """Admit a user, with a calibration or the worn device; None for one who is inside or entering."""
        if client in self.room.users or client in self._entering:
            return None
        self._entering.add(client)
        try:
            calibrator, stage = Calibrator(calibration), self._stage()
            outfit = await asyncio.to_thread(
                make_outfit, stage.model or stage.database, stage.name, calibration=calibrator.calibration
            )
            return self.room.enter(client, name, outfit, calibrator)
        finally:
            self._entering.discard(client)

    def leave(self, page: Page) -> None:
        if user := self.room.users.get(page.client):
            self._keep(user)
        if self.room.leave(page.client):
            self.tell()

    async def change(self, user: VrUser, *, database: str | None = None, **parts: Any) -> None:
        """Another motion by name, `worn` character (None: the mannequin), `fit` or `calibration`; the rest stays."""
        async with self._changing:
            now = user.outfit
            name = now.name if database is None else database
            opened = now.motion if database is None else await asyncio.to_thread(self._open, name)
            parts = {"worn": now.worn, "fit": now.fit, "calibration": user.calibrator.calibration, **parts}
            user.outfit = await asyncio.to_thread(make_outfit, opened, name, **parts, version=now.version + 1)
        self.tell()

    def _grow(self, user: VrUser) -> None:
        """A height was measured by itself: make the body as tall."""
        if user.client in self._growing or self.room.users.get(user.client) is not user:
            return

        async def grow() -> None:
            try:
                await self.change(user)
            except KinematchError as error:
                self._tell(user.client, str(error))
            finally:
                self._growing.pop(user.client, None)

        self._growing[user.client] = asyncio.ensure_future(grow())

    def _keep(self, user: VrUser) -> None:
        """Store what was measured of a user who has a name."""
        if user.is_known and user.calibrator.measured:
            try:
                stored = list_users(self._calibrations)
                if user.name in stored or len(stored) < MOST_STORED:
                    save_calibration(user.name, user.calibrator.calibration, self._calibrations)
            except KinematchError as error:
                self._tell(user.client, str(error))

    def list_motions(self) -> list[str]:
        return list(self._find_motions())

    def _find_motions(self) -> dict[str, Callable[[], Any]]:
        """The database or model that plays, those beside its file, and the built-in motion."""
        stage = self._stage()
        found: dict[str, Callable[[], Any]] = {
            stage.name: lambda: stage.model or stage.database, BUILT_IN: open_built_in
        }  # fmt: skip
        for path in sorted(Path(stage.path).parent.glob("*.kinematch*")) if stage.path else ():
            if path.suffix in KINDS and path != Path(stage.path):
                name = path.name if path.stem in found else path.stem  # a model is often named as its database is
                found[name] = partial(load, path)
        return found

    def _open(self, name: str) -> Any:
        found = self._find_motions()
        if name not in found:
            raise KinematchError(unknown("motion", name, found))
        if name not in self._opened or name == self._stage().name:
            self._opened[name] = found[name]()
        return self._opened[name]

    def tell(self, page: Page | None = None) -> None:
        """How the room is, to one page or all."""
        users = self.room.users
        self.room.watched = any(client not in users for client in self.pages.all) or len(users) > 1
        now = RoomNow(
            [describe_user(user) for user in users.values()], self.list_motions(), list(MOTIONS), list(DEVICES)
        )
        if page is None:
            self.pages.tell(now)
        else:
            page.tell(now)

    def _send(self, client: str, frame: bytes) -> None:
        if page := self.pages.all.get(client):
            page.put(frame)

    def _show(self, frames: bytes) -> None:
        for page in self.pages.all.values():
            page.put(frames)

    def _tell(self, client: str, text: str) -> None:
        if page := self.pages.all.get(client):
            page.tell(Notice(text))

    def _report(self, client: str, now: CameraNow) -> None:
        """To the page whose body it is about; to all pages if no page moves that body."""
        if client in self.pages.all:
            self.pages.all[client].tell(now)
        else:
            self.pages.tell(now)

    def _fail(self, client: str, text: str) -> None:
        if page := self.pages.all.get(client):
            page.tell(ErrorMessage(text, "enter_room"))
        self.tell()


def describe_user(user: VrUser) -> AvatarInfo:
    outfit = user.outfit
    skeleton = outfit.skeleton
    return AvatarInfo(
        user=user.number, client=user.client, name=user.name, place=user.place, version=outfit.version,
        database=outfit.name, fit="space" if outfit.fit == "space" else "avatar", space=outfit.calibration.scale,
        height=outfit.calibration.height, calibrated="height" in user.calibrator.measured,
        seated=outfit.calibration.seated, recording=user.recording,
        character="" if outfit.worn is None else outfit.worn.name, scale=outfit.scale,
        nodes=[] if outfit.worn is None else list(outfit.worn.nodes),
        skeleton=skeleton_info(skeleton, positioned=range(skeleton.joint_count)),
    )  # fmt: skip
