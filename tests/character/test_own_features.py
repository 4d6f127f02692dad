"""Features of users at run time: the functions they registered are called, with what really happened."""

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.character.plain import PlainCrowd
from kinematch.control.command import move
from kinematch.database import features as features_module
from kinematch.database.feature_database import build_features
from kinematch.database.features import Feature, register_feature
from kinematch.database.measures import measure_root_paths
from kinematch.database.schema import HORIZONS, FeatureSchema
from kinematch.database.storage import Database

DT = 1 / 60
PAST = -0.4


@pytest.fixture
def registered():
    before = dict(features_module.KINDS)
    yield
    features_module.KINDS.clear()
    features_module.KINDS.update(before)


@pytest.mark.parametrize("kind", [Crowd, PlainCrowd])
def test_queries_of_ones_own_are_called_with_the_playing_pose_and_the_past_of_the_root(database, registered, kind):
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
    crowd = kind(own)
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
            assert gap == pytest.approx(walked, abs=0.04)
            checks += 1
    assert len(heights) >= 5
    assert checks >= 3
