"""How much memory a database takes while it plays: poses, features and what plays them, and beside it the search."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from kinematch.database.packing.fields import UnpackedArray
from kinematch.database.storage import Database
from kinematch.database.table import make_table
from kinematch.search import WideMatcher, search_space


class Footprint(NamedTuple):
    resident: int  # bytes of poses, features and what plays them
    search: int  # bytes of its index


def measure_footprint(database: Database) -> Footprint:
    """Each array is counted once, however many things refer to it."""
    seen: dict[int, int] = {}
    played = (database.poses, database.features, make_table(database))
    resident = sum(_count_bytes(array, seen) for array in _find_arrays(played))
    matcher = WideMatcher(search_space(database))
    searched = (matcher.space, list(vars(matcher).values()))
    return Footprint(resident, sum(_count_bytes(array, seen) for array in _find_arrays(searched)))


def _find_arrays(given: Any) -> Iterator[np.ndarray]:
    if isinstance(given, np.ndarray):
        yield given
    elif is_dataclass(given):
        for field in fields(given):
            yield from _find_arrays(getattr(given, field.name))
    elif isinstance(given, dict):
        yield from _find_arrays(list(given.values()))
    elif isinstance(given, tuple | list) and not isinstance(given, UnpackedArray):
        for part in given:
            yield from _find_arrays(part)


def _count_bytes(array: np.ndarray, seen: dict[int, int]) -> int:
    """Bytes that were not counted before."""
    start = array.__array_interface__["data"][0]
    known = seen.get(start, 0)
    seen[start] = max(known, array.nbytes)
    return seen[start] - known
