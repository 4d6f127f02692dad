"""Laws of database files: exact round trips, alignment, refusal of everything damaged, nothing half-written."""

import contextlib
import hashlib
import json
import os
import pickle
import struct
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open

import kinematch as km
from kinematch.database import container, storage
from kinematch.database.feature_database import build_features
from kinematch.database.features import Feature
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.storage import Database
from kinematch.errors import FileError, KinematchError


@pytest.fixture(scope="module")
def built(database, walk):
    poses = database(walk("a", turn=0.5, tags=("walk",)), walk("b", turn=-1.0, tags=("left", "walk")))
    schema = FeatureSchema((*default_features(), Feature("height", "chest", weight=0.5)))
    features = build_features(poses, schema, warn=lambda message: None).with_weights(
        {"hips_velocity": 2.0}, quality=0.5
    )
    return Database(poses, features, {"recipe": "é = 1", "warnings": ["none"]})


@pytest.fixture
def file(built, tmp_path):
    path = tmp_path / "a.kinematch"
    storage.save(path, built)
    return path


def header_of(data: bytes) -> tuple[int, dict]:
    (length,) = struct.unpack("<Q", data[:8])
    return length, json.loads(data[8 : 8 + length])


def test_a_round_trip_is_exact_to_the_bit(built, file):
    again = storage.load(file, verify=True)
    for part in ("poses", "features"):
        before, after = getattr(built, part), getattr(again, part)
        for field in fields(before):
            value = getattr(before, field.name)
            if isinstance(value, np.ndarray):
                assert getattr(after, field.name).dtype == value.dtype
                assert getattr(after, field.name).tobytes() == value.tobytes()
    assert again.poses.clip_names == built.poses.clip_names
    assert again.poses.tags.names == built.poses.tags.names
    assert again.poses.tags.frames.tobytes() == built.poses.tags.frames.tobytes()
    assert again.poses.skeleton.difference(built.poses.skeleton) is None
    assert again.poses.skeleton.roles == built.poses.skeleton.roles
    assert again.features.schema == built.features.schema
    assert again.features.weights == built.features.weights
    assert again.features.normalisation == "block"
    assert again.about == built.about


def test_saving_what_was_loaded_gives_the_same_bytes(file, tmp_path):
    storage.save(tmp_path / "b.kinematch", storage.load(file))
    assert (tmp_path / "b.kinematch").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("mapped", [False, True])
def test_arrays_are_aligned_and_read_only(file, mapped):
    again = storage.load(file, mapped=mapped)
    for array in (again.features.values, again.poses.positions, again.poses.tags.frames, again.poses.clip_starts):
        assert array.ctypes.data % 64 == 0
        assert not array.flags.owndata
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_safetensors_library_reads_it_too(built, file):
    with safe_open(file, "np") as tensors:
        assert tensors.metadata()["format"] == "kinematch database"
        np.testing.assert_array_equal(tensors.get_tensor("features.values"), built.features.values)
        np.testing.assert_array_equal(tensors.get_tensor("poses.contacts"), built.poses.contacts)


def test_a_newer_version_is_refused_as_such(file, monkeypatch, built):
    monkeypatch.setattr(storage, "PLAIN_VERSION", 9)
    storage.save(file, built)
    monkeypatch.undo()
    with pytest.raises(FileError, match=r"newer kinematch \(format version 9, this one reads 4\)"):
        storage.load(file)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_off_anywhere_is_refused(file, tmp_path, part):
    data = file.read_bytes()
    short = tmp_path / "short"
    short.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(FileError, match=r"cut off|no database"):
        storage.load(short)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), mask=st.integers(1, 255))
def test_any_flipped_bit_of_the_header_is_refused(file, tmp_path, where, mask):
    data = bytearray(file.read_bytes())
    length, _ = header_of(data)
    data[int((8 + length) * where)] ^= mask
    broken = tmp_path / "broken"
    broken.write_bytes(data)
    with pytest.raises(FileError):
        storage.load(broken)


@pytest.mark.parametrize("mapped", [False, True])
def test_any_flipped_byte_of_the_contents_is_found(file, tmp_path, mapped):
    data = file.read_bytes()
    length, header = header_of(data)
    rng = np.random.default_rng(0)
    for name, entry in header.items():
        if name == "__metadata__" or name.startswith("filler.") or entry["data_offsets"][0] == entry["data_offsets"][1]:
            continue
        broken = bytearray(data)
        at = 8 + length + int(rng.integers(*entry["data_offsets"]))
        broken[at] ^= 1
        (tmp_path / "broken").write_bytes(broken)
        with pytest.raises(FileError, match=f"contents of {name!r} do not fit their checksum"):
            storage.load(tmp_path / "broken", mapped=mapped)


