"""A page makes the very data file of its compact form, from packed databases, plain ones and several of them."""

import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kinematch.database.packing.poses import PackedPoses
from kinematch.export.character import pack, write_character, write_download
from kinematch.export.compact import encode_numbers, wrap
from kinematch.export.folders import write_module

SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { expand } from "./expand.mjs";
const [given, out] = process.argv.slice(2);
writeFileSync(out, expand(new Uint8Array(inflateSync(readFileSync(given)))));
"""


@pytest.fixture(scope="module")
def expand(tmp_path_factory):
    """expand(data): the data file as a page makes it."""
    folder = tmp_path_factory.mktemp("expand")
    (folder / "expand.mjs").write_bytes(write_module() + b"\nexport { expand };\n")
    (folder / "run.mjs").write_text(SCRIPT)

    def run(data: bytes) -> bytes:
        (folder / "given").write_bytes(data)
        subprocess.run(["node", "run.mjs", "given", "out"], cwd=folder, check=True, timeout=120)
        return (folder / "out").read_bytes()

    return run


def test_packed_databases_come_back_bit_for_bit(walker, built_of, expand):
    packed = [pack(walker), pack(built_of("idle", "run_2.6").database)]
    given = {"filters": ["idle"], "names": ["a", "b"]}
    data = write_download(packed, **given)
    file = write_character(packed, **given)
    assert expand(data) == file
    assert len(data) < len(file) / 4


def test_plain_databases_come_back_bit_for_bit(walker, expand):
    assert expand(write_download(walker)) == write_character(walker)


def test_what_is_packed_for_pages_stays_close(walker):
    poses = pack(walker).poses
    assert isinstance(poses, PackedPoses)
    frames = np.arange(0, poses.frame_count, 7)
    assert np.abs(poses.positions[frames] - walker.poses.positions[frames]).max() < 2e-3  # m
    values = np.asarray(pack(walker).features.values)
    spread = np.ptp(walker.features.values, axis=0)
    assert (np.abs(values - walker.features.values) <= spread / 4096 + 1e-6).all()


@given(arrays(np.int64, st.integers(0, 50), elements=st.integers(-32768, 32767)))
def test_numbers_take_a_byte_where_they_are_small(numbers):
    low, escaped = encode_numbers(numbers)
    folded = np.frombuffer(low, np.uint8).astype(int)
    folded[folded == 255] = np.frombuffer(escaped, "<u2")
    assert np.array_equal(np.where(folded & 1, -(folded >> 1) - 1, folded >> 1), numbers)


@given(st.integers(-200_000, 200_000))
def test_wrapped_numbers_are_the_same_modulo_their_size(number):
    assert (wrap(np.array([number]), 16)[0] - number) % 65536 == 0
    assert -32768 <= wrap(np.array([number]), 16)[0] < 32768
