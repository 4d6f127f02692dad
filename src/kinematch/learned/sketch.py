"""A sketch of the database that a model was trained on: its codebook, decoded, for views and tools that need frames."""

from dataclasses import replace
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.database.feature_database import FeatureDatabase
from kinematch.database.poses import ClipEntry, build_poses
from kinematch.database.storage import Database
from kinematch.database.tags import Tags
from kinematch.errors import KinematchError
from kinematch.learned.model import Model
from kinematch.learned.source import LearnedSource
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clip import Clip

UP = np.array([0.0, 1.0, 0.0])


def sketch_database(model: Model) -> Database:
    """A database with the entries of the codebook as its frames, at the rate at which they were taken."""
    source, book = LearnedSource(model), model.codebook
    if book.entry_count < 2:
        raise KinematchError("the model's codebook has a single entry: there is no motion to show")
    both = book.restore()
    found = source.decode_frames(both)
    rate = model.frame_rate / source.projector.stride
    positions = np.repeat(model.rest[None], book.entry_count, axis=0)
    positions[:, model.moving] = found["places"]
    entries = []
    for number, (start, stop) in enumerate(zip(book.clip_starts.tolist(), book.clip_stops.tolist()), 1):
        own = slice(start, stop)
        places, rotations = positions[own].copy(), found["rotations"][own].copy()
        places[:, 0], yaws = _follow_roots(found["roots"][own].astype(np.float64) / rate)
        rotations[:, 0] = from_axis_angle(UP, yaws)
        clip = Clip(model.skeleton, places, rotations, rate, f"clip {number}")
        entries.append(ClipEntry(clip, found["contacts"][own] > 0.5))
    poses = replace(
        build_poses(entries, model.contact_joints), tags=Tags(model.tag_names, np.array(book.tags)),
        cost_factor=np.array(book.cost_factor),
    )  # fmt: skip
    features = FeatureDatabase(
        schema=model.schema, values=np.ascontiguousarray(both[:, : model.schema.width]), offset=model.feature_offset,
        scale=model.feature_scale, targets=np.ones(book.entry_count, bool), clip_starts=poses.clip_starts,
        clip_stops=poses.clip_stops,
    )  # fmt: skip
    return Database(poses, features, {}, model.filter)


def _follow_roots(motions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (F, 3) and yaws (F,) of a root that moves (F, 3), x, z in its own axes and turn, to each next frame."""
    yaws = np.concatenate([[0.0], np.cumsum(motions[:-1, 2])])
    sine, cosine = np.sin(yaws), np.cos(yaws)
    x, z = motions[:, 0], motions[:, 1]
    steps = np.stack([cosine * x + sine * z, np.zeros(len(x)), cosine * z - sine * x], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps[:-1], axis=0)]), yaws


class SketchCrowd(Crowd):
    """Learned characters that report the nearest frame of a sketch."""

    def __init__(self, model: Model, sketch: Database, count: int, **options: Any):
        self.sketch, self._learned = sketch, LearnedSource(model)
        options.pop("matcher", None)  # a model brings its own
        super().__init__(self._learned, count, **options)

    @property
    def frames(self) -> np.ndarray:
        return self._learned.find_entries(self.state.give_to(0), self.characters)

    @property
    def database(self) -> Database:
        return self.sketch

    @property
    def matcher(self) -> Any:
        return self._learned.projector.matcher
