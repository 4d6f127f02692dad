"""Holdings: what a set has nothing like is named, run, and not held to targets; what it has stays."""

from dataclasses import replace

import numpy as np

from kinematch.evaluate.course import Need
from kinematch.evaluate.evaluation import OURS, evaluate
from kinematch.evaluate.gaits import BANDS
from kinematch.evaluate.holdings import measure_stand, measure_turns, note_lacks
from kinematch.evaluate.scenarios import course


def test_a_set_with_turns_lacks_none_and_one_without_says_so(small, built_of):
    turns = [one for one in course(small.gaits) if one.name == "turn 180, walk"]
    assert note_lacks(turns, small.database)[0].lack == ""
    straight = note_lacks(turns, built_of("idle", "walk_1.35").database)[0]
    assert "degrees within a second at most, of 180" in straight.lack
    assert (straight.name, straight.events) == (turns[0].name, turns[0].events)


def test_only_turns_near_the_gait_count(small):
    """The clips turn while they walk, not while they run."""
    turn = course(small.gaits)[4]
    walking, running = (replace(turn, need=Need(np.pi, *BANDS[gait])) for gait in ("walk", "jog"))
    assert [one.lack == "" for one in note_lacks([walking, running], small.database)] == [True, False]


def test_strafing_needs_movement_in_every_direction(small):
    strafe = [one for one in course(small.gaits) if one.group == "strafing"]
    assert "in the direction of" in note_lacks(strafe, small.database)[0].lack


def test_frames_that_a_filter_leaves_out_turn_nothing(small):
    poses = small.database.poses
    everything = measure_turns(small.database, np.ones(poses.frame_count, bool))
    assert everything.max() > np.radians(120)
    assert not measure_turns(small.database, np.zeros(poses.frame_count, bool)).any()


def test_what_is_lacking_is_scored_and_not_held_to_targets(small):
    some = [one for one in small.scenarios if one.group in ("turn 180", "standing")]
    lacking = replace(small, scenarios=tuple(replace(one, lack="no turn") if one.events else one for one in some))
    found = evaluate(lacking, baselines=False)
    assert "turn_180_walk_max" in found.rows[OURS]
    assert "turn_180_walk_max" not in {target.name for target in found.targets}
    nothing = replace(small, scenarios=tuple(replace(one, lack="no turn") for one in some))
    assert "turn_180_walk_max" in {target.name for target in evaluate(nothing, baselines=False).targets}


def test_standing_needs_a_while_of_it_in_one_piece(small):
    (stand,) = [one for one in course(small.gaits) if one.group == "standing"]
    long = replace(stand, need=Need(stands=1e4))
    assert [one.lack == "" for one in note_lacks([stand, long], small.database)] == [True, False]
    assert "stands still for" in note_lacks([long], small.database)[0].lack
    still = np.zeros(small.database.poses.frame_count, bool)
    assert measure_stand(small.database, still) == 0.0
    still[10:40] = still[45:105] = True
    assert measure_stand(small.database, still) == 60 / small.database.poses.frame_rate
