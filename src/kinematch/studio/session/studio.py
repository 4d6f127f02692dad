"""Studio: brings together the stage, the thread that steps it, and the pages that watch and steer it."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec.structs import replace

from kinematch.errors import KinematchError
from kinematch.folders import find_settings_folder
from kinematch.studio.server import messages
from kinematch.studio.server.answers import ErrorMessage, FromServer, Notice, Pong, Presets, Situation
from kinematch.studio.server.pages import Page, Pages
from kinematch.studio.server.permissions import Permissions
from kinematch.studio.session.avatar_mesh import OwnCharacter
from kinematch.studio.session.engine import Engine
from kinematch.studio.session.explaining import explain
from kinematch.studio.session.library import LibraryMotion, MotionLibrary
from kinematch.studio.session.page_messages import News, follow_message
from kinematch.studio.session.presets import PresetFolder as PresetFolder
from kinematch.studio.session.request_queue import QueuedMessage
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.welcome import ground, welcome
from kinematch.studio.vr.vr_session import RoomMessage, VrSession

MOST_QUESTIONS = 8  # of a page that are being worked out
MOST_OUTGOING = 64  # frames that wait for the server's loop


class Studio:
    """What the server serves. `open` and `notice` may be called from any thread, the rest from the server's loop."""

    def __init__(self, stage: Stage, *, path: Path | None = None, presets: Path | None = None):
        self.path = path  # what was opened from the command line
        self.presets = PresetFolder(presets or find_settings_folder() / "presets")
        self.pages = Pages()
        self.permissions = Permissions(self.pages)
        self.library = MotionLibrary()
        self.library.put(stage)
        self.engine = Engine(stage, show=self._show, fail=self._fail)
        kept = self.presets.folder.parent / "calibrations"
        self.vr_session = VrSession(self.pages, lambda: self.stage, self._call, calibrations=kept)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._outgoing: deque[bytes] = deque(maxlen=MOST_OUTGOING)
        self._opening, self._explaining = threading.Lock(), asyncio.Semaphore(2)
        self._last: QueuedMessage | None = None

    @property
    def stage(self) -> Stage:
        return self.engine.stage

    async def run(self) -> None:
        """Until cancelled: run the engine, and keep one page steering."""
        self._loop = asyncio.get_running_loop()
        self.engine.start()
        self.vr_session.start()
        try:
            while True:
                await asyncio.sleep(1.0)
                self.pages.settle()
                if self.pages.all:
                    self.pages.tell(self.situation())
        finally:
            await asyncio.to_thread(self.engine.stop)
            await self.vr_session.stop()

    def join(self, secret: str, *, address: str = "", is_here: bool = True) -> Page:
        page = self.pages.join(secret, address=address, is_here=is_here)
        self._welcome(page)
        self.vr_session.tell()
        self._watch()
        self.pages.tell(self.situation())
        return page

    def leave(self, page: Page) -> None:
        steered = page.client == self.pages.steers
        self.pages.leave(page)
        self.vr_session.leave(page)
        self._watch()
        if steered:  # a lost page's last word must not make a character run for ever
            self.stage.pilot.let_go()
        self.pages.tell(self.situation())

    def _watch(self) -> None:
        """The stage is stepped while a page wants its poses."""
        self.engine.watch(any(page.every for page in self.pages.all.values()))

    def open(self, motion: LibraryMotion) -> None:
        """Play another motion; every page gets a new welcome. A worn character is kept if it fits."""
        with self._opening:
            stage, problem = motion.open(self.stage.worn)
            if problem:
                self.notice(problem)
            self.open_stage(stage)

    async def wear(self, worn: OwnCharacter | None) -> None:
        """Show the motion on a user's own character, or on the database's figure."""
        await self.recast(lambda stage: stage.wear(worn))

    async def recast(self, change: Callable[[Stage], None]) -> None:
        """Change the characters on the stage; every page gets a new welcome."""

        def perform(stage: Stage) -> None:
            change(stage)
            self._call(self._welcome_all)

        await self.engine.perform(perform)

    def open_stage(self, stage: Stage) -> None:
        self.library.put(stage)

        def swap(_: Stage) -> None:
            self.engine.stage = stage
            self._call(self._welcome_all)

        self.engine.post(swap)

    def notice(self, text: str) -> None:
        self._call(self.pages.tell, Notice(text))

    def situation(self) -> Situation:
        stage, pilot, pages = self.stage, self.stage.pilot, self.pages
        oldest, newest = stage.history.bounds
        return Situation(
            playing=stage.playing, live=True, step=stage.shown_step, oldest=oldest, newest=newest,
            how="path" if pilot.how == "path" else "stick", keypoints=pilot.keypoints, loops=pilot.loops,
            crowd=stage.crowd_size, terrain=stage.terrain, comparing="b" in stage.crowds,
            steers=pages.steers, asking=pages.asking, watchers=pages.watchers,
        )  # fmt: skip

    def preset_list(self, page: Page) -> Presets:
        return self.presets.describe(whole=self.permissions.may_read_project(page))

    def _tell_presets(self) -> None:
        for page in self.pages.all.values():
            page.tell(self.preset_list(page))

    def hear(self, page: Page, message: messages.PageMessage) -> None:
        """Do what a page asks, or answer with the reason why not."""
        about = str(message.__struct_config__.tag)
        if problem := self.permissions.find_message_refusal(page, message):
            return page.tell(ErrorMessage(problem, about))
        if isinstance(message, messages.Stream):
            page.every = message.every
            self._watch()
            return
        if isinstance(message, messages.Ping):
            page.tell(Pong(message.time))
            return
        if isinstance(message, RoomMessage):
            self.vr_session.hear(page, message)
            return
        page.active = monotonic()
        match message:
            case messages.StickMessage():
                self._tried(page, about, lambda: self.stage.pilot.steer(message))
            case messages.TakeSteering():
                self.pages.take(page)
                self.pages.tell(self.situation())
            case messages.HandOver(to):
                self._tried(page, about, lambda: self.pages.hand_over(to))
                self.pages.tell(self.situation())
            case messages.Explain() | messages.OpenMotion() if len(page.tasks) < MOST_QUESTIONS:
                task = asyncio.ensure_future(self._answer(page, message, about))
                page.tasks.add(task)
                task.add_done_callback(page.tasks.discard)
            case messages.Explain() | messages.OpenMotion():
                page.tell(ErrorMessage("too many questions at once", about, getattr(message, "request", 0)))
            case messages.ChangeSettings(values, _):
                if self._tried(page, about, lambda: self.stage.check_settings(values)):
                    self._post(page, message, about)
            case messages.SavePreset(name, side):
                settings = self.stage.settings.get(side, self.stage.settings["a"])
                self._tried(page, about, lambda: self.presets.save(name, settings))
                self._tell_presets()
            case messages.DeletePreset(name):
                self._tried(page, about, lambda: self.presets.delete(name))
                self._tell_presets()
            case _:
                self._post(page, message, about)

    def _tried(self, page: Page, about: str, work: Callable[[], None]) -> bool:
        try:
            work()
        except (KinematchError, OSError) as error:
            page.tell(ErrorMessage(str(error), about))
            return False
        return True

    def _post(self, page: Page, message: messages.PageMessage, about: str) -> None:
        queued = QueuedMessage(message)
        if isinstance(message, messages.ChangeSettings | messages.SetCrowd | messages.Scrub):
            if self._last is not None and self._last.merge(message):
                return
            self._last = queued
        else:
            self._last = None  # what comes after this must not be done before it

        def job(stage: Stage) -> None:
            try:
                news = follow_message(stage, queued.take(), self.presets)
            except (KinematchError, OSError) as error:
                self._call(page.tell, ErrorMessage(str(error), about))
            else:
                for one in news:
                    self._call(self._tell, one)

        if not self.engine.post(job):
            page.tell(ErrorMessage("too many requests at once", about))

    def _tell(self, news: News) -> None:
        if isinstance(news, bytes):
            self.pages.show(news)
        else:
            self.pages.tell(news if isinstance(news, FromServer) else self.situation())

    async def _answer(self, page: Page, message: messages.Explain | messages.OpenMotion, about: str) -> None:
        """What takes too long for the loop."""
        try:
            if isinstance(message, messages.OpenMotion):
                await asyncio.to_thread(lambda: self.open(self.library.get(message.name, message.beside)))
                return
            async with self._explaining:
                page.tell(await asyncio.to_thread(explain, self.stage, message))
        except (KinematchError, OSError) as error:
            page.tell(ErrorMessage(str(error), about, getattr(message, "request", 0)))

    def _welcome(self, page: Page) -> None:
        motions, motion, presets = self.library.names, self.library.find_name(self.stage), self.preset_list(page)
        message = welcome(self.stage, page.client, presets, self.situation(), motions=motions, motion=motion)
        page.welcome(message if self.permissions.may_read_project(page) else replace(message, path=""))
        if self.stage.terrain != "flat":
            page.tell(ground(self.stage))
        page.put(self.stage.shown)

    def _welcome_all(self) -> None:
        for page in self.pages.all.values():
            self._welcome(page)

    def _show(self, frame: bytes) -> None:
        """From the engine's thread to the loop; frames that it cannot take in time are lost."""
        self._outgoing.append(frame)
        if len(self._outgoing) == 1:
            self._call(self._deliver)

    def _deliver(self) -> None:
        while self._outgoing:
            frame = self._outgoing.popleft()
            self.pages.show(frame, int.from_bytes(frame[4:8], "little"))

    def _fail(self, message: str) -> None:
        self._call(self.pages.tell, ErrorMessage(message))
        self._call(lambda: self.pages.tell(self.situation()))

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the server has ended meanwhile
                self._loop.call_soon_threadsafe(function, *arguments)
