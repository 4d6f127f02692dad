"""What a motion is: a database, a model's source or a user's own, and how it is described."""

from typing import Any

from kinematch.character.source import CompiledSource, MotionSource
from kinematch.database.description import SourceDescription, describe_source
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


def describe_motion(motion: Motion) -> SourceDescription:
    """The body, the features, the poses and the rate of a motion."""
    if not isinstance(motion, Database):
        return motion.description
    poses = motion.poses
    return describe_source(motion, poses=poses, state={}, frame_rate=poses.frame_rate, filter=motion.filter)
