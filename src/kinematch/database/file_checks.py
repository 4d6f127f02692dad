"""Declarations of the fields of a file, and the check of all of them before use."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.errors import KinematchError, listed
from kinematch.threads import run_each

NEAR_UNIT = 1e-3  # by which a stored rotation may be longer or shorter than one
BATCH = 8192  # rows at a time, so that a check takes little memory
MOST_SHOWN = 60  # characters of a wrong value in a message
Sizes = dict[str, int]


@dataclass(frozen=True)
class ArrayRule:
    """An array: its shape in names of sizes, such as `F J 3` or `D+Z`, and the range of its numbers, ends included.

    A size that is not known yet is taken from the first array that has it. `below` names the size that all numbers are
    below, for indices.
    """

    dtype: str
    shape: str
    low: float = -math.inf
    high: float = math.inf
    below: str = ""
    unit: bool = False  # rows are rotations
    any: bool = False  # NaN and infinities too
    optional: bool = False


@dataclass(frozen=True)
class Number:
    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True)
class Text:
    choices: Collection[str] = ()  # none: any text


@dataclass(frozen=True)
class ListOf:
    item: Any
    least: int = 0
    unique: bool = False


@dataclass(frozen=True)
class TableOf:
    """Values of one kind by names that the file chooses; None: of any kind."""

    item: Any = None


@dataclass(frozen=True)
class FieldRules:
    """Values by names that are declared."""

    needed: Mapping[str, Any]
    optional: Mapping[str, Any]
    strict: bool = True  # whether other names are refused


def check_value(found: Any, expected: Any, where: str) -> None:
    """Raise unless a plain JSON value is as declared."""
    match expected:
        case Number(low, high, whole):
            kinds = (int,) if whole else (int, float)
            if type(found) not in kinds or not low <= found <= high:
                raise _misfit(where, found, f"a {'whole ' if whole else ''}number from {low:g} to {high:g}")
        case Text(choices):
            if not isinstance(found, str) or (choices and found not in choices):
                raise _misfit(where, found, f"one of {listed(sorted(choices))}" if choices else "text")
        case ListOf(item, least, unique):
            if not isinstance(found, list) or len(found) < least:
                raise _misfit(where, found, f"a list of at least {least}" if least else "a list")
            for n, one in enumerate(found):
                check_value(one, item, f"{where}[{n}]")
            if unique and len(set(found)) < len(found):
                raise _misfit(where, found, "different ones")
        case TableOf(item):
            if not isinstance(found, dict):
                raise _misfit(where, found, "a table")
            for name, one in found.items() if item is not None else ():
                check_value(one, item, f"{where}.{_show(name)}")
        case FieldRules(needed, optional, strict):
            if not isinstance(found, dict):
                raise _misfit(where, found, "a table")
            if strict and not found.keys() <= {*needed, *optional}:
                raise _misfit(where, found, f"no other fields than {listed([*needed, *optional])}")
            for name, one in {**needed, **optional}.items():
                at = f"{where}.{name}" if where else name
                if name in found:
                    check_value(found[name], one, at)
                elif name in needed:
                    raise KinematchError(f"{at} is missing")


def check_arrays(
    arrays: Mapping[str, np.ndarray], table: Mapping[str, ArrayRule], sizes: Sizes, *, contents: bool = True
) -> None:
    """Raise unless arrays are as declared; `sizes` that are not known yet are added.

    Without `contents`, numbers of every frame are not read: those are nearly all of a file.
    """
    present = {name: row for name, row in table.items() if name in arrays or not row.optional}
    for name, row in present.items():
        _check_form(name, arrays.get(name), row, sizes)
    read = [name for name, row in present.items() if contents or row.shape.split()[0] != "F"]
    run_each(read, lambda name: _check_numbers(name, arrays[name], table[name], sizes))


def _check_form(name: str, array: np.ndarray | None, row: ArrayRule, sizes: Sizes) -> None:
    parts, dtype = row.shape.split(), np.dtype(row.dtype)
    found = "missing" if array is None else f"{array.dtype} {array.shape}"
    if array is not None and array.ndim == len(parts):
        for part, size in zip(parts, array.shape):
            if part.isidentifier():
                sizes.setdefault(part, size)
        shape = tuple(sum(_read_size(term, sizes) for term in re.findall(r"[+-]?\w+", part)) for part in parts)
        if array.shape == shape and array.dtype == dtype:
            return
        raise KinematchError(f"{name} is {found}, expected {dtype} {shape}")
    raise KinematchError(f"{name} is {found}, expected {dtype} ({', '.join(parts)})")


def _read_size(term: str, sizes: Sizes) -> int:
    name = term.lstrip("+-")
    return (-1 if term.startswith("-") else 1) * (int(name) if name.isdigit() else sizes[name])


def _check_numbers(name: str, array: np.ndarray, row: ArrayRule, sizes: Sizes) -> None:
    if row.any:
        return
    low, high = row.low, sizes[row.below] - 1 if row.below else row.high
    if array.dtype == bool:
        array, low, high = array.view(np.uint8), 0, 1
    elif array.dtype.kind == "f":  # NaN is in no range
        low, high = max(low, float(np.finfo(array.dtype).min)), min(high, float(np.finfo(array.dtype).max))
    for start in range(0, len(array) if array.size else 0, BATCH):
        part = array[start : start + BATCH]
        if not (part.min() >= low and part.max() <= high):
            wrong = ~((part >= low) & (part <= high))
        elif row.unit and (off := np.abs(np.einsum("...i,...i->...", part, part) - 1) > 2 * NEAR_UNIT).any():
            wrong, low, high = np.repeat(off[..., None], part.shape[-1], -1), -1, 1
        else:
            continue
        place = np.unravel_index(np.argmax(wrong), part.shape)
        at = ", ".join(str(int(k)) for k in (start + place[0], *place[1:]))
        wanted = "a unit quaternion" if row.unit else f"{low:g} to {high:g}"
        shown = part[place[:-1]].tolist() if row.unit else part[place]
        raise KinematchError(f"{name}[{at}] is {shown}, expected {wanted}")


def _show(value: Any) -> str:
    """A value in a few words, however long it is."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of thousands of digits
        text = "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def _misfit(where: str, found: Any, expected: str) -> KinematchError:
    return KinematchError(f"{where} is {_show(found)}, expected {expected}")
