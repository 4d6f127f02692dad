"""Loading: an exported file is checked, and its arrays are laid out in memory for any number of characters.

All arguments are addresses and numbers. Nothing of a file is used before its size, its checksum and its ranges are
found right.
"""

import math

import numpy as np

from kinematch.character.constants import GOLDEN_RATIO
from kinematch.compile.jit import part, routine
from kinematch.compile.memory import (
    CACHE_LINE,
    bits_to_double,
    read_byte,
    read_int,
    read_size,
    read_word,
    write_byte,
    write_double,
    write_int,
    write_size,
)
from kinematch.export import format as at

U = np.uintp
ITEM_SIZES = (1, 1, 1, 2, 4, 8, 4, 8)  # of format.KINDS


@part
def hash_words(start, count):
    """A checksum of 8-byte words that tells any changed or exchanged word."""
    total = np.uint64(0)
    for i in range(count):
        mixed = (read_word(start, i) + np.uint64(i) * np.uint64(at.HASH_STEP)) * np.uint64(at.HASH_MULTIPLIER)
        total += mixed ^ (mixed >> np.uint64(29))
    return np.int64(total >> np.uint64(1))


@part
def round_up_line(size):
    return (size + (2 * CACHE_LINE - 1)) & ~np.int64(CACHE_LINE - 1)  # with a line to spare: lanes may read past an end


@part
def find_entry(file, index):
    return file + U(at.WORD * at.FILE_HEAD) + U(at.WORD * at.ARRAY_WORDS) * U(index)


@part
def find_axis(entry, axis, count):
    place = at.SHAPE + 2 * axis
    return read_size(entry, place) + read_size(entry, place + 1) * count


