"""A camera in the room: it corrects who has trackers, drives who has none, and says what it sees."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.avatar.calibrator import Calibrator
from kinematch.camera.feed import CameraFeed
from kinematch.camera.landmarks import NAMES
from kinematch.camera.landmarks_file import write_landmarks
from kinematch.camera.mediapipe import TO_OURS
from kinematch.evaluate.camera.evaluation import watch_cast
from kinematch.evaluate.camera.places import place_camera
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import make_cast
from kinematch.math.angles import wrap_angle
from kinematch.stream.layout import AVATAR, VIEW, pack, unpack
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio
from kinematch.studio.vr.body import make_outfit
from kinematch.studio.vr.camera_views import CameraView, read_view
from kinematch.studio.vr.samples import DeviceSample
from kinematch.studio.vr.user import VrUser


@pytest.fixture(scope="module")
def cast():
    return make_cast(make_clips(2, seconds=5.0, seed=2, room=1.0)[1:], look_around=0.5)


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    for module in ("user", "user_camera"):
        monkeypatch.setattr(f"kinematch.studio.vr.{module}.monotonic", lambda: now[0])
    return now


def make_user(database, calibration="generic"):
    calibrator = Calibrator(calibration)
    return VrUser(1, "a", "", 0, make_outfit(database, "small", calibration=calibrator.calibration), calibrator)


def pack_view(seen, /, **changes) -> bytes:
    """The message of a page, of one frame."""
    header = {"time": float(seen.times[0]), "landmarks": len(NAMES), "people": 1, "aspect": seen.aspect,
              "brightness": 0.5, "x": 0.0, "z": 0.0, **changes}  # fmt: skip
    count = int(header["landmarks"])
    arrays = {"places": seen.places[0] * TO_OURS, "image": seen.image[0],
              "visibility": seen.visibility[0]}  # fmt: skip
    return pack(VIEW, header, {name: array[:count] for name, array in arrays.items()})


def test_a_camera_is_aligned_with_a_users_trackers_and_its_figure_lies_over_them(database, cast, clock):
    walker, landmarks = cast.users[0], watch_cast(cast, "front")[0]
    user, shown, told = make_user(database, cast.calibration), 0, []
    devices = walker.devices
    for frame in range(len(devices)):
        now = clock[0] = float(devices.times[frame])
        sample = DeviceSample(
            frame, now, devices.positions[frame], devices.rotations[frame], devices.valid[frame], None
        )
        assert user.hear(sample) == ""
        while shown < len(landmarks) and landmarks.times[shown] <= now:
            user.see(read_view(pack_view(landmarks.take(slice(shown, shown + 1)))))
            shown += 1
        user.step_own()
        told += [user.camera_now] if user.camera_now is not None else []
    last, camera = told[-1], place_camera(walker, "front")
    assert not last.alone
    assert abs(np.degrees(wrap_angle(np.asarray(last.yaw - camera.yaw)))) < 4
    assert 0 <= last.residual < 0.3
    nose = np.reshape(last.places, (-1, 3))[0]
    assert np.linalg.norm(nose - walker.joints.positions[-1, 0]) < 0.4
    assert last.trackers.yaw != last.fused.yaw
    assert user.outfit.seen.estimator.estimate(None, 0.1) is user.outfit.fusion.direction  # others see the same


def test_a_camera_alone_drives_a_body_until_there_are_trackers(database, cast, clock):
    landmarks, user = watch_cast(cast, "front")[0], make_user(database)
    spot = np.array([3.0, 0.0, -2.0])
    for number in range(30):
        clock[0] = float(landmarks.times[number])
        user.see(replace(read_view(pack_view(landmarks.take(slice(number, number + 1)))), spot=spot))
        if user.fresh is not None:
            _, arrays = unpack(AVATAR, user.step_own())
    assert user.camera_now.alone
    assert np.linalg.norm(arrays["positions"][0] - spot) < 0.6
    head = user.pose.global_positions[0, user.outfit.skeleton.roles["head"]]
    assert 1.3 < head[1] < 1.65
    empty = landmarks.take(slice(30, 31))
    empty.visibility[:] = 0
    for _ in range(9):
        user.see(CameraView(empty, people=0))
    assert "no person is visible" in user.camera_now.trouble
    devices = user.devices
    user.hear(DeviceSample(99, clock[0] + 0.1, devices.positions[0], devices.rotations[0], devices.valid[0], None))
    assert user.is_tracked
    user.see(CameraView(empty))
    assert len(user.camera.waiting) == 1  # it corrects from now on


def test_views_that_make_no_sense_are_refused(cast):
    frame = watch_cast(cast, "front")[0].take(slice(0, 1))
    np.testing.assert_allclose(read_view(pack_view(frame)).landmarks.places, frame.places, atol=1e-5)
    for wrong in ({"landmarks": 32}, {"time": -1.0}, {"time": float("nan")}, {"aspect": 0.0}, {"x": float("inf")},
                  {"brightness": 3.0}, {"people": 1000}):  # fmt: skip
        with pytest.raises(ValueError, match=r"expected|time"):
            read_view(pack_view(frame, **wrong))
    assert not read_view(pack_view(frame, landmarks=0, people=0)).landmarks.seen.any()


def test_who_is_before_the_servers_camera_enters_and_leaves_for_who_has_trackers(
    database, cast, tmp_path, run_studio, walker
):
    write_landmarks(tmp_path / "seen.jsonl", watch_cast(cast, "front")[0])
    studio = Studio(Stage(database, name="small"), presets=tmp_path / "presets")
    studio.vr_session.feed = CameraFeed(tmp_path / "seen.jsonl")
    with run_studio(studio) as server, server.page() as page:
        user = walker(page)
        page.say("stream", every=0)
        page.message("room_now", lambda room: [one["name"] for one in room["users"]] == ["Camera"])
        told = page.message("camera_now", lambda now: now["places"])
        assert told["alone"]
        assert len(told["image"]) == 2 * len(NAMES)
        user.enter()
        for _ in range(20):
            user.send()
        page.message("room_now", lambda room: all(one["client"] != "camera" for one in room["users"]))
