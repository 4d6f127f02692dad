"""BVH writing: reading back gives the same motion to 1e-4 degrees and 1e-5 m, for any clip and any Euler order."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinematch.errors import FileError, KinematchError
from kinematch.files import read_clip, units_and_axes, write_clip
from kinematch.files.bvh import read_bvh
from kinematch.files.bvh_write import write_bvh
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose
from kinematch.motion.skeleton import Skeleton, skeleton

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]


def random_clip(seed: int, *, joints: int = 6, frames: int = 5) -> Clip:
    """Any tree, with end sites on some joints, rest rotations, and one joint other than the first that moves."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(0, j)) for j in range(1, joints))]
    leaves = set(range(joints)) - set(parents)
    ends = sorted([*leaves, *rng.integers(0, joints, 2).tolist()])
    rig = Skeleton(
        names=tuple(f"joint {k}" for k in range(joints)),
        parents=np.array(parents),
        offsets=rng.normal(size=(joints, 3)),
        rotations=quaternion.normalize(rng.normal(size=(joints, 4))),
        end_parents=np.array(ends),
        end_offsets=rng.normal(size=(len(ends), 3)),
        file_order=np.arange(joints),
    )
    positions = np.repeat(rig.offsets[None], frames, axis=0)
    positions[:, 0] += rng.normal(scale=5, size=(frames, 3))
    positions[:, -1] += rng.normal(scale=0.1, size=(frames, 3))
    rotations = quaternion.normalize(rng.normal(size=(frames, joints, 4)))
    return Clip(rig, positions, rotations, float(rng.uniform(10, 240)))


def read_back(path, unit: float = 0.01) -> Clip:
    return units_and_axes.to_our_space(read_bvh(path), unit, "Y")


def assert_same_motion(a: Clip, b: Clip) -> None:
    assert a.frame_count == b.frame_count
    assert a.frame_rate == pytest.approx(b.frame_rate, rel=1e-7)
    order = [a.skeleton.names.index(name) for name in b.skeleton.names]
    turned = quaternion.angle(a.rotations[:, order].astype(np.float64), b.rotations.astype(np.float64))
    assert np.degrees(turned).max() < 1e-4
    assert np.abs(a.positions[:, order] - b.positions).max() < 1e-5
    assert np.abs(global_pose(a)[0][:, order] - global_pose(b)[0]).max() < 2e-5
    np.testing.assert_allclose(a.skeleton.offsets[order], b.skeleton.offsets, atol=1e-6)
    for k, joint in enumerate(order):
        mine = a.skeleton.end_offsets[a.skeleton.end_parents == joint]
        np.testing.assert_allclose(b.skeleton.end_offsets[b.skeleton.end_parents == k], mine, atol=1e-6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10**6), order=st.sampled_from(ORDERS), unit=st.sampled_from([1.0, 0.01, 0.001, 0.0254, 0.3048])
)
def test_writing_and_reading_back_gives_the_same_motion(tmp_path, seed, order, unit):
    clip = random_clip(seed)
    write_bvh(tmp_path / "out.bvh", clip, unit=unit, order=order)
    assert_same_motion(clip, read_back(tmp_path / "out.bvh", unit))


@pytest.mark.parametrize("order", ORDERS)
def test_motion_through_gimbal_lock_survives(tmp_path, order):
    rng = np.random.default_rng(0)
    near = np.concatenate([[0.0], np.logspace(-12, -1, 200)])
    middle = np.pi / 2 * rng.choice([-1, 1], near.shape) + near * rng.choice([-1, 1], near.shape)
    angles = np.stack([rng.uniform(-3, 3, near.shape), middle, rng.uniform(-3, 3, near.shape)], axis=-1)
    rotations = rotation.from_euler(angles, order)[:, None]
    rig = skeleton(["a"], [-1], np.zeros((1, 3)), ends=[(0, (0, 1, 0))])
    clip = Clip(rig, np.zeros((len(near), 1, 3)), rotations, 60.0)
    write_bvh(tmp_path / "lock.bvh", clip, order=order)
    assert_same_motion(clip, read_back(tmp_path / "lock.bvh"))


def test_writing_what_was_written_changes_nothing(tmp_path):
    write_bvh(tmp_path / "a.bvh", random_clip(3))
    once = read_back(tmp_path / "a.bvh")
    write_bvh(tmp_path / "b.bvh", once)
    twice = read_back(tmp_path / "b.bvh")
    assert once.skeleton.names == twice.skeleton.names
    assert_same_motion(once, twice)