@part
def measure_array(entry, count):
    """Bytes of an array; negative if a number is out of range."""
    rank, kind = read_size(entry, at.ARRAY_RANK), read_size(entry, at.KIND)
    if not (0 <= rank <= at.RANK and 0 <= kind < len(at.KINDS)):
        return np.int64(-1)
    size = read_size(entry, at.ITEM_SIZE)
    if size != 1 and size != 2 and size != 4 and size != 8:
        return np.int64(-1)
    for axis in range(rank):
        place = at.SHAPE + 2 * axis
        fixed, each = read_size(entry, place), read_size(entry, place + 1)
        if not (0 <= fixed <= at.MAX_BYTES and 0 <= each <= at.MAX_BYTES // at.MAX_COUNT):
            return np.int64(-1)
        length = fixed + each * count
        if length > 0 and size > at.MAX_BYTES // length:
            return np.int64(-1)
        size *= length
    return size


@part
def check_head(file, size):
    """0, or what is wrong with a file as a whole."""
    if size < at.WORD * at.FILE_HEAD or size % at.WORD != 0 or read_size(file, at.FILE_MAGIC) != at.MAGIC:
        return np.int64(at.NO_FILE)
    if read_size(file, at.FILE_VERSION) != at.VERSION:
        return np.int64(at.OTHER_VERSION)
    if read_size(file, at.FILE_SIZE) != size:
        return np.int64(at.CUT_SHORT)
    head = at.CHECKSUM + 1
    if hash_words(file + U(at.WORD * head), size // at.WORD - head) != read_size(file, at.CHECKSUM):
        return np.int64(at.DAMAGED)
    arrays, patches = read_size(file, at.ARRAY_COUNT), read_size(file, at.PATCH_COUNT)
    if not (0 < arrays <= at.MAX_ARRAYS and 0 <= patches <= at.MAX_ARRAYS * 100):
        return np.int64(at.OUT_OF_RANGE)
    if at.WORD * (at.FILE_HEAD + at.ARRAY_WORDS * arrays + at.PATCH_WORDS * patches) > size:
        return np.int64(at.OUT_OF_RANGE)
    start, length = read_size(file, at.ABOUT_AT), read_size(file, at.ABOUT_SIZE)
    if not (0 <= start <= size and 0 <= length < size - start) or read_byte(file, start + length) != 0:
        return np.int64(at.OUT_OF_RANGE)
    if not 0 <= read_size(file, at.INSTANCE) < arrays:
        return np.int64(at.OUT_OF_RANGE)
    return np.int64(0)


@part
def check_array(file, size, index, count):
    """Whether an array's numbers are in range."""
    entry = find_entry(file, index)
    own, fill = measure_array(entry, count), read_size(entry, at.FILL)
    name = read_size(entry, at.NAME_AT)
    if own < 0 or not 0 <= name < size:
        return False
    start, length = read_size(entry, at.CONTENT_AT), read_size(entry, at.CONTENT_SIZE)
    if fill == at.ZEROS:
        return True
    if fill == at.INSIDE:
        parent, place = read_size(entry, at.PARENT), read_size(entry, at.PARENT_AT)
        if not 0 <= parent < index or place < 0:
            return False
        within = find_entry(file, parent)
        return read_size(within, at.FILL) != at.INSIDE and place + own <= measure_array(within, count)
    if not (0 <= start <= size and 0 <= length <= size - start) or start % CACHE_LINE != 0:
        return False
    if fill == at.IN_FILE:
        return length >= own
    return fill == at.REPEATED and length > 0 and own % length == 0 and (own == length or own // length == count)


@part
def check_patch(file, patch, count):
    arrays = read_size(file, at.ARRAY_COUNT)
    array, target = read_size(patch, at.PATCH_ARRAY), read_size(patch, at.PATCH_TARGET)
    if not (0 <= array < arrays and at.NOWHERE <= target < arrays):
        return False
    entry, word = find_entry(file, array), read_size(patch, at.PATCH_WORD)
    if read_size(entry, at.FILL) == at.IN_FILE or read_size(entry, at.FILL) == at.INSIDE:
        return False
    if not (word >= 0 and at.WORD * (word + 1) <= measure_array(entry, count)):
        return False
    if target == at.NOWHERE:
        return True
    return 0 <= read_size(patch, at.PATCH_FIXED) <= measure_array(find_entry(file, target), count)


@part
def find_patch(file, index):
    return find_entry(file, read_size(file, at.ARRAY_COUNT)) + U(at.WORD * at.PATCH_WORDS) * U(index)


@routine
def measure(data, size, count, records):
    """Bytes of memory that a file needs for `count` characters, or an error; `records`: what the code was made for."""
    file = U(data)
    if not 0 < count <= at.MAX_COUNT:
        return np.int64(at.TOO_MANY)
    wrong = check_head(file, size)
    if wrong < 0:
        return wrong
    if read_size(file, at.RECORDS) != records:
        return np.int64(at.OTHER_RECORDS)
    arrays = read_size(file, at.ARRAY_COUNT)
    total = np.int64(at.WORD) * (at.OWN_HEAD + arrays) + 2 * CACHE_LINE
    for index in range(arrays):
        if not check_array(file, size, index, count):
            return np.int64(at.OUT_OF_RANGE)
        entry = find_entry(file, index)
        fill = read_size(entry, at.FILL)
        if fill == at.ZEROS or fill == at.REPEATED:
            total += round_up_line(measure_array(entry, count))
        if total > size + at.MAX_EACH * (count + at.SPARE):
            return np.int64(at.OUT_OF_RANGE)
    for index in range(read_size(file, at.PATCH_COUNT)):
        if not check_patch(file, find_patch(file, index), count):
            return np.int64(at.OUT_OF_RANGE)
    return total


@routine
def place(data, size, count, memory, memory_size, records):
    """Lay a file out in memory of the size that `measure` returned; the file must stay where it is. 0 or an error."""
    needed = measure(data, size, count, records)
    if needed < 0:
        return needed
    if memory_size < needed:
        return np.int64(at.NO_MEMORY)
    file, own = U(data), U(memory)
    for i in range(needed // at.WORD):
        write_size(own, i, 0)
    arrays, state = read_size(file, at.ARRAY_COUNT), np.int64(0)
    addresses = own + U(at.WORD * at.OWN_HEAD)
    free = (addresses + U(at.WORD * arrays) + U(CACHE_LINE)) & ~U(CACHE_LINE - 1)
    for index in range(arrays):
        entry = find_entry(file, index)
        fill, bytes_ = read_size(entry, at.FILL), measure_array(entry, count)
        if fill == at.INSIDE:
            parent = U(read_size(addresses, read_size(entry, at.PARENT)))
            write_size(addresses, index, np.int64(parent + U(read_size(entry, at.PARENT_AT))))
        elif fill == at.IN_FILE:
            write_size(addresses, index, np.int64(file + U(read_size(entry, at.CONTENT_AT))))
        else:
            write_size(addresses, index, np.int64(free))
            if fill == at.REPEATED:
                fill_rows(file, entry, free, count, bytes_)
            free += U(round_up_line(bytes_))
        if read_size(entry, at.IS_STATE) != 0:
            state += bytes_
    for index in range(read_size(file, at.PATCH_COUNT)):
        patch = find_patch(file, index)
        target, value = read_size(patch, at.PATCH_TARGET), read_size(patch, at.PATCH_FIXED)
        value += read_size(patch, at.PATCH_EACH) * count
        if target != at.NOWHERE:
            value += read_size(addresses, target)
        write_size(U(read_size(addresses, read_size(patch, at.PATCH_ARRAY))), read_size(patch, at.PATCH_WORD), value)
    write_size(own, at.OWN_MAGIC, at.LOADED)
    write_size(own, at.OWN_FILE, data)
    write_size(own, at.OWN_COUNT, count)
    write_size(own, at.OWN_SIZE, needed)
    write_size(own, at.OWN_INSTANCE, read_size(addresses, read_size(file, at.INSTANCE)))
    write_size(own, at.OWN_STATE_SIZE, at.WORD * at.STATE_HEAD + (state + at.WORD - 1) // at.WORD * at.WORD)
    return np.int64(0)


@part
def fill_rows(file, entry, start, count, bytes_):
    """The rows of one character for each, which go up in steps or are spread where the file says so."""
    length, content = read_size(entry, at.CONTENT_SIZE), file + U(read_size(entry, at.CONTENT_AT))
    step, spread = read_size(entry, at.STEP), read_size(entry, at.SPREAD)
    for n in range(bytes_ // length):
        row = start + U(n * length)
        for i in range(length):
            write_byte(row, i, read_byte(content, i))
        if step != 0 and read_size(entry, at.ITEM_SIZE) == 4:
            for i in range(length // 4):
                write_int(row, i, np.int32(read_int(content, i) + step * n))
        if step != 0 and read_size(entry, at.ITEM_SIZE) == 8:
            for i in range(length // 8):
                write_size(row, i, read_size(content, i) + step * n)
        if spread != 0:
            turns = n * GOLDEN_RATIO
            write_double(row, 0, (turns - math.floor(turns)) * bits_to_double(spread))
