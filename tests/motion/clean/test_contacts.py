import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.motion.clean.contacts import contact_joints, contact_quality, find_contacts
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.skeleton import skeleton

FEET = skeleton(
    ["Hips", "LeftToe", "RightToe"],
    [-1, 0, 0],
    [[0, 0, 0], [0.1, 0, 0], [-0.1, 0, 0]],
    roles={"hips": 0, "left_toes": 1, "right_toes": 2},
)
STEP, CYCLE, STANCE = 0.7, 1.0, 0.6  # m a stride, s, share of it on the ground


def stepping(rate: float = 60.0, *, cycles: float = 6.3, height: float = 0.0) -> tuple[Clip, np.ndarray]:
    """Two toes that stand, then swing ahead in an arc, and whether each truly stands (F, 2)."""
    times = np.arange(int(cycles * CYCLE * rate)) / rate
    phases = (times[:, None] / CYCLE + [0, 0.5]) % 1
    swing = np.clip((phases - STANCE) / (1 - STANCE), 0, 1)
    positions = np.zeros((len(times), 3, 3))
    smooth = swing - np.sin(2 * np.pi * swing) / (2 * np.pi)
    positions[:, 1:, 2] = STEP * (np.floor(times[:, None] / CYCLE + [0, 0.5]) + smooth)
    positions[:, 1:, 1] = height + 0.08 * np.sin(np.pi * swing) ** 2
    return Clip(FEET, positions, np.tile([1.0, 0, 0, 0], (len(times), 3, 1)), rate), phases < STANCE


@pytest.mark.parametrize("rate", [30, 60, 120])
@pytest.mark.parametrize("height", [0.0, -0.5, 0.03])
def test_stances_are_found_at_any_rate_and_floor(rate, height):
    clip, truth = stepping(rate, height=height)
    found = find_contacts(clip)
    assert (found == truth).mean() > 0.9
    assert [len(true_ranges(c)) for c in found.T] == [len(true_ranges(c)) for c in truth.T]


def test_a_foot_that_rests_in_the_air_is_not_planted():
    clip, _ = stepping()
    positions = np.array(clip.positions)
    positions[:, 2] = [0, 0.3, 0]
    assert not find_contacts(clip.with_(positions=positions))[:, 1].any()


def test_without_heights_a_foot_on_a_box_is_planted():
    clip, truth = stepping()
    positions = np.array(clip.positions)
    positions[200:, :, 1] += 0.4
    stairs = clip.with_(positions=positions)
    assert find_contacts(stairs)[220:].mean() < 0.1
    assert (find_contacts(stairs, height_on=np.inf, height_off=np.inf) == truth)[220:].mean() > 0.9


def test_between_the_two_speeds_the_foot_keeps_its_state():
    rate = 60.0
    speeds = np.concatenate([np.full(60, 0.0), np.full(60, 0.45), np.full(60, 1.5), np.full(60, 0.45)])
    positions = np.zeros((240, 3, 3))
    positions[:, 1, 2] = np.cumsum(speeds) / rate
    found = find_contacts(Clip(FEET, positions, np.tile([1.0, 0, 0, 0], (240, 3, 1)), rate))[:, 0]
    assert found[10:110].all()
    assert not found[130:].any()


def test_a_flicker_shorter_than_the_radius_is_smoothed_away():
    clip, _ = stepping()
    positions = np.array(clip.positions)
    positions[:, 1] = 0
    positions[100, 1, 2] = 0.5
    assert find_contacts(clip.with_(positions=positions))[:, 0].all()


def test_toes_come_before_feet_and_left_before_right(humanoid):
    body = humanoid()
    assert contact_joints(body) == [body.roles["left_toes"], body.roles["right_toes"]]
    toeless = body.with_roles({r: j for r, j in body.roles.items() if "toes" not in r})
    assert contact_joints(toeless) == [body.roles["left_foot"], body.roles["right_foot"]]
    assert contact_joints(body, ["left_hand", "head"]) == [body.roles["left_hand"], body.roles["head"]]
    with pytest.raises(KinematchError, match="name the contact joints"):
        contact_joints(body.with_roles({}))


def test_quality_measures_the_slide_along_the_ground():
    rate = 50.0
    positions = np.zeros((100, 3, 3))
    positions[:, 1, 0] = 0.1 * np.arange(100) / rate
    clip = Clip(FEET, positions, np.tile([1.0, 0, 0, 0], (100, 3, 1)), rate)
    planted = np.zeros((100, 2), bool)
    planted[20:70, 0] = True
    quality = contact_quality(clip, planted)
    assert quality.mean_speed == pytest.approx(0.1, abs=1e-5)
    assert quality.high_speed == pytest.approx(0.1, abs=1e-5)
    assert quality.mean_drift == pytest.approx(0.1 * 49 / rate, abs=1e-5)
    assert (quality.stances, quality.planted) == (1, 0.5)
    assert contact_quality(clip, np.zeros_like(planted)).stances == 0


def test_ranges_of_flags_are_half_open():
    assert true_ranges(np.array([1, 1, 0, 1], bool)) == [(0, 2), (3, 4)]
    assert true_ranges(np.zeros(3, bool)) == []


@pytest.mark.parametrize(
    ("name", "duty", "planted"),
    [  # shares of the time that a foot stands, and that any does: people walk with 55-70 % and 100 %, run in flights
        ("lafan1-clips/walk1_subject1_walk.bvh", (0.55, 0.75), (0.97, 1.0)),
        ("lafan1-clips/run2_subject4_run2.bvh", (0.2, 0.45), (0.4, 0.75)),
        ("lafan1-clips/pushAndFall1_subject4_stand.bvh", (0.8, 1.0), (0.99, 1.0)),
        ("cmu/69_39.bvh", (0.55, 0.75), (0.97, 1.0)),
        ("cmu/02_03.bvh", (0.15, 0.45), (0.3, 0.8)),
        ("bandai-namco/dataset-2_walk_normal_001.bvh", (0.45, 0.7), (0.95, 1.0)),
        ("bandai-namco/dataset-2_run_normal_001.bvh", (0.1, 0.45), (0.2, 0.8)),
    ],
)
def test_real_feet_stand_as_long_as_peoples_do_and_hardly_slide(data, name, duty, planted):
    clip = read_clip(data / name)
    clip = clip.frames(5, clip.frame_count)
    found = find_contacts(clip)
    assert duty[0] <= found.mean() <= duty[1]
    assert planted[0] <= found.any(axis=1).mean() <= planted[1]
    quality = contact_quality(clip, found)
    assert quality.mean_speed < 0.2
    assert quality.mean_drift < 0.06


def test_real_contacts_hardly_depend_on_the_rate(data):
    clip = read_clip(data / "lafan1-clips" / "run2_subject4_run2.bvh")
    assert (find_contacts(resample(clip, 60))[::2] == find_contacts(clip)).mean() > 0.95


def test_a_slide_show_is_not_refined_until_it_fills_memory():
    clip, _ = stepping()
    assert len(find_contacts(clip.with_(frame_rate=0.0003))) == clip.frame_count
