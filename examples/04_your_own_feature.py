"""Two features of your own: one of the pose and one of the trajectory.

A kind of feature says in one place how it is built from a database and how a query for it is made at run time.

python examples/04_your_own_feature.py
"""

from pathlib import Path

import numpy as np

import kinematch as km


def build_hand_heights(feature: km.Feature, poses: km.database.PoseDatabase) -> np.ndarray:
    """(F, 2) m: raised arms are matched with raised arms."""
    hands = [poses.skeleton.joint("left_hand"), poses.skeleton.joint("right_hand")]
    return np.stack([km.database.joint_motion(poses.skeleton, poses.pose(), hand)[0][:, 1] for hand in hands], axis=-1)


def find_turn(directions: np.ndarray) -> np.ndarray:
    """(..., 1) rad: the angle of directions (..., 3) in the root's axes."""
    return np.arctan2(directions[..., 0], directions[..., 2])[..., None]


def build_turn(feature: km.Feature, poses: km.database.PoseDatabase) -> np.ndarray:
    """(F, 1): how far the clip turns from each frame on."""
    return find_turn(km.database.measure_root_paths(poses, feature.times)[0].directions)


queries = 0


def query_turn(feature: km.Feature, given: km.database.QueryInput) -> np.ndarray:
    """(N, 1): how far each character should turn. `given` also has the pose, skeleton and features that play."""
    global queries
    queries += 1
    directions = given.trajectory(feature.times)[1]  # [0] are positions; negative times are the real past
    return find_turn(directions[:, 0])


km.register_feature("hand_heights", build=build_hand_heights, width=2)  # without a query: as the playing frame has it
km.register_feature("turn", build=build_turn, query=query_turn, width=1, group="trajectory")

Path("own.toml").write_text(
    """
[[source]]
builtin = "locomotion"
clips = ["idle", "walk_1.35", "walk_turn_*"]

[[feature]]
kind = "hand_heights"
weight = 2.0

[[feature]]
kind = "turn"
times = [0.5]

[[feature]]
kind = "trajectory_position"
times = [0.33, 0.67, 1.0]
"""
)
database = km.build("own.toml")
for feature, columns in zip(database.features.schema.features, database.features.schema.columns.values()):
    values = database.features.physical()[:, columns]
    print(f"{feature.name}: {feature.width} columns, from {values.min():.2f} to {values.max():.2f}")

character = km.Crowd(database)
for _ in range(120):
    character.step(km.move([1.35, 0, 0]), 1 / 60)  # a turn to the left
print(
    f"query_turn was called {queries} times; the character now faces {np.degrees(character.root_yaws[0]):.0f} degrees"
)
