"""Laws of packing: whatever the motion, unpacking gives it back within the bound, on every frame and joint."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinematch.database.feature_database import build_features
from kinematch.database.features import Feature
from kinematch.database.packing.bodies import measure_distances, place_points
from kinematch.database.packing.pack import measure_errors, pack_database
from kinematch.database.poses import ClipEntry, Mark, build_poses
from kinematch.database.schema import FeatureSchema
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle, from_rotation_vector
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton

SCHEMA = FeatureSchema((Feature("trajectory_position", times=(0.1, 0.2), dimensions=2),))


def make_clip(body, seed, frames, *, wildness, glitches=0, flips=0, stretch=0.0, rate=60.0):
    """Random motion: `wildness` rad a joint swings by, frames at which all is different, quaternion signs flipped."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None, None] / rate
    joints = body.joint_count
    swing = np.sin(rng.uniform(0, 20, (joints, 3)) * t + rng.uniform(0, 6, (joints, 3))) * wildness
    rotations = from_rotation_vector(swing * rng.uniform(0, 1, (joints, 1)))
    positions = np.tile(body.offsets.astype(np.float64), (frames, 1, 1))
    positions[:, 1:] += stretch * np.sin(3 * t + np.arange(joints - 1)[:, None])
    positions[:, 0, 0], positions[:, 0, 2] = 3 * t[:, 0, 0], np.sin(t[:, 0, 0])
    rotations[:, 0] = from_axis_angle(np.array([0.0, 1.0, 0.0]), 5 * np.sin(t[:, 0, 0]))
    for frame in rng.integers(0, frames, glitches):
        wild = rng.normal(size=(joints - 1, 4))
        rotations[frame, 1:] = wild / np.linalg.norm(wild, axis=-1, keepdims=True)
    for frame in rng.integers(0, frames, flips):
        rotations[frame, 1:] *= -1
    return Clip(body, positions, rotations, rate, f"clip{seed}")


def make_database(clips, *, loop=False, contacts=2, marks=()):
    joints = np.arange(contacts, dtype=np.int32)
    rng = np.random.default_rng(0)
    clips = [close(clip) for clip in clips] if loop else clips
    entries = [
        ClipEntry(clip, rng.random((clip.frame_count, contacts)) < 0.5, loop=loop, marks=marks) for clip in clips
    ]
    poses = build_poses(entries, joints)
    return Database(poses, build_features(poses, SCHEMA, tail=0.0, warn=lambda _: None))


def close(clip):
    """With its first pose as its last."""
    positions, rotations = np.array(clip.positions), np.array(clip.rotations)
    positions[-1, 1:], rotations[-1, 1:] = positions[0, 1:], rotations[0, 1:]
    return clip.with_(positions=positions, rotations=rotations)


def make_chain(joints):
    """A root and a chain that hangs on it."""
    offsets = np.array([[0.0, 0, 0], *[[0, 0.3, 0.02 * j] for j in range(1, joints)]])
    return skeleton([f"j{j}" for j in range(joints)], list(range(-1, joints - 1)), offsets, roles={"root": 0})


@given(
    seed=st.integers(0, 1000), frames=st.lists(st.integers(1, 80), min_size=1, max_size=3), joints=st.integers(1, 9),
    wildness=st.sampled_from([0.0, 1e-4, 0.05, 0.7, 3.0]), glitches=st.integers(0, 3), flips=st.integers(0, 3),
    stretch=st.sampled_from([0.0, 0.001, 0.4]), error=st.sampled_from([1e-5, 1e-4, 5e-4, 0.02]), loop=st.booleans(),
)  # fmt: skip
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_unpacking_gives_any_motion_back_within_the_bound(
    seed, frames, joints, wildness, glitches, flips, stretch, error, loop
):
    body = make_chain(joints)
    given = {"wildness": wildness, "glitches": glitches, "flips": flips, "stretch": stretch}
    clips = [make_clip(body, seed + n, count + 1, **given) for n, count in enumerate(frames)]
    database = make_database(clips, loop=loop, contacts=min(joints, 2))
    found = pack_database(database, error)
    plain, packed = database.poses, found.database.poses
    assert found.errors.max() <= error
    assert measure_errors(plain, packed).max() <= error
    np.testing.assert_allclose(packed.positions[:, 0], plain.positions[:, 0], atol=1e-4)
    np.testing.assert_allclose(quaternion.length(np.asarray(packed.rotations)), 1, atol=1e-5)
    assert np.array_equal(np.asarray(packed.contacts), plain.contacts)


