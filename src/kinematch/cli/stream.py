"""`kinematch stream`: a character that plays a script, sent to other programs in real time, without a page."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from kinematch.cli.opening import MOTION, open_motion
from kinematch.cli.options import blaming, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.access.keys import AccessKey
    from kinematch.control.command import Controller
    from kinematch.control.script import Script
    from kinematch.stream.streaming import StreamedCharacter, StreamedPerformance

PORT = 8124
FAREWELL = 10.0  # s for programs to read to the end of the stream


def stream(
    database: Annotated[tyro.conf.Positional[Path | None], option(MOTION)] = None,
    /,
    controller: Annotated[
        Path | None, option("a script of commands (.jsonl), played in a loop; default: the character wanders")
    ] = None,
    once: Annotated[bool, option("play the script once, when the first program connects, and quit")] = False,
    character: Annotated[Path | None, option("a humanoid to send, such as a GLB or VRM file")] = None,
    robot: Annotated[Path | None, option("a robot (MJCF or URDF) whose joint angles are sent beside the poses")] = None,
    vmc: Annotated[
        str | None, option("also send the character to HOST:PORT as VMC, such as 127.0.0.1:39539; UDP knows no key")
    ] = None,
    port: Annotated[int, option("port of the WebSocket; if it is in use, the next free one")] = PORT,
    host: Annotated[
        str,
        option(
            "address to listen on; the default admits only this machine, others need the key in the printed address"
        ),
    ] = "127.0.0.1",
    origin: Annotated[tuple[str, ...], option("origins whose pages may connect, such as http://localhost:5173")] = (),
    no_websocket: Annotated[bool, option("send only VMC")] = False,
) -> int:
    """Play a script and send the poses to every client of ws://HOST:PORT/stream (docs/stream.md)."""
    if not 0 <= port < 65536:
        raise KinematchError(f"port {port}, expected 0 to 65535")
    if no_websocket and vmc is None:
        raise KinematchError("nothing to do: without a WebSocket, name a receiver with --vmc HOST:PORT")
    if robot is not None and (character is not None or no_websocket):
        raise KinematchError("--robot follows the motion's own body, over a WebSocket: leave out --character")
    if once and controller is None:
        raise KinematchError("--once is about a script: name one with --controller")
    from kinematch.access.guard import is_loopback
    from kinematch.access.keys import AccessKey
    from kinematch.cli.screen import Screen
    from kinematch.control.script_file import read_script
    from kinematch.stream.broadcast import Broadcast
    from kinematch.studio.server.serving import listen

    screen = Screen()
    script = None if controller is None else read_script(controller)
    if script is not None and not script.duration > 0:
        raise KinematchError(f"{controller}: the script takes no time")
    broadcast = None if vmc is None else Broadcast(vmc_address=vmc)
    performance = _open(database, character, robot)
    opened = None if no_websocket else listen(host, port)  # when it can answer: compiling may take a minute
    key = None if is_loopback(host) else AccessKey()
    for line in () if broadcast is None else broadcast.describe("the character"):
        screen.say(line)
    if opened is not None:
        name = f"[{host}]" if ":" in host else host
        place = f"ws://{name}:{opened.getsockname()[1]}/stream"
        screen.say("poses at ", (place if key is None else key.add_to(place), "bold"), "; Ctrl-C ends")
    screen.file.flush()  # for programs that wait for this line
    with suppress(KeyboardInterrupt):
        asyncio.run(run_stream(
            performance, _play(script, once), opened, host=host, origins=origin, key=key, broadcast=broadcast, once=once
        ))  # fmt: skip
    return 0


async def run_stream(
    performance: "StreamedPerformance", controllers: "Iterator[Controller]", opened: Any, *, host: str,
    origins: tuple[str, ...] = (), key: "AccessKey | None" = None, broadcast: Any = None, once: bool = False,
) -> None:  # fmt: skip
    """Play controllers, scripts to their ends, for all who connect to the opened socket; `once`: from the first on."""
    from kinematch.stream.streaming import Listeners, perform, stream_application
    from kinematch.studio.server.serving import make_server

    listeners = Listeners()
    server, serving = None, None
    if opened is not None:
        server = make_server(stream_application(performance, listeners, host=host, origins=origins, key=key))
        serving = asyncio.create_task(server.serve(sockets=[opened]))
    waiting = asyncio.create_task(listeners.arrived.wait())
    if once and serving is not None:
        await asyncio.wait((waiting, serving), return_when=asyncio.FIRST_COMPLETED)
    playing = asyncio.create_task(
        perform(
            performance, controllers, listeners, broadcast=broadcast,
            is_done=lambda controller: getattr(controller, "done", False),
        )
    )  # fmt: skip
    tasks = [playing] if serving is None else [playing, serving]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if playing.done():
        playing.result()
        until = asyncio.get_running_loop().time() + FAREWELL
        while listeners.queues and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.01)
    playing.cancel()
    if server is not None and serving is not None:
        server.should_exit = True
        await serving


def _play(script: "Script | None", once: bool) -> "Iterator[Controller]":
    import numpy as np

    from kinematch.control.script import ScriptPlayer
    from kinematch.control.wander import Wander

    while True:
        yield ScriptPlayer(script) if script is not None else Wander(np.random.default_rng(0))
        if once:
            return


def _open(database: Path | None, character: Path | None, robot: Path | None) -> "StreamedCharacter":
    from kinematch.cli.screen import progress_bar
    from kinematch.files import read_clip
    from kinematch.motion.clean.root import with_root
    from kinematch.robot.read import read_robot
    from kinematch.stream.streaming import StreamedCharacter

    skeleton = None
    if character is not None:
        with blaming(character):
            skeleton = with_root(read_clip(character).skeleton)
    model = None if robot is None else read_robot(robot)
    with progress_bar("opening") as show:
        motion, name = open_motion(database, show)
        with blaming(robot or character or database):
            return StreamedCharacter(motion, name=name, skeleton=skeleton, robot=model)
