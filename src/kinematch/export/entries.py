"""The entries of a compiled library: names, parameters and what each returns, from which headers are written too."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinematch.character.step.data import open_data, open_scratch, open_source
from kinematch.export import entry_kernels as e
from kinematch.export import format as at
from kinematch.export import heap_kernels as heap
from kinematch.export import load_kernels as load
from kinematch.export import state_kernels as state


@dataclass(frozen=True)
class EntryPoint:
    """A function of a library; one letter for each parameter: p for a pointer, i for a whole number, d for a float64, r
    for the layout of records, which callers do not give."""

    function: Callable[..., Any]
    parameters: str
    in_pages: bool = True


ENTRIES = {
    "measure": EntryPoint(load.measure, "piir"),
    "place": EntryPoint(load.place, "piipir"),
    "step": EntryPoint(e.take_step, "pd"),
    "begin": EntryPoint(e.begin, "pd"),
    "finish": EntryPoint(e.finish, "p"),
    "ground": EntryPoint(e.ground, "pipiidddi"),
    "command": EntryPoint(e.command, "piddddddii"),
    "act": EntryPoint(e.act, "piiddddd"),
    "teleport": EntryPoint(e.teleport, "pidddd"),
    "find": EntryPoint(e.find, "ppp"),
    "count": EntryPoint(e.count_characters, "p"),
    "about": EntryPoint(e.find_about, "p"),
    "state_size": EntryPoint(state.measure_state, "p"),
    "save": EntryPoint(state.save, "ppi"),
    "restore": EntryPoint(state.restore, "ppi"),
    "load": EntryPoint(heap.load, "piipr", in_pages=False),
    "free": EntryPoint(heap.free, "p", in_pages=False),
}


def digest_records() -> int:
    """A number of the records that compiled code opens: files written for others do not fit it."""
    layouts = (open_data.layout, open_scratch.layout, open_source.layout, e.open_instance.layout, at.VERSION)
    return int.from_bytes(hashlib.sha256(repr(layouts).encode()).digest()[:7], "little")
