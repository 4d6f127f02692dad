"""Messages between page and server: defined here once; the page's TypeScript types are generated from them.

They travel as JSON text over one WebSocket; poses travel as binary frames (see layout.py). Quaternions on the wire are
x y z w, as browsers have them. Angles are radians about +Y, 0 along +Z and a quarter turn along +X.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

PROTOCOL = 1  # raised when an old page would misread a new server
LARGEST_MESSAGE = 256 * 1024  # bytes from a page
MOST_CHARACTERS = 500
MOST_KEYPOINTS = 200

Axis = Annotated[float, Meta(ge=-1, le=1)]
Angle = Annotated[float, Meta(ge=-1000, le=1000)]
Metres = Annotated[float, Meta(ge=-10_000, le=10_000)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Value = float | bool | str | dict[str, float]
Side = Literal["a", "b"]  # the two sides of a comparison; without one there is a alone


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


class FromPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=_snake):
    """What a page may say."""


class FromServer(msgspec.Struct, frozen=True, tag_field="type", tag=_snake):
    """What a page is told."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of a message."""


# --- what a page may say


class Stick(FromPage):
    """Where the stick is; sent on every change, and the last one holds."""

    sequence: Count  # counts up; pose frames tell the last one that was heeded
    x: Axis  # to the right of the camera
    y: Axis  # away from the camera
    camera_yaw: Angle = 0.0  # where the camera looks
    look_x: Axis = 0.0  # a second stick: facing wanted, seen from the camera as well; zero for none
    look_y: Axis = 0.0
    gait: Name = "walk"  # one of Welcome.gaits
    strafe: bool = False  # face where the camera looks


class Keypoint(Part):
    x: Metres
    z: Metres
    speed: Annotated[float, Meta(ge=0, le=20)] = 1.35  # m/s


class FollowPath(FromPage):
    """Places to go through; replaces those before."""

    keypoints: Annotated[list[Keypoint], Meta(max_length=MOST_KEYPOINTS)]
    loops: bool = True


class SteerBy(FromPage):
    how: Literal["stick", "path"]


class SetCrowd(FromPage):
    """So many characters; all but the first wander on their own."""

    count: Annotated[int, Meta(ge=1, le=MOST_CHARACTERS)]


class SetTerrain(FromPage):
    on: bool


class StartOver(FromPage):
    """Everybody back to where they began."""


class ChangeSettings(FromPage):
    """Some settings by name; `weights` by feature. Those left out stay as they are."""

    values: dict[str, Value]
    side: Side = "a"


class ResetSettings(FromPage):
    """Some settings back to their defaults, or all of them when none is named."""

    names: list[Name] = []
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
    """Granted at once when nobody steers or who steers is idle; else they are asked (Situation.asking)."""


class HandOver(FromPage):
    to: Name  # a client's id


class Stream(FromPage):
    """How often poses are wanted: every so many steps; 0 for none."""

    every: Annotated[int, Meta(ge=0, le=60)]


class Ping(FromPage):
    time: float


PageMessage = (
    Stick | FollowPath | SteerBy | SetCrowd | SetTerrain | StartOver | ChangeSettings | ResetSettings | Compare
    | SavePreset | LoadPreset | DeletePreset | Pause | Resume | Scrub | Explain | TakeSteering | HandOver | Stream
    | Ping
)  # fmt: skip


# --- what a page is told


class SkeletonInfo(Part):
    names: list[str]
    parents: list[int]  # -1 for the root, which is joint 0
    offsets: list[list[float]]  # rest positions in the parent's space, m
    rotations: list[list[float]]  # rest rotations in the parent's space, x y z w
    tpose: list[list[float]] | None  # local rotations of the reference T-pose, x y z w
    end_parents: list[int]
    end_offsets: list[list[float]]
    roles: dict[str, int]  # humanoid role -> joint
    positioned: list[int]  # joints whose position is animated: pose frames tell these, others keep their offset
    contact_joints: list[int]


