"""Coverage of motion whose speed, direction and turning are known, and poses that features confuse."""

import numpy as np
import pytest

from kinematch.database.alike import find_lookalikes, find_upper_body
from kinematch.database.coverage import (
    SPEEDS,
    TURNS,
    find_gaps,
    measure_contact_shares,
    measure_coverage,
    measure_root_motion,
)
from kinematch.database.coverage_picture import draw_coverage
from kinematch.database.feature_database import build_features
from kinematch.database.poses import ClipEntry
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.storage import Database
from kinematch.math import rotation


def sideways(clip, angle):
    """The same path with the body turned away from it: angle 90 degrees moves to the right."""
    turned = np.array(clip.rotations)
    turned[:, 0] = rotation.from_axis_angle([0.0, 1.0, 0.0], np.full(clip.frame_count, angle))
    return clip.with_(rotations=turned)


def test_root_motion_is_told_from_the_body(database, walk):
    speed, direction, turn = measure_root_motion(database(walk(speed=1.4, turn=0.6)))
    np.testing.assert_allclose(speed[1:-1], 1.4, atol=1e-3)
    np.testing.assert_allclose(direction[1:-1], 0, atol=1e-3)
    np.testing.assert_allclose(turn, 0.6, atol=1e-3)
    speed, direction, _ = measure_root_motion(database(sideways(walk(speed=1.0), np.pi / 2)))
    np.testing.assert_allclose(direction, -np.pi / 2, atol=1e-3)


def test_every_frame_is_counted_once(database, walk):
    poses = database(walk(speed=1.4, turn=0.6), walk("fast", speed=9.0, turn=-8.0), walk("still", speed=0.0))
    covered = measure_coverage(poses)
    assert covered.speed_turn.sum() == pytest.approx(poses.frame_count / 60)
    assert covered.speed_direction.sum() + covered.standing == pytest.approx(poses.frame_count / 60)
    assert covered.standing == pytest.approx(121 / 60)
    assert covered.fastest == pytest.approx(9.0, abs=0.05)


def test_motion_falls_into_its_own_cell(database, walk):
    covered = measure_coverage(database(walk(speed=1.4, turn=0.6)))
    row, column = np.searchsorted(SPEEDS, 1.4) - 1, np.searchsorted(TURNS, 0.6) - 1
    assert covered.speed_turn[row, column] > 1.9
    assert covered.speed_direction[row, 0] > 1.9
    right = measure_coverage(database(sideways(walk(speed=1.4), np.pi / 2)))
    assert right.speed_direction[row, 12] > 1.9


def test_starts_and_stops_are_counted_within_clips(database, walk):
    clip = walk(seconds=6)
    t = np.arange(clip.frame_count) / 60
    positions = np.array(clip.positions)
    positions[:, 0, 2] = np.cumsum(1.2 * (1 - np.cos(2 * np.pi * t / 2)) / 2) / 60
    covered = measure_coverage(database(clip.with_(positions=positions), walk("going")))
    assert (covered.starts, covered.stops) == (3, 3)


def test_what_is_there_is_no_gap_and_what_is_not_is_named(database, walk):
    poses = database(walk(speed=1.3, seconds=6), walk("left", speed=1.3, turn=0.7, seconds=6))
    missing = {gap.motion: gap.seconds for gap in find_gaps(poses)}
    assert "walking forward (0.8 to 1.8 m/s)" not in missing
    assert "walking forward while turning left (0.8 to 1.8 m/s)" not in missing
    assert missing["walking forward while turning right (0.8 to 1.8 m/s)"] == 0
    assert missing["walking backward while turning right (0.8 to 1.8 m/s)"] == 0
    assert missing["turning on the spot to the left"] == 0
    assert missing["standing still"] == 0


def test_gaps_come_emptiest_first(database, walk):
    found = find_gaps(database(walk(speed=1.3, seconds=3)))
    shares = [gap.seconds / gap.wanted for gap in found]
    assert shares == sorted(shares)
    assert all(gap.seconds < gap.wanted for gap in found)


def test_contacts_are_told_by_joint(database, walk):
    contacts = np.zeros((121, 2), bool)
    contacts[:60, 0] = True
    assert measure_contact_shares(database(ClipEntry(walk(), contacts))) == pytest.approx(
        {"LeftFoot": 60 / 121, "RightFoot": 0}
    )


def test_the_picture_shows_both_maps(database, walk):
    picture = draw_coverage(measure_coverage(database(walk())), title="walk")
    assert picture.size == (1380, 520)
    assert len(picture.getcolors(1 << 20)) > 20
    still = draw_coverage(measure_coverage(database(walk(speed=0.0))))
    assert still.size == picture.size


def test_twins_with_other_arms_are_found(database, walk):
    clips = [walk("a", hands=0.1, turn=0.1), walk("b", hands=1.5, turn=0.1), walk("c", speed=3.0, turn=-0.5)]
    poses = database(*(clip.frames(0, 79) for clip in clips))  # short, so that no clip repeats itself
    features = build_features(poses, FeatureSchema(default_features()))
    pairs = find_lookalikes(Database(poses, features))
    assert set(pairs[0].clips) == {"a", "b"}
    assert pairs[0].joint in ("LeftHand", "RightHand")
    assert pairs[0].joint_apart > 0.4
    apart = [pair.apart for pair in pairs]
    assert apart == sorted(apart, reverse=True)
    assert len([pair for pair in pairs if set(pair.clips) == {"a", "b"}]) == 1, "the same second is told twice"


def test_pairs_of_one_clip_are_a_second_apart(database, walk):
    features = build_features(
        poses := database(walk("a", seconds=5)), FeatureSchema(default_features()), warn=lambda m: None
    )
    for pair in find_lookalikes(Database(poses, features)):
        assert abs(pair.times[0] - pair.times[1]) >= 1


def test_short_databases_and_rigs_without_legs_have_no_pairs(database, walk, body):
    poses = database(walk("a", seconds=0.8, turn=1.0))
    features = build_features(poses, FeatureSchema(default_features()), warn=lambda message: None)
    assert find_lookalikes(Database(poses, features)) == []
    assert find_upper_body(body.with_roles({})) == []
    assert [body.names[j] for j in find_upper_body(body)] == ["Chest", "LeftHand", "RightHand"]
