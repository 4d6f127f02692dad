"""Listening to a pose stream: the frames of a character that a studio or `kinematch stream` sends, as one clip."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from kinematch.errors import KinematchError
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.skeleton import Skeleton
from kinematch.stream.layout import POSE, PROTOCOL, unpack
from kinematch.stream.picture import WXYZ
from kinematch.stream.recorder import MAX_FRAMES, even_out

LARGEST_FRAME = 8 << 20  # bytes; 500 characters of 64 joints are half of it
PATIENCE = 10.0  # s for the welcome


class StreamRecorder:
    """Keeps one character of every frame; a second welcome, of another skeleton, ends it."""

    def __init__(self, address: str, welcome: dict[str, Any], character: int = 0):
        self.character, self.address = character, address
        self.skeleton, self._positioned = read_skeleton(welcome)
        self._times: list[float] = []
        self._positions: list[np.ndarray] = []
        self._rotations: list[np.ndarray] = []
        self.is_done = False

    def __len__(self) -> int:
        return len(self._times)

    def take(self, message: str | bytes) -> bool:
        """A message of the stream; whether it was a frame that is kept."""
        if isinstance(message, str):
            self.is_done = _type_of(message) == "welcome"
            return False
        if message[:4] != POSE.magic or len(self) >= MAX_FRAMES:  # bodies of users with headsets are no pose frames
            return False
        try:
            header, arrays = unpack(POSE, message)
        except ValueError as error:
            raise KinematchError(f"{self.address}: a damaged frame: {error}") from None
        if header["joints"] != self.skeleton.joint_count or header["positioned"] != len(self._positioned):
            raise KinematchError(f"{self.address}: a frame of {header['joints']} joints for another skeleton")
        if not self.character < header["characters"]:
            raise KinematchError(
                f"{self.address}: no character {self.character}, expected 0 to {header['characters'] - 1}"
            )
        positions = self.skeleton.offsets.copy()
        positions[self._positioned] = arrays["positions"][self.character]
        positions[0] = arrays["roots"][self.character, :3]
        self._times.append(header["time"])
        self._positions.append(positions)
        self._rotations.append(arrays["rotations"][self.character][:, WXYZ])
        return True

    def make_clip(self, frame_rate: float | None = None) -> Clip:
        """All frames at an even rate."""
        if not self._times:
            raise KinematchError(f"{self.address}: no frame was received")
        frames = np.array(self._times), np.stack(self._positions), np.stack(self._rotations)
        return even_out(self.skeleton, *frames, frame_rate, Origin(self.address, "stream"))


def read_skeleton(welcome: dict[str, Any]) -> tuple[Skeleton, np.ndarray]:
    """The skeleton that is shown, and the joints whose positions frames contain."""
    try:
        about = (welcome.get("character") or welcome)["skeleton"]
        rotations = np.array(about["rotations"], np.float32).reshape(-1, 4)[:, WXYZ]
        tpose = about["tpose"]
        rig = Skeleton(
            names=tuple(about["names"]),
            parents=np.array(about["parents"], np.int32),
            offsets=np.array(about["offsets"], np.float32),
            rotations=rotations,
            end_parents=np.array(about["end_parents"], np.int32),
            end_offsets=np.array(about["end_offsets"], np.float32).reshape(-1, 3),
            file_order=np.arange(len(about["names"])),
            roles={str(role): int(joint) for role, joint in about["roles"].items()},
            tpose=None if tpose is None else np.array(tpose, np.float32)[:, WXYZ],
        )
        positioned = np.array(about["positioned"], np.int32)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise KinematchError(f"the welcome describes no skeleton: {type(error).__name__} {error}") from None
    if len(positioned) and not (positioned.min() >= 0 and positioned.max() < rig.joint_count):
        raise KinematchError("the welcome names joints that its skeleton lacks")
    return rig, positioned


@contextmanager
def open_stream(address: str, character: int = 0) -> Iterator[tuple[Any, StreamRecorder]]:
    """Connect to ws://HOST:PORT/stream: the connection, and a recorder that knows the skeleton."""
    from websockets.exceptions import InvalidURI, WebSocketException
    from websockets.sync.client import connect

    name = address.partition("?")[0]  # a file that is written names its origin, and must not have the key
    try:
        connection = connect(address, max_size=LARGEST_FRAME, compression=None, open_timeout=PATIENCE)
    except InvalidURI:
        raise KinematchError(f"{address!r} is not an address, expected ws://HOST:PORT/stream") from None
    except (OSError, WebSocketException) as error:
        raise KinematchError(f"{name}: {error or type(error).__name__}{_advise(error)}") from None
    with connection:
        yield connection, StreamRecorder(name, _receive_welcome(name, connection), character)


def _receive_welcome(address: str, connection: Any) -> dict[str, Any]:
    try:
        first = connection.recv(timeout=PATIENCE)
        welcome = json.loads(first) if isinstance(first, str) else None
    except (TimeoutError, ValueError):
        welcome = None
    if not isinstance(welcome, dict) or welcome.get("type") != "welcome":
        raise KinematchError(f"{address}: no welcome came; this is no stream of Kinematch")
    if welcome.get("protocol") != PROTOCOL:
        raise KinematchError(f"{address}: a stream of protocol {welcome.get('protocol')!r}, expected {PROTOCOL}")
    return welcome


def _advise(error: Exception) -> str:
    status = getattr(getattr(error, "response", None), "status_code", 0)
    return "; does its address need ?key=KEY, as it was printed?" if status == 403 else ""


def _type_of(message: str) -> str:
    try:
        content = json.loads(message)
    except ValueError:
        return ""
    return str(content.get("type", "")) if isinstance(content, dict) else ""
