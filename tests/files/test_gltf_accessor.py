"""Accessors come out as the numbers that were put in, or are refused when they claim what is not there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import FileError
from kinematch.files.gltf_accessor import read_accessor, read_floats
from kinematch.files.gltf_container import open_document

SHAPES = {"SCALAR": (), "VEC2": (2,), "VEC3": (3,), "VEC4": (4,), "MAT2": (2, 2), "MAT3": (3, 3), "MAT4": (4, 4)}
CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


def opened(gltf, folder):
    return open_document(gltf.write(folder / "a.glb"))


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(list(SHAPES)),
    dtype=st.sampled_from(list(CODES)),
    count=st.integers(1, 9),
    padding=st.integers(0, 3),
    offset=st.integers(0, 2),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_type_at_any_stride_comes_out_as_it_went_in(
    new_gltf, tmp_path_factory, kind, dtype, count, padding, offset, seed
):
    gltf, shape, size = new_gltf(), SHAPES[kind], np.dtype(dtype).itemsize
    values = np.random.default_rng(seed).integers(0, 100, (count, *shape)).astype(f"<{dtype}")
    columns = values.swapaxes(1, 2) if len(shape) == 2 else values.reshape(count, 1, -1)
    column_bytes = [[c.tobytes() for c in element] for element in columns]
    if len(shape) == 2:  # columns of matrices start at multiples of four bytes
        column_bytes = [[c + bytes(-len(c) % 4) for c in element] for element in column_bytes]
    elements = [b"".join(c) for c in column_bytes]
    stride = len(elements[0]) + padding * 4
    content = bytes(offset * size) + b"".join(e + b"\xee" * (padding * 4) for e in elements)
    view = gltf.view(content, **({"byteStride": stride} if padding else {}))
    item = {"bufferView": view, "byteOffset": offset * size, "componentType": CODES[dtype], "count": count}
    index = gltf.add("accessors", item | {"type": kind})
    found = read_accessor(opened(gltf, tmp_path_factory.mktemp("a")), index)
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize(
    ("dtype", "stored", "meant"),
    [
        ("u1", [0, 51, 255], [0, 0.2, 1]),
        ("i1", [-128, -127, 0, 127], [-1, -1, 0, 1]),
        ("u2", [0, 13107, 65535], [0, 0.2, 1]),
        ("i2", [-32768, -32767, 0, 32767], [-1, -1, 0, 1]),
    ],
)
def test_normalized_integers_are_fractions(gltf, tmp_path, dtype, stored, meant):
    index = gltf.accessor(stored, dtype=dtype, normalized=True)
    found = read_floats(opened(gltf, tmp_path), index)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, meant, atol=1e-7)


def sparse(gltf, count, places, values, *, dtype="u2", base=None):
    item = {"componentType": 5126, "count": count, "type": "VEC3"}
    if base is not None:
        item["bufferView"] = gltf.view(np.asarray(base, "<f4").tobytes())
    item["sparse"] = {
        "count": len(places),
        "indices": {"bufferView": gltf.view(np.asarray(places, f"<{dtype}").tobytes()), "componentType": CODES[dtype]},
        "values": {"bufferView": gltf.view(np.asarray(values, "<f4").tobytes())},
    }
    return gltf.add("accessors", item)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_sparse_values_replace_some_of_the_base_or_of_zeros(gltf, tmp_path, dtype):
    base = np.arange(15.0).reshape(5, 3)
    over = sparse(gltf, 5, [1, 4], [[9, 8, 7], [6, 5, 4]], base=base, dtype=dtype)
    bare = sparse(gltf, 5, [1, 4], [[9, 8, 7], [6, 5, 4]], dtype=dtype)
    document = opened(gltf, tmp_path)
    for index, start in ((over, base), (bare, np.zeros((5, 3)))):
        expected = start.copy()
        expected[[1, 4]] = [[9, 8, 7], [6, 5, 4]]
        np.testing.assert_array_equal(read_accessor(document, index), expected)


def test_no_view_means_zeros(gltf, tmp_path):
    index = gltf.add("accessors", {"componentType": 5126, "count": 4, "type": "VEC3"})
    np.testing.assert_array_equal(read_accessor(opened(gltf, tmp_path), index), np.zeros((4, 3)))


@pytest.mark.parametrize(
    "change",
    [
        {"count": 4},
        {"count": 10**12 - 1},
        {"byteOffset": 4},
        {"byteOffset": 10**12 - 1},
        {"bufferView": 9},
        {"componentType": 5124},
        {"type": "VEC4"},
        {"type": "VEC9"},
        {"count": -1},
        {"count": 2**70},
        {"bufferView": None, "count": 10**9},
        {"bufferView": None, "count": 10**12 - 1, "type": "MAT4"},
    ],
)
def test_claims_beyond_the_file_are_refused(gltf, tmp_path, change):
    index = gltf.accessor(np.ones((3, 3)))
    gltf.json["accessors"][index] |= change
    if change.get("bufferView", 0) is None:
        del gltf.json["accessors"][index]["bufferView"]
    with pytest.raises(FileError, match=r"a\.glb"):
        read_accessor(opened(gltf, tmp_path), index)


@pytest.mark.parametrize(
    "change", [{"byteLength": 37}, {"byteOffset": 1}, {"byteOffset": 2**39}, {"buffer": 1}, {"byteStride": 8}]
)
def test_views_beyond_their_buffer_are_refused(gltf, tmp_path, change):
    index = gltf.accessor(np.ones((3, 3)))
    gltf.json["bufferViews"][0] |= change
    with pytest.raises(FileError, match=r"a\.glb"):
        read_accessor(opened(gltf, tmp_path), index)


@pytest.mark.parametrize("places", [[1, 5], [255], [0, 1, 2, 3, 4, 0]])
def test_sparse_claims_beyond_the_accessor_are_refused(gltf, tmp_path, places):
    index = sparse(gltf, 5, places, np.ones((len(places), 3)), dtype="u1")
    with pytest.raises(FileError, match="sparse"):
        read_accessor(opened(gltf, tmp_path), index)


def test_few_bytes_cannot_be_made_into_very_many(gltf, tmp_path):
    """A file of a megabyte whose thousand accessors all show the same megabyte."""
    view = gltf.view(bytes(2**20))
    for _ in range(1000):
        gltf.add("accessors", {"bufferView": view, "componentType": 5126, "count": 2**18, "type": "SCALAR"})
    document = opened(gltf, tmp_path)
    with pytest.raises(FileError, match="far more than the file can hold"):
        all(len(read_accessor(document, index)) for index in range(1000))
    assert sum(array.nbytes for array in document.decoded.values()) < 128 * 2**20


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(gltf, tmp_path, value):
    index = gltf.accessor([0.0, value])
    with pytest.raises(FileError, match="not finite"):
        read_floats(opened(gltf, tmp_path), index)
