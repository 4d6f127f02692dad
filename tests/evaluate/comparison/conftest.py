"""A comparison of a small database with a model of random weights: good for laws, not for looking at."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematch.evaluate.comparison.comparison import Comparison, Opened, compare
from kinematch.evaluate.comparison.controllers import BIG_MODEL, EXACT, PACKED, SMALL_MODEL
from kinematch.evaluate.course import CommandSpan, of_heading, of_legs
from kinematch.evaluate.evaluation import make_assignment
from kinematch.learned.codebook import make_codebook
from kinematch.learned.model import Model, lay_out_pose
from kinematch.learned.model_file import save_model
from kinematch.learned.network import Network
from kinematch.math.rotation import to_two_axis
from kinematch.motion.rig import find_moving

SCENARIOS = (
    of_legs(
        "turn 180, walk", "turn 180", [CommandSpan(0.5, 0.0), CommandSpan(1.5, 1.35), CommandSpan(1.5, 1.35, np.pi)]
    ),
    of_heading("gradual turns, walk", "gradual turns", 3.5, 1.35, lambda times: 0.7 * times),
)


@pytest.fixture(scope="session")
def constant_model(database) -> Callable[[], Model]:
    """A model whose pose is always that of one frame: the simplest that stays on the data."""
    poses, features = database.poses, database.features

    def make() -> Model:
        frames = np.flatnonzero(features.targets)[::5]
        book = make_codebook(
            frames, features.values[frames], np.zeros((len(frames), 2)), poses.clip_of(frames),
            poses.tags.frames[frames], poses.cost_factor[frames],
        )  # fmt: skip
        moving = find_moving(poses.skeleton, poses.positions)
        both = features.width + 2
        columns = lay_out_pose(poses.skeleton.joint_count, len(moving), len(poses.contact_joints))
        pose = np.zeros(columns.count, np.float32)
        pose[columns.rotations] = to_two_axis(poses.rotations[frames[0]])[1:].ravel()
        pose[columns.places] = poses.positions[frames[0], moving].ravel()
        pose[columns.contacts] = 1.0

        def give(value: np.ndarray) -> Network:
            return Network((np.zeros((both, len(value)), np.float32),), (value.astype(np.float32),))

        return Model(
            skeleton=poses.skeleton, contact_joints=np.array(poses.contact_joints), frame_rate=poses.frame_rate,
            schema=features.schema, feature_offset=np.array(features.offset), feature_scale=np.array(features.scale),
            feature_weights=features.column_weights(), tag_names=poses.tags.names, filter="",
            rest=np.array(poses.positions[frames[0]]), moving=moving, decompressor=give(pose),
            stepper=give(np.zeros(both)), projector=None, codebook=book,
            limits=np.stack([book.lowest, book.lowest + 255 * book.step]),
            scores={"database_mean": 9.0, "run_10": 2.0}, about={"seconds": 90.0, "plan": {"compress_steps": 30}},
        )  # fmt: skip

    return make


@pytest.fixture(scope="session")
def model_file(constant_model, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "still.kinematch-model"
    save_model(path, constant_model())
    return path


@pytest.fixture(scope="session")
def comparison(database, database_file, constant_model, model_file) -> Comparison:
    """All controllers on two scenarios; the unpacked database stands in for a packed one."""
    given = replace(make_assignment(database, quick=True), scenarios=SCENARIOS)
    model = Opened(constant_model(), model_file)
    exact = Opened(database, database_file)
    opened = {EXACT: exact, PACKED: exact, SMALL_MODEL: model, BIG_MODEL: model}
    return compare(given, opened, stick_seconds=2.0, timed_seconds=0.2)
