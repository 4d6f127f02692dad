"""Mirror images in packed databases: a flag each, within the bound, and refused where a file lies about them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.character.rigs import four_legs
from tests.database.packing.test_pack import make_clip, make_database

from kinematch.database import storage
from kinematch.database.packing.mirrors import make_mirror, mirror_poses
from kinematch.database.packing.pack import measure_errors, pack_database
from kinematch.errors import FileError
from kinematch.math import quaternion
from kinematch.motion.clean.mirror import mirror
from kinematch.motion.rig import find_moving

BOUND = 5e-4


@pytest.fixture(scope="module")
def plain(built_of):
    """A loop and turns, each with its mirror image."""
    return built_of("walk_1.35", "walk_turn_*_90", mirror=True).database


@pytest.fixture(scope="module")
def found(plain):
    return pack_database(plain, BOUND)


def find_image(poses):
    """The frames of a clip that is a mirror image."""
    return poses.clip_frames(next(c for c, name in enumerate(poses.clip_names) if name.endswith("(mirrored)")))


def test_mirror_images_are_a_flag_each_and_stay_within_the_bound(plain, found):
    poses, packed = plain.poses, found.database.poses
    assert found.mirrored == poses.clip_count // 2
    assert found.errors.max() <= BOUND
    assert len(packed.pack.roots) == poses.frame_count // 2
    np.testing.assert_allclose(packed.positions[:, 0], poses.positions[:, 0], atol=1e-4)
    np.testing.assert_allclose(np.abs(quaternion.dot(packed.rotations[:, 0], poses.rotations[:, 0])), 1, atol=1e-7)
    np.testing.assert_allclose(np.asarray(packed.velocities)[:, 0], poses.velocities[:, 0], atol=0.02)
    assert np.array_equal(np.asarray(packed.contacts), poses.contacts)


def test_clips_that_are_no_mirror_images_are_stored_whatever_their_names_say(plain, found):
    rotations = np.array(plain.poses.rotations)
    own = find_image(plain.poses)
    rotations[own, 3] = rotations[own, 3][::-1]
    other = pack_database(replace(plain, poses=replace(plain.poses, rotations=rotations)), BOUND)
    assert other.mirrored == found.mirrored - 1
    assert other.errors.max() <= BOUND


@pytest.mark.parametrize("error", [1e-5, 1e-4, 5e-3])
@pytest.mark.parametrize("glitches", [0, 3])
def test_any_motion_of_a_body_with_two_sides_is_mirrored_within_the_bound(error, glitches):
    clip = make_clip(four_legs(), 2, 150, wildness=0.7, glitches=glitches, stretch=0.05)
    image = mirror(clip)
    database = make_database([clip, image.with_(name=f"{clip.name} (mirrored)")])
    found = pack_database(database, error)
    assert found.mirrored == (1 if error > 4e-5 else found.mirrored)
    assert measure_errors(database.poses, found.database.poses).max() <= error


def test_mirrored_poses_are_those_that_mirroring_a_clip_gives():
    clip = make_clip(four_legs(), 5, 20, wildness=1.0, stretch=0.05)
    moving = find_moving(clip.skeleton, clip.positions)
    positions, rotations = mirror_poses(make_mirror(clip.skeleton, moving), moving, clip.positions, clip.rotations)
    image = mirror(clip)
    np.testing.assert_allclose(positions[:, 1:], image.positions[:, 1:], atol=1e-6)
    np.testing.assert_allclose(np.abs(quaternion.dot(rotations, image.rotations))[:, 1:], 1, atol=1e-6)


def mirror_none(arrays):
    arrays["packed.originals"][arrays["packed.originals"] >= 0] = 99


def mirror_an_image(arrays):
    originals = arrays["packed.originals"]
    originals[np.flatnonzero(originals >= 0)] = np.flatnonzero(originals >= 0)[::-1]


def mirror_by_a_negative_clip(arrays):
    arrays["packed.originals"][0] = -7


def mirror_a_longer_clip(arrays):
    originals = arrays["packed.originals"]
    lengths = arrays["poses.clip_stops"] - arrays["poses.clip_starts"]
    image = np.flatnonzero(originals >= 0)[0]
    originals[image] = next(c for c in np.flatnonzero(originals < 0) if lengths[c] != lengths[image])


def pair_joints_twice(arrays):
    arrays["mirror.partners"][2] = arrays["mirror.partners"][3]


def pair_the_root(arrays):
    arrays["mirror.partners"][:2] = arrays["mirror.partners"][:2][::-1].copy()


def pair_the_hips(arrays):
    """Which move, with a hand, which does not."""
    partners = arrays["mirror.partners"]
    partners[[1, 4]] = partners[[4, 1]]


def stretch_a_turn(arrays):
    arrays["mirror.left"][3] *= 1.5


def lose_a_map(arrays):
    arrays["mirror.place_maps"][0, 0, 0] = np.nan


def shorten_roots(arrays):
    arrays["packed.roots"] = arrays["packed.roots"][:-1].copy()


@pytest.mark.parametrize(
    "lie",
    [
        mirror_none, mirror_an_image, mirror_by_a_negative_clip, mirror_a_longer_clip, pair_joints_twice,
        pair_the_root, pair_the_hips, stretch_a_turn, lose_a_map, shorten_roots,
    ],
)  # fmt: skip
def test_a_file_that_lies_about_mirror_images_is_refused(found, lie):
    arrays, about = storage.to_arrays(found.database)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    lie(arrays)
    with pytest.raises(FileError, match="is damaged"):
        storage.from_arrays("hostile.kinematch", arrays, json.loads(json.dumps(about)))


def test_mirror_images_come_back_from_a_file_to_the_bit(found, tmp_path):
    storage.save(tmp_path / "a.kinematch", found.database)
    again = storage.load(tmp_path / "a.kinematch")
    for name in ("positions", "rotations", "velocities", "angular_velocities"):
        assert np.array_equal(np.asarray(getattr(again.poses, name)), np.asarray(getattr(found.database.poses, name)))