def test_the_public_face_refuses_a_damaged_body(file):
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    with pytest.raises(FileError, match="do not fit their checksum"):
        km.load(file)


def test_a_file_that_is_emptied_in_place_does_not_change_what_was_read(built, file):
    again = storage.load(file)
    file.write_bytes(b"")  # pages of a mapped file would be gone
    assert np.array_equal(again.poses.rotations, built.poses.rotations)


def forge(header: dict) -> bytes:
    """The start of a file whose header fits its checksum, whatever it says."""
    header["__metadata__"]["checksum"] = container.NO_CHECKSUM
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    text = text.replace(container.NO_CHECKSUM.encode(), hashlib.sha256(text).hexdigest().encode(), 1)
    return struct.pack("<Q", len(text)) + text


def test_arrays_that_overlap_or_leave_holes_are_refused(file, tmp_path):
    data = file.read_bytes()
    length, header = header_of(data)
    name = "features.targets"
    start, stop = header[name]["data_offsets"]
    for shift in (-64, 64):
        header[name]["data_offsets"] = [start + shift, stop + shift]
        (tmp_path / "forged").write_bytes(forge(header) + data[8 + length :])
        with pytest.raises(FileError, match="damaged"):
            storage.load(tmp_path / "forged")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("digests", None),
        ("more", 3),
        ("more", ["x"]),
        ("frame_rate", 0),
        ("frame_rate", float("nan")),
        ("clips", ["x"]),
    ],
)
def test_what_a_file_says_of_itself_must_make_sense(file, tmp_path, key, value):
    data = file.read_bytes()
    length, header = header_of(data)
    about = json.loads(header["__metadata__"]["about"]) | {key: value}
    header["__metadata__"]["about"] = json.dumps(about)
    (tmp_path / "forged").write_bytes(forge(header) + data[8 + length :])
    with pytest.raises(FileError, match="is damaged"):
        storage.load(tmp_path / "forged", verify=True)


def test_contact_joints_that_do_not_exist_are_refused(file, tmp_path):
    data = bytearray(file.read_bytes())
    length, header = header_of(bytes(data))
    start = 8 + length + header["poses.contact_joints"]["data_offsets"][0]
    data[start + 3] = 0x7F
    file.write_bytes(data)
    with pytest.raises(FileError, match=r"is damaged: poses.contact_joints\[0\] is \d+, expected 0 to"):
        storage.load(file, verify=False)


def test_bytes_past_the_end_are_refused(file):
    file.write_bytes(file.read_bytes() + b"more")
    with pytest.raises(FileError, match="bytes past its end"):
        storage.load(file)


@st.composite
def forged_headers(draw):
    """Changes to a header by somebody who also makes its checksum right."""
    return draw(st.sampled_from(["drop", "dtype", "shape", "offset", "about", "extra", "negative", "huge"])), draw(
        st.integers(0, 10**6)
    )


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(change=forged_headers())
def test_a_forged_header_is_refused_or_harmless_but_never_crashes(file, tmp_path, change):
    kind, seed = change
    data = file.read_bytes()
    length, header = header_of(data)
    names = [name for name in header if name != "__metadata__"]
    name = names[seed % len(names)]
    match kind:
        case "drop":
            del header[name]
        case "dtype":
            header[name]["dtype"] = ["F32", "I64", "U8", "BF16", 7][seed % 5]
        case "shape":
            header[name]["shape"] = [[seed], [], [seed, seed], "x", [1.5], [True]][seed % 6]
        case "offset":
            header[name]["data_offsets"] = [seed, seed + 10]
        case "negative":
            header[name]["shape"] = [-1, *header[name]["shape"]]
        case "huge":
            header[name]["data_offsets"] = [0, 2**63]
        case "extra":
            header[name]["more"] = None
        case "about":
            about = json.loads(header["__metadata__"]["about"])
            keys = sorted(about)
            about[keys[seed % len(keys)]] = [None, 3, "x", [], {}][seed % 5]
            header["__metadata__"]["about"] = json.dumps(about)
    forged = tmp_path / "forged"
    forged.write_bytes(forge(header) + data[8 + length :])
    with contextlib.suppress(FileError):
        storage.load(forged)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "only 0 bytes"),
        (b"HIERARCHY\nROOT Hips\n{\n", "safetensors header"),
        (b"\x00" * 1000, "safetensors header"),
        (struct.pack("<Q", 2**62) + b"{}", "safetensors header"),
        (struct.pack("<Q", 500) + b"{" + b" " * 90, "cut off"),
        (struct.pack("<Q", 2) + b"{}", "no kinematch database"),
        (struct.pack("<Q", 4) + b"{[ }", "damaged"),
        (struct.pack("<Q", 2000) + b'{"a":' * 400, "damaged"),
    ],
)
def test_other_files_are_refused_with_a_reason(tmp_path, contents, message):
    (tmp_path / "x").write_bytes(contents)
    with pytest.raises(FileError, match=message):
        storage.load(tmp_path / "x")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        storage.load(tmp_path / "none")
    with pytest.raises(FileError, match="is a folder, expected a database"):
        storage.load(tmp_path)


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="is not a regular file"):
        storage.load(tmp_path / "pipe")


