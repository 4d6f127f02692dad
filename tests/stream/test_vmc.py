"""VMC: what goes out comes in again, names and rates are kept, and bad messages change nothing."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinematch as km
from kinematch.avatar.simulate import track_joints
from kinematch.avatar.trackers import HANDS, HEAD, LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.character.pose import Pose
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion import kinematics
from kinematch.motion.clean.root import add_root
from kinematch.motion.role_names import REQUIRED_ROLES
from kinematch.motion.roles import ROLES
from kinematch.stream import osc
from kinematch.stream.bones import NAMES, PARENTS, ROOT, find_bones, find_parent
from kinematch.stream.vmc import VmcSender
from kinematch.stream.vmc_in import VmcReceiver


def make_pose(positions, rotations):
    """A pose of one character with nothing but its global transforms."""
    empty = np.zeros(1)
    fields = dict.fromkeys(Pose._fields, empty) | {"global_positions": positions, "global_rotations": rotations}
    return Pose(**fields)


class Clock:
    """A clock that goes when told."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def receiver():
    receiver = VmcReceiver(0, clock=Clock())
    yield receiver
    receiver.close()


def wait(receiver, count):
    """Take in datagrams until so many have come; whether a whole frame was among them."""
    news, until = False, time.monotonic() + 60  # only a failure waits so long
    while receiver.receiver.received < count and time.monotonic() < until:
        news |= receiver.update()
    return news


def send(receiver, *messages):
    before = receiver.receiver.received
    sender = osc.OscSender("127.0.0.1", receiver.port)
    datagrams = [m if isinstance(m, bytes) else osc.encode_message(*m) for m in messages]
    sender.send(datagrams)
    wait(receiver, before + len(datagrams))
    sender.close()


def test_every_role_has_a_name_and_a_parent():
    assert set(PARENTS) == set(ROLES) == set(NAMES)
    assert NAMES["left_upper_leg"] == "LeftUpperLeg"
    assert NAMES["right_little_intermediate"] == "RightLittleIntermediate"
    for role in ROLES:
        assert find_parent(role, ()) == ROOT


def read_rooted(data, name):
    clip = km.read(data / name)
    return clip if "root" in clip.skeleton.roles else add_root(clip)


CHARACTERS = (
    "lafan1-clips/walk1_subject1_walk.bvh",
    "characters/CesiumMan.glb",
    "characters/100Avatars_003_Jimmy.vrm",
    "characters/vrm0-basic_armature.vrm",
)


@pytest.mark.parametrize("name", ["built-in", *CHARACTERS])
def test_the_pose_that_goes_out_comes_in_again(data, receiver, name):
    skeleton = km.load("built-in").skeleton if name == "built-in" else read_rooted(data, name).skeleton
    bones, noise = find_bones(skeleton), np.random.default_rng(0)
    assert set(bones.roles) == set(skeleton.roles) | {ROOT}
    assert set(REQUIRED_ROLES) <= set(bones.roles)
    sender = VmcSender(skeleton, port=receiver.port)
    for n in range(5):
        turns = quaternion.normalize(noise.normal(size=(1, skeleton.joint_count, 4)))
        places = skeleton.offsets[None] + noise.normal(size=(1, skeleton.joint_count, 3)) * 0.1
        pose = make_pose(*kinematics.forward(skeleton, places, turns))
        receiver._clock.now += 0.1
        assert sender.send(pose, n / 10)
        wait(receiver, sender.sent)
        found = receiver.find_bone_poses()
        for role, joint, reference in zip(bones.roles, bones.joints, bones.references):
            place, turn = found[role]
            assert np.linalg.norm(place - pose.global_positions[0, joint]) < 1e-4, role
            back = quaternion.multiply(turn, reference)
            assert quaternion.angle(back, pose.global_rotations[0, joint].astype(float)) < 1e-4, role
        assert receiver.seconds == pytest.approx(n / 10)
    assert receiver.malformed == receiver.ignored == 0
    sender.close()


def test_datagrams_stay_under_1200_bytes_and_start_with_what_receivers_expect(data, receiver):
    database = km.load("built-in")
    sender = VmcSender(database.skeleton, port=receiver.port)
    sent = []
    sender._sender.send = sent.extend
    sender.send(km.Crowd(database).step(km.move([0, 0, 1.0]), 1 / 60), 0.5, devices=make_devices())
    assert all(len(datagram) <= 1200 for datagram in sent)
    messages = [message for datagram in sent for message in osc.parse_packet(datagram)]
    addresses = [message.address for message in messages]
    assert addresses[:3] == ["/VMC/Ext/OK", "/VMC/Ext/T", "/VMC/Ext/Root/Pos"]
    assert messages[3].values[0] == "Hips"
    assert addresses[-7:] == ["/VMC/Ext/Hmd/Pos", *["/VMC/Ext/Con/Pos"] * 2, *["/VMC/Ext/Tra/Pos"] * 4]
    assert all(len(message.values) == 8 for message in messages[2:])
    sender.close()


