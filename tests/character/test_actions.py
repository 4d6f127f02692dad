"""What actions promise: they are entered on request, meet their targets, and are refused with a reason."""

import numpy as np
import pytest

import kinematch as km
from kinematch.character.reason import Refusal
from kinematch.control.command import Command
from kinematch.control.request import Request
from kinematch.database.actions import FRAME
from kinematch.math.angles import rotate_about_y

RATE = 60
# action, speed before it, target, facing, and when it is first asked for
PLACES = {
    "a jump over a gap": ("jump", 3.4, (0.2, 0.0, 9.0), None, 1.0),
    "a jump from a stand": ("jump", 0.0, (0.1, 0.0, 0.9), None, 0.5),
    "a step up": ("step_up", 1.2, (0.0, 0.3, 3.5), None, 0.5),
    "a step down": ("step_down", 1.2, (0.1, -0.25, 3.5), None, 0.5),
    "a hop": ("hop", 2.6, (0.0, 0.0, 5.0), None, 0.5),
    "a duck": ("duck", 1.1, (-0.2, 0.0, 5.0), None, 0.5),
    "a seat": ("sit", 0.0, (0.05, 0.5, -0.5), (0.1, 0.0, 1.0), 0.5),
}


class Actor:
    """One character that is steered along +Z, and what became of it."""

    def __init__(self, database: km.Database, rate: float = RATE, **options):
        self.crowd, self.rate, self.time = km.Crowd(database, **options), rate, 0.0
        self.refusals: set[Refusal] = set()
        self.missed: float | None = None  # m between the event's point and the target
        self.poses: list[km.Pose] = []

    def step(self, command: Command, target=None) -> km.Pose:
        pose = self.crowd.step(command, 1 / self.rate)
        self.time += 1 / self.rate
        self.poses.append(pose)
        if pose.refusals[0]:
            self.refusals.add(Refusal(int(pose.refusals[0])))
        actions, own = self.crowd.database.poses.actions, int(pose.acting[0])
        if own >= 0 and self.missed is None and target is not None:
            event = actions.targets[own]
            if pose.frames[0] >= actions.events[event, FRAME]:
                point = rotate_about_y(actions.points[event], self.crowd.root_yaws[0])
                self.missed = float(np.linalg.norm(self.crowd.root_positions[0] + point - target))
        return pose

    def act(self, place: str, seconds: float = 7.0) -> None:
        """Ask for an action until it is entered, and go on after it."""
        name, speed, target, facing, since = PLACES[place]
        entered = False
        while self.time < seconds:
            command = km.move([0.0, 0.0, speed])
            if self.time >= since and not entered:
                command = km.act(name, command, target=target, facing=facing)
            entered = self.step(command, target).acting[0] >= 0 or entered


@pytest.mark.parametrize("place", PLACES)
def test_the_event_of_an_action_meets_its_target_and_the_character_goes_on_from_there(acts, place):
    actor = Actor(acts)
    actor.act(place)
    assert actor.missed is not None
    assert actor.missed < 0.005
    assert actor.poses[-1].acting[0] == -1
    heights = [pose.global_positions[0, 0, 1] for pose in actor.poses]
    target = PLACES[place][2]
    assert heights[-1] == pytest.approx(target[1] if "step" in place else heights[-1], abs=0.02)


@pytest.mark.parametrize("rate", [30, 144])
def test_a_target_is_met_at_any_rate_of_steps(acts, rate):
    actor = Actor(acts, rate)
    actor.act("a step up")
    assert actor.missed is not None
    assert actor.missed < 0.06


def test_uncompiled_an_action_goes_the_same_way(acts):
    ends = []
    for compiled in (True, False):
        actor = Actor(acts, compiled=compiled)
        actor.act("a jump from a stand", 1.5)
        ends.append(actor.poses[-1])
    np.testing.assert_allclose(ends[0].global_positions, ends[1].global_positions, atol=1e-4)
    assert ends[0].acting[0] == ends[1].acting[0] >= 0


def test_a_refused_request_changes_nothing(acts):
    asking, other = Actor(acts), Actor(acts)
    for _ in range(90):
        command = km.move([0.0, 0.0, 2.0])
        asking.step(km.act("sit", command, target=[0.0, 0.45, 30.0]))
        other.step(command)
    assert asking.refusals
    assert Refusal.NONE not in asking.refusals
    for a, b in zip(asking.poses, other.poses):
        np.testing.assert_array_equal(a.global_positions, b.global_positions)


