"""VRChat: trackers of the right parts, in Unity's axes, with Unity's angles."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinematch as km
from kinematch.avatar.body_frames import to_body_rotations
from kinematch.errors import KinematchError
from kinematch.stream import osc
from kinematch.stream.vrchat import TRACKERS, VrchatSender


def send(skeleton, pose, **options):
    """Values by address of one frame, and the datagrams."""
    sender = VrchatSender(skeleton, port=9, **options)
    sent = []
    sender._sender.send = sent.extend
    sender.send(pose)
    sender.close()
    return {m.address: m.values for datagram in sent for m in osc.parse_packet(datagram)}, sent


@pytest.fixture(scope="module")
def walk():
    database = km.load("built-in")
    crowd = km.Crowd(database)
    for _ in range(40):
        pose = crowd.step(km.move([0.5, 0, 1.0]), 1 / 60)
    return database.skeleton, pose


def test_every_tracker_has_a_position_and_a_rotation(walk):
    values, sent = send(*walk)
    assert set(values) == {f"/tracking/trackers/{n}/{kind}" for n in TRACKERS for kind in ("position", "rotation")}
    assert all(len(numbers) == 3 for numbers in values.values())
    assert all(len(datagram) <= 1200 for datagram in sent)


def test_positions_are_those_of_the_joints_mirrored(walk):
    skeleton, pose = walk
    values, _ = send(skeleton, pose)
    for name, role in (("1", "hips"), ("2", "left_foot"), ("5", "right_lower_leg"), ("8", "right_lower_arm")):
        x, y, z = pose.global_positions[0, skeleton.roles[role]]
        assert np.allclose(values[f"/tracking/trackers/{name}/position"], [-x, y, z], atol=1e-6)


def test_angles_turn_as_unity_turns_them(walk):
    """Mirroring the turn of a joint gives the same as Unity's Z, then X, then Y about fixed axes."""
    skeleton, pose = walk
    values, _ = send(skeleton, pose)
    joint = skeleton.roles["left_foot"]
    w, x, y, z = to_body_rotations(skeleton, np.array([joint]), pose.global_rotations[0, [joint]])[0]
    mirror = np.diag([-1.0, 1, 1])
    expected = mirror @ Rotation.from_quat([x, y, z, w]).as_matrix() @ mirror
    angles = np.radians(values["/tracking/trackers/2/rotation"])
    about = [Rotation.from_rotvec(axis * angle).as_matrix() for axis, angle in zip(np.eye(3), angles)]
    assert np.allclose(about[1] @ about[0] @ about[2], expected, atol=1e-5)


def test_fewer_trackers_can_be_sent_but_the_head_is_always_there(walk):
    values, _ = send(*walk, trackers=("hips", "left_foot"))
    assert {address.split("/")[3] for address in values} == {"head", "1", "2"}
    with pytest.raises(KinematchError, match="no tracker tail in VRChat; choose from: head, hips"):
        VrchatSender(walk[0], trackers=("tail",))