def make_devices(valid=True, seed=0):
    noise = np.random.default_rng(seed)
    positions, rotations = noise.normal(size=(1, 7, 3)), quaternion.normalize(noise.normal(size=(1, 7, 4)))
    return Trackers([0.0], positions, rotations, np.zeros((1, 7, 3)), np.zeros((1, 7, 3)), np.full((1, 7), valid))


def test_devices_that_go_out_come_in_again(receiver):
    database = km.load("built-in")
    sender = VmcSender(database.skeleton, port=receiver.port)
    pose = km.Crowd(database).step(km.move([0, 0, 1.0]), 1 / 60)
    devices = make_devices().keep(("head", "left_hand", "waist", "right_foot"))
    sender.send(pose, 0.0, devices=devices)
    wait(receiver, sender.sent)
    found = receiver.find_devices()
    assert np.array_equal(found.valid, devices.valid)
    assert np.abs(found.positions - devices.positions).max() < 1e-6
    assert quaternion.angle(found.rotations, devices.rotations).max() < 1e-6
    sender.close()


def test_bones_become_the_joints_that_trackers_follow(data, receiver):
    clip = read_rooted(data, "lafan1-clips/walk1_subject1_walk.bvh")
    joints = track_joints(clip)
    positions, rotations = kinematics.global_pose(clip)
    sender = VmcSender(clip.skeleton, port=receiver.port)
    for n in range(100, 130):
        sender.send(make_pose(positions[n : n + 1], rotations[n : n + 1]), n / 30)
        wait(receiver, sender.sent)
        receiver._clock.now += 1 / 30
    found = receiver.find_joints()
    assert np.array_equal(found.valid[0], joints.valid[129])
    assert np.abs(found.positions[0] - joints.positions[129]).max() < 1e-4
    assert quaternion.angle(found.rotations[0], joints.rotations[129]).max() < 1e-3
    assert np.abs(found.velocities[0] - joints.velocities[129]).max() < 0.01
    sender.close()


def test_half_a_frame_is_not_shown(data, receiver):
    clip = read_rooted(data, "lafan1-clips/walk1_subject1_walk.bvh")
    positions, rotations = kinematics.global_pose(clip)
    sender = VmcSender(clip.skeleton, port=receiver.port)
    head, sent = clip.skeleton.roles["head"], []
    collect, sender._sender.send = sender._sender.send, sent.extend
    for n in range(100, 110):
        sender.send(make_pose(positions[n : n + 1], rotations[n : n + 1]), n / 30)
    for n in range(9):
        first, second = sent[2 * n], sent[2 * n + 1]
        collect([first])
        assert not wait(receiver, 2 * n + 1) or n == 0  # how many poses a frame has is not known yet
        collect([second])
        assert wait(receiver, 2 * n + 2)
        assert np.linalg.norm(receiver.find_joints().positions[0, HEAD] - positions[100 + n, head]) < 1e-4
        receiver._clock.now += 1 / 30
    collect(sent[18:19])  # the rest of this one gets lost
    assert not wait(receiver, 19)
    receiver._clock.now += 0.01
    assert receiver.update()
    sender.close()


def pose_message(kind, name, place=(0, 0, 0), turn=(0, 0, 0, 1)):
    return f"/VMC/Ext/{kind}/Pos", name, *map(float, place), *map(float, turn)


def test_unity_axes_become_ours(receiver):
    quarter = np.sin(np.pi / 4)
    # one metre to the right, turned to the right: about +Y by 90 degrees in a left-handed space
    send(receiver, pose_message("Hmd", "any", (1, 2, 3), (0, quarter, 0, quarter)))
    found = receiver.find_devices()
    assert found.positions[0, HEAD].tolist() == [-1, 2, 3]
    assert np.allclose(quaternion.rotate(found.rotations[0, HEAD], np.array([0, 0, 1.0])), [-1, 0, 0], atol=1e-6)


