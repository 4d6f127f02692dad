"""A planner does what the actions of the database allow, and keeps characters away from what nothing fits."""

import numpy as np
import pytest

import kinematch as km
from kinematch.scene.objects import Scene, Thing
from kinematch.scene.planner import Planner

RATE = 60


def go(acts: km.Database, thing: Thing, speed: float, seconds: float, *, use: bool = False):
    """Steer a character along +Z; the actions that it entered, and where it was."""
    scene = Scene((thing,))
    crowd = km.Crowd(acts, terrain=scene)
    planner = Planner.of(scene, crowd)
    planner.use(thing if use else None)
    names, entered, places = acts.poses.actions, [], []
    for _ in range(round(seconds * RATE)):
        pose = crowd.step(planner.plan(km.move([0.0, 0.0, speed]), crowd, 1 / RATE), 1 / RATE)
        if pose.acting[0] >= 0:
            entered.append(names.names[names.stretches[pose.acting[0], 0]])
        places.append(crowd.root_positions[0].copy())
    return list(dict.fromkeys(entered)), np.array(places), crowd


@pytest.mark.parametrize(
    ("thing", "speed", "seconds", "actions"),
    [
        (Thing("gap", (0, -1.5, 7), (9, 1.5, 1.2)), 3.4, 4.5, ["jump"]),
        (Thing("box", (0, 0, 5), (2, 0.4, 2)), 1.3, 7.5, ["step_up", "step_down"]),
        (Thing("box", (0, 0, 6), (3, 0.3, 0.3)), 2.6, 4.5, ["hop"]),
        (Thing("bar", (0, 1.4, 5), (3, 0.1, 0.1)), 1.1, 7.0, ["duck"]),
    ],
)
def test_a_thing_ahead_is_passed_by_the_action_that_fits(acts, thing, speed, seconds, actions):
    entered, places, _ = go(acts, thing, speed, seconds)
    assert entered == actions
    far = np.asarray(thing.place)[2] + np.asarray(thing.size)[2] / 2
    assert places[-1, 2] > far + 0.4
    assert abs(places[-1, 1]) < 0.02


@pytest.mark.parametrize(
    "thing",
    [
        Thing("wall", (0, 0, 5), (9, 2, 0.3)),
        Thing("gap", (0, -1.5, 7), (30, 1.5, 4)),
        Thing("bar", (0, 0.9, 5), (30, 0.1, 0.1)),
    ],
)
@pytest.mark.parametrize("speed", [1.3, 3.4])
def test_a_stick_pushed_at_what_nothing_fits_stays_before_it(acts, thing, speed):
    entered, places, _ = go(acts, thing, speed, 6.0)
    near = np.asarray(thing.place)[2] - np.asarray(thing.size)[2] / 2
    inside = (np.abs(places[:, 0]) < np.asarray(thing.size)[0] / 2) & (np.abs(places[:, 2] - near) < 0.1)
    assert not entered
    assert not inside.any()


def test_a_seat_is_gone_to_sat_on_and_left(acts):
    seat = Thing("seat", (0, 0, -2.0), (0.5, 0.45, 0.4))
    entered, places, _crowd = go(acts, seat, 0.0, 8.0, use=True)
    assert entered == ["sit"]
    assert np.linalg.norm(places[-1, [0, 2]] - [0.0, -2.0]) < 0.2


def test_feet_stand_on_stairs_and_not_in_them(acts):
    stairs = [Thing("box", (0, 0, 5.5 + k), (3, 0.2 * (k + 1), 1.0)) for k in range(2)]
    scene = Scene((*stairs, Thing("box", (0, 0, 9.0), (3, 0.6, 4.0))))
    crowd = km.Crowd(acts, terrain=scene)
    planner, toes, contacts = Planner.of(scene, crowd), [], []
    for _ in range(9 * RATE):
        pose = crowd.step(planner.plan(km.move([0.0, 0.0, 1.3]), crowd, 1 / RATE), 1 / RATE)
        toes.append(pose.global_positions[0, acts.poses.contact_joints])
        contacts.append(pose.contacts[0])
    assert crowd.root_positions[0, 1] == pytest.approx(0.6, abs=0.02)
    places = np.array(toes, np.float64).reshape(-1, 3)
    deep = scene.heights(places[:, [0, 2]]) - places[:, 1]
    assert np.mean(deep[np.ravel(contacts)] > 0.03) < 0.01
    assert np.mean(deep > 0.05) < 0.02  # one that swings may brush an edge


def test_feet_do_not_go_down_into_a_hole_beside_them(acts):
    crowd = km.Crowd(acts, terrain=Scene((Thing("gap", (0, -1.5, 1.0), (9, 1.5, 1.8)),)))
    for _ in range(RATE):
        pose = crowd.step(km.move([0.0, 0.0, 0.0]), 1 / RATE)
    toes = pose.global_positions[0, acts.poses.contact_joints]
    assert (toes[:, 2] > 0.1).any()  # beyond the edge
    assert toes[:, 1].min() > -0.05
