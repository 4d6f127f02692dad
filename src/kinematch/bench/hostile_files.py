"""Hostile files: databases, models and recordings with hostile contents and valid checksums."""

import hashlib
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from kinematch.database.container import ALIGNMENT, FILLER, NO_CHECKSUM, TYPES

Rng = np.random.Generator
Arrays = dict[str, "Stored"]
NUMBERS = (
    *(0, 1, -1, 2, 0.5, -0.0, 1e-30, 1e9, 1e15, 1e30, 3.4e38, 1e308, np.nan, np.inf, -np.inf),
    *(127, 255, 65535, 2**31 - 1, -(2**31), 2**31, 2**46, 2**63, 10**400),
)
VALUES: tuple[Any, ...] = (
    *NUMBERS, None, True, False, "", "x", "x" * 5000, "root", "\0\n", "\ud800", [], {}, [[[]]], [None], {"a": None},
    [0] * 7, [1e400] * 3, ["x"], ["x", "x"], [["x"]], "walk", "!" * 3000, {"x": 1}, {"": []},
)  # fmt: skip
FOREIGN_TYPES = ("I8", "BF16", "F8_E4M3", "I16", "U32", "f4", "", 7, None, ["F32"], "F64", "U8", "BOOL", "I64")
SHAPES: tuple[Any, ...] = ([], [0], [-1], [1.5], ["x"], [2**40], [2**31, 2**31], [0, 2**62], [True], None, "x", [[1]])
MAX_COPIES = 100  # copies of an item of a list


class Stored:
    """An array as a header describes it: type and shape may lie."""

    def __init__(self, dtype: Any, shape: Any, data: bytes, *, lies: bool = False):
        self.dtype, self.shape, self.data, self.lies = dtype, shape, data, lies

    def open(self) -> np.ndarray:
        """The array, or its bytes where the description lies."""
        if self.lies:
            return np.frombuffer(self.data, np.uint8).copy()
        return np.frombuffer(self.data, TYPES[self.dtype]).reshape(self.shape).copy()

    def set(self, array: np.ndarray) -> None:
        kinds = {np.dtype(code): name for name, code in TYPES.items()}
        self.dtype, self.shape, self.data, self.lies = kinds[array.dtype], list(array.shape), array.tobytes(), False


def is_container(content: bytes) -> bool:
    """Whether a file is one of this program's safetensors files."""
    return len(content) > 16 and content[8:9] == b"{" and b'"__metadata__":{"format":"kinematch' in content[8:64]


