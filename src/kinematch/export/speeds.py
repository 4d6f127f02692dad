"""How fast a stick moves an exported character."""

import numpy as np

from kinematch.character.crowd import Crowd

WALK, RUN = 1.35, 2.8  # m/s, where the speed of the motion is unknown
MIN_MOVING_SPEED = 0.4  # m/s of frames that go somewhere
USUAL, FAST = 0.5, 0.97  # shares of those frames that are slower than a walk and a run


def find_speeds(crowd: Crowd) -> list[float]:
    """A usual and a fast speed of the motion, in m/s."""
    table, source = crowd.runner.tables[0], crowd.sources[0]
    paces = table.pack.paces * table.pack.pace_step if len(table.pack.paces) else table.paces
    if not hasattr(source, "poses") or len(paces) != source.poses.frame_count:
        return [WALK, RUN]  # a model, whose frames are made as it plays
    filter_, _ = source.find_terms(None, False, crowd.settings)
    moving = paces[source.find_stays(filter_) & (paces > MIN_MOVING_SPEED)]
    if not len(moving):
        return [WALK, RUN]
    return [round(float(np.quantile(moving, share)), 2) for share in (USUAL, FAST)]
