"""Packed files: exact round trips, and refusal of everything that kernels could not trust."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kinematch.database import storage
from kinematch.database.feature_database import build_features
from kinematch.database.packing.field_kernels import ENDS, KIND_SHIFT, SHIFTS, SIZE, WIDTHS
from kinematch.database.packing.layout import CENTRES, HEAD, LANES, cut_clips
from kinematch.database.packing.pack import pack_database
from kinematch.database.packing.storage import check_segments
from kinematch.database.poses import ClipEntry, build_poses
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.storage import Database
from kinematch.errors import FileError, KinematchError


@pytest.fixture(scope="module")
def packed(walk):
    clips = [walk("a", turn=0.5, tags=("walk",)), walk("b", turn=-1.0, tags=("left", "walk"))]
    entries = [ClipEntry(clip, np.zeros((clip.frame_count, 2), bool)) for clip in clips]
    poses = build_poses(entries, np.array([2, 3], np.int32))
    features = build_features(poses, FeatureSchema(default_features()), warn=lambda message: None)
    return pack_database(Database(poses, features, {"recipe": "é"}), 1e-4).database


@pytest.fixture
def file(packed, tmp_path):
    path = tmp_path / "packed.kinematch"
    storage.save(path, packed)
    return path


@pytest.mark.parametrize("mapped", [False, True])
def test_a_round_trip_is_exact_to_the_bit(packed, file, mapped):
    again = storage.load(file, mapped=mapped)
    for name, array in packed.poses.pack._asdict().items():
        assert np.array_equal(getattr(again.poses.pack, name), array), name
    for name in ("positions", "rotations", "velocities", "angular_velocities", "contacts", "no_exit", "cost_factor"):
        assert np.array_equal(np.asarray(getattr(again.poses, name)), np.asarray(getattr(packed.poses, name))), name
    assert np.array_equal(np.asarray(again.features.values), np.asarray(packed.features.values))
    assert again.poses.clip_names == packed.poses.clip_names
    assert again.about == packed.about


def test_roots_that_leave_the_ground_keep_their_heights(acts, tmp_path):
    packed = pack_database(acts, 1e-3).database
    storage.save(tmp_path / "a.kinematch", packed)
    again = storage.load(tmp_path / "a.kinematch")
    heights = acts.poses.positions[:, 0, 1]
    assert heights.max() > 0.3
    for one in (packed, again):
        assert np.array_equal(one.poses.positions[:, 0, 1], heights)
        assert np.abs(one.poses.velocities[:, 0] - acts.poses.velocities[:, 0]).max() < 0.01


def test_saving_what_was_loaded_gives_the_same_bytes(file, tmp_path):
    storage.save(tmp_path / "b.kinematch", storage.load(file))
    assert (tmp_path / "b.kinematch").read_bytes() == file.read_bytes()


def test_an_earlier_version_is_told_that_the_file_is_newer(file):
    assert b'"version":"4"' in file.read_bytes()[:4096]


def test_a_file_that_an_earlier_version_packed_is_refused_with_what_to_do(packed):
    arrays, about = storage.to_arrays(packed)
    del about["packed"]["layout"]
    with pytest.raises(FileError, match="packed by an earlier version; pack the database"):
        storage.from_arrays("old.kinematch", dict(arrays), json.loads(json.dumps(about)))


def test_a_packed_file_cut_off_or_changed_anywhere_is_refused(file, tmp_path):
    data = file.read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.integers(0, len(data), 40).tolist():
        (tmp_path / "short").write_bytes(data[:at])
        with pytest.raises(FileError):
            storage.load(tmp_path / "short")
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    for name, entry in header.items():
        first, last = entry.get("data_offsets", (0, 0))
        if last > first and not name.startswith("filler."):
            broken = bytearray(data)
            broken[start + (first + last) // 2] ^= 4
            (tmp_path / "broken").write_bytes(broken)
            with pytest.raises(FileError, match=f"contents of {name!r}"):
                storage.load(tmp_path / "broken")


def change_offsets(arrays):
    arrays["packed.offsets"][1] += 1


def point_far(arrays):
    arrays["packed.offsets"][-1] = 2**30


def go_back(arrays):
    arrays["packed.offsets"][1] = -5


def widen(arrays):
    arrays["packed.data"][WIDTHS + 1] = 31  # of a channel's numbers


def choose_another_stride(arrays):
    arrays["packed.data"][SIZE] ^= 1 << KIND_SHIFT


def forget_a_centre(arrays):
    arrays["packed.data"][CENTRES + 1 : HEAD : LANES] = 0


def read_elsewhere(arrays):
    arrays["packed.data"][ENDS] += 1


def shift_farther(arrays):
    arrays["packed.data"][SHIFTS] += 64


def begin_elsewhere(arrays):
    arrays["packed.data"][1] = 255  # of where knots are


def claim_longer_rows(arrays):
    arrays["packed.data"][SIZE] += 1


def claim_plain_numbers(arrays):
    arrays["packed.raw"][0] ^= True


def shorten(name):
    def shorten_it(arrays):
        arrays[name] = arrays[name][:-1].copy()

    return shorten_it


def change_type(arrays):
    arrays["packed.features"] = arrays["packed.features"].astype(np.int32)


def lose_a_number(arrays):
    arrays["packed.centres"][0, 0, 0] = np.nan


def move_another_joint(arrays):
    arrays["packed.moving"][0] = 99


def move_the_root(arrays):
    arrays["packed.moving"][0] = 0


def skip_a_clip(arrays):
    arrays["poses.clip_stops"][0] = 7


def begin_runs_late(arrays):
    arrays["marks.factor_starts"][0] = 3


SHORTENED = [
    "packed.data", "packed.offsets", "packed.raw", "packed.roots", "packed.flags", "packed.toe_heights",
    "packed.paces", "packed.features", "packed.root_steps", "packed.rest", "marks.bits", "packed.contact_left",
]  # fmt: skip


@pytest.mark.parametrize(
    "spoil",
    [
        change_offsets, point_far, go_back, widen, choose_another_stride, forget_a_centre, claim_plain_numbers,
        read_elsewhere, shift_farther, begin_elsewhere, claim_longer_rows,
        change_type, lose_a_number, move_another_joint, move_the_root, skip_a_clip, begin_runs_late,
        *map(shorten, SHORTENED),
    ],
)  # fmt: skip
def test_a_file_whose_checksums_fit_but_whose_numbers_lie_is_refused(packed, spoil):
    arrays, about = storage.to_arrays(packed)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    spoil(arrays)
    with pytest.raises(FileError, match="is damaged"):
        storage.from_arrays("hostile.kinematch", arrays, json.loads(json.dumps(about)))


def test_segments_are_checked_against_their_frames(packed):
    lengths = cut_clips(packed.poses.clip_starts, packed.poses.clip_stops).lengths
    check_segments(packed.poses.pack, lengths)
    with pytest.raises(KinematchError):
        check_segments(packed.poses.pack, lengths - (lengths > 20))


def test_other_weights_and_filters_share_the_packed_arrays(packed):
    heavier = replace(packed, features=packed.features.with_weights({"hips_velocity": 3.0}), filter="walk")
    assert heavier.poses.pack.data is packed.poses.pack.data
