"""Features of users at run time: the functions they registered are called, with what really happened."""

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.control.command import move
from kinematch.database import features as features_module
from kinematch.database.feature_database import build_features
from kinematch.database.features import Feature, register_feature
from kinematch.database.measures import measure_root_paths
from kinematch.database.schema import HORIZONS, FeatureSchema
from kinematch.database.storage import Database

from .rigs import RIGS, TRAJECTORY, make_database
from .states import walk_about

DT = 1 / 60
PAST = -0.4


@pytest.fixture
def registered():
    before = dict(features_module.KINDS)
    yield
    features_module.KINDS.clear()
    features_module.KINDS.update(before)


@pytest.mark.parametrize("compiled", [True, False])
def test_queries_of_ones_own_are_called_with_the_playing_pose_and_the_past_of_the_root(database, registered, compiled):
    heights, behind = [], []

    def hand_height(feature, given):
        heights.append(given.pose.positions[:, 0, 1])
        return given.current[:, :1]

    def way_back(feature, given):
        positions, directions = given.trajectory(feature.times)
        behind.append((positions[:, 0], directions[:, 0]))
        return positions[:, 0, [0, 2]]

    register_feature("own_pose", build=lambda f, poses: poses.positions[:, 1, 1:2], query=hand_height, width=1)
    register_feature(
        "own_past",
        build=lambda f, poses: measure_root_paths(poses, f.times)[0].positions[:, [0, 2]],
        query=way_back,
        width=2,
        group="trajectory",
    )
    schema = FeatureSchema(
        (
            Feature("own_pose"),
            Feature("own_past", times=(PAST,)),
            Feature("trajectory_position", times=HORIZONS, dimensions=2),
        )
    )
    own = Database(database.poses, build_features(database.poses, schema))
    crowd = Crowd(own, compiled=compiled)
    roots, checks = [], 0
    for step in range(150):
        crowd.step(move([0.0, 0, 1.35]), DT)
        roots.append(np.append(crowd.root_positions[0], crowd.root_yaws[0]))
        if behind and step > 90:
            asked = behind.pop()
            behind.clear()
            # the search was at the beginning of this step, so the root's way back leads from the step before
            gap = np.linalg.norm(asked[0][0, [0, 2]])
            walked = np.linalg.norm((roots[-2] - roots[-2 + round(PAST / DT)])[[0, 2]])
            assert gap == pytest.approx(walked, abs=0.02)
            checks += 1
    assert len(heights) >= 5
    assert checks >= 3


def test_queries_of_ones_own_are_the_same_uncompiled(registered):
    calls: list[int] = []

    def build(feature, poses):
        return np.linalg.norm(poses.velocities[:, 0], axis=-1, keepdims=True)

    def query(feature, given):
        calls.append(len(given.current))
        positions, _ = given.trajectory((0.5,))
        return np.linalg.norm(positions[:, 0], axis=-1, keepdims=True) / 0.5

    register_feature("test_speed_ahead", build=build, query=query, width=1, group="trajectory")
    features = (*TRAJECTORY, Feature("trajectory_position", times=(-0.4, -0.2), dimensions=2, name="past"),
                Feature("test_speed_ahead"))  # fmt: skip
    database = make_database(RIGS["one leg"](), features)
    fast, slow = (Crowd(database, 3, compiled=compiled) for compiled in (True, False))
    speeds, columns = [], database.features.schema.columns["test_speed_ahead"]
    for command in walk_about(3, 60):
        a, b = fast.step(command, DT), slow.step(command, DT)
        np.testing.assert_array_equal(a.frames, b.frames)
        np.testing.assert_allclose(fast.state.schedule.queries, slow.state.schedule.queries, atol=1e-4)
        speeds.append(fast.sources[0].description.restore_units(fast.state.schedule.queries)[:, columns])
    assert len(calls) > 10
    assert np.ptp(speeds) > 0.2
