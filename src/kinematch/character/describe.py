"""What controllers ask of a motion besides playing it: its description, and further tags on its poses.

A motion source of your own answers by its description. It may have `with_tags(tags)` besides: the same source with
other tags on the poses of its description.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from kinematch.character.source import MotionSource, SourceDescription, SourcePoses
from kinematch.database.poses import PoseDatabase
from kinematch.database.storage import Database
from kinematch.database.tags import Tags
from kinematch.errors import KinematchError

Motion = Database | MotionSource  # what a crowd plays; a model makes a source of itself


def open_motion(given: Any) -> Motion:
    """A database or a motion source as it is, a model as its source; all else is refused."""
    if hasattr(given, "make_source"):
        return given.make_source()
    if isinstance(given, Database) or hasattr(given, "description"):
        return given
    kind = type(given).__name__
    raise KinematchError(f"expected databases or models, as km.load opens them, or motion sources, not {kind}")


def find_database(motion: Motion) -> Database | None:
    """The database that a motion is or plays; None where poses are computed."""
    if isinstance(motion, Database):
        return motion
    return None if getattr(motion, "table", None) is None else motion.database  # type: ignore[attr-defined]


def describe_source(
    database: Database, *, poses: SourcePoses | PoseDatabase, state: Mapping[str, ArrayLike],
    frame_rate: float | None = None, filter: str = "",
) -> SourceDescription:  # fmt: skip
    """The description of a source that has the body, the features and the units of a database.

    `poses`: some that it can show. `state`: what evolves, by name, each with the value of one character that begins.
    """
    own, features = database.poses, database.features
    return SourceDescription(
        own.skeleton, own.contact_joints, features.schema, features.offset, features.scale, poses, state, frame_rate,
        filter,
    )  # fmt: skip


def describe_motion(motion: Motion) -> SourceDescription:
    """The body, the features, the poses and the rate of a motion."""
    if not isinstance(motion, Database):
        return motion.description
    poses = motion.poses
    return describe_source(motion, poses=poses, state={}, frame_rate=poses.frame_rate, filter=motion.filter)


def can_be_tagged(motion: Motion) -> bool:
    """Whether `add_tags` can give the motion other tags."""
    return isinstance(motion, Database) or hasattr(motion, "with_tags")


def add_tags(motion: Motion, names: tuple[str, ...], marks: np.ndarray) -> Motion:
    """The same motion with further tags, of which `marks` (S, T) says which of its poses have them."""
    tags = describe_motion(motion).poses.tags
    more = Tags((*tags.names, *names), np.concatenate([tags.frames, marks], axis=1))
    if isinstance(motion, Database):
        return replace(motion, poses=replace(motion.poses, tags=more))
    return cast("Any", motion).with_tags(more)
