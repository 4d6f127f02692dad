"""A small database, and a model of it with random weights: good for laws, not for looking at."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from kinematch.database.storage import Database
from kinematch.learned.codebook import make_codebook
from kinematch.learned.model import Model, lay_out_pose
from kinematch.learned.network import Network
from kinematch.motion.rig import find_moving

LATENTS = 5


@pytest.fixture(scope="session")
def database(built_of) -> Database:
    """A few clips of the built-in motion."""
    return built_of("idle", "walk_1.35", "run_2.6", "walk_turn_*_90").database


def make_network(rng: np.random.Generator, *widths: int, skip: int = 0, size: float = 1.0) -> Network:
    """A network with random weights whose outputs have about the given size."""
    weights = [rng.normal(size=(a, b)) * (2 / a) ** 0.5 for a, b in pairwise(widths)]
    weights[-1] *= size
    single = tuple(np.array(weight, np.float32) for weight in weights)
    biases = tuple(np.array(rng.normal(size=b) * 0.1 * size, np.float32) for b in widths[1:])
    path = np.array(rng.normal(size=(skip, widths[-1])) * size, np.float32) if skip else None
    return Network(single, biases, path)


@pytest.fixture(scope="session")
def random_model(database) -> Callable[..., Model]:
    """random_model(projector=False): a model of the right shapes with random weights."""
    poses, features = database.poses, database.features

    def make(seed: int = 0, *, projector: bool = False) -> Model:
        rng = np.random.default_rng(seed)
        frames = np.flatnonzero(features.targets)[::5]
        latents = rng.normal(size=(len(frames), LATENTS))
        book = make_codebook(
            frames, features.values[frames], latents, poses.clip_of(frames), poses.tags.frames[frames],
            poses.cost_factor[frames],
        )  # fmt: skip
        moving = find_moving(poses.skeleton, poses.positions)
        columns = lay_out_pose(poses.skeleton.joint_count, len(moving), len(poses.contact_joints))
        both = features.width + LATENTS
        return Model(
            skeleton=poses.skeleton, contact_joints=np.array(poses.contact_joints), frame_rate=poses.frame_rate,
            schema=features.schema, feature_offset=np.array(features.offset), feature_scale=np.array(features.scale),
            feature_weights=features.column_weights(), tag_names=poses.tags.names, filter="",
            rest=np.array(poses.positions[0]), moving=moving,
            decompressor=make_network(rng, both, 24, columns.count, skip=LATENTS),
            stepper=make_network(rng, both, 16, 16, both, size=0.02),
            projector=make_network(rng, features.width, 16, 16, both) if projector else None,
            codebook=book, limits=np.stack([book.lowest, book.lowest + 255 * book.step]),
            scores={"database_mean": 1.0}, about={"seed": seed},
        )  # fmt: skip

    return make
