"""The transport form: every frame within the bound, everything else as it was, and no file that is trusted too far."""

import json
import lzma
from dataclasses import replace

import numpy as np
import pytest

from kinematch.character.crowd import Crowd
from kinematch.control.command import move
from kinematch.database import storage
from kinematch.database.container import write_arrays
from kinematch.database.packing.pack import measure_errors
from kinematch.database.transport.curves import DEAD, decode_curves, encode_curves, list_sizes
from kinematch.database.transport.encode import encode_database
from kinematch.database.transport.symbols import FILTERS, read_numbers, write_numbers
from kinematch.errors import FileError, KinematchError

BOUND = 1e-3


@pytest.fixture(scope="module")
def plain(built_of):
    """A loop and a clip, each with its mirror image."""
    return built_of("walk_1.35", "walk_turn_*_90", mirror=True).database


@pytest.fixture(scope="module")
def sent(plain):
    return encode_database(plain.poses, plain.features, BOUND)


@pytest.fixture
def file(plain, sent, tmp_path):
    path = tmp_path / "sent.kinematch"
    storage.save(path, plain, sent.arrays)
    return path


@pytest.mark.parametrize("frames", [1, 2, 16, 17, 100])
def test_curves_come_back_within_the_steps_that_zeros_may_miss(frames):
    rng = np.random.default_rng(frames)
    steps = np.array([0.01, 0.1, 2.0])
    curves = np.cumsum(rng.normal(size=(frames, 3)), axis=0) * [0.02, 1, 50]
    levels, back = encode_curves(curves, steps)
    assert [len(level) for level in levels] == list_sizes(frames)
    np.testing.assert_array_equal(decode_curves(levels, steps, frames), back)
    assert (np.abs(back - curves) <= DEAD * steps + 1e-9).all()


def test_whole_numbers_come_back_whatever_their_size():
    numbers = np.array([0, -1, 1, 127, -127, -128, 128, 5000, -(2**30), 2**30 - 1])
    np.testing.assert_array_equal(read_numbers(*write_numbers(numbers), len(numbers)), numbers)
    with pytest.raises(KinematchError, match="too large"):
        write_numbers(np.array([2**31]))


def test_every_frame_is_within_the_bound_and_all_else_is_as_it_was(plain, sent, file):
    again, poses = storage.load(file), plain.poses
    errors = measure_errors(poses, again.poses)
    np.testing.assert_array_equal(errors, sent.errors)
    assert errors.max() <= BOUND
    assert np.linalg.norm(again.poses.positions[:, 0] - poses.positions[:, 0], axis=-1).max() == sent.root_error < 5e-4
    for name in ("contacts", "no_entry", "no_exit", "cost_factor", "clip_stops", "clip_loops", "loop_positions"):
        np.testing.assert_array_equal(getattr(again.poses, name), getattr(poses, name))
    np.testing.assert_array_equal(again.poses.tags.frames, poses.tags.frames)
    np.testing.assert_array_equal(again.features.targets, plain.features.targets)
    assert (again.poses.clip_names, again.about, again.filter) == (poses.clip_names, plain.about, plain.filter)
    assert np.abs(again.poses.velocities - poses.velocities).max() < 0.1
    assert np.abs(again.features.values - plain.features.values).mean() < 0.02
    assert Crowd(again, 2).step(move(np.array([[0.0, 0, 1], [1, 0, 0]])), 1 / 60).positions.shape[0] == 2


def test_mirror_images_are_a_flag_each_and_those_that_are_none_are_stored(plain, sent):
    poses = plain.poses
    assert sent.mirrored == poses.clip_count // 2
    assert len(sent.arrays["transport.shares"]) == poses.clip_count // 2
    changed = np.array(poses.rotations)
    own = poses.clip_frames(poses.clip_names.index(next(n for n in poses.clip_names if n.endswith("(mirrored)"))))
    changed[own, 3] = changed[own, 3][::-1]
    other = encode_database(replace(poses, rotations=changed), plain.features, BOUND)
    assert other.mirrored == sent.mirrored - 1
    assert other.errors.max() <= BOUND


def test_a_transport_file_cut_off_or_changed_is_refused(file, tmp_path):
    data = file.read_bytes()
    for at in np.random.default_rng(0).integers(0, len(data), 20).tolist():
        (tmp_path / "short").write_bytes(data[:at])
        with pytest.raises(FileError):
            storage.load(tmp_path / "short")
    start = 8 + int.from_bytes(data[:8], "little")
    for name, entry in json.loads(data[8:start]).items():
        if name.startswith("transport."):
            broken = bytearray(data)
            broken[start + sum(entry["data_offsets"]) // 2] ^= 4
            (tmp_path / "broken").write_bytes(broken)
            with pytest.raises(FileError, match=f"contents of {name!r}"):
                storage.load(tmp_path / "broken")


def bomb(arrays):
    """A small stream that unpacks to far more than may be taken."""
    quick = {"mode": lzma.MODE_FAST, "mf": lzma.MF_HC3, "nice_len": 273, "depth": 1}
    squeezer = lzma.LZMACompressor(format=lzma.FORMAT_RAW, filters=[FILTERS[0] | quick])
    parts = [squeezer.compress(bytes(1 << 24)) for _ in range(12)]
    arrays["transport.small"] = np.frombuffer(b"".join([*parts, squeezer.flush()]), np.uint8)


def claim_many_frames(arrays):
    arrays["poses.clip_stops"][-1] = 2**31 - 1


def cut_stream(arrays):
    arrays["transport.small"] = arrays["transport.small"][:-20].copy()


def make_noise(arrays):
    arrays["transport.flags"] = np.arange(50, dtype=np.uint8)


def mirror_itself(arrays):
    arrays["transport.originals"][arrays["transport.originals"] >= 0] = 99


def lose_a_step(arrays):
    arrays["transport.shares"][0] = np.nan


def reach_far(arrays):
    arrays["transport.error"][0] = 1e30


def move_another_joint(arrays):
    arrays["transport.moving"][0] = 99


@pytest.mark.parametrize(
    "lie",
    [bomb, claim_many_frames, cut_stream, make_noise, mirror_itself, lose_a_step, reach_far, move_another_joint],
)
def test_a_file_that_lies_with_right_checksums_is_refused_in_bounded_memory(plain, sent, tmp_path, lie):
    import tracemalloc

    arrays, about = storage.to_arrays(plain, sent.arrays)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    lie(arrays)
    write_arrays(tmp_path / "lie", arrays, format=storage.FORMAT, version=storage.VERSION, about=about)
    tracemalloc.start()
    with pytest.raises(FileError, match="is damaged"):
        storage.load(tmp_path / "lie")
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()


def test_bounds_without_sense_are_refused(plain):
    with pytest.raises(KinematchError, match=r"expected 0\.0001 to 0\.1"):
        encode_database(plain.poses, plain.features, 1.0)
