"""A mutation fuzzer for BVH: damaged files must give a clip or a KinematchError, soon and in little memory.

Run by itself for a long session: python tests/files/fuzz_bvh.py --count 20000 --data FOLDER
"""

import argparse
import collections
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from kinematch.errors import KinematchError
from kinematch.files import read_clips
from kinematch.motion.clip import Clip

SEED_FRAMES = 12  # of each real file, so that damage often falls on the hierarchy and reading is quick
PATIENCE = 20  # seconds after which reading counts as hanging
HEADROOM = 1 << 30  # bytes that reading a small file may never need

EVIL_WORDS = (
    *(
        b"nan",
        b"inf",
        b"-inf",
        b"1e999",
        b"-1e999",
        b"1e-999",
        b"1e308",
        b"3.5e38",
        b"0x1F",
        b"1,5",
        b"--1",
        b"1e",
        b".",
    ),
    *(
        b"-0",
        b"99999999999999999999999999",
        b"0.0000000000000000000000000001",
        b"+",
        b"",
        b"1.#QNAN",
        b"\xff\xfe",
        b"1e8",
    ),
    *(
        b"{",
        b"}",
        b"{ }",
        b"JOINT",
        b"ROOT x",
        b"End Site",
        b"MOTION",
        b"HIERARCHY",
        b"OFFSET",
        b"CHANNELS 6",
        b"Frames:",
    ),
    *(
        b"\0",
        b"\r",
        b"\n\n",
        b"\t",
        b" " * 5000,
        b"-1",
        b"0",
        b"1",
        b"360",
        b"1e9",
        b"Xposition",
        b"Zrotation",
        b"\x1a",
    ),
)


def seeds(folder: Path | None) -> list[bytes]:
    """Shortened real files of every rig, or a small one of our own where there are none."""
    paths = sorted({p.parent: p for p in sorted(folder.glob("*/*.bvh"))}.values()) if folder else []
    paths += sorted((folder / "rigs").glob("*.bvh")) if folder else []
    return [shorten(path.read_bytes()) for path in paths] or [OWN]


def shorten(content: bytes) -> bytes:
    head, time_word, tail = content.partition(b"Frame Time:")
    lines = tail.splitlines(keepends=True)
    frames = min(SEED_FRAMES, sum(bool(line.strip()) for line in lines[1:]))
    head = re.sub(rb"Frames:\s*\d+", b"Frames: %d" % frames, head)
    return head + time_word + b"".join(lines[: 1 + frames])


