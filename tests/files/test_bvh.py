"""BVH reading: every way to write the same motion reads as that motion, with scipy as the oracle of rotations."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinematch.files import kernels, read_clip
from kinematch.files.bvh import read_bvh
from kinematch.files.frame_rate import frame_rate_from_time

CHANNELS = [f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ"]

# ways to print one number; each must mean what float() says it means
STYLES = (
    repr,
    "{:.6f}".format,
    "{:+.4f}".format,
    "{:.5e}".format,
    "{:.9E}".format,
    "{:.17g}".format,
    "{:.25f}".format,
    lambda x: f"{x:.3f}".replace("0.", ".", 1) if abs(x) < 1 else f"{x:.3f}",
    lambda x: f"{round(x)}.",
    lambda x: f"{round(x)}.e-1",
    lambda x: f"000{abs(x):.2f}",
)

numbers = st.builds(lambda x, style: style(x), st.floats(-400, 400), st.sampled_from(STYLES))
blanks = st.sampled_from([" ", "\t", "  ", " \t "])
names = st.sampled_from(["Hips", "Left Arm", "mixamorig:Hips", "JOINT", "腰", "a.b-c_1", "End", "x"])


@st.composite
def trees(draw):
    """Names, parents, offsets and channels of joints, depth first, and end sites as (joint, offset)."""
    parents = [-1]
    for j in range(1, draw(st.integers(1, 6))):
        path = [j - 1]  # depth first: a new joint hangs on the last one or on something above it
        while parents[path[-1]] >= 0:
            path.append(parents[path[-1]])
        parents.append(draw(st.sampled_from(path)))
    offsets = [draw(st.tuples(numbers, numbers, numbers)) for _ in parents]
    channels = [draw(st.lists(st.sampled_from(CHANNELS), unique=True)) for _ in parents]
    if not any(channels):
        channels[0] = ["Yposition", "Zrotation"]
    ends = [(j, draw(st.tuples(numbers, numbers, numbers))) for j in draw(st.lists(st.integers(0, len(parents) - 1)))]
    return [draw(names) for _ in parents], parents, offsets, channels, ends


@st.composite
def files(draw):
    """The text of a file in some style, and what it holds."""
    tree = names_, parents, offsets, channels, ends = draw(trees())
    newline, blank = draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n", " \n"])), draw(blanks)
    case = draw(st.sampled_from([str, str.upper, str.lower]))
    brace = draw(st.sampled_from([newline, " "]))

    def block(j):
        yield f"{case('ROOT') if j == 0 else case('JOINT')}{blank}{names_[j]}{brace}{{"
        yield case("OFFSET") + blank + blank.join(offsets[j])
        yield blank.join([case("CHANNELS"), str(len(channels[j])), *map(case, channels[j])])
        for on, offset in ends:
            if on == j:
                yield f"{case('End')}{blank}{case('Site')}{brace}{{"
                yield f"{case('OFFSET')} {blank.join(offset)}{brace}}}"
        for child in range(len(parents)):
            if parents[child] == j:
                yield from block(child)
        yield "}"

    width = sum(map(len, channels))
    rows = draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=1, max_size=3))
    head = [case("HIERARCHY"), *block(0), case("MOTION"), f"{case('Frames:')}{blank}{len(rows)}"]
    lines = [*head, f"{case('Frame Time:')}{blank}0.0333333", *(blank.join(row) + blank for row in rows)]
    return newline.join(lines) + draw(st.sampled_from(["", newline])), tree, rows


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=150
)
@given(file=files())
def test_every_style_reads_as_the_motion_it_was_written_from(tmp_path, file):
    text, (names_, parents, offsets, channels, ends), rows = file
    (tmp_path / "random.bvh").write_bytes(text.encode())
    clip = read_bvh(tmp_path / "random.bvh")
    rig = clip.skeleton
    assert clip.frame_rate == 30
    assert rig.parents.tolist() == parents
    assert len(set(rig.names)) == len(names_)
    assert [name.startswith(plain) for name, plain in zip(rig.names, names_)] == [True] * len(names_)
    np.testing.assert_allclose(rig.offsets, np.array(offsets, float), rtol=1e-6, atol=1e-12)
    order = sorted(range(len(ends)), key=lambda k: ends[k][0])
    assert rig.end_parents.tolist() == [ends[k][0] for k in order]
    for k, e in enumerate(order):
        np.testing.assert_allclose(rig.end_offsets[k], np.array(ends[e][1], float), rtol=1e-6, atol=1e-12)
    for f, row in enumerate(rows):
        values = iter(map(float, row))
        for j in range(len(parents)):
            position, turn = np.array(offsets[j], float), Rotation.identity()
            for channel in channels[j]:
                value, axis = next(values), channel[0]
                if channel.endswith("position"):
                    position["XYZ".index(axis)] = value
                else:
                    turn = turn * Rotation.from_euler(axis, value, degrees=True)
            np.testing.assert_allclose(clip.positions[f, j], position, rtol=1e-6, atol=1e-12)
            expected = turn.as_quat(scalar_first=True)
            agreement = abs(float(expected @ clip.rotations[f, j].astype(float)))
            assert agreement == pytest.approx(1, abs=1e-6)


@given(
    word=st.one_of(
        numbers, st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True)
    )
)
@settings(deadline=None, max_examples=500)
def test_the_compiled_number_is_what_float_says(word):
    data = np.frombuffer(word.encode(), np.uint8)
    value, end = kernels.parse_number(data, 0)
    if np.isfinite(value):
        assert (value, end) == kernels.parse_number.py_func(data, 0)  # as with NUMBA_DISABLE_JIT
    assert end == len(word)
    # float64 holds 2e-16 of a number; subnormal results lose more and are far below any motion
    np.testing.assert_allclose(value, float(word), rtol=2e-15, atol=1e-290)


@pytest.mark.parametrize(
    "word", ["", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "--1", "1-2", "0x10", "nan", "inf", "1,5", "1_0", "1.#IND"]
)
def test_what_is_no_number_is_refused(word):
    assert kernels.parse_number(np.frombuffer(word.encode() + b" ", np.uint8), 0)[1] == -1


@pytest.mark.parametrize(
    ("printed", "rate"),
    [
        *(("0.0333333", 30), ("0.033333", 30), ("0.0333", 30), ("0.033", 30), (".0333333", 30), ("3.33333E-2", 30)),
        *(("0.0083333", 120), (".0083333", 120), ("0.00833333", 120), ("0.008333", 120), ("0.0083", 120)),
        *(("0.016667", 60), ("0.0167", 60), ("0.01666667", 60), ("0.04", 25), ("0.01", 100), ("0.0111111", 90)),
        *(("0.041708", 24000 / 1001), ("0.0417083", 24000 / 1001), ("0.0417083750417", 23.976)),
        *(
            ("0.0334", 30000 / 1001),
            ("0.033367", 30000 / 1001),
            ("0.0333667", 30000 / 1001),
            ("0.0166833", 60000 / 1001),
            ("0.0416667", 24),
        ),
        *(("1", 1), ("0.5", 2), ("2.0", 0.5), ("0.0270270", 37), ("0.0123", 81), ("0.0123000", 1 / 0.0123)),
    ],
)
def test_a_printed_frame_time_means_the_rate_that_people_use(printed, rate):
    assert frame_rate_from_time(printed) == pytest.approx(rate, rel=1e-12)


@given(st.floats(0.2, 2000), st.integers(6, 12))
def test_snapping_stays_within_what_the_digits_say(rate, digits):
    printed = f"{1 / rate:.{digits}f}"
    assert abs(1 / frame_rate_from_time(printed) - float(printed)) <= 1.000001 * 10.0**-digits


def write(folder: Path, hierarchy: str, motion: str) -> Path:
    path = folder / "file.bvh"
    path.write_text(f"HIERARCHY\n{hierarchy}\nMOTION\n{motion}")
    return path


def test_missing_position_channels_keep_the_offset(tmp_path):
    path = write(tmp_path, "ROOT a { OFFSET 1 2 3 CHANNELS 1 Yposition }", "Frames: 2\nFrame Time: 0.1\n7\n8\n")
    assert read_bvh(path).positions[:, 0].tolist() == [[1, 7, 3], [1, 8, 3]]


def test_proper_euler_angles_are_read(tmp_path):
    path = write(
        tmp_path,
        "ROOT a { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Zrotation }",
        "Frames: 1\nFrame Time: 1\n10 20 30\n",
    )
    expected = Rotation.from_euler("ZXZ", [10, 20, 30], degrees=True).as_quat(scalar_first=True)
    np.testing.assert_allclose(read_bvh(path).rotations[0, 0], expected, atol=1e-7)


def test_joints_of_one_name_are_told_apart_and_noted(tmp_path):
    leaf = "JOINT a { OFFSET 0 1 0 CHANNELS 1 Xrotation End Site { OFFSET 0 1 0 } }"
    path = write(
        tmp_path, f"ROOT a {{ OFFSET 0 0 0 CHANNELS 1 Xrotation {leaf} {leaf} }}", "Frames: 1\nFrame Time: 1\n1 2 3\n"
    )
    clip = read_bvh(path)
    assert clip.skeleton.names == ("a", "a_2", "a_3")
    assert [note.split(":")[0] for note in clip.source.notes] == ["line 2", "line 2"]


def test_a_deep_chain_is_read(tmp_path):
    deep = 2000  # twice what Python lets functions call themselves
    blocks = "".join(f"JOINT j{k} {{ OFFSET 0 1 0 CHANNELS 1 Xrotation\n" for k in range(1, deep))
    path = write(
        tmp_path,
        f"ROOT j0 {{ OFFSET 0 0 0 CHANNELS 1 Xrotation\n{blocks}{'}' * deep}",
        "Frames: 1\nFrame Time: 1\n" + "0 " * deep,
    )
    assert read_clip(path).skeleton.joint_count == deep


@pytest.mark.parametrize("order", ["".join(o) for o in itertools.permutations("XYZ")])
def test_a_root_with_rotations_first_reads_like_one_with_positions_first(tmp_path, order):
    turns = " ".join(f"{axis}rotation" for axis in order)
    places = "Xposition Yposition Zposition"
    after = write(
        tmp_path, f"ROOT a {{ OFFSET 0 0 0 CHANNELS 6 {turns} {places} }}", "Frames: 1\nFrame Time: 1\n10 20 30 1 2 3"
    )
    first = read_bvh(after)
    before = write(
        tmp_path, f"ROOT a {{ OFFSET 0 0 0 CHANNELS 6 {places} {turns} }}", "Frames: 1\nFrame Time: 1\n1 2 3 10 20 30"
    )
    np.testing.assert_array_equal(first.rotations, read_bvh(before).rotations)
    np.testing.assert_array_equal(first.positions, read_bvh(before).positions)


def test_every_file_of_the_real_data_reads_as_numpy_reads_it(data):
    for path in [
        *data.glob("rigs/*.bvh"),
        *data.glob("cmu/0*.bvh"),
        *data.glob("amass*/*.bvh"),
        *data.glob("xsens/*.bvh"),
    ]:
        content = path.read_bytes()
        head, _, tail = content.partition(b"Frame Time:")
        rows = [line for line in tail.splitlines()[1:] if line.strip()]
        first_channels = head.split(b"CHANNELS")[1].split()[1:7]
        where = [first_channels.index(f"{axis}position".encode()) for axis in "XYZ"]
        expected = np.array([row.split()[:6] for row in rows], float)[:, where]
        np.testing.assert_array_equal(read_bvh(path).positions[:, 0], expected.astype(np.float32))
