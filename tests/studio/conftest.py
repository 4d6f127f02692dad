"""A real server on this machine, and pages that talk to it as a browser's would."""

import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import ClientConnection, connect

from kinematch.access.keys import AccessKey
from kinematch.database.storage import Database
from kinematch.stream.layout import POSE, unpack
from kinematch.studio.server.serving import address, listen, server
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio

PATIENCE = 240.0  # s, far more than anything takes on a busy machine; only a failure waits for it


class Page:
    """One page: what it is told is taken in order, poses and messages apart."""

    def __init__(self, connection: ClientConnection):
        self.connection = connection
        self.welcome = self.message("welcome")

    @property
    def identity(self) -> dict[str, str]:
        """The header of this page's own requests."""
        return {"x-kinematch-secret": self.welcome["secret"]}

    def say(self, type_: str, **fields) -> None:
        self.connection.send(json.dumps({"type": type_, **fields}))

    def message(self, type_: str, when: Callable[[dict], bool] = lambda message: True) -> dict:
        """The next message of a type, poses and others skipped."""
        return self._next(lambda m: m["type"] == type_ and when(m), of=str)

    def pose(self, when: Callable[[dict, dict], bool] = lambda header, arrays: True) -> tuple[dict, dict]:
        """Header and arrays of the next pose that fits."""
        return unpack(POSE, self.frame(lambda frame: when(*unpack(POSE, frame))))

    def frame(self, when: Callable[[bytes], bool] = lambda frame: True) -> bytes:
        return self._next(when, of=bytes)

    def _next(self, when: Callable, *, of: type):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            received = self.connection.recv(timeout=PATIENCE)
            if isinstance(received, of):
                item = json.loads(received) if of is str else received
                if when(item):
                    return item
        raise AssertionError("what was waited for never came")


class Server:
    def __init__(self, studio: Studio, url: str):
        self.studio, self.url = studio, url

    @contextmanager
    def page(self, secret: str = "", **options) -> Iterator[Page]:
        """A new page, or one that comes back with its secret."""
        place = f"{self.url.replace('http', 'ws')}/stream"
        if secret:
            options["subprotocols"] = ["kinematch", f"kinematch-secret.{secret}"]
        # a page with unread poses does not hear the server's goodbye, and need not wait for it
        with connect(place, max_size=None, close_timeout=0.05, **options) as socket:
            yield Page(socket)

    def fetch(
        self, path: str, *, method: str = "GET", body: bytes | None = None, **headers
    ) -> tuple[int, bytes, dict[str, str]]:
        """Status, content and headers of what is answered to a request."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()


@contextmanager
def running(studio: Studio, key: AccessKey | None = None) -> Iterator[Server]:
    opened = listen("127.0.0.1", 0)
    web = server(studio, key=key)
    thread = threading.Thread(target=web.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    try:
        yield Server(studio, address("127.0.0.1", opened))
    finally:
        web.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def database(built_of) -> Database:
    """A few clips of the built-in motion."""
    clips = "idle", "walk_1.35", "run_2.6", "walk_turn_*_90", "walk_turn_*_180", "idle_level3", "walk_level3"
    return built_of(*clips).database


@pytest.fixture(scope="session")
def studio_server(database, tmp_path_factory) -> Iterator[Server]:
    """One server for all tests of a session; each leaves it as it was."""
    with running(Studio(Stage(database, name="small"), presets=tmp_path_factory.mktemp("presets"))) as made:
        yield made


@pytest.fixture
def run_studio():
    """run_studio(studio): a server of a studio that a test made itself."""
    return running


@pytest.fixture
def fresh_server(database, tmp_path: Path) -> Iterator[Server]:
    """A server of a test's own."""
    with running(Studio(Stage(database, name="small"), presets=tmp_path / "presets")) as made:
        yield made


class _Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))  # with its traceback


@pytest.fixture
def server_log(fresh_server) -> Iterator[list[str]]:
    """What the server of a test's own writes to its log, from level info, tracebacks included."""
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error", "asyncio", "kinematch")]
    levels, lines = [logger.level for logger in loggers], _Lines()
    for logger in loggers:
        logger.setLevel(logging.INFO)
        if logger.name != "uvicorn.error":  # which hands on to uvicorn
            logger.addHandler(lines)
    yield lines.lines
    for logger, level in zip(loggers, levels):
        logger.removeHandler(lines)
        logger.setLevel(level)


MUST = os.environ.get("CI") or os.environ.get("KINEMATCH_REQUIRE_BROWSER")  # then nothing is skipped
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PICTURES = os.environ.get("KINEMATCH_SCREENSHOTS")  # a folder; drawing is then as good as it gets, else quick
# the processor draws: fewer pixels, and the page put together without the graphics driver, take a fifth of the time
FLAGS = [
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"),
    *([] if PICTURES else ["--disable-gpu-compositing"]),
]
PIXELS = {"device_scale_factor": 1.0 if PICTURES else 0.4}  # of a new page or context


