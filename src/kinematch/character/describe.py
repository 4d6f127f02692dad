"""What a motion is: a database, a model's source or a user's own, and how it is described."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from kinematch.character.source import CompiledSource, MotionSource, SourceDescription, SourcePoses
from kinematch.database.poses import PoseDatabase
from kinematch.database.storage import Database
from kinematch.errors import KinematchError

Motion = Database | MotionSource | CompiledSource  # what a crowd plays; a model makes a source of itself


def open_motion(given: Any) -> Motion:
    """A database or a motion source as it is, a model as its source; all else is refused."""
    if hasattr(given, "make_source"):
        return given.make_source()
    if isinstance(given, Database) or hasattr(given, "description"):
        return given
    kind = type(given).__name__
    raise KinematchError(f"expected databases or models, as km.load opens them, or motion sources, not {kind}")


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