def test_smooth_motion_takes_fewer_bytes_than_wild_motion_and_a_loose_bound_fewer_than_a_tight_one():
    body = make_chain(8)
    sizes = {
        (wildness, error): pack_database(
            make_database([make_clip(body, 1, 320, wildness=wildness)]), error
        ).database.poses.pack.data.size
        for wildness in (0.01, 1.0)
        for error in (1e-4, 1e-3)
    }
    assert sizes[0.01, 1e-4] < sizes[1.0, 1e-4]
    assert sizes[1.0, 1e-3] < sizes[1.0, 1e-4]


def test_the_error_is_measured_at_the_ends_of_chains_too():
    offsets = np.array([[0.0, 0, 0], [0, 1.0, 0]])
    body = skeleton(["root", "arm"], [-1, 0], offsets, ends=[(1, [0, 2.0, 0])], roles={"root": 0})
    positions, rotations = np.tile(offsets, (1, 1, 1)), quaternion.identity((1, 2))
    turned = rotations.copy()
    turned[0, 1] = from_axis_angle(np.array([1.0, 0, 0]), np.array(0.01))
    points = [place_points(body, positions, one) for one in (rotations, turned)]
    np.testing.assert_allclose(measure_distances(*points), 2 * 0.01, rtol=1e-3)


def test_velocities_are_those_of_the_unpacked_frames_across_loops_and_at_clip_ends():
    body = make_chain(4)
    for loop in (False, True):
        database = make_database([make_clip(body, 3, 70, wildness=0.5, stretch=0.05)], loop=loop)
        packed = pack_database(database, 1e-5).database.poses
        for name, near in (("velocities", 0.005), ("angular_velocities", 0.01)):
            np.testing.assert_allclose(
                np.asarray(getattr(packed, name)), getattr(database.poses, name), atol=near, err_msg=name
            )


def test_marks_tags_and_features_come_back():
    body = make_chain(3)
    marks = (
        Mark(3, 9, tags=frozenset({"jump", "odd"}), no_entry=True), Mark(5, 20, no_exit=True),
        Mark(30, 35, cost_factor=2.5), Mark(40, 41, tags=frozenset({"odd"})),
    )  # fmt: skip
    database = make_database([make_clip(body, 4, 60, wildness=0.3)], marks=marks)
    packed = pack_database(database, 1e-4).database
    for name in ("no_entry", "no_exit", "cost_factor", "contacts"):
        assert np.array_equal(np.asarray(getattr(packed.poses, name)), getattr(database.poses, name)), name
    assert packed.poses.tags.names == database.poses.tags.names
    assert np.array_equal(packed.poses.tags.of("odd"), database.poses.tags.of("odd"))
    assert np.array_equal(np.asarray(packed.features.targets), database.features.targets)
    step = np.ptp(database.features.values, axis=0) / 65535
    assert (np.abs(packed.features.values - database.features.values) <= 0.51 * step + 1e-6).all()


def test_an_unpacked_array_indexes_like_a_plain_one():
    database = make_database([make_clip(make_chain(5), 5, 50, wildness=0.3)])
    lazy = pack_database(database, 1e-4).database.poses.rotations
    whole = np.asarray(lazy)
    mask = np.arange(50) % 3 == 0
    frames = np.array([[3, 1], [49, 0]])
    keys = (
        7, -1, slice(2, 9), slice(None, None, -5), mask, frames, [4, 4], (slice(3, 8), 0), (3, 2), (mask, slice(1, 3)),
        (frames, 1, 2), (slice(None), [0, 2]), (np.array([1, 2]), np.array([0, 3])), Ellipsis, (Ellipsis, 0),
        (slice(0, 5), None),
    )  # fmt: skip
    for key in keys:
        assert np.array_equal(lazy[key], whole[key]), key
    assert lazy.shape == whole.shape
    assert lazy.dtype == whole.dtype
    assert len(lazy) == 50
    assert np.array_equal(lazy * 2, whole * 2)
    assert lazy.mean() == whole.mean()
    with pytest.raises(IndexError):
        lazy[50]


@pytest.mark.parametrize("error", [0.0, 1e-7, 1.0, float("nan")])
def test_a_bound_that_makes_no_sense_is_refused(error):
    database = make_database([make_clip(make_chain(2), 6, 10, wildness=0.3)])
    with pytest.raises(KinematchError, match="an error of"):
        pack_database(database, error)


def test_a_packed_database_is_not_packed_again():
    database = make_database([make_clip(make_chain(2), 6, 10, wildness=0.3)])
    with pytest.raises(KinematchError, match="packed already"):
        pack_database(pack_database(database).database)