@pytest.mark.parametrize(
    ("target", "facing", "reason"),
    [
        ((0.0, 0.0, 12.0), None, Refusal.TOO_FAR),
        ((0.0, 0.0, 3.2), None, Refusal.SPEED),
        ((0.0, 0.9, 1.0), None, Refusal.HEIGHT),
        ((0.9, 0.0, 0.0), None, Refusal.TURN),
        ((0.0, 0.0, 0.9), (0.0, 0.0, -1.0), Refusal.TURN),
    ],
)
def test_a_target_beyond_the_limits_is_refused_with_the_reason(acts, target, facing, reason):
    actor = Actor(acts)
    for _ in range(30):
        actor.step(km.act("jump", target=target, facing=facing))
    assert actor.refusals == {reason}
    assert (actor.poses[-1].acting == -1).all()


def test_a_seat_is_held_for_as_long_as_it_is_asked_for(acts):
    actor = Actor(acts)
    hips = acts.skeleton.joint("hips")
    seated = [actor.step(km.sit()).global_positions[0, hips, 1] for _ in range(12 * RATE)]
    assert np.ptp(seated[4 * RATE :]) < 0.02
    assert seated[-1] < 0.7
    after = [actor.step(km.move([0.0, 0.0, 0.0])).global_positions[0, hips, 1] for _ in range(3 * RATE)]
    assert after[-1] > 0.9
    assert np.abs(np.diff(seated + after)).max() < 1.6 / RATE


def test_another_action_waits_for_the_one_that_plays(acts):
    actor = Actor(acts)
    actor.step(km.jump())
    actor.step(km.act("wave"))
    assert actor.refusals == {Refusal.BUSY}


def test_a_jump_that_is_asked_for_at_a_time_lands_then(acts):
    actor = Actor(acts)
    for _ in range(30):
        actor.step(km.move([0.0, 0.0, 0.0]))
    pose = actor.step(km.act("jump", when=1.0))
    actions = acts.poses.actions
    event = actions.events[actions.targets[pose.acting[0]], FRAME]
    assert (event - pose.frames[0]) / RATE == pytest.approx(1.0, abs=0.1)


def test_characters_of_a_crowd_act_as_they_would_alone(acts):
    requests = [None, Request("jump"), Request("wave"), Request("sit"), Request("jump", [0.0, 0.0, 0.8])]
    requests = [*requests, *requests]
    crowd = km.Crowd(acts, len(requests))
    stand = np.zeros((len(requests), 3))
    crowd.state.schedule.since[:] = 0.0
    for _ in range(100):
        together = crowd.step(Command(stand, stand, request=requests), 1 / RATE)
    for n, request in enumerate(requests[:5]):
        alone = km.Crowd(acts)
        for _ in range(100):
            pose = alone.step(Command(stand[:1], stand[:1], request=request), 1 / RATE)
        np.testing.assert_allclose(together.global_positions[n], pose.global_positions[0], atol=1e-3)
        np.testing.assert_allclose(together.global_positions[n + 5], pose.global_positions[0], atol=1e-3)


def test_unknown_actions_and_broken_requests_are_named(acts):
    crowd = km.Crowd(acts)
    with pytest.raises(km.KinematchError, match="no action 'jumb'; did you mean 'jump'"):
        crowd.step(km.act("jumb"), 1 / RATE)
    with pytest.raises(km.KinematchError, match="target"):
        km.jump(target=[0.0, np.nan, 1.0])
    with pytest.raises(km.KinematchError, match="request"):
        crowd.step(Command(np.zeros((1, 3)), np.zeros((1, 3)), request="jump"), 1 / RATE)


def test_a_teleport_leaves_a_target_behind(acts):
    actor = Actor(acts)
    actor.step(km.jump(target=[0.0, 0.0, 0.9]))
    actor.crowd.teleport([5.0, 0.0, 0.0], 0.0)
    for _ in range(150):
        actor.step(km.move([0.0, 0.0, 0.0]))
    assert np.linalg.norm(actor.crowd.root_positions[0] - [5.0, 0.0, 0.0]) < 1.6
