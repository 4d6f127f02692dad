"""Gaits: which speeds a stick offers on a database, by how fast its motion is, and the tags that go with each."""

import re

import numpy as np

from kinematch.control.stick import GAITS, Gait
from kinematch.database.actions import FIRST
from kinematch.database.coverage import measure_coverage, measure_root_motion
from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database
from kinematch.studio.server.answers import GaitInfo

SLOWEST_STEP = 1.2  # a gait must be at least this many times as fast as the one before
UPRIGHT = "level0"  # tag of the built-in motion that stands upright
CROUCHED = "level3"
HEIGHT = re.compile(r"(level|crouch)\d")  # of the built-in motion, of which CROUCHED is offered
CROUCH = Gait(0.9, 0.5, 0.5)  # as fast as the built-in motion crouches
WALKING, RUNNING = "walk", "run"  # tags of clips; with both, walking is taken from walking
LEAST_STYLE = 2.0  # s of a tag's motion to offer it
MOST_STYLES = 6
FAST = 90  # percentile of its speeds that the stick goes at
LEAST_SPEED = 0.3  # m/s
MOSTLY = 0.9  # of a tag, which the filter leaves out
LEAST_WALKING = 10.0  # s of it, to walk on that alone


def find_gaits(database: Database) -> tuple[dict[str, Gait], list[GaitInfo]]:
    """The stick's gaits that the motion is fast enough for, and their description for the page."""
    poses = database.poses
    fastest = measure_coverage(poses).fastest
    upright = find_upright(database)
    gaits: dict[str, Gait] = {}
    for name, gait in GAITS.items():
        share = min(1.0, fastest / gait.forward) if fastest >= LEAST_SPEED else 1.0  # a stand goes nowhere
        before = max((slower.forward for slower in gaits.values()), default=0.0)
        if gait.forward * share > SLOWEST_STEP * before:
            gaits[name] = Gait(*(float(np.round(v * share, 2)) for v in (gait.forward, gait.sideways, gait.backward)))
    told = [GaitInfo(name, gait.forward, upright) for name, gait in gaits.items()]
    if CROUCHED in poses.tags.names:
        gaits["crouch"] = CROUCH
        told.append(GaitInfo("crouch", CROUCH.forward, CROUCHED))
    for name, gait in _find_styles(database).items():
        if name not in gaits:
            gaits[name] = gait
            told.append(GaitInfo(name, gait.forward, name))
    return gaits, told


def _find_styles(database: Database) -> dict[str, Gait]:
    """Tags whose motion the database's own filter leaves out, as fast as that motion is; the longest first."""
    poses, tags = database.poses, database.poses.tags
    left_out = ~tag_mask(database.filter, tags.names, tags.frames)
    for clip in np.unique(poses.clip_of(poses.actions.stretches[:, FIRST])).tolist():
        left_out[poses.clip_frames(clip)] = False  # actions are asked for, and are no way to go about
    speeds = measure_root_motion(poses)[0]
    seconds, styles = {}, {}
    for name in tags.names:
        own = tags.of(name)
        out = float((own & left_out).sum()) / poses.frame_rate
        if _is_word(name) and out >= LEAST_STYLE and out >= MOSTLY * own.sum() / poses.frame_rate:
            fast = max(LEAST_SPEED, float(np.round(np.percentile(speeds[own & left_out], FAST), 2)))
            seconds[name], styles[name] = out, Gait(fast, fast, fast)
    longest = sorted(styles, key=lambda name: -seconds[name])[:MOST_STYLES]
    return {name: styles[name] for name in longest}


def _is_word(name: str) -> bool:
    """Whether a tag can stand alone as a filter, and is none of the built-in motion's heights."""
    return not set(name) & set("&|!() \t") and not HEIGHT.fullmatch(name)


def find_upright(database: Database) -> str:
    """The filter of the stick's ordinary gaits."""
    return UPRIGHT if UPRIGHT in database.poses.tags.names else database.filter


def leave_out_runs(filter_: str, database: Database) -> str:
    """The same filter without the clips of runs, where tags mark enough walks and runs."""
    tags = database.poses.tags
    if WALKING not in tags.names or RUNNING not in tags.names:
        return filter_
    walks = " & ".join(filter(None, (f"({filter_})" if "|" in filter_ else filter_, f"!{RUNNING}")))
    frames = tag_mask(f"{walks} & {WALKING}", tags.names, tags.frames)
    return walks if frames.sum() > LEAST_WALKING * database.poses.frame_rate else filter_
