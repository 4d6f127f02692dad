"""Databases made of others: a share of their pieces, with another root, or on another skeleton."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from kinematch.database.feature_database import FeatureDatabase, Weights, build_features
from kinematch.database.poses import ClipEntry, Mark, PoseDatabase, build_poses
from kinematch.database.schema import FeatureSchema
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.motion.clean.root import replace_root
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.skeleton import Skeleton

PIECE = 10.0  # s that stay together


def share_of(database: Database, share: float, filter_mask: np.ndarray) -> Database:
    """Evenly spread, contiguous pieces that make up a share of the admitted frames."""
    poses = database.poses
    length = round(PIECE * poses.frame_rate)
    pieces = [
        (c, a, min(a + length, stop))
        for c in range(poses.clip_count)
        for start, stop in true_ranges(filter_mask[poses.clip_frames(c)])
        for a in range(start, stop, length)
    ]
    kept, taken, seen = [], 0, 0
    for c, start, stop in pieces:
        seen += stop - start
        if taken + 0.5 * (stop - start) <= share * seen:  # which brings the share nearer to the one wanted
            kept.append((c, start, stop))
            taken += stop - start
    if not kept:
        raise KinematchError(f"{share:.0%} of {len(pieces)} pieces of {PIECE:g} s is none")
    return rebuild_database(database, kept)


def raw_root(database: Database) -> Database:
    """The same motion with a root that is not smoothed (digital humans 4.1)."""

    def change(clip: Clip) -> Clip:
        return replace_root(clip, position_window=0.0, direction_window=0.0)

    return rebuild_database(database, whole_clips(database.poses), change)


def same_root(database: Database) -> Database:
    """Built the same way as raw_root, so that the two differ by the root alone."""
    return rebuild_database(database, whole_clips(database.poses), replace_root)


def whole_clips(poses: PoseDatabase) -> list[tuple[int, int, int]]:
    return [(c, 0, int(poses.clip_stops[c] - poses.clip_starts[c])) for c in range(poses.clip_count)]


def rebuild_database(
    database: Database, pieces: Iterable[tuple[int, int, int]], change: Callable[[Clip], Clip] = lambda clip: clip
) -> Database:
    """A database of pieces (clip, start, stop) of another, each changed; loops are opened."""
    poses, features = database.poses, database.features
    entries = []
    for c, start, stop in pieces:
        first = int(poses.clip_starts[c])
        own = slice(first + start, first + stop)
        entries.append(
            ClipEntry(change(poses.clip(c).frames(start, stop)), poses.contacts[own], marks=_marks(poses, own))
        )
    return _build(database, entries, poses.contact_joints, features.schema, features, features.weights)


def retarget_database(
    database: Database, skeleton: Skeleton, contact_joints: np.ndarray, schema: FeatureSchema,
    like: FeatureDatabase | None = None,
) -> Database:  # fmt: skip
    """A database on another skeleton, with other features, so that characters can go between two motions.

    `like`: features whose normalisation, weights and tail are taken over; those of the database by default.
    """
    poses, own = database.poses, database.features
    if not (poses.skeleton.difference(skeleton) or own.schema != schema):
        return database
    columns = _match_contacts(poses, skeleton, contact_joints)
    entries = []
    for c in range(poses.clip_count):
        frames = poses.clip_frames(c)
        clip = retarget(poses.clip(c), skeleton)
        entries.append(ClipEntry(clip, poses.contacts[frames][:, columns], marks=_marks(poses, frames)))
    like = like or own
    known = {name: weight for name, weight in like.weights.features.items() if name in schema.columns}
    return _build(database, entries, contact_joints, schema, like, replace(like.weights, features=known))


def _match_contacts(poses: PoseDatabase, skeleton: Skeleton, contact_joints: np.ndarray) -> list[int]:
    """Which contact of one skeleton each of another's is, by the side of the body."""
    bodies = (poses.skeleton, poses.contact_joints), (skeleton, contact_joints)
    sides = [[_find_side(one, joint) for joint in joints.tolist()] for one, joints in bodies]
    if sorted(sides[0]) != sorted(sides[1]) or len(set(sides[0])) != len(sides[0]):
        raise KinematchError(f"feet {sides[0]} of one skeleton do not match {sides[1]} of the other")
    return [sides[0].index(side) for side in sides[1]]


def _find_side(skeleton: Skeleton, joint: int) -> str:
    """The side of the leg that a joint belongs to."""
    above = skeleton.chain(joint)
    return next((side for side in ("left", "right") if skeleton.roles.get(f"{side}_lower_leg") in above), "neither")


def _build(
    database: Database,
    entries: list[ClipEntry],
    contact_joints: np.ndarray,
    schema: FeatureSchema,
    like: FeatureDatabase,
    weights: Weights,
) -> Database:
    made = build_poses(entries, contact_joints)
    built = build_features(
        made, schema, normalisation=like.normalisation, weights=weights, tail=like.tail, warn=lambda message: None
    )
    return Database(made, built, dict(database.about), database.filter)


def _marks(poses: PoseDatabase, own: slice) -> tuple[Mark, ...]:
    """What is marked on some frames, as ranges counted from their first."""
    marks = [
        Mark(a, b, tags=frozenset({name}))
        for n, name in enumerate(poses.tags.names)
        for a, b in true_ranges(poses.tags.frames[own, n])
    ]
    marks += [Mark(a, b, no_entry=True) for a, b in true_ranges(poses.no_entry[own])]
    marks += [Mark(a, b, no_exit=True) for a, b in true_ranges(poses.no_exit[own])]
    for factor in np.unique(poses.cost_factor[own]):
        if factor != 1:
            ranges = true_ranges(poses.cost_factor[own] == factor)
            marks += [Mark(a, b, cost_factor=float(factor)) for a, b in ranges]
    return tuple(marks)
