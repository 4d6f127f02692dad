"""`kinematch record`: motion that another program sends, as VMC or over a WebSocket, becomes a file."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.motion.clip import Clip

SILENCE = 3.0  # s without a frame, after which the sender is taken to have ended
NAP = 0.001  # s between looks at the socket


def record(
    output: Annotated[Path, option("file to write: motion (.bvh, .glb) or a picture of it (.gif, .mp4, .png)", "-o")],
    vmc: Annotated[
        str | None, option("listen for VMC on this PORT or HOST:PORT; most programs send to 39539 by default")
    ] = None,
    websocket: Annotated[
        str | None, option("listen to a pose stream, such as ws://127.0.0.1:8124/stream; see docs/stream.md")
    ] = None,
    seconds: Annotated[float | None, option("stop this many seconds after the first frame")] = None,
    frame_rate: Annotated[float | None, option("frames per second of the file; default: the sender's")] = None,
    character: Annotated[int, option("index of the character in the pose stream")] = 0,
) -> int:
    """Record a stream until Ctrl-C, its end, three seconds of silence or --seconds, and write it to a file."""
    from kinematch.cli.convert import MOVING, write_motion
    from kinematch.cli.screen import Screen
    from kinematch.files import WRITABLE

    if (vmc is None) == (websocket is None):
        raise KinematchError("expected either --vmc PORT or --websocket ADDRESS")
    if seconds is not None and not seconds > 0:
        raise KinematchError(f"--seconds {seconds}, expected more than zero")
    check_output(output, *WRITABLE, *MOVING, ".png")
    screen = Screen()
    if vmc is not None:
        motion = _record_vmc(vmc, seconds, frame_rate, screen.say)
    else:
        assert websocket is not None
        motion = _record_stream(websocket, character, seconds, frame_rate, screen.say)
    write_motion(output, motion)
    joints = motion.skeleton.joint_count
    screen.say(f"{output}: {motion.frame_count} frames at {motion.frame_rate:g} fps, {joints} joints")
    return 0


def _record_vmc(address: str, seconds: float | None, frame_rate: float | None, say: Callable[[str], None]) -> "Clip":
    from kinematch.stream.osc import is_loopback, parse_address
    from kinematch.stream.recorder import MAX_FRAMES, VmcRecorder
    from kinematch.stream.vmc import PORT
    from kinematch.stream.vmc_in import VmcReceiver

    host, port = parse_address(address, PORT)
    receiver = VmcReceiver(port, host)
    recorder = VmcRecorder(receiver)
    who = "programs on this machine" if is_loopback(host) else "anybody who can reach this machine"
    say(f"listening for VMC on {host}:{receiver.port}, from {who}; Ctrl-C ends")
    began = last = None
    try:
        with suppress(KeyboardInterrupt):
            while len(recorder) < MAX_FRAMES:
                now = time.monotonic()
                if recorder.update(now):
                    began, last = began or now, now
                elif last is not None and now - last > SILENCE:
                    break
                if began is not None and seconds is not None and now - began >= seconds:
                    break
                time.sleep(NAP)
    finally:
        receiver.close()
    if receiver.malformed:
        say(f"{receiver.malformed} packets or messages made no sense and were left out")
    return recorder.make_clip(frame_rate)


def _record_stream(
    address: str, character: int, seconds: float | None, frame_rate: float | None, say: Callable[[str], None]
) -> "Clip":
    from websockets.exceptions import ConnectionClosed

    from kinematch.stream.listening import open_stream
    from kinematch.stream.recorder import MAX_FRAMES

    if character < 0:
        raise KinematchError(f"no character {character}, expected 0 or more")
    with open_stream(address, character) as (connection, recorder):
        say(f"recording {recorder.address}; Ctrl-C ends")
        began = None
        with suppress(KeyboardInterrupt, ConnectionClosed, TimeoutError):
            while len(recorder) < MAX_FRAMES and not recorder.is_done:
                if recorder.take(connection.recv(timeout=SILENCE if began else None)):
                    began = began or time.monotonic()
                if began and seconds is not None and time.monotonic() - began >= seconds:
                    break
    return recorder.make_clip(frame_rate)