@pytest.fixture(scope="session")
def launch():
    """launch(*flags): Chromium without a screen; where CI has none that is a failure, elsewhere a skip."""
    found = next((path for path in map(shutil.which, CHROMIUM) if path), None)
    built = resources.files("kinematch.studio").joinpath("static", "index.html").is_file()
    problem = "" if found and built else "no Chromium on this machine" if built else "the page was not compiled"
    if problem and MUST:
        pytest.fail(problem)
    if problem:
        pytest.skip(problem)
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tool:
        yield lambda *flags: tool.chromium.launch(executable_path=found, args=[*FLAGS, *flags])


@pytest.fixture(scope="session")
def browser(launch):
    launched = launch()
    yield launched
    launched.close()


class Screen:
    """A page in the browser; what it complains of is kept."""

    server: Server  # where a page is shared
    ROOT = "Array.from(kinematch.live.playback.newest.roots.slice(0, 4))"  # x y z yaw, of the stream's newest pose

    def __init__(self, page, url: str):
        self.page, self.problems = page, []
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(url)
        self.until("!!window.kinematch?.live.moment")

    def ask(self, script: str):
        return self.page.evaluate(script)

    def until(self, wanted: str | Callable[[], object], seconds: float = PATIENCE):
        """Wait until a script, or a function here, gives something true, and return that.

        (The page forbids what Playwright would use.)
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := wanted() if callable(wanted) else self.ask(wanted):
                return found
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never came true: {wanted}; the page said {self.problems}")

    def forgive(self, words: str) -> None:
        """Browsers report refused requests as errors of the page; drop those that a test provoked."""
        self.until(lambda: any(words in problem for problem in self.problems))
        self.problems[:] = [problem for problem in self.problems if words not in problem]

    def until_moved(self, metres: float) -> tuple[float, float]:
        """Wait until the character, as the stream has it, has gone so far; returns by how much, along x and z."""
        x, _, z, _ = self.ask(self.ROOT)
        away = (
            f"(([x, , z]) => Math.hypot(x, z) > {metres} && [x, z])({self.ROOT}.map((v, k) => v - [{x}, 0, {z}, 0][k]))"
        )
        dx, dz = self.until(away)
        return dx, dz

    def walk(self, metres: float, key: str = "w") -> tuple[float, float]:
        """Hold a key until the character has gone so far; returns by how much, along x and z."""
        self.page.keyboard.down(key)
        moved = self.until_moved(metres)
        self.page.keyboard.up(key)
        return moved

    def picture(self, name: str) -> None:
        """Write a picture to the folder that KINEMATCH_SCREENSHOTS names, if it does; first things move a little."""
        if PICTURES:
            self.page.wait_for_timeout(1500)
            self.page.screenshot(path=Path(PICTURES) / f"{name}.png", timeout=120_000)


def _opened(
    browser, server: Server, panel: str = "play", *, script: str = "", newcomer: bool = False, **options
) -> Screen:
    """A page in a context of its own; newcomers are offered the tour."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **PIXELS, **options})
    if not newcomer:
        context.add_init_script("localStorage.setItem('kinematch-tour', 'done')")
    if script:
        context.add_init_script(script)
    return Screen(context.new_page(), f"{server.url}/?quality={'high' if PICTURES else 'low'}#{panel}")


@pytest.fixture
def screen_of() -> Iterator[Callable[..., Screen]]:
    """screen_of(browser, server, panel): a page of one's own in a browser, which must end without a complaint."""
    opened: list[Screen] = []

    def make(*arguments, **options) -> Screen:
        opened.append(_opened(*arguments, **options))
        return opened[-1]

    yield make
    problems = [problem for one in opened for problem in one.problems]
    for one in opened:
        one.page.context.close()
    assert not problems


@pytest.fixture
def screen(screen_of, browser) -> Callable[..., Screen]:
    """screen(server, panel): the same in the browser that all tests share."""
    return lambda *arguments, **options: screen_of(browser, *arguments, **options)


@pytest.fixture(scope="module")
def _shared_page(browser, database, tmp_path_factory) -> Iterator[Screen]:
    presets = tmp_path_factory.mktemp("page") / "presets"
    with running(Studio(Stage(database, name="small"), presets=presets)) as server:
        page = _opened(browser, server)
        page.server = server
        yield page
        page.page.context.close()


FRESH = """for (const message of [{ type: "resume" }, { type: "steer_by", how: "stick" }, { type: "start_over" },
  { type: "follow_path", keypoints: [] }, { type: "compare", on: false }, { type: "reset_settings" }])
  kinematch.live.connection.send(message);
kinematch.open("play");"""


@pytest.fixture
def driven(_shared_page) -> Iterator[Screen]:
    """The page of a server, both shared: the character stands near the beginning, and nothing was changed."""
    page = _shared_page
    page.ask(FRESH)
    page.until("""kinematch.live.playing && kinematch.live.situation.keypoints.length === 0
      && Math.hypot(...kinematch.live.playback.newest.roots.slice(0, 3)) < 1""")
    page.ask("kinematch.viewport.follow.mode = 'follow'; kinematch.viewport.follow.jump()")
    page.until("kinematch.viewport.follow.controls.target.distanceTo(kinematch.live.hips) < 0.5")
    yield page
    problems, page.problems[:] = list(page.problems), []
    assert not problems
