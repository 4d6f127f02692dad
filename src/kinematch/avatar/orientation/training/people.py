"""Recorded people with known hip directions: clips that networks learn from and are scored on, by subject."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.avatar.simulate import track_joints
from kinematch.avatar.trackers import HEAD, WAIST, Trackers
from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math.angles import wrap_angle
from kinematch.motion import kinematics
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip
from kinematch.motion.heading import facing_yaws, ground_directions, yaw_angle
from kinematch.motion.skeleton import Skeleton
from kinematch.synth import make_locomotion

RATE = 60.0  # samples per second that clips are brought to
MAX_HEAD_ANGLE = np.radians(48)  # of the head against the hips
MIN_CLIP_SECONDS = 1.0  # s; shorter clips are too short to score directions
BUILT_IN_SUBJECT = "built-in"
# offsets of the subjects that score a network, and of those that choose its settings
SCORED_OFFSET, SELECTED_OFFSET = 1, 4


@dataclass(frozen=True, eq=False)
class Person:
    """One clip of one person."""

    name: str
    subject: str
    joints: Trackers  # (F) the person over time
    yaws: np.ndarray  # (F,) rad, the truth: the hips' raw yaw since a T-pose that faces +Z
    head_height: float  # m, of the head joint when standing
    arm_length: float  # m from the neck to the wrist of a stretched arm
    digest: str = ""  # sha256 of the file


def read_people(
    paths: Sequence[Path], *, card: bool = False, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Person]:
    """The clips of files and folders; those too short or faulty are left out. `card` adds the built-in motion."""
    files = sorted({file for path in paths for file in _list_files(Path(path))}, key=str)
    people: list[Person] = []
    for done, file in enumerate(files):
        progress(done, len(files))
        clip = read_clip(file)
        if clip.frame_count > 2:  # the first frame of many captures is a T-pose, from which the motion jumps
            clip = clip.frames(1, clip.frame_count)
        people += make_people([clip.with_(name=file.stem)], hashlib.sha256(file.read_bytes()).hexdigest())
    if card:
        people += make_people(make_locomotion(), "")
    people = [person for person in people if not is_faulty(person)]
    if not people:
        raise KinematchError(f"no clip of a second or more in {', '.join(map(str, paths)) or 'nothing'}")
    return people


def _list_files(path: Path) -> Iterable[Path]:
    if path.is_dir():
        return path.glob("*.bvh")
    if not path.exists():
        raise KinematchError(f"no file or folder {str(path)!r}")
    return [path]


def make_people(clips: Iterable[Clip], digest: str) -> list[Person]:
    """Clips of a second or more as people; the digest is that of the file, empty for built-in motion."""
    people = []
    for clip in clips:
        if clip.duration >= MIN_CLIP_SECONDS:
            joints = track_joints(clip if abs(clip.frame_rate - RATE) < 0.1 else resample(clip, RATE))
            yaws = np.unwrap(yaw_angle(ground_directions(joints.rotations[:, WAIST])))
            subject = name_subject(clip.name) if digest else BUILT_IN_SUBJECT
            people.append(Person(clip.name, subject, joints, yaws, *measure_body(clip.skeleton), digest))
    return people


def name_subject(name: str) -> str:
    """The performer: `35` of `35_02` (CMU), `subject4` of `walk2_subject4_walk` (LAFAN1), else the whole name."""
    found = re.match(r"(\d+)_\d+", name) or re.search(r"(subject\d+)", name)
    return found.group(1) if found else name


def measure_body(skeleton: Skeleton) -> tuple[float, float]:
    """Height of the head joint and length from neck to wrist, from the T-pose."""
    positions, roles = kinematics.tpose(skeleton)[0], skeleton.roles
    neck = positions[roles.get("neck", roles["head"])]
    wrists = [positions[roles[hand]] for hand in ("left_hand", "right_hand") if hand in roles]
    reach = np.mean([np.hypot(*(wrist - neck)[[0, 2]]) for wrist in wrists]) if wrists else 0.0
    return float(positions[roles["head"], 1]), float(reach)


def split_people(people: Sequence[Person], offset: int = SCORED_OFFSET) -> tuple[list[Person], list[Person]]:
    """People to learn from, and people held out: every sixth subject in order, from an offset on, with all clips.

    A fixed rule. The built-in motion is always trained on; fewer than two subjects are not divided.
    """
    subjects = sorted({person.subject for person in people} - {BUILT_IN_SUBJECT}, key=lambda name: (len(name), name))
    held = set(subjects[offset % len(subjects) :: 6]) if len(subjects) > 1 else set()
    return [p for p in people if p.subject not in held], [p for p in people if p.subject in held]


def is_faulty(person: Person) -> bool:
    """Whether the head was captured wrongly: no head stays turned by 48 degrees or more for ten seconds."""
    relative = wrap_angle(person.yaws - facing_yaws(person.joints.rotations[:, HEAD]))
    return len(relative) > 10 * RATE and bool(np.median(np.abs(relative)) > MAX_HEAD_ANGLE)
