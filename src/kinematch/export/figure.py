"""The figure that the exported page draws, and how fast a stick moves it."""

from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.draw.mannequin import make_body

XYZW = [1, 2, 3, 0]  # as three.js has quaternions
WALK, RUN = 1.35, 2.8  # m/s, where nothing tells how fast the motion is
MIN_MOVING_SPEED = 0.4  # m/s of frames that go somewhere
USUAL, FAST = 0.5, 0.97  # shares of those frames that are slower than a walk and a run


def describe_figure(crowd: Crowd) -> dict[str, Any]:
    """The skeleton and the drawn figure as the page reads them: SkeletonInfo of the client's messages.ts."""
    skeleton, body = crowd.skeleton, make_body(crowd.skeleton)
    parts = {name: np.asarray(getattr(body, name)).tolist() for name in body.__dataclass_fields__ if name != "tints"}
    return {
        "names": list(skeleton.names), "parents": skeleton.parents.tolist(), "offsets": skeleton.offsets.tolist(),
        "rotations": skeleton.rotations[:, XYZW].tolist(),
        "tpose": None if skeleton.tpose is None else skeleton.tpose[:, XYZW].tolist(),
        "end_parents": skeleton.end_parents.tolist(), "end_offsets": skeleton.end_offsets.tolist(),
        "roles": dict(skeleton.roles), "positioned": [],
        "contact_joints": np.asarray(crowd.sources[0].description.contact_joints).tolist(),
        "body": parts | {"tints": list(body.tints)},
    }  # fmt: skip


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
