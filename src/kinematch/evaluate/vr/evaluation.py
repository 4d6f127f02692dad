"""One evaluation of VR avatars: every method on every user, then the sweeps of the papers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.character.describe import Motion, open_motion
from kinematch.database.filters import tag_mask
from kinematch.database.poses import PoseDatabase
from kinematch.database.rebuild import share_of
from kinematch.database.storage import Database
from kinematch.evaluate.feet import Floor, FootMeasures, feet, floor_of
from kinematch.evaluate.vr.measures import find_root_errors, measure_all, measure_feet, measure_moments
from kinematch.evaluate.vr.methods import METHODS, OURS, TRUE
from kinematch.evaluate.vr.performance import Performance, perform
from kinematch.evaluate.vr.recovery import find_recovered
from kinematch.evaluate.vr.users import Cast
from kinematch.motion import kinematics

ACCURACIES = (0.3, 0.1)  # m: other people's avatars, and one's own
SHARES = (1.0, 0.25, 0.1)  # of the database (MMVR 7.2)
SKATE_CLIPS = 40  # clips of a database on which its own skating is measured
Progress = Callable[[str, int, int], None]
Row = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class SharedRun:
    """One part of the database at one position accuracy."""

    share: float
    accuracy: float  # m
    root: float  # cm from below the head, mean
    poses: int  # different frames that were shown
    turning: float  # degrees between the hips and the true ones while turning in place; NaN without such moments
    performances: tuple[Performance, ...]


@dataclass(frozen=True, eq=False)
class VrEvaluation:
    motion: Motion
    casts: tuple[Cast, ...]
    rows: Mapping[str, Row]  # by method, at the accuracy of other people's avatars
    own: Row  # ours at the accuracy of one's own
    sweep: tuple[SharedRun, ...]
    performances: Mapping[str, tuple[Performance, ...]]  # by method
    microseconds: Mapping[str, float]  # a step and user, by method


def evaluate_vr(
    motion: Any, casts: Sequence[Cast], *, methods: Sequence[str] = tuple(METHODS), sweep: bool = True,
    progress: Progress | None = None,
) -> VrEvaluation:  # fmt: skip
    """Put all methods to all users; then ours with parts of the database and both accuracies.

    `motion`: a database, a model or a motion source. Only a database has recorded feet and parts to compare with.
    """
    tell, opened = progress or (lambda what, done, total: None), open_motion(motion)
    database = find_database(opened)
    source = [] if database is None else measure_database_feet(database)
    rows, shown, times = {}, {}, {}
    for number, name in enumerate(methods):
        tell(name, number, len(methods))
        shown[name], times[name] = run_method(name, opened, casts, ACCURACIES[0])
        rows[name] = measure_all(shown[name]) | measure_feet_of(shown[name], source)
        rows[name] |= {"recovery": find_recovered(name, casts)}
    tell("one's own avatar", 0, 1)
    own, _ = run_method(OURS, opened, casts, ACCURACIES[1])
    runs = run_sweep(database, casts, progress=tell) if sweep and database is not None else ()
    row = measure_all(own) | measure_feet_of(own, source) | {"recovery": find_recovered(OURS, casts)}
    return VrEvaluation(opened, tuple(casts), rows, row, runs, shown, times)


def find_database(motion: Motion) -> Database | None:
    """The database that a motion is or plays; None where poses are computed."""
    if isinstance(motion, Database):
        return motion
    return None if getattr(motion, "table", None) is None else motion.database  # type: ignore[union-attr]


def run_method(
    name: str, motion: Motion, casts: Sequence[Cast], accuracy: float
) -> tuple[tuple[Performance, ...], float]:
    """What a method made of all users, and its time for a step of one of them in microseconds."""
    performances, seconds = [], []
    for cast in casts:
        made, times = perform(cast, METHODS[name](cast, motion, accuracy))
        performances += made
        seconds.append(times / len(cast.users))
    return tuple(performances), float(1e6 * np.median(np.concatenate(seconds)))


def run_sweep(database: Database, casts: Sequence[Cast], *, progress: Progress) -> tuple[SharedRun, ...]:
    """Parts of the database at both accuracies, driven by the true direction: the errors of motion matching alone."""
    poses, runs = database.poses, list[SharedRun]()
    for share in SHARES:
        mask = tag_mask("", poses.tags.names, poses.tags.frames)
        part = database if share == 1 else share_of(database, share, mask)
        for accuracy in ACCURACIES:
            progress(f"{share:.0%} of the database", len(runs), len(SHARES) * len(ACCURACIES))
            made, _ = run_method(TRUE, part, casts, accuracy)
            root = 100 * np.concatenate([find_root_errors(one) for one in made]).mean()
            frames = np.unique(np.concatenate([one.frames for one in made]))
            turning = measure_moments(made)["turning"]
            runs.append(SharedRun(share, accuracy, float(root), len(frames), turning, made))
    return tuple(runs)


def measure_database_feet(database: Database) -> list[FootMeasures]:
    """The feet of some clips of a database, as it plays."""
    poses = database.poses
    clips = range(0, poses.clip_count, max(1, poses.clip_count // SKATE_CLIPS))
    motions = [kinematics.forward(poses.skeleton, *_clip_pose(poses, clip))[0] for clip in clips]
    floor = floor_of(motions, poses.contact_joints)
    return [feet(motion, poses.frame_rate, floor) for motion in motions]


def _clip_pose(poses: PoseDatabase, clip: int) -> tuple[np.ndarray, np.ndarray]:
    own = poses.clip_frames(clip)
    return poses.positions[own], poses.rotations[own]


def measure_feet_of(performances: Sequence[Performance], source: Sequence[FootMeasures]) -> dict[str, float]:
    """Feet of avatars; the users, who have the same bones, show where toes rest."""
    rows = []
    for own in _group_by_skeleton(performances):
        shown, true = own[0].skeleton, own[0].user.skeleton
        roles = [role for role in ("left_toes", "right_toes") if role in shown.roles] or ["left_foot", "right_foot"]
        rests = floor_of([one.user.positions for one in own], np.array([true.roles[role] for role in roles])).rest
        floor = Floor(np.array([shown.roles[role] for role in roles]), rests)
        rows.append(measure_feet(own, floor, source))
    known = {name: [row[name] for row in rows if not np.isnan(row[name])] for name in rows[0]}
    return {name: float(np.mean(values)) if values else float("nan") for name, values in known.items()}


def _group_by_skeleton(performances: Sequence[Performance]) -> list[list[Performance]]:
    groups: dict[int, list[Performance]] = {}
    for one in performances:
        groups.setdefault(id(one.skeleton), []).append(one)
    return list(groups.values())
