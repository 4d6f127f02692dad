"""States as bytes: everything that evolves, saved and restored bit for bit."""

import numpy as np

from kinematch.compile.jit import part
from kinematch.compile.memory import read_byte, read_size, write_byte, write_size
from kinematch.export import format as at
from kinematch.export.entry_kernels import is_loaded
from kinematch.export.load_kernels import find_entry, measure_array

U = np.uintp


def measure_state(memory):
    """Bytes of a saved state."""
    own = U(memory)
    return read_size(own, at.OWN_STATE_SIZE) if is_loaded(own) else np.int64(at.NOT_LOADED)


def save(memory, out, size):
    """Everything that evolves, as bytes: how many."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    needed = read_size(own, at.OWN_STATE_SIZE)
    if size < needed:
        return np.int64(at.NO_MEMORY)
    start, file = U(out), U(read_size(own, at.OWN_FILE))
    write_size(start, at.STATE_MAGIC, at.SAVED)
    write_size(start, at.STATE_OF, read_size(file, at.STATE_DIGEST))
    write_size(start, at.STATE_COUNT, read_size(own, at.OWN_COUNT))
    write_size(start, at.STATE_BYTES, needed)
    end = copy_state(own, start + U(at.WORD * at.STATE_HEAD), True)
    for i in range(needed - np.int64(end - start)):
        write_byte(end, i, np.uint8(0))
    return needed


def restore(memory, given, size):
    """Go back to a saved state of the same character, bit for bit."""
    own, start = U(memory), U(given)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    needed, file = read_size(own, at.OWN_STATE_SIZE), U(read_size(own, at.OWN_FILE))
    if size != needed or read_size(start, at.STATE_MAGIC) != at.SAVED:
        return np.int64(at.OTHER_STATE)
    if read_size(start, at.STATE_OF) != read_size(file, at.STATE_DIGEST):
        return np.int64(at.OTHER_STATE)
    if read_size(start, at.STATE_COUNT) != read_size(own, at.OWN_COUNT):
        return np.int64(at.OTHER_STATE)
    copy_state(own, start + U(at.WORD * at.STATE_HEAD), False)
    return np.int64(0)


@part
def copy_state(own, place, out):
    """Copy all arrays of the state out to a place, or in from there; where it ends."""
    file, count = U(read_size(own, at.OWN_FILE)), read_size(own, at.OWN_COUNT)
    for index in range(read_size(file, at.ARRAY_COUNT)):
        entry = find_entry(file, index)
        if read_size(entry, at.IS_STATE) != 0:
            array, size = U(read_size(own, at.OWN_HEAD + index)), measure_array(entry, count)
            for i in range(size):
                if out:
                    write_byte(place, i, read_byte(array, i))
                else:
                    write_byte(array, i, read_byte(place, i))
            place += U(size)
    return place
