"""Layout: every array that a crowd's step reads and writes, with its shape for any number of characters.

It is taken from the records of the step themselves: two crowds of different sizes are compared, so that what is added
to a record travels along.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinematch.character.constants import GOLDEN_RATIO
from kinematch.character.crowd import Crowd
from kinematch.compile.handle import WORD
from kinematch.errors import KinematchError
from kinematch.export.entry_kernels import make_instance
from kinematch.export.ground_kernels import HEIGHTS_AT, NORMALS_AT
from kinematch.search import layout_kernels as at

COUNTS = (2, 3)  # characters of the two crowds; three show whether rows differ in equal steps
PHASES = "schedule.since"  # differs between characters by the golden ratio: crowds must not search all at once
CONSTANT = ("rig.", "beginning.", "sources.", "search.")  # parts that no step writes into


@dataclass(frozen=True)
class Linear:
    """A whole number that depends on the number of characters N: fixed + each * N."""

    fixed: int
    each: int = 0


@dataclass(frozen=True)
class Word:
    """A word of a handle: an address within an array, or a number."""

    number: Linear
    array: str | None = None


@dataclass(eq=False)
class StepArray:
    """One array; `words` where it is a handle, else what it holds at first."""

    name: str
    kind: np.dtype
    shape: tuple[Linear, ...]
    rows: np.ndarray | None = None  # of one character where the shape depends on N, else all; None for zeros
    step: int = 0  # that rows of each character are above those of the one before
    spread: float = 0.0  # s over which phases are spread
    constant: bool = False
    state: bool = False
    words: list[Word] = field(default_factory=list)
    inside: tuple[str, int] | None = None  # the array that this is a part of, and how many bytes from its beginning


@dataclass(eq=False)
class _Seen:
    """What one crowd has in memory."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    words: dict[str, list[Any]] = field(default_factory=dict)  # (name of an array,) or a number
    names: dict[tuple[int, int], str] = field(default_factory=dict)  # by address and size
    others: dict[str, tuple[str, np.ndarray]] = field(
        default_factory=dict
    )  # further names, as the same in other shapes
    states: set[str] = field(default_factory=set)
    numbers: dict[str, tuple[str, int, type]] = field(default_factory=dict)  # where they stand among words

    def add(self, name: str, array: np.ndarray) -> str:
        """Note an array under a name; the name that it has already."""
        key = array.__array_interface__["data"][0], array.nbytes
        if array.nbytes == 0:
            return ""
        known = self.names.setdefault(key, name)
        if known == name:
            self.arrays[name] = array
        else:
            self.others[name] = known, array
        return known

    def add_record(self, name: str, record: tuple[Any, ...]) -> None:
        """Note all arrays of a record, and its handle."""
        own = self.words[name] = []
        for path, leaf in _list_leaves("" if name == "data" else name, record):
            if isinstance(leaf, np.ndarray):
                own += [(self.add(path, leaf),), *leaf.shape]
            elif isinstance(leaf, list):  # of handles
                own += [(path,), len(leaf)]
                self.words[path] = [(one,) for one in leaf]
            else:
                self.numbers[path] = name, len(own), type(leaf)
                own.append(int(np.float64(leaf).view(np.int64)) if isinstance(leaf, float) else int(leaf))


def read_layout(crowds: tuple[Crowd, Crowd]) -> list[StepArray]:
    """All arrays of a step, from the same crowd of two and of three characters."""
    few, many = (_look(crowd) for crowd in crowds)
    if few.arrays.keys() != many.arrays.keys() or few.words.keys() != many.words.keys():
        raise KinematchError("crowds of two sizes have other arrays: they cannot be exported")
    arrays = [_compare(name, few, many) for name in few.arrays]
    for name, words in few.words.items():
        both = [_compare_words(name, *pair) for pair in zip(words, many.words[name], strict=True)]
        arrays.append(StepArray(name, np.dtype(np.int64), (Linear(len(both)),), words=both))
    for name, (known, array) in few.others.items():
        shape = tuple(_compare_numbers(*pair) for pair in zip(array.shape, many.others[name][1].shape, strict=True))
        arrays.append(StepArray(name, array.dtype, shape, inside=(known, 0)))
    for name, (words_name, place, kind) in few.numbers.items():
        dtype = np.dtype(np.float64 if kind is float else np.int64)
        arrays.append(StepArray(name, dtype, (), inside=(words_name, WORD * place)))
    return arrays


def _look(crowd: Crowd) -> _Seen:
    runner, seen = crowd.runner, _Seen()
    for name, array in crowd.state.arrays().items():
        if array.nbytes:
            seen.states.add(seen.add(name, array))
    pose = runner._pose
    count, legs = len(crowd.characters), len(runner.rig.legs)
    work = runner.work._replace(
        positions=pose.positions, rotations=pose.rotations,
        heights=np.zeros((count, 1 + legs)), normals=np.zeros((count, legs, 3)),
    )  # fmt: skip
    tables = [f"sources.{number}" for number in range(len(runner.tables))]
    for number, (name, table) in enumerate(zip(tables, runner.tables)):
        searches = runner.searches[number]
        if len(table.pack.features):  # the search has them as numbers already
            values = crowd.sources[number].matcher.space.values
            table = table._replace(features=values, pack=table.pack._replace(features=table.pack.features[:0]))
        seen.add_record(name, table._replace(search=table.search._replace(handles=np.zeros((0, 2), np.int64))))
        _add_searches(seen, name, searches)
    seen.add_record("data", runner.data._replace(pose=pose, work=work, sources=tables))
    seen.add_record("scratch", runner.scratch[0])
    seen.words["data"][HEIGHTS_AT + 1] = seen.words["data"][NORMALS_AT + 1] = 0  # until a program chooses ground
    seen.add_record("instance", make_instance(np.zeros(0, np.int64), np.zeros(0, np.int64), count, legs))
    for place, part in enumerate(("data", "scratch")):
        seen.words["instance"][2 * place : 2 * place + 2] = [(part,), len(seen.words[part])]
    return seen


def _add_searches(seen: _Seen, name: str, searches: Any) -> None:
    """The handles of all filters, in place of the table's own addresses."""
    handles = searches.handles
    own = seen.words[f"{name}.search.handles"] = []
    for number, mode in np.ndindex(handles.shape):
        if number in searches.errors:
            own.append(0)
            continue
        filter_, _ = searches.find_terms(number, mode)
        found = searches._kept.handles[filter_]
        own.append((_add_handle(seen, f"search.{name}", filter_, found),))
    words, place = seen.words[name], _find_search_word(seen, name)
    words[place : place + 3] = [(f"{name}.search.handles",), *handles.shape]


def _find_search_word(seen: _Seen, name: str) -> int:
    """Where the handle of a table has its search handles, which were left empty."""
    place = next(place for path, (_, place, _) in seen.numbers.items() if path == f"{name}.search.exact")
    return place - 9  # handles, ignores and admits have an address and two sizes each


def _add_handle(seen: _Seen, name: str, filter_: str, found: Any) -> str:
    own = f"{name}.{filter_ or '-'}"
    if own not in seen.words:
        addresses = {array.ctypes.data: array for array in found.arrays}
        words: list[Any] = []
        for place, value in enumerate(found.addresses.tolist()):
            array = addresses.get(value) if place < at.TOP_COUNT else None
            if array is None:
                words.append(value)
            else:
                flat = array.reshape(-1).view(np.uint8) if array.ndim > 2 else array
                words.append((seen.add(f"{own}.{place}", flat),))
        seen.words[own] = words
    return own


def _list_leaves(name: str, record: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(record, tuple):
        for part, value in zip(record._fields, record):  # type: ignore[attr-defined]
            yield from _list_leaves(f"{name}.{part}" if name else part, value)
    else:
        yield name, record


def _compare(name: str, few: _Seen, many: _Seen) -> StepArray:
    """One array for any number of characters."""
    a, b = few.arrays[name], many.arrays[name]
    shape = tuple(_compare_numbers(*pair) for pair in zip(a.shape, b.shape, strict=True))
    constant = name.startswith(CONSTANT) and name not in few.states and not any(one.each for one in shape)
    out = StepArray(name, a.dtype, shape, constant=constant, state=name in few.states)
    if not any(one.each for one in shape):
        if not np.array_equal(a.view(np.uint8), b.view(np.uint8)):
            raise KinematchError(f"{name} depends on the number of characters: it cannot be exported")
        out.rows = a if a.view(np.uint8).any() else None
        return out
    if shape[0].fixed or any(one.each for one in shape[1:]):
        raise KinematchError(f"{name} has a shape {b.shape} for {COUNTS[1]} characters: it cannot be exported")
    each = shape[0].each
    blocks = b.reshape(COUNTS[1], each, *b.shape[1:])
    out.rows = blocks[0]
    if name == PHASES:
        out.spread = float(b[1] / (GOLDEN_RATIO % 1.0))
        return out
    if b.dtype.kind in "iu" and b.size:
        out.step = int(blocks[1].flat[0]) - int(blocks[0].flat[0])
    for n in range(COUNTS[1]):
        expected = blocks[0] + b.dtype.type(n * out.step) if out.step else blocks[0]
        if not np.array_equal(expected.view(np.uint8), blocks[n].view(np.uint8)):
            raise KinematchError(f"{name} differs between new characters: it cannot be exported")
    if not out.step and not out.rows.view(np.uint8).any():
        out.rows = None
    return out


def _compare_numbers(few: int, many: int) -> Linear:
    each = (many - few) // (COUNTS[1] - COUNTS[0])
    return Linear(few - COUNTS[0] * each, each)


def _compare_words(name: str, few: Any, many: Any) -> Word:
    if isinstance(few, tuple) != isinstance(many, tuple) or (isinstance(few, tuple) and few != many):
        raise KinematchError(f"{name} depends on the number of characters: it cannot be exported")
    if isinstance(few, tuple):
        return Word(Linear(0), few[0] or None)
    return Word(_compare_numbers(few, many))
