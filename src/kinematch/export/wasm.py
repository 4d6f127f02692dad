"""A module for pages is LLVM's object file itself, without a linker.

The code has no data and no tables, functions of our own are exported by an attribute, and indices in relocatable code
are those of the object. What a linker would add is handed over by kinematch.js: memory and the stack pointer.
"""

from collections.abc import Iterator

from kinematch.errors import KinematchError

MAGIC = b"\0asm\1\0\0\0"
CUSTOM, IMPORT, ELEMENT, DATA = 0, 2, 9, 11
NEEDED = {"__linear_memory", "__stack_pointer"}


def finish_module(data: bytes) -> bytes:
    """The object as a module: without names and relocations, which only a linker reads."""
    sections = [(kind, content) for kind, content in split_sections(data) if kind != CUSTOM]
    extra = {kind for kind, _ in sections} & {ELEMENT, DATA}
    imports = {name for kind, content in sections if kind == IMPORT for name in list_imports(content)}
    if extra or imports != NEEDED:  # then it would need a linker after all
        raise KinematchError(f"the compiled module imports {sorted(imports)} and has sections {sorted(extra)}")
    return MAGIC + b"".join(bytes([kind]) + write_number(len(content)) + content for kind, content in sections)


def split_sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Kinds and contents of sections."""
    if data[:8] != MAGIC:
        raise KinematchError("the compiled module is no WebAssembly")
    at = 8
    while at < len(data):
        size, start = read_number(data, at + 1)
        yield data[at], data[start : start + size]
        at = start + size


def list_imports(section: bytes) -> list[str]:
    """Names of what a module takes from outside."""
    count, at = read_number(section, 0)
    found = []
    for _ in range(count):
        for _ in range(2):  # the module's name, then that of the import
            size, at = read_number(section, at)
            name, at = section[at : at + size].decode(), at + size
        found.append(name)
        kind, at = section[at], at + 1
        if kind == 3:  # a global: its type, and whether it changes
            at += 2
            continue
        at += 1 if kind == 1 else 0  # the type of a table
        flags, at = read_number(section, at)  # of a function, its type
        for _ in range(1 + (flags & 1) if kind else 0):  # limits
            _, at = read_number(section, at)
    return found


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned number in LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def write_number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
