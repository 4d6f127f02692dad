"""From a recipe to a database, and the simplest possible search: which frame is most like this one?

python examples/03_build_a_database.py
"""

from pathlib import Path

import numpy as np

import kinematch as km

Path("recipe.toml").write_text(
    """
output = "walker.kinematch"

[[source]]
builtin = "locomotion"

[cleaning]
frame_rate = 60

[matching]
responsiveness = 1.5
filter = "level0"  # the tag of upright motion: used by all commands that name no filter
"""
)
database = km.build("recipe.toml")
poses, features = database.poses, database.features
print(f"{poses.clip_count} clips, {poses.frame_count} frames, {poses.minutes:.1f} minutes, {features.width} features")

frame = int(poses.clip_starts[4]) + 200
values, query = features.weighted_values(), features.weighted_values()[frame]
costs = np.where(features.targets, np.sum((values - query) ** 2, axis=1), np.inf)
costs[frame - 60 : frame + 60] = np.inf  # its neighbours in time are always similar
best = int(np.argmin(costs))
clips = [poses.clip_names[int(c)] for c in poses.clip_of(np.array([frame, best]))]
print(f"most like {clips[0]!r} frame {frame}: {clips[1]!r} frame {best}, cost {costs[best]:.3f}")

km.save("copy.kinematch", database)
again = km.load("copy.kinematch")
print(f"copy.kinematch: {again.poses.frame_count} frames, filter {again.filter!r}")
