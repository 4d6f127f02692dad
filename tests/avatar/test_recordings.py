"""Recorded trackers: what is written is read again, what others recorded makes sense, what is broken is refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.avatar.axes import swap_webxr
from kinematch.avatar.calibration import make_calibration
from kinematch.avatar.recordings import read_trackers, write_trackers
from kinematch.avatar.trackers import HANDS, HEAD, LEFT_HAND, RIGHT_HAND, Trackers
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.errors import FileError
from kinematch.math import quaternion, rotation

RECORDINGS = (
    "aframe-dev-recording.json",
    "aframe-tracked-recording.json",
    "motion-learning-toolbox_hmd_controllers.csv",
)


def make_poses(count=50, seed=0, rate=90.0):
    noise = np.random.default_rng(seed)
    times = np.arange(count) / rate
    positions = noise.normal(size=(7, 3)) + np.sin(times[:, None, None] * noise.normal(size=(7, 3)))
    rotations = rotation.from_rotation_vector(noise.normal(size=(7, 3)) * (1 + times[:, None, None]))
    return Poses(times, positions, rotations, np.ones((count, 7), bool))


def test_written_trackers_are_read_as_they_were(tmp_path):
    poses = make_poses()
    poses.valid[10:20, 1] = False
    poses.valid[:, 5] = False
    fingers = np.random.default_rng(2).normal(size=(50, 2, 25, 3))
    fingers[5:9, 1] = np.nan
    trackers = find_velocities(poses._replace(fingers=fingers))
    write_trackers(tmp_path / "a.jsonl", trackers)
    again = read_trackers(tmp_path / "a.jsonl")
    for name in ("times", "positions", "rotations", "velocities", "angular_velocities", "valid"):
        assert np.allclose(getattr(again, name), getattr(trackers, name), atol=1e-9), name
    assert np.array_equal(again.positions, trackers.positions)
    assert np.array_equal(again.fingers, trackers.fingers, equal_nan=True)


def test_velocities_are_those_of_the_motion():
    times = np.arange(100) / 90
    positions = np.tile(times[:, None, None] * [0.5, 0, -1.0], (1, 7, 1))
    rotations = rotation.from_rotation_vector(np.tile(times[:, None, None] * [0, 2.0, 0], (1, 7, 1)))
    trackers = find_velocities(Poses(times, positions, rotations, np.ones((100, 7), bool)))
    assert np.allclose(trackers.velocities[1:], [0.5, 0, -1.0])
    assert np.allclose(trackers.angular_velocities[1:], [0, 2.0, 0])


def test_velocities_use_the_past_only():
    poses = make_poses()
    short = poses.take(slice(30))
    assert np.array_equal(find_velocities(poses).velocities[:30], find_velocities(short).velocities)


def test_a_point_that_has_just_appeared_has_no_velocity():
    poses = make_poses()
    poses.positions[:20, LEFT_HAND] += 5
    poses.valid[15:20, LEFT_HAND] = False
    trackers = find_velocities(poses)
    assert not trackers.velocities[20, LEFT_HAND].any()
    assert np.abs(trackers.velocities[:, LEFT_HAND]).max() < 10


def test_samples_after_a_gap_have_no_velocity():
    poses = make_poses()
    poses.times[25:] += 3
    assert not find_velocities(poses).velocities[25].any()


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings_of_others_show_a_person(data, name):
    trackers = read_trackers(data / "vr-tracking" / name)
    assert trackers.valid[:, [HEAD, *HANDS]].all()
    assert trackers.times[0] == 0
    assert 1.4 < np.median(trackers.positions[:, HEAD, 1]) < 1.9
    up = quaternion.rotate(trackers.rotations[:, HEAD], np.array([0.0, 1, 0]))
    assert up[:, 1].mean() > 0.8
    places = relative_to_head(trackers)
    assert places[:, :, 2].mean() > 0.15  # hands are in front of the head
    assert (places[:, 0, 0] > places[:, 1, 0]).mean() > 0.6  # and the left one is farther to the left
    assert np.linalg.norm(places, axis=-1).max() < 1.2
    assert np.linalg.norm(trackers.velocities, axis=-1).max() < 6


def relative_to_head(trackers):
    turn = quaternion.swing_twist(trackers.rotations[:, HEAD], [0, 1, 0])[1][:, None]
    return quaternion.rotate(
        np.broadcast_to(quaternion.inverse(turn), (len(turn), 2, 4)),
        trackers.positions[:, list(HANDS)] - trackers.positions[:, HEAD, None],
    )


def test_the_table_has_no_other_axes(data):
    """With the axes of Unity, left-handed and forward along +Z, the same numbers put the hands behind the head."""
    trackers = read_trackers(data / "vr-tracking" / RECORDINGS[2])
    behind = quaternion.rotate(trackers.rotations[:, HEAD], np.array([0, 0, -1.0]))  # +Z of the file
    to_hands = trackers.positions[:, list(HANDS)].mean(axis=1) - trackers.positions[:, HEAD]
    assert np.sum(behind * to_hands, axis=-1).mean() < -0.2


@pytest.mark.parametrize("order", ["XYZ", "ZXY", "ZYX"])
def test_other_orders_of_angles_make_a_recording_jump(data, order):
    path = data / "vr-tracking" / RECORDINGS[1]
    samples = json.loads(path.read_text())["right"]["poses"]
    angles = np.radians([[sample["rotation"][axis.lower()] for axis in order] for sample in samples])
    wrong = rotation.from_euler(angles, order)
    right = read_trackers(path).rotations[:, RIGHT_HAND]
    assert np.degrees(quaternion.angle(right[1:], right[:-1]).max()) < 30
    assert np.degrees(quaternion.angle(wrong[1:], wrong[:-1]).max()) > 60


def test_a_preset_puts_wrists_nearer_to_the_elbows_of_a_recording(data):
    """The forearm lies behind a wand: the wrist of the preset moves less than the device."""
    devices = read_trackers(data / "vr-tracking" / RECORDINGS[0])
    joints = make_calibration("vive").locate_joints(devices)
    for hand in HANDS:
        speeds = [np.linalg.norm(t.velocities[:, hand], axis=-1).mean() for t in (joints, devices)]
        assert speeds[0] < 0.8 * speeds[1]


def test_devices_of_a_frame_with_clocks_of_their_own_meet_at_the_nearest_sample(tmp_path):
    def sample(ms, x):
        return {"position": {"x": x, "y": 1.6, "z": 0}, "rotation": {"x": 0, "y": 90, "z": 0}, "timestamp": ms}

    head = [sample(10 * n, 0) for n in range(20)]
    left = [sample(10 * n + 3, n) for n in range(10)]
    (tmp_path / "a.json").write_text(json.dumps({"head": {"poses": head}, "leftHand": {"poses": left}, "ball": {}}))
    trackers = read_trackers(tmp_path / "a.json")
    assert trackers.positions[4, LEFT_HAND].tolist() == swap_webxr(np.array([4, 1.6, 0])).tolist()
    assert trackers.valid[:, LEFT_HAND].tolist() == [True] * 15 + [False] * 5
    assert not trackers.valid[:, RIGHT_HAND].any()
    # a turn by 90 degrees to the left: forward, -Z there, becomes -X there, our left
    assert np.allclose(quaternion.rotate(trackers.rotations[0, HEAD], np.array([0, 0, 1.0])), [1, 0, 0])


def test_metres_and_single_devices_are_understood_in_tables(tmp_path):
    names = [f"hmd_{part}" for part in ("pos_x", "pos_y", "pos_z", "rot_w", "rot_x", "rot_y", "rot_z")]
    (tmp_path / "a.csv").write_text("timestamp," + ",".join(names) + "\n0,0.1,1.6,0,1,0,0,0\n11,0.1,1.6,,1,0,0,0\n")
    trackers = read_trackers(tmp_path / "a.csv")
    assert trackers.positions[0, HEAD].tolist() == [-0.1, 1.6, 0]
    assert trackers.valid[:, HEAD].tolist() == [True, False]  # an empty field is a sample that was lost


HEADER = '{"kinematch": "trackers", "version": 1}\n'
POSE = "[0, 1.6, 0, 1, 0, 0, 0]"
BROKEN = {
    "": "is empty",
    "\n\n": "is empty",
    "a\0b": "is binary",
    "hello": "starts with 'hello', expected recorded trackers",
    "a,b\n1,2\n": r":1: has no column timestamp, hmd_pos_x",
    "{": "not JSON: Input data was truncated",
    "{}": "records nothing, expected a 'camera'",
    '{"camera": {"poses": 3}}': "is not a recording of A-Frame",
    '{"camera": {"poses": []}}': "records camera, expected a 'camera' with poses",
    '{"camera":\n{"poses": [}}': ":2: not JSON",
    '{"kinematch": "script", "version": 1}\n': "no trackers",
    '{"kinematch": "trackers", "version": 2}\n': "trackers of version 2, expected 1",
    HEADER: "holds no samples",
    HEADER + "[1]": ":2: expected an object",
    HEADER + '{"time": "now"}': ":2: time is 'now'",
    HEADER + '{"time": 0}\n\n{"time": 0}': "holds 2 samples, all at one time",
    HEADER + '{"time": null}': "holds no samples",
    HEADER + '{"time": 0, "head": [1, 2]}': r":2: head is \[1, 2\], expected 7 finite numbers",
    HEADER + f'{{"time": 0, "heed": {POSE}}}': "no key 'heed'; did you mean 'head'",
    HEADER + '{"time": 0, "head": [1, 2, 3, 4, 5, 6, 1e300]}': "expected 7 finite numbers",
    HEADER + '{"time": 0, "left_fingers": [1]}': "left_fingers is .* expected 75 finite numbers",
    HEADER + "[" * 100000: ":2: not JSON",
    '{"a":' * 100000: "A-Frame|not JSON",
}


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: repr(text[-30:]))
def test_broken_recordings_are_refused_with_what_is_wrong(tmp_path, text):
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(FileError, match=BROKEN[text]):
        read_trackers(path)


def test_broken_tables_are_refused_with_the_line(tmp_path, data):
    lines = (data / "vr-tracking" / RECORDINGS[2]).read_text().splitlines()[:10]
    for replacement, message in (
        (lines[5] + ",1", ":6: has 23 fields, expected 22"),
        (lines[5].replace(",", ",x", 1), ":6: could not convert .* expected a number"),
    ):
        path = tmp_path / "broken.csv"
        path.write_text("\n".join([*lines[:5], replacement, *lines[6:]]))
        with pytest.raises(FileError, match=message):
            read_trackers(path)


def test_poses_that_are_no_numbers_and_clocks_that_go_back_are_mended_and_told(tmp_path, data):
    """In all formats alike: a pose with NaN, a sample that comes late, and a clock that is set back by a second."""
    lines = [f'{{"time": {t}, "head": {POSE}, "left_hand": {POSE}}}' for t in (5, 5.1, 5.05, 5.2, 4.2, 4.3)]
    lines[1] = lines[1].replace("1.6", "NaN", 1)
    (tmp_path / "a.jsonl").write_text(HEADER + "\n".join(lines))
    vectors = '"position": {"x": 0, "y": %s, "z": 0}, "rotation": {"x": 0, "y": 0, "z": 0}'
    poses = [f'{{"timestamp": {t}, {vectors % 1.6}}}' for t in (5000, 5100, 5050, 5200, 4200, 4300)]
    poses[1] = poses[1].replace("1.6", "NaN", 1)
    (tmp_path / "a.json").write_text(f'{{"camera": {{"poses": [{",".join(poses)}]}}}}')
    header, row = (data / "vr-tracking" / RECORDINGS[2]).read_text().splitlines()[:2]
    fields, column = row.split(","), header.split(",").index("hmd_pos_y")
    rows = [[str(t), *fields[1:]] for t in (5000, 5100, 5050, 5200, 4200, 4300)]
    rows[1][column] = ""
    assert header.startswith("timestamp,")
    (tmp_path / "a.csv").write_text("\n".join([header, *(",".join(one) for one in rows)]))
    for name in ("a.jsonl", "a.json", "a.csv"):
        remarks: list[str] = []
        trackers = read_trackers(tmp_path / name, remarks)
        np.testing.assert_allclose(trackers.times, [0, 0.1, 0.2, 0.3, 0.4], atol=1e-9)
        np.testing.assert_array_equal(trackers.valid[:, HEAD], [True, False, True, True, True])
        assert "1 of 6 samples are earlier than the one before; they are left out" in remarks
        assert "the clock goes backwards; the body continues from there" in remarks
        assert any("poses of the head are not numbers; it counts as lost there" in one for one in remarks)


@pytest.mark.parametrize("name", RECORDINGS)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_damaged_bytes_give_a_recording_or_an_error(data, tmp_path_factory, name, seed):
    noise = np.random.default_rng(seed)
    content = bytearray((data / "vr-tracking" / name).read_bytes()[:20000])
    for place in noise.integers(0, len(content), 5):
        content[place] = noise.integers(0, 256)
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(content if seed % 2 else content + b"]}}")
    try:
        trackers = read_trackers(path)
    except FileError:
        return
    assert isinstance(trackers, Trackers)


def test_files_without_end_and_folders_are_refused(tmp_path):
    for path in (tmp_path, "/dev/zero", tmp_path / "none"):
        with pytest.raises(FileError):
            read_trackers(path)


def test_trackers_whose_time_stands_still_are_not_written(tmp_path):
    poses = make_poses(3)
    poses.times[2] = poses.times[1]
    with pytest.raises(FileError, match="of sample 2 does not increase"):
        write_trackers(tmp_path / "a.jsonl", find_velocities(poses))
    assert not list(tmp_path.iterdir())