class FeatureInfo(Part):
    name: str
    kind: str
    joint: str
    group: str  # pose (weighed by quality) or trajectory (by responsiveness)
    times: list[float]  # s
    dimensions: int
    start: int  # columns [start, stop)
    stop: int
    weight: float  # the database's own


class SettingInfo(Part):
    name: str
    kind: Literal["number", "switch", "choice", "weights"]
    default: Value
    text: str
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    choices: list[str] = []


class ClipInfo(Part):
    name: str
    start: int  # frames [start, stop) of the database
    stop: int
    loops: bool
    tags: list[str]


class GaitInfo(Part):
    name: str
    speed: float  # m/s with the stick pushed all the way
    filter: str  # tags its frames must satisfy


class Watcher(Part):
    client: str
    name: str  # "page 2"


class Situation(FromServer):
    """How things stand; sent whenever that changes."""

    playing: bool  # false while paused or scrubbing
    live: bool  # false when a recording is replayed: nothing can be steered
    step: int  # shown last
    oldest: int  # steps that can be scrubbed to, [oldest, newest]
    newest: int
    how: Literal["stick", "path"]
    keypoints: list[Keypoint]
    loops: bool
    crowd: int
    terrain: bool
    comparing: bool
    steers: str  # client's id, or empty
    asking: str  # client that asked to steer, or empty
    watchers: list[Watcher]


class SettingsNow(FromServer):
    a: dict[str, Any]
    b: dict[str, Any] | None


class Presets(FromServer):
    names: list[str]
    folder: str


class Welcome(FromServer):
    """The first message, and again whenever another database is opened: begin anew."""

    protocol: int
    version: str  # of kinematch
    client: str  # this page's id; connect with ?client=ID to resume
    database: str  # name
    path: str  # file it was opened from, or empty
    frame_count: int
    frame_rate: float  # of the database
    step_rate: float  # of the simulation
    skeleton: SkeletonInfo
    features: list[FeatureInfo]
    horizons: list[float]  # s, of the trajectories in pose frames
    settings_info: list[SettingInfo]
    settings: SettingsNow
    clips: list[ClipInfo]
    tags: list[str]
    gaits: list[GaitInfo]
    reasons: list[str]  # why a search was made, by the code in pose frames
    presets: Presets
    situation: Situation


class Candidate(Part):
    frame: int
    clip: str
    clip_frame: int
    cost: float
    feature_costs: list[float]  # by feature, they add up to the cost
    features: list[float]  # what the frame offers, physical units, by column


class Explanation(FromServer):
    request: int
    step: int  # of the search
    character: int
    searched_because: str
    query: list[float]  # what was wanted, physical units, by column
    features: list[str]  # names, in the order of feature_costs
    staying: Candidate | None  # the frame that played
    candidates: list[Candidate]  # the cheapest first
    chosen: int  # frame, or -1
    reason: str  # in words


class Ground(FromServer):
    """Heights of the terrain on a square grid; none when it is flat."""

    size: float  # m, from -size/2 to size/2 in x and z
    count: int  # samples on a side
    heights: list[float]  # m, count * count of them, x fastest


class Problem(FromServer):
    """Something could not be done; nothing changed."""

    message: str
    about: str = ""  # the type of the message it answers
    request: int = 0


class Notice(FromServer):
    message: str


class Pong(FromServer):
    time: float  # as it came in


ServerMessage = (
    Welcome | Situation | SettingsNow | Presets | Explanation | Ground | Problem | Notice | Pong
)  # fmt: skip

_decoder = msgspec.json.Decoder(PageMessage)
_encoder = msgspec.json.Encoder()


def read(text: str | bytes) -> PageMessage:
    """A page's message, checked; raises msgspec.DecodeError (of which ValidationError is one)."""
    return _decoder.decode(text)


def written(message: FromServer) -> str:
    return _encoder.encode(message).decode()
