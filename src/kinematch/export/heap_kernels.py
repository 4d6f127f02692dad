"""Loading with memory of the system's: for libraries; a page hands over memory of its own."""

import numpy as np
from numba import types

from kinematch.compile.memory import CACHE_LINE, read_size, write_int, write_size
from kinematch.export import format as at
from kinematch.export.entry_kernels import is_loaded
from kinematch.export.load_kernels import measure, place

U = np.uintp
allocate = types.ExternalFunction("malloc", types.int64(types.int64))
release = types.ExternalFunction("free", types.void(types.int64))


def load(data, size, count, error, records):
    """Copy a file and lay it out; the address of the memory, or 0 and an error."""
    file, memory = data, np.int64(0)
    needed = measure(file, size, count, records)
    wrong = min(needed, np.int64(0))
    if wrong == 0:
        memory = allocate(needed + size + 2 * CACHE_LINE)
        if memory == 0:
            wrong = np.int64(at.NO_MEMORY)
    if wrong == 0:
        copy = (memory + needed + CACHE_LINE) & ~np.int64(CACHE_LINE - 1)
        for i in range(size // at.WORD):
            write_size(U(copy), i, read_size(U(file), i))
        wrong = place(copy, size, count, memory, needed, records)
    if error != 0:
        write_int(U(error), 0, np.int32(wrong))
    return memory


def free(memory):
    """Give back the memory; nothing may use it any more."""
    own = U(memory)
    if memory == 0:
        return np.int64(0)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    write_size(own, at.OWN_MAGIC, 0)
    release(memory)
    return np.int64(0)
