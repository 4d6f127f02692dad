"""A feature of your own: how high the hands are, so that raised arms are matched with raised arms.

Each feature says in one place how it is built from a database and how it is asked for at run time.

python examples/04_your_own_feature.py
"""

from pathlib import Path

import numpy as np

from kinematch.database.build import build
from kinematch.database.features import Feature, QueryInput, register_feature
from kinematch.database.measures import joint_motion
from kinematch.database.poses import Pose, PoseDatabase
from kinematch.motion.skeleton import Skeleton


def hand_heights(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    hands = [skeleton.joint("left_hand"), skeleton.joint("right_hand")]
    return np.stack([joint_motion(skeleton, pose, hand)[0][:, 1] for hand in hands], axis=-1)


def from_database(feature: Feature, poses: PoseDatabase) -> np.ndarray:
    return hand_heights(poses.skeleton, poses.pose())


def at_run_time(feature: Feature, query: QueryInput) -> np.ndarray:
    return hand_heights(query.skeleton, query.pose)


register_feature("hand_heights", build=from_database, query=at_run_time, width=2)

Path("hands.toml").write_text(
    """
[[source]]
builtin = "dance-card"

[[feature]]
kind = "hand_heights"
weight = 2.0

[[feature]]
kind = "trajectory_position"
times = [0.33, 0.67, 1.0]
"""
)
database = build("hands.toml").database
for feature, columns in zip(database.features.schema.features, database.features.schema.columns.values()):
    values = database.features.physical()[:, columns]
    print(f"{feature.name}: {feature.width} columns, from {values.min():.2f} to {values.max():.2f} m")
