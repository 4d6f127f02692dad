"""Whole numbers as compressed bytes and back, in bounded memory whatever a file says."""

import lzma

import numpy as np

from kinematch.errors import KinematchError

ESCAPE = 255  # numbers from here on stand apart
DICTIONARY = 1 << 22  # bytes
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "lc": 0, "lp": 0, "pb": 0, "dict_size": DICTIONARY}]


def compress(data: bytes) -> np.ndarray:
    return np.frombuffer(lzma.compress(data, format=lzma.FORMAT_RAW, filters=FILTERS), np.uint8)


def decompress(data: np.ndarray, size: int) -> np.ndarray:
    """Exactly `count` bytes; the rest of a longer stream is never unpacked."""
    reader = lzma.LZMADecompressor(format=lzma.FORMAT_RAW, filters=FILTERS)
    try:
        out = reader.decompress(data.tobytes(), max_length=size + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise KinematchError(f"a compressed stream is broken: {error}") from None
    if len(out) != size or (size and not reader.eof and not reader.needs_input and reader.decompress(b"", 1)):
        raise KinematchError(f"a compressed stream does not hold {size} bytes")
    return np.frombuffer(out, np.uint8)


def write_numbers(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two streams of signed whole numbers: a byte each, and those that do not fit into one."""
    folded = np.where(numbers >= 0, 2 * numbers, -2 * numbers - 1)  # small ones first, whatever their sign
    large = folded[folded >= ESCAPE]
    if large.max(initial=0) > np.iinfo(np.int32).max:
        raise KinematchError("a curve has values that are too large")
    planes = large.astype("<u4").view(np.uint8).reshape(-1, 4).T  # high bytes are alike, and compress together
    return compress(np.minimum(folded, ESCAPE).astype(np.uint8).tobytes()), compress(planes.tobytes())


def read_numbers(small: np.ndarray, large: np.ndarray, count: int) -> np.ndarray:
    """The next `count` numbers (int32) of two streams."""
    folded = decompress(small, count).astype(np.int32)
    apart = np.flatnonzero(folded == ESCAPE)
    planes = decompress(large, 4 * len(apart)).reshape(4, -1)
    folded[apart] = np.ascontiguousarray(planes.T).view("<i4").reshape(-1)
    if (folded[apart] < ESCAPE).any():
        raise KinematchError("a compressed stream holds numbers that it should not")
    return np.where(folded & 1, -(folded >> 1) - 1, folded >> 1)
