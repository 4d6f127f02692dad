"""Mutations: ways to damage a file, as bytes, as text, or inside the parts of a GLB."""

import json
import re
from collections.abc import Callable

import numpy as np

from kinematch.bench.hostile_files import change_tree, forge, is_container

Rng = np.random.Generator
Mutation = Callable[[bytearray, Rng, bytes], bytearray]
NUMBER, WORD, DIGIT = rb"[-+.\d][-+.\deE]*", rb"[^\s,\"\[\]{}<>=]+", rb"\d"
EVIL_WORDS = (
    *b"nan inf -inf 1e999 -1e999 1e-999 1e308 3.5e38 0x1F 1,5 --1 1e . -0 -1 0 1 360 1e8 1e9 + null true".split(b" "),
    *b"99999999999999999999999999 0.00000000000000000001 4294967296 -2147483649 1.#QNAN \xff\xfe \x1a \0".split(b" "),
    *b"{ } {} [ ] [] < > \" ' JOINT ROOT MOTION HIERARCHY OFFSET CHANNELS Frames: Xposition name ../../x".split(b" "),
    *(
        b"",
        b"\r",
        b"\n\n",
        b"\t",
        b" " * 5000,
        b"End Site",
        b"CHANNELS 6",
        b"[" * 500,
        b"<!DOCTYPE",
        b"&lol;",
        b"joint",
    ),
)
MAX_FILE_BYTES = 4_000_000  # bytes of a damaged file


def flip_bytes(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    for _ in range(rng.integers(1, 8)):
        data[rng.integers(len(data))] = rng.integers(256)
    return data


def cut_off(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    return data[: rng.integers(len(data))]


def drop_lines(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    lines = data.splitlines(keepends=True)
    start = rng.integers(len(lines))
    del lines[start : start + rng.integers(1, 4)]
    return bytearray(b"".join(lines))


def repeat_lines(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    lines = data.splitlines(keepends=True)
    start = rng.integers(len(lines))
    lines[start:start] = lines[start : start + rng.integers(1, 12)] * int(rng.integers(1, 4))
    return bytearray(b"".join(lines))


def replace_number(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    return _replace_one(data, rng, NUMBER)


def replace_word(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    return _replace_one(data, rng, WORD)


def _replace_one(data: bytearray, rng: Rng, pattern: bytes) -> bytearray:
    # most words are values, so half of the time one of the first few hundred is taken: the header
    words = list(re.finditer(pattern, data))
    if not words:
        return data
    word = words[rng.integers(min(len(words), 300) if rng.random() < 0.5 else len(words))]
    data[word.start() : word.end()] = EVIL_WORDS[rng.integers(len(EVIL_WORDS))]
    return data


def shuffle_chunks(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    cuts = np.sort(rng.integers(0, len(data), rng.integers(2, 8)))
    parts = np.split(np.frombuffer(bytes(data), np.uint8), cuts)
    return bytearray(b"".join(parts[k].tobytes() for k in rng.permutation(len(parts))))


def splice(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    return data[: rng.integers(len(data))] + other[rng.integers(max(len(other), 1)) :]


def insert_noise(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    at = rng.integers(len(data))
    data[at:at] = rng.bytes(int(rng.integers(1, 200)))
    return data


def swap_digits(data: bytearray, rng: Rng, other: bytes) -> bytearray:
    """The file often stays well-formed, so that what follows the parser is tried too."""
    digits = [m.start() for m in re.finditer(DIGIT, data)]
    for _ in range(rng.integers(1, 30)) if digits else ():
        data[digits[rng.integers(len(digits))]] = rng.integers(48, 58)
    return data


MUTATIONS: tuple[Mutation, ...] = (
    *(flip_bytes, cut_off, drop_lines, repeat_lines, replace_number, replace_word),
    *(shuffle_chunks, splice, insert_noise, swap_digits, swap_digits, swap_digits, replace_number),
)


def damage(content: bytes, rng: Rng, other: bytes) -> bytes:
    """A file with one to three kinds of damage.

    Half of the time JSON stays JSON, and a GLB is damaged inside, its lengths kept right. Nine times of ten a database
    or a model is damaged inside, its checksums made to fit: bytes flipped at random get no farther than those.
    """
    if is_container(content) and rng.random() < 0.9:
        return forge(content, rng)
    parts = _split_glb(content) if rng.random() < 0.5 else None
    if parts is not None:
        text, binary = parts
        changed = _damage_json(text, rng) if rng.random() < 0.6 else None
        text = _damage_bytes(text, rng, text) if changed is None else changed
        if rng.random() < 0.3 and binary:
            binary = (
                bytes(flip_bytes(bytearray(binary), rng, b"")) if rng.random() < 0.7 else binary[: len(binary) // 2]
            )
        return _join_glb(text, binary)
    if content[:1] == b"{" and rng.random() < 0.5 and (changed := _damage_json(content, rng)) is not None:
        return changed[:MAX_FILE_BYTES]
    return _damage_bytes(content, rng, other)


def _damage_bytes(content: bytes, rng: Rng, other: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if data:
            data = MUTATIONS[int(rng.integers(len(MUTATIONS)))](data, rng, other)[:MAX_FILE_BYTES]
    return bytes(data)


def _damage_json(text: bytes, rng: Rng) -> bytes | None:
    """JSON, or a line of it, with some values replaced, left out or repeated, which parses still; None for others."""
    lines = [text]
    try:
        tree, number = json.loads(text), 0
    except (ValueError, RecursionError):
        lines = text.split(b"\n")
        number = int(rng.integers(len(lines)))
        try:
            tree = json.loads(lines[number])
        except (ValueError, RecursionError):
            return None
    for _ in range(rng.integers(1, 5)):
        tree = change_tree(tree, rng)
    lines[number] = json.dumps(tree).encode()
    return b"\n".join(lines)


def _split_glb(content: bytes) -> tuple[bytes, bytes] | None:
    """JSON and binary part of a GLB; None for anything else."""
    if content[:4] != b"glTF" or len(content) < 20:
        return None
    length = int.from_bytes(content[12:16], "little")
    return content[20 : 20 + length], content[28 + length :]


def _join_glb(text: bytes, binary: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = len(text).to_bytes(4, "little") + b"JSON" + text
    if binary:
        chunks += len(binary).to_bytes(4, "little") + b"BIN\0" + binary
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks
