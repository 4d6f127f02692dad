"""From a recipe to a database, and the plainest search there is: which frame is most like this one?

python examples/03_build_a_database.py
"""

from pathlib import Path

import numpy as np

from kinematch.database.build import build

Path("recipe.toml").write_text(
    """
output = "walker.kinematch"

[[source]]
builtin = "dance-card"

[cleaning]
frame_rate = 60

[matching]
responsiveness = 1.5
"""
)
result = build("recipe.toml")
poses, features = result.database.poses, result.database.features
print(f"{poses.clip_count} clips, {poses.frame_count} frames, {poses.minutes:.1f} minutes, {features.width} features")

frame = int(poses.clip_starts[4]) + 200
values, queries = features.weighted_values(), features.weighted_values()[frame]
costs = np.where(features.targets, np.sum((values - queries) ** 2, axis=1), np.inf)
costs[frame - 60 : frame + 60] = np.inf  # not the neighbours: they are alike by nature
best = int(np.argmin(costs))
clips = [poses.clip_names[int(c)] for c in poses.clip_of(np.array([frame, best]))]
print(f"most like {clips[0]!r} frame {frame}: {clips[1]!r} frame {best}, cost {costs[best]:.3f}")

again = build("recipe.toml")
print("a second build reuses:", again.reused)