@pytest.mark.parametrize("swapped", [False, True])
def test_controllers_without_a_telling_name_are_told_by_their_side(receiver, swapped):
    names = ("LHR-1", "LHR-2") if swapped else ("LHR-2", "LHR-1")
    messages = [pose_message("Con", names[0], (-0.3, 1, 0.2)), pose_message("Con", names[1], (0.2, 1, 0.2))]
    send(
        receiver,
        osc.make_bundles([osc.encode_message(*m) for m in (pose_message("Hmd", "h", (0, 1.6, 0)), *messages)])[0],
    )
    found = receiver.find_devices()
    assert found.valid[0, list(HANDS)].all()
    assert found.positions[0, LEFT_HAND, 0] == pytest.approx(0.3)
    assert found.positions[0, RIGHT_HAND, 0] == pytest.approx(-0.2)
    # later they may cross
    send(receiver, pose_message("Con", names[0], (0.5, 1, 0.2)))
    assert receiver.find_devices().positions[0, LEFT_HAND, 0] == pytest.approx(-0.5)


def test_serial_numbers_can_be_given():
    receiver = VmcReceiver(0, serials={"LHR-9": "chest"}, clock=Clock())
    send(receiver, pose_message("Tra", "LHR-9", (0, 1.3, 0)), pose_message("Tra", "LHR-10"))
    assert receiver.find_devices().valid[0].tolist() == [point == "chest" for point in POINTS]
    receiver.close()
    with pytest.raises(KinematchError, match="no tracked point 'cheest'; did you mean 'chest'"):
        VmcReceiver(0, serials={"LHR-9": "cheest"})


def test_a_device_that_falls_silent_is_lost_and_comes_back(receiver):
    send(receiver, pose_message("Hmd", "h", (0, 1.6, 0)), pose_message("Con", "left", (0.1, 1, 0)))
    receiver._clock.now += 0.4
    send(receiver, pose_message("Hmd", "h", (0, 1.6, 0)))
    assert receiver.find_devices().valid[0, LEFT_HAND]
    receiver._clock.now += 0.4
    send(receiver, pose_message("Hmd", "h", (0, 1.6, 0)))
    found = receiver.find_devices()
    assert found.valid[0, HEAD]
    assert not found.valid[0, LEFT_HAND]
    receiver._clock.now += 0.01
    send(receiver, pose_message("Con", "left", (0.1, 1, 0)))
    found = receiver.find_devices()
    assert found.valid[0, LEFT_HAND]
    assert not found.velocities[0, LEFT_HAND].any()
    receiver._clock.now += 5
    assert not receiver.find_devices().valid.any()


def test_time_that_goes_backwards_starts_a_new_history(receiver):
    send(receiver, pose_message("Hmd", "h", (0, 1.6, 0)))
    receiver._clock.now -= 50
    send(receiver, pose_message("Hmd", "h", (0, 1.7, 0)))
    found = receiver.find_devices()
    assert found.positions[0, HEAD, 1] == pytest.approx(1.7)
    assert not found.velocities.any()


BAD = [
    ("/VMC/Ext/Hmd/Pos",),
    ("/VMC/Ext/Hmd/Pos", "h", 1.0),
    ("/VMC/Ext/Hmd/Pos", 1.0, *[0.0] * 6, 1.0),
    ("/VMC/Ext/Hmd/Pos", "h", "x", *[0.0] * 5, 1.0),
    pose_message("Hmd", "h", (np.nan, 0, 0)),
    pose_message("Hmd", "h", (np.inf, 0, 0)),
    pose_message("Hmd", "h", (1e20, 0, 0)),
    pose_message("Hmd", "h", turn=(0, 0, 0, 0)),
    pose_message("Hmd", "h", turn=(np.nan, 0, 0, 1)),
    pose_message("Bone", "Hips", turn=(9, 0, 0, 1)),
    ("/VMC/Ext/T", "now"),
    ("/VMC/Ext/T", float("nan")),
    ("/VMC/Ext/OK",),
    b"#bundle\0garbage!\0\0\0\x04/aaaa",
    b"\xff" * 100,
]


@pytest.mark.parametrize("bad", BAD)
def test_malformed_messages_are_counted_and_change_nothing(receiver, bad):
    send(receiver, pose_message("Hmd", "h", (0, 1.6, 0)), pose_message("Bone", "Hips", (0, 1, 0)))
    before = receiver.find_devices()
    send(receiver, bad)
    after = receiver.find_devices()
    assert receiver.malformed == 1
    assert np.array_equal(before.positions, after.positions)
    assert np.array_equal(before.rotations, after.rotations)


