"""Streaming without a page: one character under a controller, in real time, to every program that connects.

What it sends is a subset of what pages get (docs/stream.md): a welcome, then pose frames.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, Protocol

import msgspec

from kinematch import __version__
from kinematch.access.guard import Guard
from kinematch.access.keys import AccessKey
from kinematch.character import Crowd
from kinematch.control.command import Controller, move
from kinematch.motion.retarget.joints import find_contact_joints
from kinematch.motion.skeleton import Skeleton
from kinematch.robot.model import RobotModel
from kinematch.robot.retargeting import RobotRetargeting
from kinematch.stream.broadcast import Broadcast
from kinematch.stream.descriptions import describe_robot, describe_view
from kinematch.stream.layout import DT, PROTOCOL, STEP_RATE
from kinematch.stream.picture import Group, make_view, pack_robots, take_picture

MOST_LISTENERS = 16
MAX_LAG_SECONDS = 0.25  # s behind the clock, after which time is given up instead of caught up
GOING_AWAY = 1001  # close code of a WebSocket whose server ends


class StreamedPerformance(Protocol):
    """Something that plays commands step by step, as frames for listeners."""

    dt: float  # s of a step
    most_waiting: int  # frames for a listener that reads slowly; then the oldest are left out

    def advance(self, controller: Controller) -> list[bytes]:
        """The frames of one step."""

    def welcome(self) -> str:
        """The first message to a listener, as JSON."""

    def hear(self, text: str) -> None:
        """A message of a listener; what means nothing is passed over."""


class StreamedCharacter:
    """A character that plays commands step by step, as frames."""

    dt, most_waiting = DT, 600

    def __init__(
        self, motion: Any, *, name: str = "", skeleton: Skeleton | None = None, robot: RobotModel | None = None
    ):
        """`motion`: a database, a model or a motion source. `skeleton`: the body that is sent, in place of the
        motion's. `robot`: whose joint angles are sent too."""
        self.crowd, self.name, self.step = Crowd(motion, skeleton=skeleton), name, 0
        self.robot = None if robot is None else RobotRetargeting(self.crowd.skeleton, robot)
        crowd, about = self.crowd, self.crowd.sources[0].description
        self._rate = about.frame_rate or STEP_RATE
        self.view = make_view(crowd.skeleton, about.schema, crowd.rig.rest, crowd.rig.moving)
        beginning = crowd.state.copy()
        self.advance(_Standing())  # compiles what a step needs before anybody waits for one
        crowd.restore(beginning)
        self.step = 0
        if self.robot is not None:
            self.robot.restart()

    def advance(self, controller: Controller) -> list[bytes]:
        """One step; its picture, packed, and the robot's angles, if there is one."""
        began = perf_counter()
        self.step += 1
        self.pose = self.crowd.step(controller.command(self.crowd.body, DT), DT)
        seconds = perf_counter() - began
        picture = take_picture(
            self.view, [Group(self.crowd, self.pose)], None, step=self.step, dt=DT, sequence=0, seconds=seconds
        )
        if self.robot is None:
            return [picture.pack()]
        pose = self.pose
        solved = self.robot.step(pose.positions, pose.rotations, pose.contacts[:, :2], DT)
        return [picture.pack(), pack_robots(self.step, DT, *solved)]

    def welcome(self) -> str:
        """The first message to a listener, as JSON."""
        about = self.crowd.sources[0].description
        contacts = find_contact_joints(about.skeleton, about.contact_joints, self.crowd.skeleton)
        skeleton = describe_view(self.crowd.skeleton, self.view, contacts)
        return json.dumps(
            {
                "type": "welcome",
                "protocol": PROTOCOL,
                "version": __version__,
                "database": self.name,
                "frame_rate": self._rate,
                "step_rate": STEP_RATE,
                "skeleton": msgspec.to_builtins(skeleton),
                "character": None,
                "robot": None if self.robot is None else msgspec.to_builtins(describe_robot(self.robot.model, 1.0)),
                "horizons": self.view.horizons.tolist(),
            }
        )

    def hear(self, text: str) -> None:
        """Listeners do not steer a character."""


class _Standing:
    def command(self, body: Any, dt: float) -> Any:
        return move([0.0, 0.0, 0.0])


class Listeners:
    """The connected clients, each with a queue of its own; used by one event loop alone."""

    def __init__(self) -> None:
        self.queues: set[asyncio.Queue[bytes | None]] = set()
        self.arrived = asyncio.Event()

    def send(self, frame: bytes | None) -> None:
        """None ends the stream."""
        for queue in self.queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(frame)


async def perform(
    performance: StreamedPerformance,
    controllers: Iterator[Controller],
    listeners: Listeners,
    *,
    broadcast: Broadcast | None = None,
    is_done: Callable[[Controller], bool] = lambda controller: False,
    clock: Callable[[], float] = perf_counter,
) -> None:
    """Play one controller after another in real time until there are no more; then the stream ends."""
    due = clock()
    for controller in controllers:
        while not is_done(controller):
            for frame in performance.advance(controller):
                listeners.send(frame)
            if broadcast is not None and isinstance(performance, StreamedCharacter):
                broadcast.send(performance.crowd.skeleton, performance.pose, performance.step * DT)
            due = max(due + performance.dt, clock() - MAX_LAG_SECONDS)
            await asyncio.sleep(max(0.0, due - clock()))
    listeners.send(None)


def stream_application(
    performance: StreamedPerformance,
    listeners: Listeners,
    *,
    host: str = "127.0.0.1",
    origins: Sequence[str] = (),
    key: AccessKey | None = None,
) -> Guard:
    """An ASGI application with the WebSocket /stream and nothing else; `key`: what other machines must show."""
    from starlette.applications import Starlette
    from starlette.routing import WebSocketRoute

    async def stream(websocket: Any) -> None:
        await _stream(performance, listeners, websocket)

    return Guard(Starlette(routes=[WebSocketRoute("/stream", stream)]), host=host, origins=origins, key=key)


async def _stream(performance: StreamedPerformance, listeners: Listeners, websocket: Any) -> None:
    """One listener, from its arrival to its leaving."""
    from starlette.websockets import WebSocketDisconnect

    await websocket.accept()
    if len(listeners.queues) >= MOST_LISTENERS:
        await websocket.close(1013, f"{MOST_LISTENERS} programs are connected already")
        return
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(performance.most_waiting)
    hearing = asyncio.create_task(_hear(websocket, performance))
    try:
        await websocket.send_text(performance.welcome())
        listeners.queues.add(queue)
        listeners.arrived.set()
        while True:
            taking = asyncio.create_task(queue.get())
            await asyncio.wait((taking, hearing), return_when=asyncio.FIRST_COMPLETED)
            if hearing.done():
                taking.cancel()
                return
            frame = taking.result()
            if frame is None:
                await websocket.close(GOING_AWAY, "the controller has ended")
                return
            await websocket.send_bytes(frame)
    except (WebSocketDisconnect, RuntimeError, OSError):  # it disconnected during a send
        return
    finally:
        listeners.queues.discard(queue)
        hearing.cancel()


async def _hear(websocket: Any, performance: StreamedPerformance) -> None:
    """Until the listener leaves."""
    while (message := await websocket.receive())["type"] != "websocket.disconnect":
        if message.get("text") is not None:
            performance.hear(message["text"])
