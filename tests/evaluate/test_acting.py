"""Places that actions are scored at, and what is measured there."""

import numpy as np

from kinematch.evaluate.acting import Judge, count_deep, visit
from kinematch.evaluate.feet import floor_of
from kinematch.evaluate.places import Place, draw_places, find_fit
from kinematch.evaluate.smoothness import limits_of
from kinematch.motion.kinematics import forward
from kinematch.scene.abilities import find_abilities
from kinematch.scene.objects import Scene, Thing


def test_a_seed_draws_the_same_forty_places():
    first, again, other = draw_places(3), draw_places(3), draw_places(4)
    assert len(first) == 40
    assert [one.label for one in first] == [one.label for one in again]
    assert [one.label for one in first] != [one.label for one in other]


def test_what_fits_is_told_by_the_clips_alone(acts):
    able = find_abilities(acts)

    def fit(kind, size, depth=2.4):
        return find_fit(Place(kind, size, 1.3, (), depth), able)

    assert fit("gap", 1.0) == "jump"
    assert fit("gap", 2.5) == ""
    assert fit("box", 0.5) == "step_up"
    assert fit("box", 0.8) == ""
    assert fit("box", 0.3, 0.3) == "hop"
    assert fit("bar", 1.4) == "duck"
    assert fit("bar", 1.1) == ""
    assert fit("bench", 0.5) == "sit"
    assert fit("bench", 0.9) == ""


def test_a_place_is_visited_and_scored(acts):
    clip = acts.poses.clip(0)
    moved = [forward(clip.skeleton, clip.positions, clip.rotations)[0]]
    judge = Judge(limits_of(moved, 60.0), floor_of(moved, acts.poses.contact_joints))
    place = Place("box", 0.4, 1.3, (Thing("box", (0, 0, 5), (3, 0.4, 2.4)),), 2.4)
    seen = visit(acts, find_abilities(acts), place, "step_up", judge)
    assert seen.done
    assert seen.error < 0.04  # of the foot that is shown; the root is there by construction
    assert seen.deep < 0.02 * seen.frames


def test_joints_within_a_box_are_counted_and_those_on_it_are_not(acts):
    joints = acts.skeleton.joint_count
    standing = np.zeros((2, joints, 3))
    standing[0, :, 1] = 0.42
    standing[1, :, 1] = 0.3
    assert count_deep(Scene((Thing("box", (0, 0, 0), (1, 0.4, 1)),)), standing) == 1