def test_only_joints_that_move_get_position_channels(tmp_path):
    write_bvh(tmp_path / "out.bvh", random_clip(1))
    text = (tmp_path / "out.bvh").read_text()
    assert text.count("CHANNELS 6") == 2
    assert text.count("CHANNELS 3") == 4


def test_siblings_keep_the_order_of_their_file(tmp_path):
    rig = skeleton(["root", "first", "second"], [-1, 0, 0], np.eye(3), ends=[(1, (0, 0, 1)), (2, (0, 0, 1))])
    rig = Skeleton(**{**vars(rig), "file_order": np.array([0, 2, 1])})
    write_bvh(tmp_path / "out.bvh", Clip(rig, rig.offsets[None], rig.rotations[None], 30.0))
    assert read_bvh(tmp_path / "out.bvh").skeleton.names == ("root", "second", "first")


def test_a_leaf_without_end_site_gets_one_of_no_length(tmp_path):
    rig = skeleton(["root", "leaf"], [-1, 0], np.eye(3)[:2])
    write_bvh(tmp_path / "out.bvh", Clip(rig, rig.offsets[None], rig.rotations[None], 30.0))
    assert read_bvh(tmp_path / "out.bvh").skeleton.end_offsets.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("rate", [24, 25, 30, 60, 90, 120, 24000 / 1001, 30000 / 1001, 37.5, 23.976])
def test_frame_rates_survive(tmp_path, rate):
    rig = skeleton(["root"], [-1], np.zeros((1, 3)))
    write_bvh(tmp_path / "out.bvh", Clip(rig, rig.offsets[None], rig.rotations[None], rate))
    assert read_bvh(tmp_path / "out.bvh").frame_rate == pytest.approx(rate, rel=1e-8)


def test_curves_have_no_jumps_where_angles_pass_half_a_turn(tmp_path):
    turns = rotation.from_axis_angle([0.0, 1.0, 0.0], np.linspace(0, 20, 200))[:, None]
    rig = skeleton(["root"], [-1], np.zeros((1, 3)))
    write_bvh(tmp_path / "spin.bvh", Clip(rig, np.zeros((200, 1, 3)), turns, 60.0), order="YXZ")
    rows = (tmp_path / "spin.bvh").read_text().split("Frame Time:")[1].splitlines()[1:]
    assert np.abs(np.diff([float(row.split()[3]) for row in rows])).max() < 6


@pytest.mark.parametrize("name", ["a{b}", "two\nlines", "", " ", "tab\tbed", "腰"])
def test_any_joint_name_gives_a_file_that_can_be_read(tmp_path, name):
    rig = skeleton([name, "child"], [-1, 0], np.eye(3)[:2])
    write_bvh(tmp_path / "out.bvh", Clip(rig, rig.offsets[None], rig.rotations[None], 30.0))
    assert read_bvh(tmp_path / "out.bvh").skeleton.joint_count == 2


def test_nothing_is_left_behind_when_writing_fails(tmp_path):
    clip = random_clip(0)
    (tmp_path / "taken.bvh").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_clip(tmp_path / "taken.bvh", clip)
    with pytest.raises(FileError, match="cannot be written: No such file"):
        write_clip(tmp_path / "no folder" / "out.bvh", clip)
    with pytest.raises(FileError, match=r"cannot write '.fbx'; choose from: .bvh .glb"):
        write_clip(tmp_path / "out.fbx", clip)
    with pytest.raises(KinematchError, match="no unit 'ell'"):
        write_bvh(tmp_path / "out.bvh", clip, unit="ell")
    with pytest.raises(KinematchError, match="no Euler order 'XYX'"):
        write_bvh(tmp_path / "out.bvh", clip, order="XYX")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.bvh"]


@pytest.mark.parametrize(
    "file", ["rigs/*.bvh", "cmu/0*.bvh", "amass-z-up/*2.bvh", "xsens/*.bvh", "bandai-namco/*1.bvh"]
)
def test_real_files_survive_the_round_trip(data, tmp_path, file):
    for path in sorted(data.glob(file)):
        clip = read_clip(path)
        write_bvh(tmp_path / path.name, clip)
        assert_same_motion(clip, read_back(tmp_path / path.name))
        if clip.skeleton.tpose is not None:
            again = read_clip(tmp_path / path.name)
            assert again.source.unit == 0.01
            assert again.source.up == "Y"
            assert again.skeleton.roles == clip.skeleton.roles
