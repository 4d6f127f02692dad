"""Compact files: a data file as pages download it, without what can be computed, and with curves as they bend.

kinematch.js makes the same file of it again, bit for bit; the checksum of the file tells if it does not.
"""

import json
import re
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinematch.export import format as at
from kinematch.export.knots import KnotStreams, read_segments
from kinematch.search import layout_kernels as search

MAGIC = b"KINECOMP"
LEVEL = 9  # of compression
ESCAPE = 255  # of numbers that do not fit into a byte
COLUMNS = ("features", "roots", "toe_heights", "paces", "contact_left")  # of a pack, which change little by little
SEARCH = re.compile(r"search\.(sources\.\d+)\..*\.(\d+)$")


@dataclass
class _Parts:
    """What the file is made of again, and the streams that this takes."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    streams: list[bytes] = field(default_factory=list)
    known: set[int] = field(default_factory=set)  # rows of the table whose content is not in the rest

    def add(self, row: int, how: str, *streams: bytes, **numbers: Any) -> None:
        self.steps.append({"how": how, "row": row, "sizes": [len(one) for one in streams], **numbers})
        self.streams += streams
        self.known.add(row)


def write_compact(file: bytes, trees: dict[str, dict[str, Any]]) -> bytes:
    """A data file for download. `trees`: for each source, what `describe_tree` says of its search."""
    head = np.frombuffer(file, np.int64, at.FILE_HEAD)
    table = np.frombuffer(file, np.int64, at.ARRAY_WORDS * head[at.ARRAY_COUNT], at.WORD * at.FILE_HEAD)
    table = table.reshape(-1, at.ARRAY_WORDS)
    rows = {_read_text(file, row[at.NAME_AT]): n for n, row in enumerate(table)}
    parts = _Parts()

    def stored(n: int) -> bool:
        return bool(table[n][at.FILL] == at.IN_FILE and table[n][at.CONTENT_SIZE] > 0)

    for name, n in rows.items():
        kind, _, last = name.rpartition(".")
        if kind.endswith(".pack") and last in COLUMNS and stored(n):
            _add_columns(parts, n, _read_array(file, table[n]))
    for name, n in rows.items():
        if name.endswith(".pack.data") and stored(n):
            prefix = name.removesuffix("data")
            data, offsets = (_read_array(file, table[rows[prefix + one]]) for one in ("data", "offsets"))
            pack = trees[prefix.removesuffix(".pack.")]["pack"]
            _add_segments(parts, n, read_segments(data, offsets, pack.raw, pack.channels))
    for prefix, tree in trees.items():
        own = {int(m[2]): n for name, n in rows.items() if (m := SEARCH.match(name)) and m[1] == prefix and stored(n)}
        found = {place: n for place, n in own.items() if place != search.VALUES}
        if stored(rows[f"{prefix}.features"]):
            found[search.VALUES] = rows[f"{prefix}.features"]
        _add_tree(parts, found, tree)
    rest = bytearray(file)
    for n in sorted(parts.known, reverse=True, key=lambda n: table[n][at.CONTENT_AT]):
        start = int(table[n][at.CONTENT_AT])
        del rest[start : start + int(table[n][at.CONTENT_SIZE])]
    about = json.dumps({"size": len(file), "rest": len(rest), "steps": parts.steps}).encode()
    about += b" " * (-len(about) % 8)
    whole = MAGIC + len(about).to_bytes(8, "little") + about + bytes(rest) + b"".join(parts.streams)
    return zlib.compress(whole, LEVEL)


def describe_tree(searches: Any, pack: Any) -> dict[str, Any]:
    """What kinematch.js needs to make the tree of a search again, and the values out of the steps of a pack."""
    tree = searches.source.matcher.tree
    fine, coarse = tree.weighted.steps
    boxed = min(4 * tree.weighted.groups.shape[1], len(tree.weighted.order))
    return {"counts": tree.grouping.counts, "fine": fine, "coarse": coarse, "boxed": boxed, "pack": pack}


def encode_numbers(numbers: np.ndarray) -> tuple[bytes, bytes]:
    """Signed whole numbers: a byte each, those near zero first, and two bytes for each that does not fit."""
    folded = np.where(numbers >= 0, 2 * numbers, -2 * numbers - 1)
    return np.minimum(folded, ESCAPE).astype(np.uint8).tobytes(), folded[folded >= ESCAPE].astype("<u2").tobytes()


def _add_columns(parts: _Parts, n: int, array: np.ndarray) -> None:
    """Second differences of each column, modulo the size of its numbers."""
    columns = array.reshape(len(array), -1)
    bits = 8 * array.itemsize
    unit = _find_unit(columns)
    numbers = (columns.astype(np.int64) // unit).T
    bent = np.diff(np.diff(numbers, axis=1, prepend=0), axis=1, prepend=0)
    low, escaped = encode_numbers(wrap(bent, bits).reshape(-1))
    parts.add(n, "columns", low, escaped, columns=columns.shape[1], unit=int(unit), bits=bits)


def _find_unit(columns: np.ndarray) -> int:
    """The largest power of two that divides all numbers."""
    bits = int(np.bitwise_or.reduce(columns.reshape(-1).astype(np.int64), initial=0))
    return bits & -bits if bits else 1


def wrap(numbers: np.ndarray, bits: int) -> np.ndarray:
    """Into the signed range of a number of bits."""
    half = 1 << (bits - 1)
    return (numbers + half) % (2 * half) - half


def _add_segments(parts: _Parts, n: int, segments: KnotStreams | None) -> None:
    if segments is None:  # nothing that this reads
        return
    low, escaped = encode_numbers(segments.knots)
    streams = [segments.kinds, segments.counts, segments.widths, segments.ranges, segments.centres]
    parts.add(n, "segments", *(one.tobytes() for one in streams), low, escaped, groups=segments.groups)


def _add_tree(parts: _Parts, found: dict[int, int], tree: dict[str, Any]) -> None:
    rows = {name: found[place] for name, place in TREE.items() if place in found}
    if len(rows) < len(TREE):
        return
    if tree["pack"] is not None:
        pack = tree["pack"]
        low, escaped, unit = _encode_codes(pack.features)
        parts.add(
            rows["values"], "values", low, escaped, columns=pack.features.shape[1], unit=unit,
            steps=pack.feature_steps.tolist(), bases=pack.feature_bases.tolist(),
        )  # fmt: skip
    numbers = {"fine": float(tree["fine"]), "coarse": float(tree["coarse"]), "boxed": tree["boxed"], "rows": rows}
    for name in ("leaves", "groups", "exact_groups"):
        parts.add(rows[name], name, tree["counts"].astype(np.uint8).tobytes() if name == "leaves" else b"", **numbers)


def _encode_codes(features: np.ndarray) -> tuple[bytes, bytes, int]:
    unit = _find_unit(features)
    numbers = (features.astype(np.int64) // unit).T
    bent = np.diff(np.diff(numbers, axis=1, prepend=0), axis=1, prepend=0)
    return *encode_numbers(wrap(bent, 16).reshape(-1)), unit


TREE = {
    "values": search.VALUES, "roots": search.ROOTS, "frames": search.LEAF_FRAMES, "order": search.ORDER,
    "fine_offsets": search.FINE_OFFSETS, "coarse_offsets": search.COARSE_OFFSETS, "leaves": search.LEAVES,
    "groups": search.GROUPS, "exact_groups": search.EXACT_GROUPS,
}  # fmt: skip


def _read_text(file: bytes, start: int) -> str:
    return file[start : file.index(b"\0", start)].decode()


def _read_array(file: bytes, row: np.ndarray) -> np.ndarray:
    kind = np.dtype(at.KINDS[row[at.KIND]])
    shape = row[at.SHAPE : at.SHAPE + 2 * row[at.ARRAY_RANK] : 2]
    return np.frombuffer(file, kind, int(np.prod(shape)), int(row[at.CONTENT_AT])).reshape(shape)
