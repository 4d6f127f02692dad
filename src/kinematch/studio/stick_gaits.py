"""Gaits: which speeds a stick offers on a database, by how fast its motion is, and the tags that go with each."""

import numpy as np

from kinematch.control.stick import GAITS, Gait
from kinematch.database.coverage import measure_coverage
from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database
from kinematch.studio.answers import GaitInfo

SLOWEST_STEP = 1.2  # a gait must be this many times as fast as the one before to be told from it
UPRIGHT = "level0"  # tag of the built-in motion that stands upright
CROUCHED = "level3"
CROUCH = Gait(0.9, 0.5, 0.5)  # as fast as the built-in motion crouches
WALKING, RUNNING = "walk", "run"  # tags of clips; with both, walking is taken from walking
LEAST_WALKING = 10.0  # s of it, to walk on that alone


def find_gaits(database: Database) -> tuple[dict[str, Gait], list[GaitInfo]]:
    """The stick's gaits that the motion is fast enough for, and how the page is told of them."""
    poses = database.poses
    fastest = measure_coverage(poses).fastest
    upright = UPRIGHT if UPRIGHT in poses.tags.names else database.filter
    gaits: dict[str, Gait] = {}
    for name, gait in GAITS.items():
        share = min(1.0, fastest / gait.forward) if fastest > 0 else 1.0
        before = max((slower.forward for slower in gaits.values()), default=0.0)
        if gait.forward * share > SLOWEST_STEP * before:
            gaits[name] = Gait(*(float(np.round(v * share, 2)) for v in (gait.forward, gait.sideways, gait.backward)))
    told = [GaitInfo(name, gait.forward, upright) for name, gait in gaits.items()]
    if CROUCHED in poses.tags.names:
        gaits["crouch"] = CROUCH
        told.append(GaitInfo("crouch", CROUCH.forward, CROUCHED))
    return gaits, told


def leave_out_runs(filter_: str, database: Database) -> str:
    """The same filter without the clips of runs, where tags tell enough walks from runs."""
    tags = database.poses.tags
    if WALKING not in tags.names or RUNNING not in tags.names:
        return filter_
    walks = " & ".join(filter(None, (f"({filter_})" if "|" in filter_ else filter_, f"!{RUNNING}")))
    frames = tag_mask(f"{walks} & {WALKING}", tags.names, tags.frames)
    return walks if frames.sum() > LEAST_WALKING * database.poses.frame_rate else filter_
