"""Laws that every clip of the built-in motion keeps."""

import numpy as np
import pytest

from kinematch import synth
from kinematch.motion.roles import find_roles
from kinematch.synth.measure import SIDES, globals_of, heel, jolts, knee, speeds, stances
from kinematch.synth.walker import SynthClip


def test_a_planted_point_stays_where_it_is(card: list[SynthClip]):
    for motion in card:
        p, r, ends = globals_of(motion.clip)
        for foot, side in enumerate(SIDES):
            points = (heel(motion.clip, side, p, r), p[:, motion.clip.skeleton.joint(side + "Toe")], ends[:, foot])
            for start, stop in stances(motion.contacts[:, foot]):
                for pivot, point in enumerate(points):
                    held = point[start:stop][motion.pivots[start:stop, foot] == pivot]
                    assert len(held) == 0 or np.ptp(held, axis=0).max() < 0.002, motion.clip.name


def test_every_contact_has_a_planted_point_and_no_swing_has(card: list[SynthClip]):
    for motion in card:
        np.testing.assert_array_equal(motion.contacts, motion.pivots >= 0)


def test_knees_never_bend_backwards(card: list[SynthClip]):
    for motion in card:
        for side in SIDES:
            assert knee(motion.clip, side).min() > 1, motion.clip.name


def test_nothing_goes_under_the_floor(card: list[SynthClip]):
    for motion in card:
        p, r, ends = globals_of(motion.clip)
        heels = [heel(motion.clip, side, p, r)[:, 1].min() for side in SIDES]
        assert min(p[..., 1].min(), ends[..., 1].min(), *heels) > -0.001, motion.clip.name


# degrees per second that people seldom exceed, walking and running; the trunk and the arms are far slower
MOST = {
    "Leg": (700, 1000),
    "ForeArm": (600, 1000),
    "Foot": (750, 1000),
    "Toe": (550, 750),
    "UpLeg": (500, 700),
    "Arm": (300, 500),
    "Hips": (200, 200),
    "Head": (100, 100),
}


def test_no_joint_turns_faster_than_people_do(card: list[SynthClip]):
    for motion in card:
        runs = int("run" in motion.clip.tags)
        fastest = speeds(motion.clip).max(0)
        for name, speed in zip(motion.clip.skeleton.names, fastest):
            limit = MOST.get(name.removeprefix("Left").removeprefix("Right"), (150, 150))[runs]
            assert speed < limit, f"{motion.clip.name}: {name} {speed:.0f} degrees per second"


def test_nothing_jolts(card: list[SynthClip]):
    """The landing of a foot is the quickest change there is; a pop would be several times that."""
    for motion in card:
        assert jolts(motion.clip).max() < 800, motion.clip.name


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", ["speed_changes", "slalom_2.6", "circle_left_2.6_3.0", "run_3.6"])
def test_a_change_of_gait_jolts_with_no_seed(name: str, seed: int):
    """A planted leg that is nearly straight snaps as the body rises into a run."""
    number, motion = next((k, motion) for k, motion in enumerate(synth.motions()) if motion.name == name)
    assert jolts(synth.perform(motion, seed=[seed, number]).clip).max() < 800


def test_one_foot_bears_the_body_unless_it_runs(card: list[SynthClip]):
    for motion in card:
        flight = (~motion.contacts.any(1)).mean()
        assert flight == 0 or "run" in motion.clip.tags, motion.clip.name
        if motion.clip.name.startswith("run_") and "turn" not in motion.clip.tags:
            assert flight > 0.1, motion.clip.name


def test_feet_never_pass_through_each_other(card: list[SynthClip]):
    for motion in card:
        p, _, _ = globals_of(motion.clip)
        left, right = (p[:, motion.clip.skeleton.joint(side + "Foot")] for side in SIDES)
        assert np.linalg.norm(left - right, axis=-1).min() > 0.06, motion.clip.name
        if "strafe" in motion.clip.tags:
            across = np.stack([motion.root_directions[:, 2], -motion.root_directions[:, 0]], -1)
            sideways = np.sum((left - right)[:, [0, 2]] * across, -1)
            assert sideways.min() > 0.07, motion.clip.name


