"""Layout of binary frames: a header and then plain little-endian arrays, described here for both ends."""

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

PROTOCOL = 2  # raised when an old page would misread a new server
STEP_RATE = 60.0  # steps a second
DT = 1 / STEP_RATE
HEADER_SIZE = 64  # bytes
CODES = {"u32": "I", "f32": "f", "f64": "d"}
TYPES = {"i32": "<i4", "u32": "<u4", "f32": "<f4"}


@dataclass(frozen=True)
class Field:
    name: str
    type: str  # of CODES
    text: str


@dataclass(frozen=True)
class Array:
    name: str
    type: str  # of TYPES
    shape: tuple[str | int, ...]  # names of header fields, or numbers
    text: str


@dataclass(frozen=True)
class Layout:
    """A kind of frame; its header begins with the magic number and is padded to HEADER_SIZE."""

    name: str
    magic: bytes
    text: str
    header: tuple[Field, ...]
    arrays: tuple[Array, ...]

    @cached_property
    def format(self) -> struct.Struct:
        """Of the header."""
        return struct.Struct("<4s" + "".join(CODES[field.type] for field in self.header))

    @cached_property
    def names(self) -> list[str]:
        """Of the header's fields."""
        return [field.name for field in self.header]

    @property
    def offsets(self) -> dict[str, int]:
        """Where each header field begins."""
        places, at = {}, 4
        for field in self.header:
            places[field.name] = at
            at += struct.calcsize(CODES[field.type])
        return places


POSE = Layout(
    "PoseFrame",
    b"KMP1",
    "All characters at one step of the simulation; the first is the steered one.",
    (
        Field("step", "u32", "counts the steps of the simulation"),
        Field("time", "f64", "seconds of simulated time"),
        Field("characters", "u32", "N: those of side a, then those of side b"),
        Field("second", "u32", "first character of side b; equal to characters when nothing is compared"),
        Field("joints", "u32", "J of the shown skeleton: Welcome.character's, else Welcome.skeleton"),
        Field("positioned", "u32", "P, as many joints of the shown skeleton as are positioned"),
        Field("horizons", "u32", "H, as many as Welcome.horizons"),
        Field("tracked", "u32", "T: character 0, and the first of side b if there is one, have trajectories"),
        Field("sequence", "u32", "the last Stick.sequence that was heeded"),
        Field("milliseconds", "f32", "that the step took"),
    ),
    (
        Array("frames", "i32", ("characters",), "of the database, that play"),
        Array("fractions", "f32", ("characters",), "of the way to the next frame"),
        Array("bits", "u32", ("characters",), "0: searched, 1: jumped, 8-15: contacts, 16-23: locked, 24-31: reason"),
        Array("costs", "f32", ("characters",), "of the last search"),
        Array("roots", "f32", ("characters", 4), "x y z, and yaw"),
        Array("bodies", "f32", ("characters", 8), "simulated: x y z, velocity x y z, yaw, yaw rate"),
        Array("positions", "f32", ("characters", "positioned", 3), "in the parent's space"),
        Array("rotations", "f32", ("characters", "joints", 4), "in the parent's space, x y z w"),
        Array("wanted", "f32", ("tracked", "horizons", 4), "trajectory asked for: x, z, direction x, z in the world"),
        Array("matched", "f32", ("tracked", "horizons", 4), "trajectory of the playing frame, likewise"),
    ),
)

POSES = Layout(
    "StoredPoses",
    b"KMS1",
    "A stretch of database frames: GET /api/poses?start=0&stop=60.",
    (
        Field("start", "u32", "first frame"),
        Field("count", "u32", "F"),
        Field("joints", "u32", "J"),
        Field("positioned", "u32", "P"),
        Field("contacts", "u32", "K"),
        Field("rate", "f32", "frames a second"),
    ),
    (
        Array("roots", "f32", ("count", 4), "x y z, and yaw"),
        Array("bits", "u32", ("count",), "8-15: contacts"),
        Array("positions", "f32", ("count", "positioned", 3), "in the parent's space"),
        Array("rotations", "f32", ("count", "joints", 4), "in the parent's space, x y z w"),
    ),
)

TIMELINE = Layout(
    "Timeline",
    b"KMT1",
    "What was played, one character's steps: GET /api/timeline?start=0&stop=600&character=0.",
    (Field("character", "u32", "whose"), Field("count", "u32", "S")),
    (
        Array("steps", "u32", ("count",), "in order, without those forgotten"),
        Array("frames", "i32", ("count",), "of the database"),
        Array("bits", "u32", ("count",), "as in pose frames"),
        Array("costs", "f32", ("count",), "of the last search"),
    ),
)

SAMPLE = Layout(
    "TrackerSample",
    b"KMX1",
    "What a page's headset and controllers say at one moment, in WebXR's axes; a page sends it.",
    (
        Field("sequence", "u32", "counts up; avatar frames repeat the one that they answer"),
        Field("valid", "u32", "bits, in the order of tracked points: head, left hand, right hand, waist, chest, feet"),
        Field("time", "f64", "seconds, of the page's own clock"),
        Field("points", "u32", "7"),
        Field("hands", "u32", "2 where finger joints follow, else 0"),
    ),
    (
        Array("positions", "f32", ("points", 3), "m, in the room"),
        Array("rotations", "f32", ("points", 4), "x y z w"),
        Array("fingers", "f32", ("hands", 25, 3), "m, joints of the left and right hand; NaN where not tracked"),
    ),
)

