"""Report: the doctor's findings on one file, for people as a table and for programs as JSON."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from kinematch.motion.actions import Action, Event

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Problem:
    severity: str  # error: cannot be built as it is; warning: will look wrong; note: good to know
    what: str
    fix: str = ""  # recipe lines that fix it, for the file's [[source]] table; empty where no recipe can
    clip: str = ""  # the animation it is about, in a file that holds several

    def __post_init__(self) -> None:
        assert self.severity in SEVERITIES, self.severity


@dataclass(frozen=True)
class Contacts:
    joints: tuple[str, ...]
    share: tuple[float, ...]  # of the time that each is planted
    stances: int
    skate: float  # m/s, mean speed of what should stand still
    skate_p95: float  # m/s
    drift: float  # m, mean way from the first to the last frame of a stance


@dataclass(frozen=True)
class HeldPose:
    """A pose held for calibration, in seconds of the file."""

    kind: str  # T, A or N
    start: float  # s
    stop: float  # s
    drop: tuple[float, float]  # s, with the arms going up and down; what the recipe leaves out
    clip: str = ""  # the animation it is in, in a file that holds several


@dataclass(frozen=True)
class Idle:
    """A stretch in which the character stands upright and still, in seconds of the file."""

    start: float  # s
    stop: float  # s
    clip: str = ""  # the animation it is in, in a file that holds several


@dataclass(frozen=True)
class Activity:
    """A range of one activity, in seconds of the file; `low` joins all that is near the ground."""

    name: str  # one of motion.activity.ACTIVITIES, or low
    start: float  # s
    stop: float  # s
    clip: str = ""  # the animation it is in, in a file that holds several


@dataclass(frozen=True)
class FileAnimation:
    """One of several animations of a file that can be built, and what the recipe says of it."""

    name: str
    loop: bool = False
    in_place: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class UpperBodyRange:
    """Where the upper body is, a few times a second, of a body of an adult's size."""

    rate: float  # looks a second
    speeds: np.ndarray  # (T,) m/s of the hips along the ground
    places: np.ndarray  # (T, 3, 3) m of head, left and right hand from the hips: left, up, ahead


@dataclass(frozen=True)
class Report:
    path: str
    format: str = ""
    family: str = ""
    rig: str = ""  # a digest of joint names and parents: alike for rigs that differ in bone lengths only
    bones: str = ""  # a digest of bones to the millimetre, with their directions: alike where clips can be joined
    clips: tuple[str, ...] = ()
    animations: tuple[FileAnimation, ...] = ()  # those that can be built, in a file that holds several
    outlines: dict[str, tuple[int, bytes]] = field(default_factory=dict, repr=False)  # frames and poses by clip
    upper_body: UpperBodyRange | None = field(default=None, repr=False, compare=False)  # of a file with one animation
    equal: dict[str, str] = field(default_factory=dict)  # clips left out, and where the same motion is taken from
    figures_of: str = ""  # the animation that figures of floor, speed and contacts are of, where there are several
    joints: int = 0
    frames: int = 0
    frame_rate: float = 0.0  # frames per second
    duration: float = 0.0  # s
    unit: float = 1.0  # metres per unit of the file
    unit_reason: str = ""
    up: str = ""
    up_reason: str = ""
    facing: str = ""  # the file's facing axis in its rest or T-pose
    facing_reason: str = ""
    floor: float | None = None  # m, height of the floor in the clip
    hips_height: float | None = None  # m, above the lower foot while standing
    root: str = ""  # what kind of root there is
    tpose: str = ""  # where the reference T-pose comes from
    tpose_frame: int | None = None
    rest_frames: int = 0
    roles: dict[str, str] = field(default_factory=dict)  # role -> joint name
    role_method: str = ""
    role_doubts: tuple[str, ...] = ()  # about roles, that no line of a recipe settles
    missing_roles: tuple[str, ...] = ()
    four_legged: bool = False  # an animal, whose forelegs have the roles of arms
    dead_joints: tuple[str, ...] = ()
    jumps: tuple[int, ...] = ()  # frames
    flips: tuple[int, ...] = ()  # frames
    contacts: Contacts | None = None
    speed: tuple[float, float, float] | None = None  # m/s: median, 95th percentile, maximum
    calibration_poses: tuple[HeldPose, ...] = ()
    idles: tuple[Idle, ...] = ()
    activities: tuple[Activity, ...] = ()
    events: tuple[Event, ...] = ()  # of a file with one animation, as its actions
    actions: tuple[Action, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def buildable(self) -> bool:
        """Whether a recipe without any fix could take this file as it is."""
        return not any(problem.severity == "error" for problem in self.problems)

    def to_json(self) -> dict[str, Any]:
        told = {name: value for name, value in asdict(self).items() if name not in ("outlines", "upper_body")}
        return told | {"buildable": self.buildable}


def counted(number: int, what: str) -> str:
    """`1 file`, `2 files`"""
    return f"{number} {what}" + ("" if number == 1 else "s")


def by_severity(problems: list[Problem]) -> tuple[Problem, ...]:
    """Errors first; within a severity the order they were found in."""
    return tuple(sorted(problems, key=lambda problem: SEVERITIES.index(problem.severity)))
