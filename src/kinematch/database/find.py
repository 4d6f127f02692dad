"""Finding clips in databases: by words, tags, speed, length, likeness to a clip or pose, and those held twice."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinematch.database.coverage import measure_root_motion
from kinematch.database.poses import PoseDatabase
from kinematch.database.prepare import MIRRORED
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown

KEYS = ("tag", "speed", "turn", "seconds", "like", "same")
MAX_COMPARED = 64  # frames of a clip that others are compared with
BLOCK = 65_536  # frames compared at a time: 17 MB of distances
MIN_TAG_SHARE = 0.25  # of a clip's frames, from which it counts as tagged
MAX_EQUAL_TURN = 1e-3  # rad, mean over joints, below which clips are the same motion


@dataclass(frozen=True)
class Find:
    """What is looked for; everything has to hold."""

    words: tuple[str, ...] = ()  # parts of names
    tags: tuple[str, ...] = ()
    speed: tuple[float, float] = (0.0, np.inf)  # m/s, median
    turn: tuple[float, float] = (0.0, np.inf)  # degrees a second, median to either side
    seconds: tuple[float, float] = (0.0, np.inf)
    like: tuple[str, float | None] | None = None  # a clip, or the pose at a time of it in seconds
    same: bool = False  # only clips that are held twice


@dataclass(frozen=True)
class FoundClip:
    database: int
    clip: int
    name: str
    seconds: float
    speed: float  # m/s, median
    turn: float  # degrees a second, median to either side
    tags: tuple[str, ...]
    distance: float = 0.0  # weighted, to what was asked for
    at: float = 0.0  # s, where it is most like that
    same_as: tuple[str, ...] = field(default=())


def parse_query(text: str) -> Find:
    """`walk tag:idle speed:1-2 turn:45- seconds:-10 like:"A NAME"@1.5 same`: words are parts of names."""
    words: list[str] = []
    tags: list[str] = []
    ranges: dict[str, tuple[float, float]] = {}
    like, same = None, False
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise KinematchError(f"{text!r}: {error}") from None
    for word in parts:
        key, colon, value = word.partition(":")
        if word == "same":
            same = True
        elif not colon:
            words.append(word)
        elif key in ("speed", "turn", "seconds"):
            ranges[key] = _read_range(word, value)
        elif key == "tag":
            tags.append(value)
        elif key == "like":
            name, _, time = value.partition("@")
            like = (name, _read_number(word, time) if time else None)
        else:
            raise KinematchError(unknown("key", key, KEYS))
    return Find(tuple(words), tuple(tags), like=like, same=same, **ranges)


def find_clips(query: Find, databases: Sequence[Database]) -> list[FoundClip]:
    """The clips of all databases that the query finds: the most similar first, else in order."""
    rows = [row for number, one in enumerate(databases) for row in list_clips(one.poses, number)]
    for tag in query.tags:
        known = sorted({name for one in databases for name in one.poses.tags.names})
        if tag not in known:
            raise KinematchError(unknown("tag", tag, known))
    found = [row for row in rows if _admits(query, row)]
    if query.same:
        found = _keep_same(found, databases)
    if query.like is not None:
        found = _rank(query.like, found, rows, databases)
    return found


def list_clips(poses: PoseDatabase, number: int = 0) -> list[FoundClip]:
    """Every clip of a database, with what it can be found by."""
    speeds, _, turns = measure_root_motion(poses)
    rows = []
    for clip, name in enumerate(poses.clip_names):
        own = poses.clip_frames(clip)
        shares = np.asarray(poses.tags.frames[own]).mean(axis=0)
        tags = tuple(tag for tag, share in zip(poses.tags.names, shares) if share >= MIN_TAG_SHARE)
        speed, turn = float(np.median(speeds[own])), float(np.degrees(np.median(np.abs(turns[own]))))
        rows.append(FoundClip(number, clip, name, (own.stop - own.start) / poses.frame_rate, speed, turn, tags))
    return rows


def measure_likeness(database: Database, frames: np.ndarray, other: Database) -> tuple[np.ndarray, np.ndarray]:
    """For each clip of another database, its mean distance to frames of this one, and its frame nearest to any.

    The distance is that of a search: every frame against the nearest one of the clip.
    """
    if database.features.schema != other.features.schema:
        raise KinematchError("the databases have other features; clips can be compared between databases that agree")
    wanted = database.features.weighted_values()[frames].astype(np.float32)
    clips = other.poses.clip_count
    nearest = np.full((len(frames), clips), np.inf, np.float32)
    at = np.zeros(clips, np.int64)
    for first, last in _group_clips(other.poses):
        start, stop = int(other.poses.clip_starts[first]), int(other.poses.clip_stops[last - 1])
        rows = np.asarray(other.features.values[start:stop])
        rows = database.features.weigh(database.features.normalise(rows * other.features.scale + other.features.offset))
        squares = (wanted**2).sum(1)[:, None] + (rows**2).sum(1) - 2 * wanted @ rows.T
        distances = np.sqrt(np.maximum(squares, 0))
        nearest[:, first:last] = np.minimum.reduceat(distances, other.poses.clip_starts[first:last] - start, axis=1)
        least = distances.min(axis=0)
        for clip in range(first, last):
            own = other.poses.clip_frames(clip)
            at[clip] = least[own.start - start : own.stop - start].argmin()
    return nearest.mean(axis=0), at


def _group_clips(poses: PoseDatabase) -> list[tuple[int, int]]:
    """Runs of clips of about BLOCK frames, or one longer clip."""
    groups, first = [], 0
    for clip in range(poses.clip_count):
        if clip > first and int(poses.clip_stops[clip] - poses.clip_starts[first]) > BLOCK:
            groups.append((first, clip))
            first = clip
    return [*groups, (first, poses.clip_count)]


def _rank(
    like: tuple[str, float | None], found: Sequence[FoundClip], rows: Sequence[FoundClip], databases: Sequence[Database]
) -> list[FoundClip]:
    name, time = like
    asked = next((row for row in rows if row.name == name), None)
    if asked is None:
        matches = [row for row in rows if name.lower() in row.name.lower()]
        if not matches:
            raise KinematchError(unknown("clip", name, [row.name for row in rows]))
        asked = matches[0]
    own = databases[asked.database]
    frames = choose_frames(own.poses, asked.clip, time)
    likeness = [measure_likeness(own, frames, other) for other in databases]
    base = asked.name.removesuffix(MIRRORED)
    ranked = [
        replace(
            row,
            distance=float(likeness[row.database][0][row.clip]),
            at=float(likeness[row.database][1][row.clip] / databases[row.database].poses.frame_rate),
        )
        for row in found
        if row.name.removesuffix(MIRRORED) != base or row.database != asked.database
    ]
    return sorted(ranked, key=lambda row: row.distance)


def choose_frames(poses: PoseDatabase, clip: int, time: float | None = None) -> np.ndarray:
    """Frames of a clip that others are compared with: spread evenly, or the one at a time in seconds."""
    own = poses.clip_frames(clip)
    if time is None:
        return np.unique(np.linspace(own.start, own.stop - 1, MAX_COMPARED).round().astype(int))
    length = (own.stop - own.start) / poses.frame_rate
    if not 0 <= time < length:
        raise KinematchError(f"{poses.clip_names[clip]!r} has no frame at {time:g} s, expected 0 to {length:.2f}")
    return np.array([min(own.start + round(time * poses.frame_rate), own.stop - 1)])


def _admits(query: Find, row: FoundClip) -> bool:
    return (
        all(word.lower() in row.name.lower() for word in query.words)
        and all(tag in row.tags for tag in query.tags)
        and query.speed[0] <= row.speed <= query.speed[1]
        and query.turn[0] <= row.turn <= query.turn[1]
        and query.seconds[0] <= row.seconds <= query.seconds[1]
    )


def _keep_same(found: Sequence[FoundClip], databases: Sequence[Database]) -> list[FoundClip]:
    """Clips that hold the motion of an earlier one, with the names of those; of equal lengths only."""
    groups: dict[tuple[int, int], list[FoundClip]] = {}
    for row in found:
        poses = databases[row.database].poses
        own = poses.clip_frames(row.clip)
        groups.setdefault((own.stop - own.start, poses.skeleton.joint_count), []).append(row)
    same = []
    for rows in groups.values():
        for later, row in enumerate(rows):
            names = tuple(earlier.name for earlier in rows[:later] if _are_same(earlier, row, databases))
            if names:
                same.append(replace(row, same_as=names))
    return sorted(same, key=lambda row: (row.database, row.clip))


def _are_same(one: FoundClip, other: FoundClip, databases: Sequence[Database]) -> bool:
    """Whether all joints but the root's place agree: a take may be kept at two places of the world."""
    turns = []
    for row in (one, other):
        poses = databases[row.database].poses
        own = poses.clip_frames(row.clip)
        frames = np.linspace(own.start, own.stop - 1, min(MAX_COMPARED, own.stop - own.start)).round().astype(int)
        turns.append(np.asarray(poses.rotations[frames])[:, 1:])
    apart = 1 - np.abs(np.einsum("...i,...i->...", *turns))
    return bool(np.sqrt(8 * np.maximum(apart, 0)).mean() < MAX_EQUAL_TURN)


def _read_range(word: str, text: str) -> tuple[float, float]:
    """`1-2`, `1-`, `-2` or `1`."""
    match = re.fullmatch(r"([0-9.]*)(-?)([0-9.]*)", text)
    if not match or not (match[1] or match[3]):
        raise KinematchError(f"{word!r}: expected a range such as 1-2, 1- or -2")
    low = _read_number(word, match[1]) if match[1] else 0.0
    high = _read_number(word, match[3]) if match[3] else np.inf if match[2] else low
    if not match[2]:  # a number alone is taken with a tenth to either side
        low, high = 0.9 * low, 1.1 * low
    if low > high:
        raise KinematchError(f"{word!r}: {low:g} is more than {high:g}")
    return low, high


def _read_number(word: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise KinematchError(f"{word!r}: {text!r} is not a number") from None
