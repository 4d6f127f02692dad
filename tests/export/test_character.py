"""What is written of a character: its description, and what is refused since it needs Python in every step."""

import numpy as np
import pytest

from kinematch.character.database_source import DatabaseSource
from kinematch.errors import KinematchError
from kinematch.export import format as at
from kinematch.export.character import write_character
from kinematch.export.data_file import read_about, sign
from kinematch.export.link import SYMBOLS, write_static
from kinematch.export.wasm import read_number, write_number
from kinematch.search import ExhaustiveMatcher, search_space


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**31, 2**40])
def test_numbers_of_modules_are_read_as_they_are_written(number):
    data = write_number(number)
    assert read_number(b"x" + data, 1) == (number, 1 + len(data))


def test_the_checksum_tells_exchanged_words(walker_data):
    words = np.frombuffer(walker_data, np.int64).copy()
    assert bytearray(walker_data) == _signed(words)
    words[[20, 21]] = words[[21, 20]]
    assert _signed(words)[8 * at.CHECKSUM :][:8] != walker_data[8 * at.CHECKSUM :][:8]


def _signed(words: np.ndarray) -> bytearray:
    out = bytearray(words.tobytes())
    sign(out)
    return out


def test_static_libraries_name_all_functions():
    archive = write_static(b"an odd size", "linux-x64")
    assert archive.startswith(b"!<arch>\n")
    assert all(name.encode() + b"\0" in archive for name in SYMBOLS)
    assert len(archive) % 2 == 0


def test_the_description_names_joints_filters_and_sources(walker):
    about = read_about(write_character(walker, filters=["idle"], names=["walker"]))
    assert about["joints"] == list(walker.skeleton.names)
    assert about["filters"] == [walker.filter, "idle"]
    assert about["sources"] == ["walker"]


def test_what_needs_python_is_refused_by_its_name(walker):
    with pytest.raises(KinematchError, match="ExhaustiveMatcher"):
        write_character(DatabaseSource(walker, matcher=lambda one: ExhaustiveMatcher(search_space(one))))
    with pytest.raises(KinematchError, match="admits no frame"):
        write_character(walker, filters=["idle & walk"])
