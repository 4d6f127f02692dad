"""Messages of the page to the server, checked as they come in; answers.py has the server's messages.

Both are defined once, and the page's TypeScript is generated from them. They travel as JSON text over one WebSocket;
poses travel as binary frames (stream/layout.py). Quaternions on the wire are x y z w, as browsers have them. Angles are
radians about +Y, 0 along +Z and a quarter turn along +X.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kinematch.stream.descriptions import Part

LARGEST_MESSAGE = 256 * 1024  # bytes from a page
MOST_CHARACTERS = 500
MOST_KEYPOINTS = 200

Axis = Annotated[float, Meta(ge=-1, le=1)]
Angle = Annotated[float, Meta(ge=-1000, le=1000)]
Metres = Annotated[float, Meta(ge=-10_000, le=10_000)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Value = float | bool | str | dict[str, float | None]
TerrainKind = Literal["flat", "hills", "slopes", "stairs", "playground"]
Side = Literal["a", "b"]  # the two sides of a comparison; without one there is a alone


def snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


class FromPage(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag=snake):
    """What a page may say."""


class StickMessage(FromPage, tag="stick"):
    """Where the stick is; sent on every change, and the last one holds."""

    sequence: Count  # counts up; pose frames repeat the last one that was applied
    x: Axis  # to the right of the camera
    y: Axis  # away from the camera
    camera_yaw: Angle = 0.0  # where the camera looks
    look_x: Axis = 0.0  # a second stick: facing wanted, seen from the camera as well; zero for none
    look_y: Axis = 0.0
    gait: Name = "walk"  # one of Welcome.gaits
    strafe: bool = False  # face where the camera looks


class PathPoint(Part):
    x: Metres
    z: Metres
    speed: Annotated[float, Meta(ge=0.1, le=20)] = 1.35  # m/s


class FollowPath(FromPage):
    """Places to go through; replaces those before."""

    keypoints: Annotated[list[PathPoint], Meta(max_length=MOST_KEYPOINTS)]
    loops: bool = True


class SteerBy(FromPage):
    how: Literal["stick", "path"]


class SetCrowd(FromPage):
    """The number of characters; all but the first wander on their own."""

    count: Annotated[int, Meta(ge=1, le=MOST_CHARACTERS)]


class SetTerrain(FromPage):
    kind: TerrainKind


class Act(FromPage):
    """One of Welcome.actions is to be done now; without a name, what is near is used: a seat, or no longer."""

    action: Annotated[str, Meta(max_length=64)] = ""


class OpenMotion(FromPage):
    """Play one of Welcome.motions again, with others of them beside it; with those it had before if none are given."""

    name: Annotated[str, Meta(min_length=1, max_length=300)]
    beside: Annotated[list[Annotated[str, Meta(max_length=300)]], Meta(max_length=6)] | None = None


class StartOver(FromPage):
    """Move all characters back to where they began."""


class ChangeSettings(FromPage):
    """Some settings by name; `weights` by feature, null for the database's own. Those left out stay as they are."""

    values: dict[str, Value]
    side: Side = "a"


class ResetSettings(FromPage):
    """Some settings back to their defaults, or all of them when none is named."""

    names: list[Name] = msgspec.field(default_factory=list)
    side: Side = "a"


class Compare(FromPage):
    """A second character with settings of its own (b), given the same input; it begins with a's settings."""

    on: bool


class SavePreset(FromPage):
    name: Name
    side: Side = "a"


class LoadPreset(FromPage):
    name: Name
    side: Side = "a"


class DeletePreset(FromPage):
    name: Name


class Pause(FromPage):
    pass


class Resume(FromPage):
    """Go on: from now, or from a past step, which forgets what came after it."""

    step: Count | None = None


class Scrub(FromPage):
    """Pause and show a stored step, the very bytes that were sent when it was played."""

    step: Count


class Explain(FromPage):
    """Why the frame of a character was chosen by its last search before or at a step; answered by Explanation."""

    step: Count
    character: Count = 0
    count: Annotated[int, Meta(ge=1, le=50)] = 6
    request: Count = 0


class TakeSteering(FromPage):
    """Granted at once when no page steers, or the one that does is idle; else that page is asked (Situation.asking)."""


class HandOver(FromPage):
    to: Name  # number of a page


class Stream(FromPage):
    """The page wants the pose of every n-th step; 0 for none."""

    every: Annotated[int, Meta(ge=0, le=60)]


class Ping(FromPage):
    time: float


class EnterRoom(FromPage):
    """This page has trackers: give it a body, which its tracker samples move from now on."""

    device: Name = "generic"  # a preset of kinematch.avatar.devices
    user: Annotated[str, Meta(max_length=64)] = ""  # whose calibration is used and kept; none if empty


class LeaveRoom(FromPage):
    pass


class Calibrate(FromPage):
    """Measure the user, standing upright, standing in a T-pose, or with a controller on the floor."""

    by: Literal["height", "pose", "floor", "again"] = "height"  # again: forget what was measured
    height: Annotated[float, Meta(ge=0.8, le=2.5)] | None = None  # m, where it is known


class ChangeBody(FromPage):
    """What moves this page's own body, and whether it is scaled to the user or the user's space to it."""

    database: Annotated[str, Meta(min_length=1, max_length=200)] | None = None  # one of RoomNow.databases
    fit: Literal["avatar", "space"] | None = None


class RecordTrackers(FromPage):
    """Keep this page's tracker samples from now on, or stop; GET /api/room/recording has them."""

    on: bool


PageMessage = (
    StickMessage | FollowPath | SteerBy | SetCrowd | SetTerrain | Act | OpenMotion | StartOver | ChangeSettings
    | ResetSettings | Compare | SavePreset | LoadPreset | DeletePreset | Pause | Resume | Scrub | Explain | TakeSteering
    | HandOver | Stream | Ping | EnterRoom | LeaveRoom | Calibrate | ChangeBody | RecordTrackers
)  # fmt: skip

_decoder = msgspec.json.Decoder(PageMessage)


def read(text: str | bytes) -> PageMessage:
    """A page's message, checked; raises msgspec.DecodeError (of which ValidationError is one)."""
    return _decoder.decode(text)
