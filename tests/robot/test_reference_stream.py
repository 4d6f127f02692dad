"""A reference over a WebSocket: it sends what the reference shows, listeners steer it, and nobody lags behind."""

import asyncio
import json
from contextlib import suppress
from itertools import repeat

import numpy as np
import pytest

import kinematch as km
from kinematch.cli.main import main
from kinematch.cli.stream import run_stream
from kinematch.robot.reference.robot_reference import RobotReference
from kinematch.stream.layout import unpack
from kinematch.stream.reference_stream import REFERENCE, SteeredByListeners, StreamedReference
from kinematch.stream.streaming import Listeners
from kinematch.studio.server.serving import listen


@pytest.fixture
def streamed(source, biped):
    return StreamedReference(RobotReference(biped, source), name="few clips")


def test_frames_hold_what_the_reference_shows(streamed, source, biped):
    twin = RobotReference(biped, source)
    streamed.hear('{"type": "command", "velocity": [1.0, 0.5]}')
    twin.reset()
    for _ in range(5):
        (frame,) = streamed.advance(streamed.steering)
        shown = twin.step(km.move([0.5, 0.0, 1.0]))  # Y left is our X, X forward our Z
    header, arrays = unpack(REFERENCE, frame)
    assert header["step"] == 5
    assert header["time"] == pytest.approx(0.1)
    for name, values in shown._asdict().items():
        assert np.allclose(arrays["seconds" if name == "times" else name], values if name == "times" else values[0])
    told = json.loads(streamed.welcome())
    assert told["robot"]["hinges"] == list(biped.hinge_names)
    assert told["bodies"] == list(biped.body_names)
    assert told["step_rate"] == 50


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", '{"type": "command"}', '{"type": "command", "velocity": [1e99, 0]}', "[" * 5000,
     '{"type": "command", "velocity": [NaN, 0]}', '{"type": "command", "velocity": "ab"}', '{"velocity": [1, 1]}'],
)  # fmt: skip
def test_messages_that_mean_nothing_are_passed_over(text, streamed):
    streamed.hear(text)
    assert not streamed.steering.velocity.any()


def test_who_reads_slowly_gets_the_newest_frames(streamed):
    listeners = Listeners()
    queue = asyncio.Queue(streamed.most_waiting)
    listeners.queues.add(queue)
    for step in range(40):
        listeners.send(bytes([step]))
    assert [queue.get_nowait()[0] for _ in range(queue.qsize())] == [35, 36, 37, 38, 39]


def test_a_listener_steers_over_a_socket(streamed):
    from websockets.asyncio.client import connect

    async def play():
        opened = listen("127.0.0.1", 0)
        address = f"ws://127.0.0.1:{opened.getsockname()[1]}/stream"
        serving = asyncio.create_task(run_stream(streamed, repeat(streamed.steering), opened, host="127.0.0.1"))
        try:
            async with connect(address, max_size=8 << 20) as connection:
                assert json.loads(await connection.recv())["database"] == "few clips"
                await connection.send('{"type": "command", "velocity": [1.2, 0.0]}')
                frames = [unpack(REFERENCE, await connection.recv()) for _ in range(100)]
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
        return frames

    frames = asyncio.run(play())
    steps = [header["step"] for header, _ in frames]
    assert steps == sorted(set(steps))
    bases = np.array([arrays["base_positions"][0] for _, arrays in frames])
    assert bases[-1, 0] - bases[0, 0] > 0.5


def test_what_is_missing_is_an_error(biped, tmp_path, capsys):
    for options, message in (
        ([], "-o, or --serve"), (["-o", str(tmp_path / "a.npz")], "--script"), (["--serve", "--port", "-1"], "port"),
    ):  # fmt: skip
        assert main(["reference", "--robot", biped.path, *options]) == 2
        assert message in " ".join(capsys.readouterr().err.split())
    assert not SteeredByListeners().velocity.any()