VIEW = Layout(
    "CameraView",
    b"KMC1",
    "What a page's camera sees at one moment: landmarks as MediaPipe has them, never the picture; a page sends it.",
    (
        Field("time", "f64", "seconds, of the page's own clock, when the landmarks were known"),
        Field("landmarks", "u32", "33, or 0 without a detection"),
        Field("people", "u32", "found in the picture"),
        Field("aspect", "f32", "width of the picture by its height"),
        Field("brightness", "f32", "mean of the picture, 0 to 1"),
        Field("x", "f32", "m, where a user with a camera alone stands in the room"),
        Field("z", "f32", "m, likewise"),
    ),
    (
        Array("places", "f32", ("landmarks", 3), "m from the middle of the hips: x to the right, y down, z away"),
        Array("image", "f32", ("landmarks", 2), "shares of the picture's width and height, from its top left corner"),
        Array("visibility", "f32", ("landmarks",), "0 to 1"),
    ),
)

AVATAR = Layout(
    "AvatarFrame",
    b"KMA1",
    "One user's body; a message has one frame after another.",
    (
        Field("user", "u32", "AvatarInfo.user"),
        Field("sequence", "u32", "of the sample that it answers"),
        Field("time", "f64", "of that sample, seconds of the user's page"),
        Field("joints", "u32", "J, as many as AvatarInfo.skeleton has"),
        Field("own", "u32", "1: as the user sees it, near the headset; 0: as others see it, with calmer feet"),
        Field("version", "u32", "AvatarInfo.version"),
        Field("milliseconds", "f32", "that the step took"),
    ),
    (
        Array("positions", "f32", ("joints", 3), "in the parent's space; the first is where the root stands"),
        Array("rotations", "f32", ("joints", 4), "in the parent's space, x y z w"),
    ),
)

LINEUP = Layout(
    "LineupFrame",
    b"KML1",
    "The characters beside the first one, at one step of the simulation.",
    (
        Field("step", "u32", "as in pose frames"),
        Field("joints", "u32", "J of all together, in the order of Welcome.lineup"),
    ),
    (
        Array("positions", "f32", ("joints", 3), "in the parent's space; each character's first is where it stands"),
        Array("rotations", "f32", ("joints", 4), "in the parent's space, x y z w"),
    ),
)

ROBOT = Layout(
    "RobotFrame",
    b"KMR1",
    "Joint angles of robots at one step of the simulation; follows the pose frame of that step.",
    (
        Field("step", "u32", "as in pose frames"),
        Field("time", "f64", "seconds of simulated time"),
        Field("robots", "u32", "R, in the order of characters in pose frames"),
        Field("hinges", "u32", "D, as many as Welcome.robot.hinges"),
    ),
    (
        Array("bases", "f32", ("robots", 7), "x y z in metres and x y z w; Z up, X forward, of the robot's own size"),
        Array("angles", "f32", ("robots", "hinges"), "rad, in the model's order"),
    ),
)

MOTION = Layout(
    "TrackedMotion",
    b"KMM1",
    "What the devices of a simulated user say, frame by frame: GET /api/room/motion?name=NAME.",
    (
        Field("count", "u32", "F"),
        Field("points", "u32", "7"),
        Field("rate", "f32", "frames a second"),
        Field("height", "f32", "m, of the user who stands"),
    ),
    (
        Array("valid", "u32", ("count",), "bits, as in TrackerSample"),
        Array("positions", "f32", ("count", "points", 3), "m; WebXR's axes"),
        Array("rotations", "f32", ("count", "points", 4), "x y z w"),
    ),
)

LAYOUTS = (POSE, POSES, TIMELINE, AVATAR, LINEUP, ROBOT, MOTION)  # that pages read
SENT = (SAMPLE, VIEW)  # that pages write


def pack(layout: Layout, header: Mapping[str, float], arrays: Mapping[str, np.ndarray]) -> bytes:
    """A frame; the shapes of its arrays must be what its header says."""
    packed = layout.format.pack(layout.magic, *[header[name] for name in layout.names])
    out = [packed.ljust(HEADER_SIZE, b"\0")]
    for array in layout.arrays:
        values = np.ascontiguousarray(arrays[array.name], TYPES[array.type])
        shape = tuple(int(header[extent]) if isinstance(extent, str) else extent for extent in array.shape)
        if values.shape != shape:
            raise ValueError(f"{array.name} has shape {values.shape}, expected {shape}")
        out.append(values.tobytes())
    return b"".join(out)


def unpack(layout: Layout, data: bytes) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Header and arrays of a frame; raises ValueError when it is none."""
    if len(data) < HEADER_SIZE or data[:4] != layout.magic:
        raise ValueError(f"no {layout.name}")
    header = dict(zip(layout.names, layout.format.unpack_from(data)[1:]))
    arrays, at = {}, HEADER_SIZE
    for array in layout.arrays:
        shape = tuple(int(header[extent]) if isinstance(extent, str) else extent for extent in array.shape)
        count = math.prod(shape)
        if at + count * 4 > len(data):
            raise ValueError(f"{layout.name} is cut off in {array.name}")
        arrays[array.name] = np.frombuffer(data, TYPES[array.type], count, at).reshape(shape)
        at += count * 4
    if at != len(data):
        raise ValueError(f"{layout.name} has {len(data) - at} bytes too many")
    return header, arrays


def split(layout: Layout, data: bytes) -> list[bytes]:
    """The frames of a message that has several, one after another."""
    frames, at = [], 0
    while at < len(data):
        if len(data) - at < HEADER_SIZE or data[at : at + 4] != layout.magic:
            raise ValueError(f"no {layout.name}")
        header = dict(zip(layout.names, layout.format.unpack_from(data, at)[1:]))
        count = sum(
            int(np.prod([int(header[extent]) if isinstance(extent, str) else extent for extent in array.shape]))
            for array in layout.arrays
        )
        end = at + HEADER_SIZE + 4 * count
        frames.append(data[at:end])
        at = end
    return frames
