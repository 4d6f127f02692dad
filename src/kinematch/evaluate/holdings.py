"""Holdings: which scenarios of a course ask for motion that a database lacks, so that they are not scored."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinematch.database.coverage import MIN_MOVING_SPEED, measure_root_motion
from kinematch.database.storage import Database
from kinematch.evaluate.course import Need, Scenario
from kinematch.evaluate.gaits import EACH_WAY, WAYS, admitted, measure_ways
from kinematch.motion.clip import true_ranges
from kinematch.motion.heading import yaw_of

SHARE = 0.5  # of the turn asked for within a second that the source must show once: two such make the whole


def note_lacks(scenarios: Sequence[Scenario], database: Database, filter: str = "") -> tuple[Scenario, ...]:
    """The scenarios, those that ask for what the admitted frames have nothing like with a `lack` that says so."""
    mask = admitted(database, filter)
    speeds, _, _ = measure_root_motion(database.poses)
    turns, ways = measure_turns(database, mask), measure_ways(database, mask)
    found: dict[Need, str] = {}
    for need in {scenario.need for scenario in scenarios if scenario.need is not None}:
        near = (speeds >= need.slowest) & (speeds < need.fastest)
        sharpest = float(turns[near].max(initial=0.0))
        if sharpest < SHARE * need.turn:
            found[need] = (
                f"the source turns by {np.degrees(sharpest):.0f} degrees within a second at most, of"
                f" {np.degrees(need.turn):.0f} that are asked for"
            )
        if need.stands and (longest := measure_stand(database, mask & (speeds < MIN_MOVING_SPEED))) < need.stands:
            found[need] = f"the source stands still for {longest:.1f} s at most"
        if need.any_way and ways.min() < EACH_WAY:
            way = round(np.degrees(WAYS[int(np.argmin(ways))]))
            found[need] = f"the source moves {ways.min():.1f} s in the direction of {way} degrees"
    return tuple(replace(one, lack=found.get(one.need, "") if one.need else "") for one in scenarios)


def measure_stand(database: Database, still: np.ndarray) -> float:
    """The longest that still frames (F,) follow one another in one clip, s; a loop goes on for ever."""
    poses, longest = database.poses, 0.0
    for c in range(poses.clip_count):
        own = poses.clip_frames(c)
        for start, stop in true_ranges(still[own]):
            whole = bool(poses.clip_loops[c]) and stop - start == own.stop - own.start
            longest = max(longest, np.inf if whole else (stop - start) / poses.frame_rate)
    return longest


def measure_turns(database: Database, mask: np.ndarray) -> np.ndarray:
    """How far (F,) rad the root turns in the second that begins or ends at each frame, whichever is more; only within
    stretches of a clip that are admitted."""
    poses = database.poses
    span = round(poses.frame_rate)
    turns = np.zeros(poses.frame_count)
    for c in range(poses.clip_count):
        own = poses.clip_frames(c)
        yaws = np.unwrap(yaw_of(poses.rotations[own, 0]))
        if len(yaws) <= span:
            continue
        turned = np.abs(yaws[span:] - yaws[:-span])
        kept = np.concatenate([[0], np.cumsum(mask[own])])
        turned[kept[span + 1 :] - kept[: -span - 1] <= span] = 0.0
        both = np.zeros(len(yaws))
        both[:-span] = turned
        both[span:] = np.maximum(both[span:], turned)
        turns[own] = both
    return turns
