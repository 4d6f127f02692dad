"""Laws of features: known values on known motion, build equals query, invariance, mirror, registration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinematch.database import features as features_module
from kinematch.database.features import Feature, QueryInput, make_trajectory, register_feature
from kinematch.database.measures import joint_motion, measure_root_paths
from kinematch.database.poses import FeaturePose
from kinematch.database.schema import HORIZONS, FeatureSchema, default_features
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion import kernels as motion_kernels
from kinematch.motion.clean.mirror import mirror


def schema(*features: Feature) -> FeatureSchema:
    return FeatureSchema(features or default_features())


def test_the_default_is_the_27_numbers_of_the_papers():
    default = schema()
    assert default.width == 27
    assert [(f.name, f.width, f.group) for f in default.features] == [
        ("left_foot_position", 3, "pose"),
        ("right_foot_position", 3, "pose"),
        ("left_foot_velocity", 3, "pose"),
        ("right_foot_velocity", 3, "pose"),
        ("hips_velocity", 3, "pose"),
        ("trajectory_position", 6, "trajectory"),
        ("trajectory_direction", 6, "trajectory"),
    ]


@pytest.mark.parametrize("heading", [0.0, 2.5])
def test_a_straight_walk_has_exactly_known_features_on_every_frame(database, walk, heading):
    poses = database(walk(speed=1.5, swing=0.0, hands=0.0, heading=heading))
    values = schema().build(poses)
    foot, still = [[0.1, 0.05, 0], [-0.1, 0.05, 0]], [0, 0, 1.5]
    expected = [*foot[0], *foot[1], *still, *still, *still, 0, 0.5, 0, 1.0, 0, 1.5, 0, 1, 0, 1, 0, 1]
    np.testing.assert_allclose(values, np.tile(expected, (121, 1)), atol=2e-4)


def test_hip_velocity_is_that_in_the_world_not_in_the_root_frame(database, walk):
    values = schema(Feature("velocity", "hips")).build(database(walk(speed=2.0, turn=1.0)))
    np.testing.assert_allclose(values[1:-1], np.tile([0, 0, 2.0], (119, 1)), atol=1e-3)


def test_velocity_of_a_joint_is_the_change_of_its_world_position(database, walk):
    poses = database(walk(turn=1.5))
    from kinematch.motion import kinematics

    world, _ = kinematics.forward(poses.skeleton, poses.positions, poses.rotations)
    hand = poses.skeleton.joint("left_hand")
    exact = (world[2:, hand] - world[:-2, hand]).astype(np.float64) * 30
    values = schema(Feature("velocity", "left_hand")).build(poses)[1:-1]
    np.testing.assert_allclose(quaternion.rotate(poses.rotations[1:-1, 0], values), exact, atol=4e-3)


@pytest.mark.parametrize("turn", [0.8, -1.6])
def test_trajectories_of_a_circle_are_chords_and_tangents_of_it_past_the_ends_too(database, walk, turn):
    times = (-0.5, 0.25, 1.0)
    poses = database(walk(speed=1.2, turn=turn))
    for time, path in zip(times, measure_root_paths(poses, times)):
        angle, radius = turn * time, 1.2 / turn
        chord = [radius * (1 - np.cos(angle)), 0, radius * np.sin(angle)]
        np.testing.assert_allclose(path.positions, np.tile(chord, (121, 1)), atol=1e-3)
        np.testing.assert_allclose(path.directions, np.tile([np.sin(angle), 0, np.cos(angle)], (121, 1)), atol=1e-3)


def test_times_between_frames_are_blended(database, walk):
    (path,) = measure_root_paths(database(walk(speed=1.0, rate=30)), (0.12345,))
    np.testing.assert_allclose(path.positions[:, 2], 0.12345, atol=1e-5)


def test_where_and_whither_the_clip_went_does_not_matter(database, walk):
    plain, turned = walk(turn=0.7), walk(turn=0.7, heading=2.0)
    moved = turned.with_(positions=turned.positions + np.float32([30, 0, -20]) * (np.arange(7) == 0)[None, :, None])
    np.testing.assert_allclose(schema().build(database(plain)), schema().build(database(moved)), atol=2e-3)


def test_a_mirrored_clip_has_the_mirrored_features(database, walk):
    clip = walk(turn=0.9, hands=0.4)
    lopsided = np.array(clip.positions)
    lopsided[:, 2, 1] += 0.05 * np.sin(np.arange(121) / 9)
    lopsided[:, 2, 0] += 0.02
    clip = clip.with_(positions=lopsided)
    plain, mirrored = schema().build(database(clip)), schema().build(database(mirror(clip)))
    left, right = [0, 1, 2, 6, 7, 8], [3, 4, 5, 9, 10, 11]
    swapped = np.array(plain)
    swapped[:, left], swapped[:, right] = plain[:, right], plain[:, left]
    swapped[:, [0, 3, 6, 9, 12, *range(15, 27, 2)]] *= -1
    np.testing.assert_allclose(mirrored, swapped, atol=1e-4)
    assert np.abs(mirrored - plain).max() > 0.1


def test_a_query_of_a_frame_of_the_database_is_its_row(database, walk):
    everything = schema(
        *default_features(),
        Feature("direction", "chest"),
        Feature("direction", "chest", axis="left", name="chest_left", dimensions=2),
        Feature("height", "hips"),
        Feature("trajectory_position", times=(-0.5, 0.4), dimensions=3, name="past"),
    )
    poses = database(walk(turn=0.5), walk("b", turn=-1.0))
    rows = everything.build(poses)
    frames = np.array([0, 7, 120, 121, 200])
    paths = measure_root_paths(poses, everything.times)
    trajectory = make_trajectory(
        everything.times,
        np.stack([path.positions[frames] for path in paths], axis=1),
        np.stack([path.directions[frames] for path in paths], axis=1),
    )
    by_pose = QueryInput(skeleton=poses.skeleton, pose=poses.pose(frames), trajectory=trajectory)
    np.testing.assert_array_equal(everything.query(by_pose), rows[frames])
    by_row = QueryInput(current=rows[frames], trajectory=trajectory)
    np.testing.assert_array_equal(everything.query(by_row), rows[frames])


def test_one_query_of_many_characters_is_many_queries_of_one(database, walk):
    poses = database(walk(turn=0.5))
    default = schema()
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 121, 9)
    p, d = rng.normal(size=(2, 9, 3, 3)).astype(np.float32)
    together = default.query(QueryInput(poses.skeleton, poses.pose(frames), None, make_trajectory(HORIZONS, p, d)))
    for n, frame in enumerate(frames):
        one = slice(n, n + 1)
        pose = poses.pose(np.array([frame]))
        alone = default.query(QueryInput(poses.skeleton, pose, None, make_trajectory(HORIZONS, p[one], d[one])))
        np.testing.assert_array_equal(together[one], alone)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), dtype=st.sampled_from([np.float32, np.float64]))
def test_the_motion_of_a_joint_is_that_of_forward_kinematics_a_moment_later(body, seed, dtype):
    rng, moment = np.random.default_rng(seed), 1e-6
    shape = (5, body.joint_count)
    arrays = [
        rng.normal(size=(*shape, 3)), quaternion.normalize(rng.normal(size=(*shape, 4))),
        rng.normal(size=(*shape, 3)), rng.normal(size=(*shape, 3)),
    ]  # fmt: skip
    spin = Rotation.from_rotvec(moment * arrays[3].reshape(-1, 3)) * to_scipy(arrays[1].reshape(-1, 4))
    later = arrays[0] + moment * arrays[2], spin.as_quat(scalar_first=True).reshape(*shape, 4)
    now, after = (motion_kernels.forward_kinematics(*pose, body.parents) for pose in (arrays[:2], later))
    pose = FeaturePose(*(array.astype(dtype) for array in arrays))
    back = to_scipy(now[1][:, 0]).inv()
    for joint in range(body.joint_count):
        position, turn, velocity = joint_motion(body, pose, joint)
        assert position.dtype == turn.dtype == velocity.dtype == dtype
        np.testing.assert_allclose(position, back.apply(now[0][:, joint] - now[0][:, 0]), atol=1e-4)
        assert (to_scipy(turn).inv() * back * to_scipy(now[1][:, joint])).magnitude().max() < 1e-4
        np.testing.assert_allclose(velocity, back.apply(after[0][:, joint] - now[0][:, joint]) / moment, atol=2e-3)


def to_scipy(rotations: np.ndarray) -> Rotation:
    return Rotation.from_quat(rotations.astype(np.float64), scalar_first=True)


def test_directions_follow_the_joint_whatever_its_axes(database, walk):
    poses = database(walk(hands=0.5, turn=1.0))
    angles = 0.5 * np.sin(2 * np.pi * np.arange(121) / 60)
    values = schema(Feature("direction", "chest")).build(poses)
    np.testing.assert_allclose(values, np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=-1), atol=1e-5)
    # the same chest with its own axes turned any way in the rest pose
    odd = rotation.from_rotation_vector(np.array([1.0, -2.0, 0.5]))
    from dataclasses import replace

    rest = np.array(poses.skeleton.rotations)
    rest[4] = odd
    turned = np.array(poses.rotations)
    turned[:, 4] = quaternion.multiply(turned[:, 4], odd)
    other = replace(poses, skeleton=replace(poses.skeleton, rotations=rest), rotations=turned)
    np.testing.assert_allclose(schema(Feature("direction", "chest")).build(other), values, atol=1e-5)


def test_height_is_above_the_ground_root(database, walk):
    clip = walk()
    hill = np.array(clip.positions)
    hill[:, 0, 1] += np.linspace(0, 3, 121)
    values = schema(Feature("height", "hips")).build(database(clip.with_(positions=hill)))
    np.testing.assert_allclose(values, 0.9, atol=1e-5)


@pytest.fixture
def registered():
    before = dict(features_module.KINDS)
    yield
    features_module.KINDS.clear()
    features_module.KINDS.update(before)


def test_a_feature_of_ones_own_is_built_and_asked_for(database, walk, registered):
    register_feature(
        "speed",
        build=lambda feature, poses: np.linalg.norm(poses.velocities[:, 0], axis=-1, keepdims=True),
        query=lambda feature, given: np.linalg.norm(given.pose.velocities[:, 0], axis=-1, keepdims=True),
        width=1,
    )
    own = schema(Feature("speed"), Feature("position", "left_foot"))
    poses = database(walk(speed=1.25))
    rows = own.build(poses)
    np.testing.assert_allclose(rows[:, 0], 1.25, atol=1e-4)
    np.testing.assert_array_equal(own.query(QueryInput(poses.skeleton, poses.pose())), rows)


def roots_speed(pose: FeaturePose) -> np.ndarray:
    return np.linalg.norm(pose.velocities[:, 0], axis=-1, keepdims=True)


def test_a_pose_feature_without_a_query_is_that_of_the_frame_that_plays(database, walk, registered):
    register_feature("speed", build=lambda feature, poses: roots_speed(poses.pose()), width=1)
    own = schema(Feature("speed"), Feature("position", "left_foot"))
    poses = database(walk(speed=1.25))
    rows = own.build(poses)[3:5]
    np.testing.assert_array_equal(own.query(QueryInput(current=rows)), rows)
    with pytest.raises(KinematchError, match="'speed' has no query of its own and needs current features"):
        own.query(QueryInput(poses.skeleton, poses.pose(np.array([3]))))


def test_a_pose_feature_with_a_query_is_asked_even_where_the_stored_one_is_known(database, walk, registered):
    seen = []

    def query(feature, given):
        seen.append((given.skeleton, given.current))
        return 2 * roots_speed(given.pose)

    register_feature("speed", build=lambda feature, poses: roots_speed(poses.pose()), query=query, width=1)
    own = schema(Feature("speed"), Feature("position", "left_foot"))
    poses = database(walk(speed=1.25))
    frames = np.array([3, 50])
    rows = own.build(poses)[frames]
    asked = own.query(QueryInput(poses.skeleton, poses.pose(frames), rows))
    np.testing.assert_allclose(asked[:, 0], 2 * rows[:, 0])
    np.testing.assert_array_equal(asked[:, 1:], rows[:, 1:])
    assert seen[0][0] is poses.skeleton
    assert seen[0][1] is rows


def test_a_pose_feature_of_a_database_from_elsewhere_needs_no_registration(database, walk, registered):
    register_feature("speed", build=lambda feature, poses: roots_speed(poses.pose()), width=1)
    own = schema(Feature("speed"))
    rows = own.build(database(walk()))[:2]
    del features_module.KINDS["speed"]
    np.testing.assert_array_equal(own.query(QueryInput(current=rows)), rows)


def test_a_trajectory_feature_of_ones_own_sees_the_trajectory_at_its_times(database, walk, registered):
    times = (-0.5, 0.4)

    def build(feature, poses):
        return np.stack([path.positions[:, 2] for path in measure_root_paths(poses, feature.times)], axis=-1)

    register_feature(
        "ahead",
        build=build,
        query=lambda feature, given: given.trajectory(feature.times)[0][..., 2],
        width=lambda feature: len(feature.times),
        group="trajectory",
    )
    own = schema(Feature("ahead", times=times))
    assert own.past == 0.5
    positions = np.arange(12.0).reshape(2, 2, 3)
    asked = own.query(QueryInput(trajectory=make_trajectory(times, positions, positions)))
    np.testing.assert_array_equal(asked, positions[..., 2])
    np.testing.assert_allclose(own.build(database(walk(speed=1.0)))[40], times, atol=1e-3)
    with pytest.raises(KinematchError, match="needs `query`"):
        register_feature("ahead", build=build, width=2, group="trajectory")
    with pytest.raises(KinematchError, match="did you mean 'trajectory'"):
        register_feature("ahead", build=build, width=2, group="trajectry")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (lambda feature, given: np.zeros(2), r"'speed': its query has shape \(2,\), expected \(N, 1\)"),
        (lambda feature, given: np.array([[0.0], [np.nan]]), "'speed': its query is not finite for character 1"),
        (lambda feature, given: given.pose.speed, "'speed': AttributeError"),
        (lambda feature, given: np.zeros((3, 1)), "different numbers of characters: {'speed': 3"),
    ],
)
def test_a_query_of_ones_own_that_is_wrong_is_named(database, walk, registered, query, message):
    register_feature("speed", build=lambda feature, poses: roots_speed(poses.pose()), query=query, width=1)
    own = schema(Feature("speed"), Feature("height", "hips"))
    poses = database(walk())
    with pytest.raises(KinematchError, match=message):
        own.query(QueryInput(poses.skeleton, poses.pose(np.array([0, 1])), own.build(poses)[:2]))


def test_a_feature_of_ones_own_that_is_wrong_is_named(database, registered):
    register_feature("bad", build=lambda f, p: np.zeros((3, 1)), query=lambda f, q: None, width=1)
    with pytest.raises(KinematchError, match=r"'bad' was built with shape \(3, 1\), expected \(121, 1\)"):
        schema(Feature("bad")).build(database())
    register_feature("worse", build=lambda f, p: np.full((121, 1), np.nan), query=lambda f, q: None, width=1)
    with pytest.raises(KinematchError, match="not finite at frame 0"):
        schema(Feature("worse")).build(database())
    with pytest.raises(KinematchError, match="built-in"):
        register_feature("height", build=lambda f, p: p, query=lambda f, q: q, width=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "positon", "joint": "hips"}, "did you mean 'position'"),
        ({"kind": "position"}, "needs `joint`"),
        ({"kind": "trajectory_position"}, "needs `times`"),
        ({"kind": "position", "joint": "hips", "weight": -1}, "expected 0 to"),
        ({"kind": "position", "joint": "hips", "dimensions": 4}, "expected 2 or 3"),
        ({"kind": "direction", "joint": "hips", "axis": "forwards"}, "did you mean 'forward'"),
    ],
)
def test_a_feature_that_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(KinematchError, match=message):
        Feature(**arguments)


def test_a_joint_that_is_not_there_is_named_with_its_feature(database):
    with pytest.raises(KinematchError, match=r"feature 'left_fot_position': .* did you mean 'left_foot'"):
        schema(Feature("position", "left_fot")).build(database())


def test_two_features_of_one_name_are_refused():
    with pytest.raises(KinematchError, match="two features are named 'hips_height'"):
        schema(Feature("height", "hips"), Feature("height", "hips"))


def test_a_trajectory_without_the_time_asked_for_is_refused():
    zeros = np.zeros((1, 1, 3))
    with pytest.raises(KinematchError, match=r"no sample at \[0\.2\] s"):
        schema(Feature("trajectory_position", times=(0.2,))).query(
            QueryInput(trajectory=make_trajectory((0.1,), zeros, zeros))
        )
    with pytest.raises(KinematchError, match="needs a trajectory"):
        schema(Feature("trajectory_position", times=(0.2,))).query(QueryInput())
    with pytest.raises(KinematchError, match="needs the current pose"):
        schema(Feature("height", "hips")).query(QueryInput())
