"""Messages between the panels Build, Coverage and Clips and the server; TypeScript types are generated from it."""

from typing import Any

import msgspec


class Message(msgspec.Struct, kw_only=True):
    """A plain JSON object."""


class SetValue(Message, tag="set", tag_field="type"):
    """Set a value in the recipe; null removes the key."""

    at: list[str | int]
    value: Any = None


class AddTable(Message, tag="add", tag_field="type"):
    """Append a table to an array of tables."""

    at: list[str | int]
    values: dict[str, Any]


class RemoveKey(Message, tag="remove", tag_field="type"):
    """Remove a key or a table."""

    at: list[str | int]


class SetForFiles(Message, tag="set_for_files", tag_field="type"):
    """Set keys of some files' source; they are split off into their own source first, unless `whole` is true."""

    files: list[str]
    values: dict[str, Any]
    whole: bool = False


class Paste(Message, tag="paste", tag_field="type"):
    """Merge the doctor's lines into a file's source; `whole` as above."""

    file: str
    lines: str
    whole: bool = False


class TakeFiles(Message, tag="take", tag_field="type"):
    """Add files of the folder to the recipe, with the lines that the doctor prescribes."""

    files: list[str]


class LeaveOut(Message, tag="leave_out", tag_field="type"):
    """Remove a file from the recipe; the file itself stays."""

    file: str


class TimeRange(Message):
    """A stretch of one file that the recipe tags, or drops if there are no tags; in seconds of the file."""

    start: float
    stop: float | None = None  # the end of the file if it is null
    tags: list[str] = []


class SetLabel(Message, tag="set_label", tag_field="type"):
    """Change what a recipe says of a stretch of one file; `was` is null to add one, `now` is null to remove it."""

    file: str
    was: TimeRange | None = None
    now: TimeRange | None = None


class SpellFeatures(Message, tag="spell_features", tag_field="type"):
    """Write out the features that a recipe without any has, so that they can be changed."""


Edit = SetValue | AddTable | RemoveKey | SetForFiles | Paste | TakeFiles | LeaveOut | SetLabel | SpellFeatures


class EditRequest(Message):
    text: str
    edits: list[Edit]


class ReportRequest(Message):
    files: list[str]


class RecipeText(Message):
    text: str


class RecipeProblem(Message):
    line: int | None
    message: str


class UsedFile(Message):
    """A file of the recipe, or one of its built-in motions."""

    path: str  # relative to the project if it is inside it; empty for built-in motion
    name: str
    source: int


class FeatureRow(Message):
    name: str
    kind: str
    joint: str
    times: list[float]
    dimensions: int
    axis: str
    weight: float
    group: str
    first: int  # column
    width: int


class Checked(Message):
    """A recipe's text, its errors, and its parsed contents if it is valid."""

    text: str
    saved: bool  # whether the file holds this text
    problems: list[RecipeProblem]
    recipe: dict[str, Any] | None = None  # all keys with their defaults
    files: list[UsedFile] = []
    features: list[FeatureRow] = []


class FolderFile(Message):
    path: str
    size: int
    used: bool


class Folder(Message):
    """A folder below the project's that holds motion files."""

    path: str  # empty for the project's own
    files: int


class JobInfo(Message):
    """The build that is running, or the last one."""

    number: int
    state: str  # none, running, done, failed, cancelled
    stage: str = ""
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    message: str = ""
    line: int | None = None
    file: str = ""  # that caused the failure
    database: str = ""
    summary: str = ""
    warnings: list[str] = []


class LabelInfo(Message):
    """A word for what happens in a take."""

    name: str
    colour: str  # a variable of the page's theme
    tags: list[str]  # of its range in the recipe; none for what is dropped


class ProjectInfo(Message):
    folder: str
    recipe: str  # its file name
    temporary: bool  # whether the folder is the program's workspace instead of the user's
    largest_upload: int  # bytes
    readable: list[str]
    roles: list[str]
    kinds: list[str]
    kind_needs: dict[str, list[str]]
    labels: list[LabelInfo]
    reference: dict[str, dict[str, str]]  # table -> key -> meaning
    stored: str  # the recipe stored in the playing database, if it has no file
    checked: Checked
    job: JobInfo


class Listing(Message):
    files: list[FolderFile]
    folders: list[Folder]
    more: bool  # whether the list was cut off


class Finding(Message):
    severity: str
    what: str
    fix: str  # lines for the recipe; empty where no recipe can fix it
    state: str  # open, applied, or manual where the user must decide


class LabelRow(Message):
    """What the doctor saw in a stretch of a file, in seconds."""

    name: str
    start: float
    stop: float


class FileReport(Message):
    path: str
    family: str
    joints: int
    frames: int
    frame_rate: float
    duration: float
    facts: list[list[str]]  # pairs of name and text
    clips: list[str]
    roles: dict[str, str]
    missing_roles: list[str]
    joint_names: list[str]
    findings: list[Finding]
    labels: list[LabelRow]  # in order, without overlaps; none in a file of several animations
    buildable: bool
    difference: str  # from the skeleton of the recipe's first file; empty where there is none
    difference_from: str


class ClipRow(Message):
    index: int
    name: str
    start: int
    frames: int
    seconds: float
    loop: bool
    tags: list[str]
    speed: float  # m/s, mean
    fastest: float  # m/s
    turn: float  # degrees/s, mean, to the left
    matchable: float  # share of frames that a search may jump to
    contacts: list[float]  # share of time that each contact joint is planted
    labels: list[LabelRow]  # of its tags, in seconds of the clip


class GapRow(Message):
    motion: str
    seconds: float
    wanted: float


class CoverageInfo(Message):
    speeds: list[float]  # m/s, edges
    turns: list[float]  # degrees/s, edges, positive to the left
    directions: int
    speed_turn: list[list[float]]  # s
    speed_direction: list[list[float]]  # s
    standing: float
    fastest: float
    starts: int
    stops: int
    gaps: list[GapRow]


class DatabaseInfo(Message):
    name: str
    frames: int
    frame_rate: float
    minutes: float
    joints: int
    tags: dict[str, float]  # seconds
    contact_names: list[str]
    labels: list[LabelInfo]
    clips: list[ClipRow]
    features: list[FeatureRow]
    coverage: CoverageInfo
    warnings: list[str]


class Stretch(Message):
    clip: int
    name: str
    start: int  # frame of the clip
    stop: int
    seconds: float
    speed: float


class Cell(Message):
    seconds: float
    stretches: list[Stretch]
    more: int
