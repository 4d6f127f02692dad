"""Recording: bones that come in as VMC become a clip of the same motion, whatever order and gaps they come with."""

import time

import numpy as np
import pytest

from kinematch.character.pose import Pose
from kinematch.errors import KinematchError
from kinematch.files import read_clip, write_clip
from kinematch.math import quaternion
from kinematch.motion.clean.root import add_root
from kinematch.motion.clip import Origin
from kinematch.motion.kinematics import forward, global_pose
from kinematch.stream.recorder import VmcRecorder, even_out, find_rate
from kinematch.stream.vmc import VmcSender
from kinematch.stream.vmc_in import VmcReceiver
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def sent():
    """A second of walking, at 30 fps."""
    clip = add_root(walk_along([(0, 0), (0, 3)]))
    return clip.frames(30, 90).with_(frame_rate=30.0)


@pytest.fixture(scope="module")
def recorded(sent):
    """What comes back of it, every frame heard; the third is lost on the way."""
    receiver = VmcReceiver(0)
    sender, recorder = VmcSender(sent.skeleton, "127.0.0.1", receiver.port), VmcRecorder(receiver)
    positions, rotations = global_pose(sent)
    until = time.monotonic() + 60  # only a failure waits so long
    for n in range(sent.frame_count):
        if n == 2:
            continue
        sender.send(make_pose(positions[n : n + 1], rotations[n : n + 1]), n / 30)
        before = len(recorder)
        while len(recorder) == before and time.monotonic() < until:
            recorder.update(time.monotonic())
            time.sleep(0.0005)
    sender.close()
    receiver.close()
    assert len(recorder) == sent.frame_count - 1
    return recorder.make_clip()


def make_pose(positions, rotations):
    """A pose of one character with nothing but its global transforms."""
    fields = dict.fromkeys(Pose._fields, np.zeros(1)) | {"global_positions": positions, "global_rotations": rotations}
    return Pose(**fields)


def joints_by_role(clip):
    positions = forward(clip.skeleton, clip.positions, clip.rotations)[0]
    return {role: positions[:, joint] for role, joint in clip.skeleton.roles.items()}


def test_a_clip_comes_back_as_it_was_sent(sent, recorded, tmp_path):
    assert recorded.frame_rate == 30
    assert recorded.frame_count == sent.frame_count
    before, after = joints_by_role(sent), joints_by_role(recorded)
    assert set(after) == set(before)
    heard = np.arange(sent.frame_count) != 2
    for role, places in before.items():
        np.testing.assert_allclose(after[role][heard], places[heard], atol=1e-4)
        np.testing.assert_allclose(after[role], places, atol=0.02)  # the lost one lies between its neighbours
    write_clip(tmp_path / "take.bvh", recorded)
    again = joints_by_role(read_clip(tmp_path / "take.bvh"))
    np.testing.assert_allclose(again["head"], after["head"], atol=1e-4)


def test_the_rest_pose_of_a_recording_is_its_t_pose(recorded):
    rig = recorded.skeleton
    np.testing.assert_array_equal(rig.tpose, quaternion.identity((rig.joint_count,), np.float32))
    places = forward(rig, rig.offsets[None], rig.rotations[None])[0][0]
    left, right = (places[rig.roles[f"{side}_hand"]] for side in ("left", "right"))
    assert left[0] - right[0] > 1.2  # arms stretched out, left along +X
    assert abs(left[1] - places[rig.roles["left_upper_arm"]][1]) < 0.05


def test_uneven_times_are_evened_out_and_clocks_that_go_backwards_are_passed_over(humanoid):
    rig = humanoid()
    times = np.array([0.0, 0.1, 0.05, 0.2, 0.3])
    positions = np.repeat(rig.offsets[None], 5, axis=0)
    positions[:, 0, 2] = times
    positions[2, 0, 2] = 99.0
    rotations = np.repeat(rig.rotations[None], 5, axis=0)
    clip = even_out(rig, times, positions, rotations, 20.0, Origin())
    np.testing.assert_allclose(clip.positions[:, 0, 2], np.arange(7) / 20, atol=1e-6)
    assert find_rate(np.cumsum(np.full(50, 1 / 59.3))) == 60
    assert find_rate(np.cumsum(np.full(50, 1 / 33.0))) == 33


def test_nothing_heard_is_told():
    receiver = VmcReceiver(0)
    with pytest.raises(KinematchError, match="no bones"):
        VmcRecorder(receiver).make_clip()
    receiver.close()
