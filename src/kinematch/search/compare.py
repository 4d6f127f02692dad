"""How often the search of one database finds another frame than that of another with the same frames."""

import numpy as np

from kinematch.database.storage import Database
from kinematch.search.space import search_space
from kinematch.search.wide import WideMatcher


def measure_difference(database: Database, other: Database, *, count: int = 5000, seed: int = 0) -> float:
    """The share of searches that end elsewhere: the pose of one random frame with the trajectory of another."""
    features, rng = database.features, np.random.default_rng(seed)
    poses, ways = rng.integers(0, features.frame_count, (2, count))
    queries = np.array(features.values[poses])
    for feature, columns in zip(features.schema.features, features.schema.columns.values()):
        if feature.group != "pose":
            queries[:, columns] = features.values[ways][:, columns]
    found = [WideMatcher(search_space(one)).find(queries).frames for one in (database, other)]
    return float(np.mean(found[0] != found[1]))