def test_unknown_addresses_bones_and_extra_values_are_ignored(receiver):
    send(
        receiver,
        ("/VMC/Ext/Blend/Val", "A", 0.5),
        ("/other",),
        pose_message("Bone", "Tail"),
        (*pose_message("Root", "root", (0, 0, 1)), 1.0, 1.0, 1.0, 0.0, 0.0, 0.0),
        ("/VMC/Ext/OK", 0, 3, 0, 1),
    )
    assert receiver.ignored == 3
    assert receiver.malformed == 0
    assert not receiver.available
    assert receiver.find_bone_poses()[ROOT][0].tolist() == [0, 0, 1]


def test_serial_numbers_without_end_do_not_fill_the_memory(receiver):
    send(receiver, pose_message("Hmd", "h"), *(pose_message("Tra", f"number {n}") for n in range(200)))
    assert len(receiver._devices) == 64
    assert receiver.find_devices().valid[0, HEAD]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=5), st.integers(0, 2**31))
def test_random_datagrams_never_stop_the_receiver(contents, seed):
    receiver = VmcReceiver(0, clock=Clock())
    message = bytearray(osc.encode_message(*pose_message("Con", "left")))
    noise = np.random.default_rng(seed)
    for place in noise.integers(0, len(message), 3):
        message[place] = noise.integers(0, 256)
    send(receiver, *contents, bytes(message), pose_message("Hmd", "h", (0, 1.5, 0)))
    assert receiver.find_devices().positions[0, HEAD, 1] == pytest.approx(1.5)
    receiver.close()


def test_bones_of_a_chain_with_gaps_hang_on_the_nearest_above(receiver):
    quarter = np.sin(np.pi / 4)
    send(
        receiver,
        pose_message("Bone", "Hips", (0, 1, 0), (0, quarter, 0, quarter)),
        pose_message("Bone", "Head", (0, 0.6, 0.1)),
    )
    place = receiver.find_bone_poses()["head"][0]
    assert np.allclose(place, [-0.1, 1.6, 0], atol=1e-6)


def test_frames_are_left_out_to_keep_the_rate(receiver):
    database = km.load("built-in")
    pose = km.Crowd(database).step(km.move([0, 0, 1.0]), 1 / 60)
    sender = VmcSender(database.skeleton, port=receiver.port, rate=30)
    assert sum(sender.send(pose, n / 90) for n in range(900)) == 300
    assert sender.send(pose, 0.0)  # time starts over
    assert not sender.send(pose, 0.001)
    assert sender.send(pose, 50.0)
    sender.close()


def test_names_can_be_set(receiver):
    database = km.load("built-in")
    names = {"hips": "Pelvis", "root": "Actor"}
    sender = VmcSender(database.skeleton, port=receiver.port, bone_names=names, serials={"waist": "LHR-1"})
    sent = []
    sender._sender.send = sent.extend
    sender.send(km.Crowd(database).step(km.move([0, 0, 1.0]), 1 / 60), 0.0, devices=make_devices())
    found = [message.values[0] for datagram in sent for message in osc.parse_packet(datagram)]
    assert {"Pelvis", "Actor", "LHR-1"} <= set(found)
    assert not {"Hips", "waist"} & set(found)
    sender.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0}, "a rate of 0 per second"),
        ({"bone_names": {"hip": "x"}}, "no bone 'hip'; did you mean 'hips'"),
        ({"bone_names": {"hips": ""}}, "bone hips is named ''"),
        ({"serials": {"tail": "x"}}, "no tracked point 'tail'"),
        ({"serials": {"waist": "a\0b"}}, "tracked point waist is named"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(KinematchError, match=message):
        VmcSender(km.load("built-in").skeleton, **options)


def test_nothing_is_sent_before_it_is_asked_for(receiver):
    VmcSender(km.load("built-in").skeleton, port=receiver.port).close()
    time.sleep(0.02)
    assert not receiver.update()
    assert receiver.receiver.received == 0


def test_rotations_of_bones_are_the_identity_in_a_t_pose(humanoid):
    skeleton = humanoid(3)
    bones = find_bones(skeleton)
    positions, rotations = kinematics.tpose(skeleton)
    turns = bones.find_local_poses(positions, rotations)[1]
    assert quaternion.angle(turns).max() < 1e-5
    # and a whole turn of the body shows in the root or hips alone
    turn = rotation.from_axis_angle([0.0, 1, 0], 1.0)
    turned = bones.find_local_poses(quaternion.rotate(turn, positions), quaternion.multiply(turn, rotations))[1]
    assert quaternion.angle(turned[2:]).max() < 1e-5