def test_only_the_hips_move_against_their_parent(card: list[SynthClip]):
    for motion in card:
        clip = motion.clip
        np.testing.assert_array_equal(
            clip.positions[:, 1:], np.broadcast_to(clip.skeleton.offsets[1:], clip.positions[:, 1:].shape)
        )
        np.testing.assert_allclose(np.linalg.norm(clip.rotations, axis=-1), 1, atol=1e-5)


def test_the_hips_stay_over_the_path_and_face_along_it(card: list[SynthClip]):
    for motion in card:
        away = motion.clip.positions[:, 0, [0, 2]] - motion.root_positions[:, [0, 2]]
        assert np.linalg.norm(away, axis=-1).max() < 0.2, motion.clip.name
        np.testing.assert_allclose(np.linalg.norm(motion.root_directions, axis=-1), 1, atol=1e-6)


def test_each_motion_is_followed_by_a_settled_second(card: list[SynthClip]):
    for motion in card:
        last = motion.clip.positions[-round(motion.clip.frame_rate) :, 0]
        assert motion.contacts[-len(last) :].all(), motion.clip.name
        assert np.linalg.norm(np.diff(last, axis=0), axis=-1).max() * motion.clip.frame_rate < 0.1


def test_the_card_is_long_and_wide_enough(card: list[SynthClip]):
    def seconds(tag: str) -> float:
        return sum(motion.clip.duration for motion in card if tag in motion.clip.tags)

    assert seconds("level0") > 6 * 60
    for level in ("level1", "level2", "level3", "level4", "tiptoe"):
        assert seconds(level) > 90
    names = [motion.clip.name for motion in card]
    assert len(set(names)) == len(names)
    tags = set().union(*(motion.clip.tags for motion in card))
    assert {
        "idle",
        "walk",
        "run",
        "start",
        "stop",
        "turn",
        "circle",
        "strafe",
        "backward",
        "in_place",
        "slalom",
    } <= tags
    top = [
        np.linalg.norm(np.diff(m.root_positions, axis=0), axis=-1).max() * 60 for m in card if "start" in m.clip.tags
    ]
    assert min(top) < 0.6
    assert max(top) > 4.4


def test_heights_of_the_head_fall_with_the_level(card: list[SynthClip]):
    heights = {}
    for motion in card:
        if "idle" in motion.clip.tags:
            p, _, _ = globals_of(motion.clip)
            level = next(tag for tag in motion.clip.tags if tag.startswith(("level", "tiptoe")))
            heights[level] = p[:, motion.clip.skeleton.joint("head"), 1].mean()
    order = ["tiptoe", "level0", "level1", "level2", "level3", "level4"]
    steps = np.diff([heights[level] for level in order])
    assert (steps < -0.02).all()


def test_the_same_seed_is_the_same_motion_and_another_is_not():
    motion = synth.motions()[4]
    first, again, other = (synth.perform(motion, seed=seed).clip for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.rotations, again.rotations)
    np.testing.assert_array_equal(first.positions, again.positions)
    assert np.abs(first.rotations - other.rotations).max() > 0.01


def test_clips_have_no_ground_root_like_mocap(card: list[SynthClip]):
    clip = card[0].clip
    assert clip.skeleton.names[0] == "Hips"
    assert "root" not in find_roles(clip.skeleton.with_roles({})).roles


@pytest.mark.parametrize("frame_rate", [30.0, 120.0])
def test_another_frame_rate_is_the_same_walk(frame_rate: float):
    motion = synth.motions()[4]
    at_60 = synth.perform(motion, seed=1).clip
    other = synth.perform(motion, seed=1, frame_rate=frame_rate).clip
    assert other.duration == pytest.approx(at_60.duration, abs=0.1)
    middle = [clip.positions[round(5 * clip.frame_rate), 0] for clip in (at_60, other)]
    np.testing.assert_allclose(*middle, atol=0.1)
    assert speeds(other).max() < 750
