"""The page in Firefox, driven by WebDriver BiDi over its WebSocket: panels open, keys steer, the console is silent."""

import itertools
import json
import math
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

PREFERENCES = ("webgl.force-enabled", "remote.prefs.recommended")
WIDTH, HEIGHT = 1280, 720


def missing() -> str:
    """What this machine lacks; empty if nothing."""
    if not _program():
        return "no Firefox on this machine"
    if not os.environ.get("DISPLAY") and not shutil.which("Xvfb"):
        return "no screen and no Xvfb on this machine: without one, Firefox draws nothing in 3D"
    return ""


def _program() -> str | None:
    return shutil.which("firefox") or shutil.which("firefox-esr")


class Firefox:
    """One window; what the page complains of is kept."""

    def __init__(self, socket: ClientConnection):
        self.socket, self.numbers, self.problems = socket, itertools.count(1), []
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=["log.entryAdded"])
        self.window = self.command("browsingContext.getTree")["contexts"][0]["context"]
        size = {"width": WIDTH, "height": HEIGHT}
        self.command("browsingContext.setViewport", context=self.window, viewport=size)

    def command(self, method: str, **parameters: Any) -> Any:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.problems.append(message["params"]["text"])
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]

    def open(self, url: str) -> None:
        self.command("browsingContext.navigate", context=self.window, url=url, wait="complete")

    def ask(self, script: str) -> Any:
        told = self.command(
            "script.evaluate",
            expression=f"JSON.stringify({script}) ?? 'null'",
            target={"context": self.window},
            awaitPromise=True,
        )
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    def until(self, script: str, seconds: float = 60.0) -> Any:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.ask(script):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never came true: {script}; the page said {self.problems}")

    def key(self, kind: str, value: str) -> None:
        """keyDown or keyUp."""
        actions = [{"type": "key", "id": "keyboard", "actions": [{"type": kind, "value": value}]}]
        self.command("input.performActions", context=self.window, actions=actions)


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """A Firefox of one's own, gone at the end."""
    with ExitStack() as stack:
        display = os.environ.get("DISPLAY") or stack.enter_context(_virtual_screen())
        (profile / "user.js").write_text("".join(f'user_pref("{name}", true);\n' for name in PREFERENCES))
        process = subprocess.Popen(
            [_program(), "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"],
            env={**os.environ, "DISPLAY": display, "HOME": str(profile), "LIBGL_ALWAYS_SOFTWARE": "1"},
            stderr=(profile / "said.txt").open("w"), stdout=subprocess.DEVNULL,
        )  # fmt: skip
        stack.callback(_end, process)
        socket = stack.enter_context(connect(_address(profile / "said.txt", process), max_size=None))
        yield Firefox(socket)


def _address(said: Path, process: subprocess.Popen) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"BiDi listening on (ws://\S+)", said.read_text()):
            return f"{found[1]}/session"
        time.sleep(0.05)
    raise AssertionError(f"Firefox does not start: {said.read_text()[-500:]}")


@contextmanager
def _virtual_screen() -> Iterator[str]:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x900x24"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield f":{told.readline().strip()}"
    finally:
        _end(process)


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(10)
        return
    process.kill()


pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing() or "Firefox is here")]
ROOT = "Array.from(kinematch.live.playback.newest.roots.slice(0, 4))"


@pytest.fixture
def window(fresh_server, tmp_path):
    (tmp_path / "profile").mkdir()
    with firefox(tmp_path / "profile") as opened:
        opened.open(f"{fresh_server.url}/?quality=low")
        if opened.until("document.readyState === 'complete'") and "WebGL" in opened.ask("document.body.textContent"):
            pytest.skip("this Firefox cannot draw in 3D: it finds no OpenGL (Mesa's libgl1-mesa-dri has one)")
        opened.until("!!window.kinematch?.live.moment")
        yield opened
        assert not opened.problems


def test_firefox_shows_every_panel_and_is_steered(window: Firefox):
    for panel in window.ask("kinematch.panels"):
        window.ask(f"void kinematch.open('{panel}')")
        window.until(f"document.querySelector('#panel-{panel}')?.textContent.length > 20")
        window.until(f"!document.querySelector('#panel-{panel} .loading')")
    window.ask("void kinematch.open('play')")
    x, _, z, _ = window.ask(ROOT)
    yaw = window.ask("kinematch.viewport.follow.yaw")
    window.key("keyDown", "w")
    new = window.until(f"(([x, , z]) => Math.hypot(x - {x}, z - {z}) > 1 && [x, z])({ROOT})")
    window.key("keyUp", "w")
    dx, dz = new[0] - x, new[1] - z
    assert dx * math.sin(yaw) + dz * math.cos(yaw) > 0.75 * math.hypot(dx, dz)
