"""Turns glTF accessors into arrays: every component type, strides, normalized integers, sparse values, matrices."""

import numpy as np

from kinematch.errors import FileError
from kinematch.files.gltf_container import Document, buffer_bytes
from kinematch.files.gltf_schema import Accessor, Sparse

COMPONENTS: dict[int, np.dtype] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
SHAPES = {
    "SCALAR": (1, 1),
    "VEC2": (1, 2),
    "VEC3": (1, 3),
    "VEC4": (1, 4),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}

# decoded bytes allowed beyond sixteen times the file: integers widen four times, buffers may be shared a little
_SPARE_BYTES = 64 * 2**20


class CompressedError(FileError):
    """Data packed by an extension that is not supported."""


def read_accessor(document: Document, index: int, *types: str) -> np.ndarray:
    """(N,) for scalars, (N, n) for vectors, (N, n, n) for matrices by rows; float32, or the file's integers."""
    accessors = document.gltf.accessors
    accessor = accessors[document.check_index(index, len(accessors), "accessor")]
    if types and accessor.type not in types:
        raise document.error(f"accessor {index} is of type {accessor.type}, expected {' or '.join(types)}")
    if index not in document.decoded:
        document.decoded[index] = _decode(document, index, accessor)
    return document.decoded[index]


def read_floats(document: Document, index: int, *types: str) -> np.ndarray:
    """An accessor of real numbers, each of them finite."""
    values = read_accessor(document, index, *types)
    if values.dtype != np.float32:
        values = values.astype(np.float32)  # quantized but not normalized, as KHR_mesh_quantization allows
    if not np.isfinite(values).all():
        raise document.error(f"accessor {index} holds values that are not finite numbers")
    return values


def _decode(document: Document, index: int, accessor: Accessor) -> np.ndarray:
    columns, rows = SHAPES[accessor.type]
    component = _component(document, accessor.component_type, f"accessor {index}")
    needed = accessor.count * columns * rows * 4
    values = None if accessor.buffer_view is None else _view(document, index, accessor, component)
    document.decoded_bytes += needed
    if document.decoded_bytes > 16 * document.content_bytes + _SPARE_BYTES:
        raise document.error(f"accessor {index} claims {accessor.count} elements, far more than the file can hold")
    if values is None:
        values = np.zeros((accessor.count, columns, rows), component)
    if accessor.sparse is not None:
        values = _with_sparse(document, index, values, accessor.sparse)
    if accessor.normalized and component.kind != "f":
        # glTF 2.0, 3.11: signed integers reach -1 one step early
        values = np.maximum(values.astype(np.float32) / np.float32(np.iinfo(component).max), -1)
    values = np.ascontiguousarray(values.swapaxes(1, 2))  # the file has columns first
    values.flags.writeable = False
    return values.reshape((accessor.count, rows, columns)[: 1 + (rows > 1) + (columns > 1)])


def _component(document: Document, code: int, what: str) -> np.dtype:
    if code not in COMPONENTS:
        raise document.error(f"{what} has component type {code}, expected one of {', '.join(map(str, COMPONENTS))}")
    return COMPONENTS[code]


def _view(document: Document, index: int, accessor: Accessor, component: np.dtype) -> np.ndarray:
    assert accessor.buffer_view is not None
    columns, rows = SHAPES[accessor.type]
    data, stride = _view_bytes(document, accessor.buffer_view)
    return _strided(
        document, data, stride, (accessor.count, columns, rows), component, accessor.byte_offset, f"accessor {index}"
    )


def _view_bytes(document: Document, index: int) -> tuple[memoryview, int | None]:
    views = document.gltf.buffer_views
    view = views[document.check_index(index, len(views), "buffer view")]
    for extension in view.extensions:
        if "meshopt" in extension:
            raise CompressedError(document.path, f"buffer view {index} is compressed ({extension}); export without it")
    data = buffer_bytes(document, view.buffer)
    if view.byte_offset + view.byte_length > len(data):
        raise document.error(
            f"buffer view {index} reaches to byte {view.byte_offset + view.byte_length} of a buffer of {len(data)}"
        )
    return data[view.byte_offset : view.byte_offset + view.byte_length], view.byte_stride


def _strided(
    document: Document,
    data: memoryview,
    stride: int | None,
    shape: tuple[int, int, int],
    component: np.dtype,
    offset: int,
    what: str,
) -> np.ndarray:
    """(count, columns, rows) over the bytes, after checking that all of it lies inside."""
    count, columns, rows = shape
    # glTF 2.0, 3.6.2.4: the columns of matrices start at multiples of four bytes
    column_bytes = rows * component.itemsize if columns == 1 else -(-rows * component.itemsize // 4) * 4
    step = stride or columns * column_bytes
    if step < columns * column_bytes:
        raise document.error(f"{what} has elements of {columns * column_bytes} bytes at a stride of {step}")
    last = (columns - 1) * column_bytes + rows * component.itemsize
    if count and offset + (count - 1) * step + last > len(data):
        raise document.error(f"{what} claims {count} elements, its buffer view of {len(data)} bytes ends before")
    if not count:
        return np.zeros(shape, component)
    return np.ndarray(shape, component, data, offset, (step, column_bytes, component.itemsize))


def _with_sparse(document: Document, index: int, values: np.ndarray, sparse: Sparse) -> np.ndarray:
    what = f"the sparse part of accessor {index}"
    if sparse.count > len(values):
        raise document.error(f"{what} claims {sparse.count} of {len(values)} elements")
    component = _component(document, sparse.indices.component_type, what)
    if component.kind != "u":
        raise document.error(f"{what} has indices that are not unsigned integers")
    data, _ = _view_bytes(document, sparse.indices.buffer_view)
    places = _strided(document, data, None, (sparse.count, 1, 1), component, sparse.indices.byte_offset, what)
    data, _ = _view_bytes(document, sparse.values.buffer_view)
    shape = (sparse.count, *values.shape[1:])
    changed = _strided(document, data, None, shape, values.dtype, sparse.values.byte_offset, what)
    if sparse.count and places.max() >= len(values):
        raise document.error(f"{what} names element {places.max()} of {len(values)}")
    values = np.array(values)
    values[places[:, 0, 0].astype(np.int64)] = changed
    return values
