"""Answers: messages of the server to a page, as JSON text; the page's TypeScript is generated from them."""

from typing import Any, Literal

import msgspec

from kinematch.stream.descriptions import Part, RobotInfo, SkeletonInfo
from kinematch.studio.server.messages import PathPoint, TerrainKind, Value, snake


class FromServer(msgspec.Struct, tag_field="type", tag=snake):
    """A message to a page."""


class CharacterInfo(Part):
    """A user's own character, which the motion is shown on; poses of the stream are of its skeleton."""

    name: str  # of its file
    drawn: bool  # whether GET /api/character has its file; a recording has its skeleton alone
    scale: float  # by which the file is scaled, so that it is as tall as the animation's figure
    nodes: list[int]  # the file's node for each joint, -1 for none
    skeleton: SkeletonInfo


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
    choices: list[str] = msgspec.field(default_factory=list)


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
    client: str  # the page's number
    name: str  # "page 2"


class Situation(FromServer):
    """How things stand; sent whenever that changes."""

    playing: bool  # false while paused or scrubbing
    live: bool  # false when a recording is replayed: nothing can be steered
    step: int  # shown last
    oldest: int  # steps that can be scrubbed to, [oldest, newest]
    newest: int
    how: Literal["stick", "path"]
    keypoints: list[PathPoint]
    loops: bool
    crowd: int
    terrain: TerrainKind
    comparing: bool
    steers: str  # number of the page that steers, or empty
    asking: str  # number of the page that asked to steer, or empty
    watchers: list[Watcher]


class SettingsNow(FromServer):
    a: dict[str, Any]
    b: dict[str, Any] | None


class Presets(FromServer):
    names: list[str]
    folder: str
    own: dict[str, str] = {}  # those that come with Kinematch, and when to choose them


class Welcome(FromServer):
    """Sent first, and again when another database is opened or another character is shown; the page starts over."""

    protocol: int
    version: str  # of kinematch
    client: str  # this page's number, which other pages receive too
    database: str  # name
    path: str  # file it was opened from, or empty
    frame_count: int
    frame_rate: float  # of the database
    step_rate: float  # of the simulation
    skeleton: SkeletonInfo  # the database's
    character: CharacterInfo | None  # the user's own, if one is worn
    robot: RobotInfo | None  # whose joint angles come in robot frames, if a robot is shown
    lineup: list[CharacterInfo]  # further ones beside it, on the same motion; GET /api/lineup?index=0 has their files
    features: list[FeatureInfo]
    horizons: list[float]  # s, of the trajectories in pose frames
    settings_info: list[SettingInfo]
    settings: SettingsNow
    clips: list[ClipInfo]
    tags: list[str]
    actions: list[str]  # that the steered character can be asked for
    gaits: list[GaitInfo]
    compared: list[str]  # files beside the first, under the same commands; their characters stand before side b's
    notes: list[str]  # what was changed so that files can play side by side
    reasons: list[str]  # why a search was made, by the code in pose frames
    presets: Presets
    formats: list[str]  # that what was played can be saved in
    figures: list[str]  # characters of the gallery; GET /api/figure?name=NAME has the file
    motions: list[str]  # that were played since the start, the built-in one first
    motion: str  # the one that plays, or empty
    situation: Situation
    # this page's alone: it goes into the header of requests that change something, and into the subprotocol
    # kinematch-secret.SECRET of a connection that resumes this one
    secret: str = ""


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
    returns: bool = False  # whether the best frame was left a moment ago, and is not taken for that


class Ground(FromServer):
    """Heights of a piece of ground that repeats without end; its last row and column are its first."""

    origin: list[float]  # m, x and z of the first sample
    cells: list[float]  # m between samples, along x and z
    columns: int  # samples along x
    rows: int  # samples along z
    heights: list[float]  # m, columns * rows of them, x fastest


class ErrorMessage(FromServer):
    """Something could not be done; nothing changed."""

    message: str
    about: str = ""  # the type of the message it answers
    request: int = 0


class Notice(FromServer):
    message: str


class Pong(FromServer):
    time: float  # as it came in


class AvatarInfo(Part):
    """The body of a user in the room."""

    user: int  # counts up; frames name it
    client: str  # number of the page that moves it, or the name of a user from another program
    name: str  # of the user, or of that page
    place: int  # in the circle in which users begin
    version: int  # counts changes of the body; frames of another version are of another skeleton
    database: str  # that moves it
    fit: Literal["avatar", "space"]  # what is scaled to fit the other
    space: float  # m of the room for a m of the user's space
    height: float  # m, of the user who stands
    calibrated: bool  # whether that was measured
    seated: bool
    recording: bool
    character: str  # file that is worn, or empty for the mannequin
    scale: float  # by which that file is scaled
    nodes: list[int]  # its node for each joint, -1 for none
    skeleton: SkeletonInfo


class RoomNow(FromServer):
    """Who is in the room; sent whenever that, or a body, changes."""

    users: list[AvatarInfo]
    databases: list[str]  # that bodies can be moved by
    motions: list[str]  # that a simulated user can replay
    devices: list[str]  # presets of headsets


class Bearing(Part):
    """Where the hips face by one source."""

    yaw: float  # rad
    deviation: float  # rad, to expect; what is not known at all has pi


class CameraNow(FromServer):
    """What a user's camera, or the server's own, says about the body; sent for each frame of landmarks."""

    user: int  # AvatarInfo.user
    time: float  # s, of the page's clock
    alone: bool  # no trackers: the camera drives the body
    own: bool  # it is the page's camera; else the server's, whose landmarks are in `image`
    trouble: str  # what is wrong, in words; empty if nothing is
    places: list[float]  # m in the room, x y z of 33 landmarks; empty without a detection
    image: list[float]  # shares of the picture's width and height
    aspect: float  # its width by its height
    visibility: list[float]
    trackers: Bearing | None  # what the trackers alone say
    camera: Bearing | None  # what the picture says
    fused: Bearing  # what the body does
    offset: float  # s that landmarks are late
    position: list[float]  # m, of the camera; empty until it is known
    yaw: float  # rad, where it looks
    pitch: float  # rad, downwards
    residual: float  # m between nose and wrists of camera and trackers; negative if not known


ServerMessage = (
    Welcome | Situation | SettingsNow | Presets | Explanation | Ground | ErrorMessage | Notice | Pong | RoomNow
    | CameraNow
)  # fmt: skip

_encoder = msgspec.json.Encoder()


def written(message: FromServer) -> str:
    return _encoder.encode(message).decode()
