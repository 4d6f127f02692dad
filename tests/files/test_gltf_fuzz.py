"""Real files with something changed are read or refused with a FileError; nothing else ever comes out."""

import copy
import json
import os
import struct

import numpy as np
import pytest

from kinematch.errors import FileError
from kinematch.files.gltf_read import read_gltf

ROUNDS = int(os.environ.get("KINEMATCH_FUZZ_ROUNDS", "20"))  # of each kind for each file
NASTY = [0, -1, 1, 2, 3, 255, 5123, 5126, 2**31, 2**40, 2**63, -(2**31), 0.5, 1e300, -1e30, 1e-300, True, None]
NASTY += [
    "",
    "x",
    "../x.bin",
    "data:;base64,AA==",
    "CUBICSPLINE",
    "STEP",
    "MAT4",
    "VEC4",
    "SCALAR",
    [],
    {},
    [0],
    {"a": 0},
]
SMALL = ["RiggedFigure.glb", "three-vrm-test.vrma", "vrm0-basic_armature.vrm", "vrm1-debug_robot.vrm"]


def parts(raw):
    size = struct.unpack_from("<I", raw, 12)[0]
    return json.loads(raw[20 : 20 + size]), raw[28 + size :]


def assembled(document, binary):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    head = b"glTF" + struct.pack("<IIII", 2, 28 + len(text) + len(binary), len(text), 0x4E4F534A)
    return head + text + struct.pack("<II", len(binary), 0x004E4942) + binary


def places(value, path=()):
    """Every (container, key) in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from places(inner, (*path, key))


def changed_document(rng, raw):
    document, binary = parts(raw)
    for _ in range(rng.integers(1, 4)):
        spots = list(places(document))
        container, key = spots[rng.integers(len(spots))]
        choice = rng.integers(4)
        if choice == 0 and isinstance(container, dict):
            del container[key]
        elif choice == 1:
            other, place = spots[rng.integers(len(spots))]
            container[key] = copy.deepcopy(other[place])
        elif choice == 2 and isinstance(container[key], (int, float)):
            container[key] = container[key] * int(rng.choice([-1, 2, 10, 1000])) + int(rng.integers(-3, 4))
        else:
            container[key] = copy.deepcopy(NASTY[rng.integers(len(NASTY))])
    return assembled(document, binary)


def changed_numbers(rng, raw):
    """The JSON stays well formed, so that what lies behind the first checks is reached."""
    document, binary = parts(raw)
    spots = [(c, k) for c, k in places(document) if type(c[k]) in (int, float)]
    for _ in range(rng.integers(1, 6)):
        container, key = spots[rng.integers(len(spots))]
        old = container[key]
        if type(old) is int:
            container[key] = int(
                rng.choice([0, 1, abs(old) + 1, max(old - 1, 0), int(rng.integers(100)), 2**20, 2**30])
            )
        else:
            container[key] = float(rng.choice([0, -old, old * 100, 1e-30, 1e8, rng.normal()]))
    return assembled(document, binary)


def changed_bytes(rng, raw):
    data = bytearray(raw)
    size = 20 + struct.unpack_from("<I", raw, 12)[0]
    for _ in range(rng.integers(1, 20)):
        region = [(0, 28), (20, size), (size, len(data))][rng.integers(3)]
        place = int(rng.integers(region[0], max(min(region[1], len(data)), region[0] + 1)))
        if place < len(data):
            data[place] = rng.integers(256)
    return bytes(data)


def cut(rng, raw):
    start, stop = sorted(rng.integers(0, len(raw), 2).tolist())
    return raw[:stop] if rng.random() < 0.5 else raw[:start] + raw[stop:]


@pytest.mark.parametrize("change", [changed_document, changed_numbers, changed_bytes, cut])
@pytest.mark.parametrize("name", SMALL)
def test_changed_files_are_read_or_refused(data, tmp_path, name, change):
    rng = np.random.default_rng([SMALL.index(name), ROUNDS])
    raw = (data / "characters" / name).read_bytes()
    path = tmp_path / "changed.glb"
    for _ in range(ROUNDS):
        content = change(rng, raw)
        path.write_bytes(content)
        try:
            clips = read_gltf(path).clips
        except FileError:
            continue
        assert all(np.isfinite(clip.positions).all() and np.isfinite(clip.rotations).all() for clip in clips)