OWN = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 95 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Spine
  {
    OFFSET 0 25 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Head
    {
      OFFSET 0 40 0
      CHANNELS 3 Xrotation Yrotation Zrotation
      End Site
      {
        OFFSET 0 20 0
      }
    }
  }
  JOINT LeftUpLeg
  {
    OFFSET 10 0 0
    CHANNELS 6 Zrotation Yrotation Xrotation Xposition Yposition Zposition
    End Site
    {
      OFFSET 0 -90 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 95 0 1 2 3 4 5 6 7 8 9 10 11 12 10 0 0
0 95 1 1 2 3 4 5 6 7 8 9 10 11 12 10 0 0
0 95 2 1 2 3 4 5 6 7 8 9 10 11 12 10 0 0
"""


def flip_bytes(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    for _ in range(rng.integers(1, 8)):
        data[rng.integers(len(data))] = rng.integers(256)
    return data


def cut_off(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    return data[: rng.integers(len(data))]


def drop_lines(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    lines = data.splitlines(keepends=True)
    start = rng.integers(len(lines))
    del lines[start : start + rng.integers(1, 4)]
    return bytearray(b"".join(lines))


def repeat_lines(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    lines = data.splitlines(keepends=True)
    start = rng.integers(len(lines))
    lines[start:start] = lines[start : start + rng.integers(1, 12)] * int(rng.integers(1, 4))
    return bytearray(b"".join(lines))


def replace_number(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    return replace_one(data, rng, rb"[-+.\d][-+.\deE]*")


def replace_word(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    return replace_one(data, rng, rb"\S+")


def replace_one(data: bytearray, rng: np.random.Generator, pattern: bytes) -> bytearray:
    # most words are values, so half of the time one of the first few hundred is taken: the hierarchy
    words = list(re.finditer(pattern, data))
    word = words[rng.integers(min(len(words), 300) if rng.random() < 0.5 else len(words))]
    data[word.start() : word.end()] = EVIL_WORDS[rng.integers(len(EVIL_WORDS))]
    return data


def shuffle_chunks(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    cuts = np.sort(rng.integers(0, len(data), rng.integers(2, 8)))
    parts = np.split(np.frombuffer(bytes(data), np.uint8), cuts)
    return bytearray(b"".join(parts[k].tobytes() for k in rng.permutation(len(parts))))


def splice(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    return data[: rng.integers(len(data))] + other[rng.integers(len(other)) :]


def insert_noise(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    at = rng.integers(len(data))
    data[at:at] = rng.bytes(int(rng.integers(1, 200)))
    return data


def swap_digits(data: bytearray, rng: np.random.Generator, other: bytes) -> bytearray:
    """Stays a well-formed file more often than not, so that what follows the parser is tried too."""
    digits = [m.start() for m in re.finditer(rb"\d", data)]
    for _ in range(rng.integers(1, 30)):
        data[digits[rng.integers(len(digits))]] = rng.integers(48, 58)
    return data


MUTATIONS = (
    *(flip_bytes, cut_off, drop_lines, repeat_lines, replace_number, replace_word),
    *(shuffle_chunks, splice, insert_noise, swap_digits, swap_digits, swap_digits, replace_number),
)


def damaged(files: list[bytes], rng: np.random.Generator) -> bytes:
    """One file with one to three kinds of damage."""
    data = bytearray(files[rng.integers(len(files))])
    other = files[rng.integers(len(files))]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if len(re.findall(rb"\d", data)) > 1:
            data = MUTATIONS[rng.integers(len(MUTATIONS))](data, rng, other)
    return bytes(data)


def outcome(path: Path, content: bytes) -> str:
    """'clip' or the kind of error; anything but those is raised, and so is waiting too long."""
    path.write_bytes(content)

    def give_up(*_):
        raise TimeoutError(f"reading took longer than {PATIENCE} s")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        for clip in read_clips(path):
            check(clip)
        return "clip"
    except KinematchError as error:
        if not str(error).startswith(str(path)) or len(str(error)) > 1000 + len(str(path)) or "\n" in str(error):
            raise AssertionError(f"no message of one line that names the file: {error}") from error
        return re.sub(r"""'[^']*'|"[^"]*"|-?\d[\d.e+-]*""", "#", getattr(error, "message", str(error)))[:70]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def check(clip: Clip) -> None:
    assert np.isfinite(clip.positions).all()
    lengths = np.linalg.norm(clip.rotations, axis=-1)
    assert np.abs(lengths - 1).max() < 1e-4
    assert clip.skeleton.tpose is None or np.isfinite(clip.skeleton.tpose).all()
    assert 0 < clip.source.unit < np.inf


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--data", type=Path, default=None, help="folder of folders of real files")
    options = arguments.parse_args()
    warnings.simplefilter("error")  # an overflow on the way is a failure too
    rng = np.random.default_rng(options.seed)
    files = seeds(options.data)
    tally: collections.Counter[str] = collections.Counter()
    slowest = 0.0
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.bvh"
        for content in files:
            assert outcome(path, content) == "clip"  # also compiles everything, before memory is limited
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + HEADROOM, resource.RLIM_INFINITY))
        for k in range(options.count):
            content = damaged(files, rng)
            start = time.perf_counter()
            try:
                tally[outcome(path, content)] += 1
            except Exception as error:
                failures += 1
                kept = Path(tempfile.gettempdir()) / f"fuzz_bvh_{options.seed}_{k}.bvh"
                kept.write_bytes(content)
                print(f"{kept}: {type(error).__name__}: {error}")
            slowest = max(slowest, time.perf_counter() - start)
    for what, count in tally.most_common():
        print(f"{count:7d}  {what}")
    print(f"{options.count} files, {tally['clip']} still read, {failures} failures, slowest {slowest:.2f} s")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