def forge(content: bytes, rng: Rng) -> bytes:
    """The file with one to three hostile changes, most often one."""
    arrays, about, head = split(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.random()
        if kind < 0.5:
            about = change_tree(about, rng)
        elif kind < 0.97 and arrays:
            _change_array(arrays, rng)
        else:
            head["version"] = rng.choice(["0", "1", "3", "4", "-1", "1e3", "x", ""])
    return join(arrays, about, head, aligned=rng.random() < 0.95)


def split(content: bytes) -> tuple[Arrays, Any, dict[str, Any]]:
    """Arrays, description and the rest of a file's header."""
    (length,) = struct.unpack("<Q", content[:8])
    described, body = json.loads(content[8 : 8 + length]), content[8 + length :]
    head = described.pop("__metadata__")
    about = json.loads(head.pop("about"))
    about.pop("digests")
    arrays = {
        name: Stored(one["dtype"], one["shape"], body[slice(*one["data_offsets"])])
        for name, one in described.items()
        if not name.startswith(FILLER)
    }
    return arrays, about, head


def join(arrays: Arrays, about: Any, head: dict[str, Any], *, aligned: bool = True) -> bytes:
    """The inverse of split, with new checksums."""
    described, body = {}, b""
    for name, one in arrays.items():
        described[name] = {
            "dtype": one.dtype,
            "shape": one.shape,
            "data_offsets": [len(body), len(body) + len(one.data)],
        }
        body += one.data
        gap = -len(body) % ALIGNMENT if aligned else 0
        if gap:
            described[FILLER + name] = {"dtype": "U8", "shape": [gap], "data_offsets": [len(body), len(body) + gap]}
            body += bytes(gap)
    if isinstance(about, dict):
        about = {**about, "digests": {name: hashlib.sha256(one.data).hexdigest() for name, one in arrays.items()}}
    head = {**head, "checksum": NO_CHECKSUM, "about": json.dumps(about)}
    header = json.dumps({"__metadata__": head, **described}, separators=(",", ":")).encode()
    header += b" " * (-(8 + len(header)) % ALIGNMENT)
    header = header.replace(NO_CHECKSUM.encode(), hashlib.sha256(header).hexdigest().encode(), 1)
    return struct.pack("<Q", len(header)) + header + body


def change_tree(tree: Any, rng: Rng) -> Any:
    """JSON values with one replaced, left out, repeated, added, exchanged or a little different."""
    whole = [tree]  # so that the root has a place too
    places: list[tuple[Any, Any]] = []

    def visit(node: Any, depth: int) -> None:
        items = (
            list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
        )
        # long lists are mostly alike: a few of their items are places enough, so that rare fields are found too
        for key, value in items if len(items) <= 8 else [items[k] for k in rng.choice(len(items), 8, replace=False)]:
            places.append((node, key))
            if depth < 8:
                visit(value, depth + 1)

    visit(whole, 0)
    node, key = places[rng.integers(len(places))]
    value, kind = node[key], rng.random()
    if kind < 0.1 and node is not whole:
        del node[key]
    elif kind < 0.2 and isinstance(node, list):
        node.extend([value] * int(rng.integers(1, MAX_COPIES)))
    elif kind < 0.25 and isinstance(value, dict):
        value[["x", "width", "kind", "root", ""][rng.integers(5)]] = _choose(VALUES, rng)
    elif kind < 0.35:
        other, at = places[rng.integers(len(places))]
        node[key] = _copy(other[at])
    elif kind < 0.5 and type(value) in (int, float) and abs(value) < 1e300:
        node[key] = [value + 1, value - 1, -value, value * 1000, value * 1e-6, float(value), str(value)][
            rng.integers(7)
        ]
    elif kind < 0.55:
        for _ in range(rng.choice([1, 3, 250])):
            node[key] = [node[key]]
    else:
        node[key] = _choose(VALUES, rng)
    return _copy(whole[0])  # what was put in twice is two things from here on


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _change_array(arrays: Arrays, rng: Rng) -> None:
    names = list(arrays)
    name = names[rng.integers(len(names))]
    CHANGES[rng.integers(len(CHANGES))](arrays, name, rng)


def _choose(choices: tuple[Any, ...], rng: Rng) -> Any:
    return choices[rng.integers(len(choices))]


def _drop(arrays: Arrays, name: str, rng: Rng) -> None:
    del arrays[name]


def _exchange(arrays: Arrays, name: str, rng: Rng) -> None:
    other = list(arrays)[rng.integers(len(arrays))]
    arrays[name], arrays[other] = arrays[other], arrays[name]


def _rename(arrays: Arrays, name: str, rng: Rng) -> None:
    arrays[str(_choose(("x", "skeleton.tpose", "packed.data", "transport.small", "decompressor.skip", ""), rng))] = (
        arrays[name]
    )


def _lie_about_type(arrays: Arrays, name: str, rng: Rng) -> None:
    arrays[name] = Stored(_choose(FOREIGN_TYPES, rng), arrays[name].shape, arrays[name].data, lies=True)


def _lie_about_shape(arrays: Arrays, name: str, rng: Rng) -> None:
    arrays[name] = Stored(arrays[name].dtype, _choose(SHAPES, rng), arrays[name].data, lies=True)


def _convert(arrays: Arrays, name: str, rng: Rng) -> None:
    array = arrays[name].open()
    with np.errstate(all="ignore"):
        arrays[name].set(array.astype(list(TYPES.values())[rng.integers(len(TYPES))]))


def _reshape(arrays: Arrays, name: str, rng: Rng) -> None:
    array = arrays[name].open()
    shapes: tuple[Callable[[], np.ndarray], ...] = (
        lambda: array[:-1], lambda: array[1:], lambda: array[:0], lambda: np.concatenate([array, array[-1:]]),
        lambda: np.concatenate([array, array]), lambda: array.reshape(-1), lambda: array[None],
        lambda: array[..., None], lambda: np.ascontiguousarray(array.T), lambda: array[..., :1], lambda: array[..., :0],
        lambda: array.sum(), lambda: array[:1],
    )  # fmt: skip
    if array.ndim:
        made = np.asarray(_choose(shapes, rng)())
        arrays[name].set(np.ascontiguousarray(made.astype(array.dtype)).reshape(made.shape))


def _spoil_values(arrays: Arrays, name: str, rng: Rng) -> None:
    """Some numbers, or all, become hostile ones or a little different."""
    array = arrays[name].open()
    flat = array.reshape(-1)
    if not flat.size:
        return
    some = slice(None) if rng.random() < 0.2 else rng.integers(flat.size, size=rng.choice([1, 1, 3, 20]))
    if rng.random() < 0.2:
        some = [0, flat.size - 1][rng.integers(2)]
    with np.errstate(all="ignore"):
        kind = rng.random()
        if kind < 0.6:
            flat[some] = np.array(float(_choose(NUMBERS[:-1], rng))).astype(array.dtype)
        elif kind < 0.7:
            flat[some] = flat[rng.integers(flat.size)]
        elif array.dtype != bool:
            flat[some] = flat[some] + np.array(_choose((-1, 1, 2, 1000), rng)).astype(array.dtype)
    arrays[name].set(array)


def _shuffle(arrays: Arrays, name: str, rng: Rng) -> None:
    array = arrays[name].open()
    if array.ndim:
        arrays[name].set(np.ascontiguousarray(array[::-1] if rng.random() < 0.5 else rng.permutation(array)))


def _make_noise(arrays: Arrays, name: str, rng: Rng) -> None:
    data = bytearray(arrays[name].data)
    for _ in range(rng.choice([1, 5, len(data)])) if data else ():
        data[rng.integers(len(data))] = rng.integers(256)
    if arrays[name].dtype == "BOOL":
        data = bytearray(value & 1 for value in data) if rng.random() < 0.5 else data
    arrays[name] = Stored(arrays[name].dtype, arrays[name].shape, bytes(data), lies=arrays[name].lies)


CHANGES: tuple[Callable[[Arrays, str, Rng], None], ...] = (
    _drop, _exchange, _rename, _lie_about_type, _lie_about_shape, _convert, _reshape, _reshape, _spoil_values,
    _spoil_values, _spoil_values, _spoil_values, _shuffle, _make_noise,
)  # fmt: skip
