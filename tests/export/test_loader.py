"""The loader refuses what is damaged or meant for something else, and reads nothing beyond the file."""

import shutil
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinematch as km
from kinematch.bench.damaged_exports import load_damaged
from kinematch.export import format as at
from kinematch.export.data_file import read_about, sign
from kinematch.export.native.kinematch_native import Characters, NativeError


def change(data: bytes, word: int, value: int, *, signed: bool = True) -> bytes:
    """The file with another number at a word, and with the right checksum for it unless told otherwise."""
    out = bytearray(data)
    out[at.WORD * word : at.WORD * (word + 1)] = np.int64(value).tobytes()
    if signed:
        sign(out)
    return bytes(out)


@pytest.mark.parametrize(
    ("word", "value", "error"),
    [
        (at.FILE_MAGIC, 0, at.NO_FILE),
        (at.FILE_VERSION, 99, at.OTHER_VERSION),
        (at.FILE_SIZE, 64, at.CUT_SHORT),
        (at.RECORDS, 5, at.OTHER_RECORDS),
        (at.ARRAY_COUNT, -1, at.OUT_OF_RANGE),
        (at.ARRAY_COUNT, 9999, at.OUT_OF_RANGE),
        (at.PATCH_COUNT, 2**60, at.OUT_OF_RANGE),
        (at.INSTANCE, 2**40, at.OUT_OF_RANGE),
        (at.ABOUT_AT, -8, at.OUT_OF_RANGE),
        (at.ABOUT_SIZE, 2**62, at.OUT_OF_RANGE),
    ],
)
def test_heads_that_are_wrong_are_refused(walker_data, library, word, value, error):
    with pytest.raises(NativeError) as raised:
        Characters(library, change(walker_data, word, value))
    assert raised.value.code == error
    assert str(raised.value) == at.ERRORS[error]


def test_a_file_that_asks_for_far_more_memory_than_it_has_is_refused(walker_data, library):
    head = np.frombuffer(walker_data, np.int64, at.FILE_HEAD)
    table = np.frombuffer(walker_data, np.int64, at.ARRAY_WORDS * head[at.ARRAY_COUNT], at.WORD * at.FILE_HEAD)
    row = int(np.flatnonzero(table.reshape(-1, at.ARRAY_WORDS)[:, at.FILL] == at.ZEROS)[0])
    with pytest.raises(NativeError) as raised:
        Characters(library, change(walker_data, at.FILE_HEAD + at.ARRAY_WORDS * row + at.SHAPE, 2**26))
    assert raised.value.code == at.OUT_OF_RANGE


@pytest.mark.parametrize("count", [0, -1, at.MAX_COUNT + 1, 2**62])
def test_numbers_of_characters_are_bounded(walker_data, library, count):
    with pytest.raises(NativeError) as raised:
        Characters(library, walker_data, count)
    assert raised.value.code == at.TOO_MANY


def test_a_file_that_is_cut_short_is_refused(walker_data, library):
    for size in (0, 5, 100, 128, 4096, len(walker_data) - 8):
        with pytest.raises(NativeError) as raised:
            Characters(library, walker_data[:size])
        assert raised.value.code in (at.NO_FILE, at.CUT_SHORT)


@settings(max_examples=60)
@given(st.data())
def test_any_changed_byte_is_noticed(walker_data, library, data):
    place = data.draw(st.integers(0, len(walker_data) - 1))
    damaged = bytearray(walker_data)
    damaged[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(NativeError):
        Characters(library, bytes(damaged))


@settings(max_examples=150)
@given(st.data())
def test_wrong_numbers_under_a_right_checksum_are_refused_or_harmless(walker_data, library, data):
    head = np.frombuffer(walker_data, np.int64, at.FILE_HEAD)
    arrays, patches = int(head[at.ARRAY_COUNT]), int(head[at.PATCH_COUNT])
    table = data.draw(st.booleans())
    size = at.ARRAY_WORDS * arrays if table else at.PATCH_WORDS * patches
    start = at.FILE_HEAD + (0 if table else at.ARRAY_WORDS * arrays)
    word = start + data.draw(st.integers(0, size - 1))
    value = data.draw(st.sampled_from([-1, 2**31, 2**40, 2**62, -(2**63)]))
    if (word - start) % (at.ARRAY_WORDS if table else at.PATCH_WORDS) in (
        {at.STEP, at.SPREAD, at.IS_STATE} if table else {at.PATCH_FIXED, at.PATCH_EACH}
    ):
        return  # numbers of the step itself, which mean what they say
    with suppress(NativeError):  # a process that reads elsewhere would end
        own = Characters(library, change(walker_data, word, value))  # kept: its arrays are its memory
        assert own.array("instance.characters")[0] >= 0


def test_unknown_arrays_are_refused_and_known_ones_have_their_shapes(walker_data, library):
    own = Characters(library, walker_data, 3)
    joints = len(read_about(walker_data)["joints"])
    assert own.array("pose.rotations").shape == own.array("pose.global_rotations").shape == (3, joints, 4)
    assert own.array("settings.search_interval") == km.Settings().search_interval
    for name in ("", "pose", "pose.rotation", "pose.rotations2"):
        with pytest.raises(NativeError, match="no array"):
            own.array(name)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler of C")
def test_damaged_files_harm_no_program_in_c(walker_data, library):
    found = load_damaged(walker_data, 400, seed=3)
    assert found["refused"] > 200
    assert found["refused"] + found["played"] <= 400
