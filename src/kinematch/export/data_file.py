"""Data files: the arrays of a crowd with their layout and a description, as compiled libraries load them."""

import hashlib
import json
from typing import Any

import numpy as np

from kinematch.compile.memory import CACHE_LINE
from kinematch.errors import KinematchError
from kinematch.export import format as at
from kinematch.export.entries import digest_records
from kinematch.export.layout import Linear, StepArray


def write_data(arrays: list[StepArray], about: dict[str, Any]) -> bytes:
    """A file of some arrays, with a description that becomes JSON."""
    parts = sorted(arrays, key=lambda one: one.inside is not None)  # parts of others come after them
    numbers = {one.name: i for i, one in enumerate(parts)}
    patches = _list_patches(parts, numbers)
    table = np.zeros((len(parts), at.ARRAY_WORDS), np.int64)
    start = at.WORD * (at.FILE_HEAD + table.size + patches.size)
    text = bytearray()
    for row, one in zip(table, parts):
        row[at.NAME_AT] = start + len(text)
        text += one.name.encode() + b"\0"
    described = json.dumps(about, ensure_ascii=False, allow_nan=False).encode()
    about_at = start + len(text)
    text += described + b"\0"
    contents = bytearray(-(start + len(text)) % CACHE_LINE)
    begin = start + len(text)
    for row, one in zip(table, parts):
        _describe(row, one, numbers)
        if one.rows is not None:
            row[at.CONTENT_AT], row[at.CONTENT_SIZE] = begin + len(contents), one.rows.nbytes
            contents += one.rows.tobytes()
            contents += bytes(-(begin + len(contents)) % CACHE_LINE)
    size = begin + len(contents)
    if size % at.WORD:
        raise KinematchError(f"a data file of {size} bytes, expected whole words")
    head = np.zeros(at.FILE_HEAD, np.int64)
    head[at.FILE_MAGIC], head[at.FILE_VERSION], head[at.FILE_SIZE] = at.MAGIC, at.VERSION, size
    head[at.ARRAY_COUNT], head[at.PATCH_COUNT], head[at.INSTANCE] = len(parts), len(patches), numbers["instance"]
    head[at.ABOUT_AT], head[at.ABOUT_SIZE] = about_at, len(described)
    head[at.RECORDS], head[at.STATE_DIGEST] = digest_records(), _digest_state(parts)
    whole = bytearray(head.tobytes() + table.tobytes() + patches.tobytes() + bytes(text) + bytes(contents))
    sign(whole)
    return bytes(whole)


def sign(file: bytearray) -> None:
    """Write the checksum of a file into it."""
    words = np.frombuffer(bytes(file), np.uint64)[at.CHECKSUM + 1 :]
    with np.errstate(over="ignore"):
        mixed = (words + np.arange(len(words), dtype=np.uint64) * np.uint64(at.HASH_STEP)) * np.uint64(
            at.HASH_MULTIPLIER
        )
        total = np.sum(mixed ^ (mixed >> np.uint64(29)), dtype=np.uint64) >> np.uint64(1)
    place = at.WORD * at.CHECKSUM
    file[place : place + at.WORD] = total.tobytes()


def read_about(file: bytes) -> dict[str, Any]:
    """The description in a data file."""
    head = np.frombuffer(file[: at.WORD * at.FILE_HEAD], np.int64)
    return json.loads(file[head[at.ABOUT_AT] : head[at.ABOUT_AT] + head[at.ABOUT_SIZE]])


def _describe(row: np.ndarray, one: StepArray, numbers: dict[str, int]) -> None:
    kind = f"{one.kind.kind}{one.kind.itemsize}"
    row[at.KIND], row[at.ITEM_SIZE], row[at.ARRAY_RANK] = at.KINDS.index(kind), one.kind.itemsize, len(one.shape)
    if len(one.shape) > at.RANK:
        raise KinematchError(f"{one.name} has {len(one.shape)} axes, expected at most {at.RANK}")
    for axis, length in enumerate(one.shape):
        row[at.SHAPE + 2 * axis : at.SHAPE + 2 * axis + 2] = length.fixed, length.each
    if one.inside:
        row[at.FILL], row[at.PARENT], row[at.PARENT_AT] = at.INSIDE, numbers[one.inside[0]], one.inside[1]
    elif one.rows is None:
        row[at.FILL] = at.ZEROS
    else:
        row[at.FILL] = at.IN_FILE if one.constant else at.REPEATED
    row[at.STEP], row[at.SPREAD] = one.step, np.float64(one.spread).view(np.int64)
    row[at.IS_STATE] = one.state


def _list_patches(parts: list[StepArray], numbers: dict[str, int]) -> np.ndarray:
    """(P, PATCH_WORDS) what is written into handles."""
    rows = []
    for one in parts:
        for place, word in enumerate(one.words):
            target = at.NOWHERE if word.array is None else numbers[word.array]
            if target != at.NOWHERE or word.number != Linear(0):
                rows.append((numbers[one.name], place, target, word.number.fixed, word.number.each))
    return np.array(rows, np.int64).reshape(-1, at.PATCH_WORDS)


def _digest_state(parts: list[StepArray]) -> int:
    """A number of the arrays of the state: saved states of others do not fit them."""
    own = [(one.name, str(one.kind), one.shape) for one in parts if one.state]
    return int.from_bytes(hashlib.sha256(repr(own).encode()).digest()[:7], "little")
