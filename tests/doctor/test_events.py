"""Events of built-in and recorded actions are found when they happen, and plain gaits have none."""

import tomllib
from pathlib import Path

import pytest

from kinematch.bench.events import Count, score_events
from kinematch.motion.actions import FOOT, LANDING, SEAT, TAKE_OFF
from kinematch.motion.kinematics import global_pose
from kinematch.motion.labels.activity import find_activities
from kinematch.motion.labels.events import find_events
from kinematch.synth import motions, perform
from kinematch.synth.actions import list_actions, perform_action

LABELS = Path(__file__).with_name("events.toml")
TOLERANCES = {SEAT: 0.25}  # s; hips settle on the built-in seat more slowly than people's
TOLERANCE = 0.1  # s, of other events
FOUND = [(k, one.name) for k, one in enumerate(list_actions()) if one.name != "jump_run_2.6_0.36"]  # hardly a jump


@pytest.mark.parametrize("number", [k for k, _ in FOUND], ids=[name for _, name in FOUND])
def test_events_of_built_in_actions_are_found(number):
    clip = perform_action(number)
    wanted = [one for one in clip.actions[0].events if one.kind in (TAKE_OFF, LANDING, FOOT, SEAT)]
    found = [one for one in find_events(clip, find_activities(clip)) if one.kind in (TAKE_OFF, LANDING, FOOT, SEAT)]
    assert [one.kind for one in found] == [one.kind for one in wanted]
    assert all(abs(a.time - b.time) <= TOLERANCES.get(a.kind, TOLERANCE) for a, b in zip(found, wanted)), (
        found,
        wanted,
    )


def test_the_point_of_a_step_is_under_the_foot():
    clip = perform_action(next(k for k, one in enumerate(list_actions()) if one.name == "step_up_0.4"))
    step = next(one for one in find_events(clip, find_activities(clip)) if one.kind == FOOT)
    height = global_pose(clip)[0][round(step.time * clip.frame_rate), clip.skeleton.joint(step.joint), 1] - step.below
    assert height == pytest.approx(0.4, abs=0.03)


def test_gaits_have_no_events():
    clip = perform(next(one for one in motions() if "run" in one.name)).clip
    assert find_events(clip, find_activities(clip)) == []


def test_most_events_of_people_whom_no_rule_has_seen_are_found_and_few_are_invented(data):
    takes = [take for take in tomllib.loads(LABELS.read_text())["take"] if not take.get("seen") and "until" not in take]
    total = Count()
    for take in takes:
        for count in score_events(take, data).values():
            total.add(count)
    assert total.labelled > 60
    assert total.found >= 0.9 * total.labelled, total.missed_at
    assert total.invented <= 0.1 * total.reported, total.missed_at
