"""Pictures of poses: the body is there, whole, left and right told apart, and mistakes are named."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.draw.body import place
from kinematch.draw.camera import ViewCamera
from kinematch.draw.figure import render
from kinematch.draw.mannequin import make_body
from kinematch.draw.theme import DARK, LIGHT
from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.motion import kinematics
from kinematch.motion.skeleton import skeleton


def tinted(picture, *, blue: bool) -> np.ndarray:
    """Pixels (h, w) of left limbs (blue) or right ones (orange)."""
    pixels = np.asarray(picture).astype(int)
    lean = pixels[..., 2] - pixels[..., 0]
    return lean > 50 if blue else lean < -50


def border(mask: np.ndarray) -> np.ndarray:
    return np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])


@pytest.mark.parametrize("theme", ["light", "dark", LIGHT, DARK])
def test_a_pose_gives_a_picture_of_the_asked_size(person, theme):
    picture = render(person, *kinematics.tpose(person), size=(200, 160), theme=theme)
    assert picture.size == (200, 160)
    assert picture.mode == "RGB"
    assert tinted(picture, blue=True).any()
    assert tinted(picture, blue=False).any()


def test_seen_from_the_front_the_left_hand_is_on_the_right(person):
    picture = render(person, *kinematics.tpose(person), camera=ViewCamera((0, 1, 6), (0, 0.9, 0)), size=(200, 160))
    left, right = np.nonzero(tinted(picture, blue=True))[1], np.nonzero(tinted(picture, blue=False))[1]
    assert left.mean() > 100 > right.mean()
    # one is the mirror image of the other
    assert abs((left.mean() + right.mean()) / 2 + 0.5 - 100) < 1.5


def test_the_whole_body_is_in_the_picture(person):
    picture = render(person, *kinematics.tpose(person), size=(300, 300))
    body = tinted(picture, blue=True) | tinted(picture, blue=False)
    assert not border(body).any()
    assert body.mean() > 0.02


def test_the_soles_of_a_standing_body_are_on_the_floor(person):
    p, r = kinematics.tpose(person)
    body = make_body(person)
    feet = [
        n for n, joints in enumerate(body.joints) if joints[0] in (person.roles["left_foot"], person.roles["left_toes"])
    ]
    solids = place(body, p, r, LIGHT)[feet]
    ends = solids.origins + solids.frames[..., 1] * solids.lengths[:, None]
    lowest = min((solids.origins[:, 1] - solids.radii[:, 0]).min(), (ends[:, 1] - solids.radii[:, 1]).min())
    assert -0.03 < lowest < 0.01


def test_a_body_moves_rigidly_with_its_joints(person):
    p, r = kinematics.tpose(person)
    body = make_body(person)
    here, there = place(body, p, r, LIGHT), place(body, p + np.array([1.0, 2, 3]), r, LIGHT)
    np.testing.assert_allclose(
        there.origins - here.origins, np.broadcast_to([1.0, 2, 3], here.origins.shape), atol=1e-6
    )
    np.testing.assert_allclose(there.frames, here.frames, atol=1e-6)


def test_overlays_change_the_picture_on_the_floor_only(person):
    p, r = kinematics.tpose(person)
    camera = ViewCamera((2, 2.5, 4), (0, 0.8, 0))
    plain = np.asarray(render(person, p, r, camera=camera)).astype(int)
    trail = np.stack([np.zeros(40), np.zeros(40), np.linspace(-1, 1, 40)], -1)
    toes = [person.roles["left_toes"]]
    for overlay in ({"contacts": toes}, {"arrow": True}, {"trail": trail}):
        marked = np.asarray(render(person, p, r, camera=camera, **overlay)).astype(int)
        changed = np.abs(marked - plain).max(axis=-1) > 40
        assert changed.any(), overlay
        assert np.nonzero(changed)[0].min() > 250, overlay  # below the hips
    captioned = np.asarray(render(person, p, r, camera=camera, caption="hello")).astype(int)
    rows, columns = np.nonzero(np.abs(captioned - plain).max(axis=-1) > 60)
    assert rows.min() > 440
    assert columns.max() < 120


def test_several_poses_share_one_picture(walking):
    p, r = kinematics.global_pose(walking)
    one = tinted(render(walking.skeleton, p[0], r[0], camera=ViewCamera((5, 1, 1), (0, 1, 1))), blue=False).sum()
    three = tinted(
        render(walking.skeleton, p[::30], r[::30], camera=ViewCamera((5, 1, 1), (0, 1, 1))), blue=False
    ).sum()
    assert three > 2 * one


def test_a_rig_without_roles_is_drawn_as_bones():
    offsets = np.array([[0, 0.5, 0], [0, 0.3, 0], [0.2, 0, 0], [0, 0, 0], [0, 0.2, 0]], float)
    rig = skeleton(["a", "b", "arm_l", "same_place", "tip"], [-1, 0, 1, 1, 3], offsets, ends=[(4, (0, 0.1, 0))])
    picture = render(rig, *kinematics.rest_pose(rig), size=(120, 120))
    assert np.asarray(picture).std() > 5


def test_a_humanoid_whose_bones_have_no_length_is_drawn_as_bones(person):
    flat = replace(person, offsets=person.offsets * 0, end_offsets=person.end_offsets * 0)
    make_body(flat)


def test_a_lone_joint_is_drawn_too():
    rig = skeleton(["only"], [-1], np.array([[0, 1.0, 0]]))
    assert np.asarray(render(rig, *kinematics.rest_pose(rig), size=(60, 60))).std() > 1


def test_a_ground_root_alone_gives_an_empty_floor():
    rig = skeleton(["Root"], [-1], np.zeros((1, 3)), roles={"root": 0})
    assert render(rig, *kinematics.rest_pose(rig), size=(60, 60)).size == (60, 60)


def test_a_body_below_height_zero_gets_its_own_floor(person):
    p, r = kinematics.tpose(person)
    body = tinted(render(person, p - np.array([0, 0.9, 0]), r, size=(200, 200)), blue=True)
    assert body.sum() > 0.8 * tinted(render(person, p, r, size=(200, 200)), blue=True).sum()


def test_mistakes_are_named(person):
    p, r = kinematics.tpose(person)
    with pytest.raises(KinematchError, match=r"expected \(\.\.\., 21, 3\)"):
        render(person, p[:-1], r[:-1])
    with pytest.raises(KinematchError, match="not finite"):
        render(person, p * np.nan, r)
    with pytest.raises(KinematchError, match="no theme 'drak'; did you mean 'dark'"):
        render(person, p, r, theme="drak")
    with pytest.raises(KinematchError, match=r"trail of shape \(3,\)"):
        render(person, p, r, trail=np.zeros(3))
    with pytest.raises(KinematchError, match="single pose"):
        render(person, np.stack([p, p]), np.stack([r, r]), contacts=[3])


@pytest.mark.parametrize(
    "file", ["lafan1-clips/walk1_subject1_walk.bvh", "cmu/07_12.bvh", "bandai-namco/dataset-1_walk-back_normal_001.bvh"]
)
def test_real_rigs_stand_whole_in_the_picture(data, file):
    clip = read_clip(data / file)
    p, r = kinematics.global_pose(clip)
    picture = render(clip.skeleton, p[20], r[20], size=(320, 320))
    body = tinted(picture, blue=True) | tinted(picture, blue=False)
    assert not border(body).any()
    assert body.mean() > 0.02