def test_a_failed_save_leaves_the_earlier_file_and_no_litter(file, built, monkeypatch):
    before = file.read_bytes()

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="No space left"):
        storage.save(file, built)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_an_interrupt_while_saving_leaves_the_earlier_file_and_no_litter(file, built, monkeypatch):
    before = file.read_bytes()

    def interrupt(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        storage.save(file, built)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_what_a_killed_writer_left_is_swept_up(file, built):
    orphan = file.with_name(f".{file.name}.{2**22 + 1}.part")  # no process has so high a number
    busy = file.with_name(f".{file.name}.{os.getppid()}.part")
    orphan.touch()
    busy.touch()
    storage.save(file, built)
    assert not orphan.exists()
    assert busy.exists()


def test_a_database_with_a_feature_that_is_not_registered_here_opens_but_cannot_be_asked(file, tmp_path, built):
    from kinematch.database import features
    from kinematch.database.features import QueryInput

    features.register_feature("mine", build=lambda f, p: np.zeros((p.frame_count, 2)), query=lambda f, q: None, width=2)
    try:
        own = build_features(built.poses, FeatureSchema((Feature("mine"),)), warn=lambda message: None)
        storage.save(tmp_path / "own", Database(built.poses, own))
    finally:
        del features.KINDS["mine"]
    opened = storage.load(tmp_path / "own")
    assert opened.features.width == 2
    assert opened.features.column_weights().tolist() == [1, 1]
    with pytest.raises(KinematchError, match="register_feature"):
        opened.features.schema.query(QueryInput())


def test_the_default_filter_survives_and_files_from_before_there_was_one_have_none(built, tmp_path):
    storage.save(tmp_path / "filtered", replace(built, filter="walk & !left"))
    assert storage.load(tmp_path / "filtered").filter == "walk & !left"
    arrays, about = storage.to_arrays(built)
    del about["filter"]
    container.write_arrays(tmp_path / "old", arrays, format=storage.FORMAT, version=1, about=about)
    assert storage.load(tmp_path / "old").filter == ""


@pytest.mark.parametrize("wrong", ["run", "walk &", 7, None])
def test_a_filter_that_cannot_work_is_refused_in_memory_and_in_files(built, tmp_path, wrong):
    with pytest.raises(KinematchError, match="filter"):
        replace(built, filter=wrong)
    arrays, about = storage.to_arrays(built)
    container.write_arrays(tmp_path / "bad", arrays, format=storage.FORMAT, version=1, about={**about, "filter": wrong})
    with pytest.raises(FileError, match="is damaged: filter"):
        storage.load(tmp_path / "bad")


def test_errors_say_whether_a_file_is_foreign_damaged_or_newer(built, file, tmp_path):
    arrays, about = storage.to_arrays(built)
    container.write_arrays(tmp_path / "newer", arrays, format=storage.FORMAT, version=99, about=about)
    container.write_arrays(tmp_path / "other", arrays, format="another format", version=1, about=about)
    (tmp_path / "text").write_text("a walk in the park")
    whole = file.read_bytes()
    (tmp_path / "short").write_bytes(whole[:-1])
    middle = len(whole) // 2
    (tmp_path / "flipped").write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    kinds = {"newer": "newer", "other": "foreign", "text": "foreign", "short": "damaged", "flipped": "damaged"}
    for name, kind in kinds.items():
        with pytest.raises(FileError) as raised:
            storage.load(tmp_path / name, verify=True)
        assert raised.value.kind == kind
        assert pickle.loads(pickle.dumps(raised.value)).kind == kind
