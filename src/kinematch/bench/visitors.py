"""Visitors of the avatar benchmark: pages without a browser, in a process of their own, that send samples and wait."""

import asyncio
import json
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from kinematch.avatar.calibration import Calibration
from kinematch.avatar.simulate import sample_at
from kinematch.avatar.trackers import HEAD, LEFT_HAND, RIGHT_HAND
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.stream.layout import AVATAR, SAMPLE, pack, split, unpack
from kinematch.studio.vr.samples import to_webxr
from kinematch.studio.vr.simulated_motions import MOTIONS

RATE = 90  # samples a second
WARM_UP_SAMPLES = RATE  # of them that are not counted
BODY_TIMEOUT = 120.0  # s for a body: on a new machine it is compiled first
TRACKED_BITS = 1 << HEAD | 1 << LEFT_HAND | 1 << RIGHT_HAND  # what a visitor wears
NO_FINGERS = np.zeros((0, 25, 3))


def make_samples(number: int, count: int) -> list[bytes]:
    """What the devices of a simulated user say; users move differently, and for as long as it takes."""
    joints = list(MOTIONS.values())[number % len(MOTIONS)]()
    times = 1 + np.arange(count) / RATE
    devices = Calibration().place_devices(sample_at(joints, (times + number) % joints.times[-1], times))
    rotations = to_webxr(devices.rotations)
    return [
        pack(
            SAMPLE,
            {"sequence": k, "time": times[k], "valid": TRACKED_BITS, "points": devices.positions.shape[1], "hands": 0},
            {"positions": devices.positions[k], "rotations": rotations[k], "fingers": NO_FINGERS},
        )
        for k in range(count)
    ]  # fmt: skip


def time_answers(database: Database, count: int, seconds: float) -> tuple[list[float], float]:
    """Seconds from each sample to its body, of pages that a server of this process serves; the share left out."""
    from kinematch.studio.server.serving import address, listen, server
    from kinematch.studio.session.stage import Stage
    from kinematch.studio.session.studio import Studio

    with TemporaryDirectory() as folder:
        opened = listen("127.0.0.1", 0)
        web = server(Studio(Stage(database, name="bench"), presets=Path(folder) / "presets"))
        thread = threading.Thread(target=web.run, kwargs={"sockets": [opened]}, daemon=True)
        thread.start()
        try:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                url = address("127.0.0.1", opened).replace("http", "ws")
                return pool.submit(visit_room, f"{url}/stream", count, seconds).result()
        finally:
            web.should_exit = True
            thread.join(BODY_TIMEOUT)


def visit_room(url: str, count: int, seconds: float) -> tuple[list[float], float]:
    """Let visitors in, have all of them move, and measure how long bodies took."""
    return asyncio.run(_visit_together(url, count, seconds))


async def _visit_together(url: str, count: int, seconds: float) -> tuple[list[float], float]:
    inside = asyncio.Barrier(count)
    samples = [make_samples(number, WARM_UP_SAMPLES + round(seconds * RATE)) for number in range(count)]
    results = await asyncio.gather(*(_visit(url, number, own, inside) for number, own in enumerate(samples)))
    times = [one for found, _ in results for one in found]
    return times, 1 - len(times) / sum(sent for _, sent in results)


async def _visit(url: str, number: int, samples: list[bytes], inside: asyncio.Barrier) -> tuple[list[float], int]:
    """Seconds of each answer, and how many samples could have had one."""
    from websockets.asyncio.client import connect

    sent, answers = np.full(len(samples), np.nan), np.full(len(samples), np.nan)
    async with connect(url, max_size=None, compression=None, close_timeout=1) as page:
        await _enter(page)
        await inside.wait()

        async def receive() -> None:
            async for message in page:
                now = perf_counter()
                if not isinstance(message, bytes) or message[:4] != AVATAR.magic:
                    continue
                for frame in split(AVATAR, message):
                    header, _ = unpack(AVATAR, frame)
                    if header["own"]:
                        answers[int(header["sequence"])] = now

        receiving = asyncio.ensure_future(receive())
        due = perf_counter() + number / RATE / inside.parties  # headsets do not tick together
        for k, message in enumerate(samples):
            await asyncio.sleep(max(due - perf_counter(), 0.0))
            sent[k] = perf_counter()
            await page.send(message)
            due = max(due + 1 / RATE, sent[k])
        await asyncio.sleep(0.3)
        receiving.cancel()
    took = (answers - sent)[WARM_UP_SAMPLES:]
    return took[np.isfinite(took)].tolist(), len(took)


async def _enter(page: Any) -> None:
    """Enter the room; returns once the own body is there."""
    client = ""
    await page.send(json.dumps({"type": "stream", "every": 0}))
    await page.send(json.dumps({"type": "enter_room"}))
    async with asyncio.timeout(BODY_TIMEOUT):
        async for message in page:
            if isinstance(message, bytes):
                continue
            told = json.loads(message)
            client = told.get("client", client) if told["type"] == "welcome" else client
            if told["type"] == "error":
                raise KinematchError(f"a visitor could not enter the room: {told}")
            if told["type"] == "room_now" and any(user["client"] == client for user in told["users"]):
                return
