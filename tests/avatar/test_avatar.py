"""Avatars: from trackers to whole bodies that are where the trackers are."""

from dataclasses import replace

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.avatar import Avatar
from kinematch.avatar.calibration import make_calibration
from kinematch.avatar.orientation import Headset
from kinematch.avatar.simulate import track_joints
from kinematch.avatar.trackers import HANDS, HEAD, take_moments
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import make_cast

DT = 1 / 60


@pytest.fixture(scope="module")
def cast():
    return make_cast(make_clips(4, seconds=6.0))


def gather(cast, frame):
    return take_moments([user.devices for user in cast.users], np.full(len(cast.users), frame))


def make_avatar(cast, **options):
    options = {"calibration": cast.calibration, "fit": "none", "count": len(cast.users)} | options
    return Avatar(km.load("built-in"), **options)


def locate(pose, skeleton, role):
    return pose.global_positions[:, skeleton.roles[role]]


def test_heads_and_hands_are_where_they_are_tracked(cast):
    avatar, misses = make_avatar(cast), []
    for frame in range(200):
        pose = avatar.step(gather(cast, frame), DT)
        joints = avatar.estimate.joints
        np.testing.assert_allclose(locate(pose, avatar.skeleton, "head"), joints.positions[:, HEAD], atol=1e-4)
        for hand, side in zip(HANDS, ("left_hand", "right_hand")):
            misses.append(np.linalg.norm(locate(pose, avatar.skeleton, side) - joints.positions[:, hand], axis=-1))
    assert np.max(misses) < 0.02  # arms that hang nearly straight stop a little short


def test_the_root_stays_within_its_accuracy(cast):
    for accuracy in (0.1, 0.3):
        avatar = make_avatar(cast, accuracy=accuracy)
        for frame in range(300):
            avatar.step(gather(cast, frame), DT)
            gap = (avatar.root_positions - avatar.crowd.body.positions) * [1, 0, 1]
            assert np.linalg.norm(gap, axis=-1).max() <= accuracy + 1e-5


def test_one_avatar_of_many_users_is_many_avatars_of_one(cast):
    together = make_avatar(cast, estimator=Headset())
    alone = make_avatar(cast, count=1, estimator=Headset())
    for frame in range(60):
        many = together.step(gather(cast, frame), DT)
        one = alone.step(gather(cast, frame).take(slice(2, 3)), DT)
    np.testing.assert_allclose(many.global_positions[2], one.global_positions[0], atol=0.15)  # searches are staggered


def test_users_who_crouch_play_crouching(cast):
    avatar = make_avatar(cast)
    for frame in range(120):
        avatar.step(gather(cast, frame), DT)
    chosen = [avatar.levels[0].filters[level] for level in avatar.estimate.levels]
    named = [user.name.split(", ")[1] for user in cast.users]
    assert chosen == named


def test_a_lost_headset_leaves_the_body_where_it_was(cast):
    avatar = make_avatar(cast)
    for frame in range(60):
        avatar.step(gather(cast, frame), DT)
    before = avatar.estimate.joints.positions[:, HEAD].copy()
    for frame in range(60, 120):
        pose = avatar.step(replace(gather(cast, frame), valid=np.zeros((4, 7), bool)), DT)
    np.testing.assert_allclose(locate(pose, avatar.skeleton, "head"), before, atol=1e-4)
    assert np.isfinite(pose.global_positions).all()


def test_trackers_full_of_nan_never_reach_the_pose(cast):
    avatar = make_avatar(cast)
    for frame in range(30):
        devices = gather(cast, frame)
        broken = replace(devices, positions=np.full_like(devices.positions, np.nan)) if frame % 3 == 0 else devices
        assert np.isfinite(avatar.step(broken, DT).global_positions).all()


@pytest.mark.parametrize("height", [1.1, 1.75, 2.2])
def test_an_avatar_is_scaled_to_its_user(height):
    calibration = make_calibration(height=height)
    avatar = Avatar(km.load("built-in"), calibration=calibration)
    clip = make_clips(2, seconds=4.0)[1]
    own = make_cast([clip]).calibration
    joints = track_joints(clip)
    factor = calibration.head_height / own.head_height
    small = replace(joints, positions=joints.positions * factor, velocities=joints.velocities * factor)
    devices = calibration.place_devices(small).keep(("head", "left_hand", "right_hand"))
    for frame in range(150):
        pose = avatar.step(devices.take(slice(frame, frame + 1)), DT)
    hips = pose.global_positions[0, avatar.skeleton.roles["hips"], 1]
    assert hips == pytest.approx(small.positions[149, 3, 1], abs=0.05 * factor)


def test_the_users_space_may_be_scaled_to_the_avatar():
    calibration = make_calibration(height=1.2)
    avatar = Avatar(km.load("built-in"), calibration=calibration, fit="space")
    assert avatar.skeleton.offsets[2] == pytest.approx(km.load("built-in").skeleton.offsets[2])
    assert avatar.calibration.scale > 1.3


def test_wrong_input_is_refused_by_name(cast):
    avatar = make_avatar(cast)
    with pytest.raises(km.KinematchError, match="trackers of 1 users, expected 4"):
        avatar.step(gather(cast, 0).take(slice(0, 1)), DT)
    with pytest.raises(km.KinematchError, match="fit"):
        make_avatar(cast, fit="both")


def test_another_database_by_name_makes_the_legs_dance(cast, data, tmp_path):
    recipe = tmp_path / "dance.toml"
    take = data / "lafan1-takes" / "dance1_subject2.bvh"
    recipe.write_text(f'[[source]]\nfiles = ["{take}"]\ntrim = [10.0, 40.0]\n')
    avatar = Avatar(
        {"walk": km.load("built-in"), "dance": km.build(recipe)}, calibration=cast.calibration, fit="none", count=4
    )
    for frame in range(90):
        if frame == 30:
            avatar.play("dance")
        pose = avatar.step(gather(cast, frame), DT)
        assert (pose.sources == (frame >= 30)).all() or 30 <= frame < 40
    assert avatar.motions[1].skeleton.names == km.load("built-in").skeleton.names
    np.testing.assert_allclose(
        locate(pose, avatar.skeleton, "head"), avatar.estimate.joints.positions[:, HEAD], atol=1e-4
    )
    with pytest.raises(km.KinematchError, match="motion 'jazz'"):
        avatar.play("jazz")
