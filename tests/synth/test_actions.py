"""Laws that every built-in action keeps."""

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.motion.actions import Action, Event
from kinematch.motion.clip import Clip
from kinematch.synth.actions import list_actions, perform_action
from kinematch.synth.gait import GRAVITY
from kinematch.synth.measure import SIDES, globals_of, heel, jolts, knee, speeds


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [perform_action(number) for number in range(len(list_actions()))]


def find_flight(clip: Clip) -> slice | None:
    """The frames between take-off and landing."""
    times = {event.kind: event.time for event in clip.actions[0].events}
    if "take-off" not in times:
        return None
    return slice(*(int(np.ceil(times[kind] * clip.frame_rate - 1e-6)) for kind in ("take-off", "landing")))


def test_a_flight_is_a_parabola_under_gravity(clips: list[Clip]):
    flights = [(clip, find_flight(clip)) for clip in clips if find_flight(clip)]
    assert len(flights) == 7
    for clip, own in flights:
        heights = clip.positions[own, 0, 1].astype(float)
        assert len(heights) > 15
        np.testing.assert_allclose(np.diff(heights, 2) * clip.frame_rate**2, -GRAVITY, atol=0.02, err_msg=clip.name)


def test_a_body_in_flight_keeps_its_speed(clips: list[Clip]):
    for clip in clips:
        if own := find_flight(clip):
            rates = np.diff(clip.positions[own, 0, 2].astype(float))[:-1] * clip.frame_rate
            assert np.ptp(rates) < 0.02, clip.name


def test_both_feet_are_off_the_floor_in_flight_and_one_is_on_it_else(clips: list[Clip]):
    for clip in clips:
        positions, rotations, ends = globals_of(clip)
        feet = np.stack([heel(clip, side, positions, rotations)[:, 1] for side in SIDES] + [*ends[:, :2, 1].T], -1)
        own = find_flight(clip)
        if own is not None:
            assert feet[own][3:-3].min() > 0.015, clip.name
        assert feet.min() > -0.001, clip.name


def test_planted_feet_stay_while_a_body_sits_and_waves(clips: list[Clip]):
    for clip in clips:
        if clip.name in ("sit", "wave"):
            toes = [clip.skeleton.joint(side + "Toe") for side in SIDES]
            assert np.ptp(globals_of(clip)[0][:, toes], axis=0).max() < 0.002


def test_a_seat_carries_the_hips_and_a_step_the_foot(clips: list[Clip]):
    for clip in clips:
        for event in clip.actions[0].events:
            if event.joint and event.kind in ("seat", "foot"):
                joint = clip.skeleton.roles[event.joint]
                frame = round(event.time * clip.frame_rate)
                height = globals_of(clip)[0][frame, joint, 1] - event.below
                step = float(clip.name[-3:]) if "step_up" in clip.name else 0.0
                assert height == pytest.approx(0.45 if event.kind == "seat" else step, abs=0.02), clip.name


def test_no_joint_turns_faster_than_a_jumper_and_nothing_jolts(clips: list[Clip]):
    for clip in clips:
        fast = find_flight(clip) is not None
        assert speeds(clip).max() < (1350 if fast else 900), clip.name
        # a leg that leaves the floor stretched, or lands, changes its rate within a frame
        assert jolts(clip).max() < (1300 if fast else 900), clip.name


def test_knees_never_bend_backwards(clips: list[Clip]):
    for clip in clips:
        assert min(knee(clip, side).min() for side in SIDES) > 5, clip.name


def test_a_cut_keeps_the_actions_that_lie_in_it(clips: list[Clip]):
    clip = clips[0]
    action = clip.actions[0]
    later = clip.frames(12, clip.frame_count)
    assert later.actions[0] == action.shifted(-0.2)
    assert clip.frames(40, clip.frame_count).actions == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entry": (2.0, 1.0)}, "must follow one another"),
        ({"events": (Event("landing", 1.5), Event("take-off", 1.2))}, "out of order"),
        ({"events": (Event("landing", 9.0),)}, "expected between 0.5 and 2"),
        ({"target": "seat"}, "no target event 'seat'"),
        ({"entry": (0.5, 1.4)}, "is before the end of its entry"),
    ],
)
def test_actions_out_of_order_are_refused(changes: dict, message: str):
    given = {"entry": (0.5, 1.0), "exit": 2.0, "events": (Event("landing", 1.2),), "target": "landing"}
    Action("jump", **given)
    with pytest.raises(KinematchError, match=message):
        Action("jump", **{**given, **changes})


def test_an_unknown_event_is_refused():
    with pytest.raises(KinematchError, match="take-off"):
        Event("takeoff", 1.0)
