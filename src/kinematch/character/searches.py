"""Searches: what kernels need to search a source, by the number of a filter, kept up to date between steps."""

from typing import Any, Protocol

import numpy as np

from kinematch.character.settings import Settings
from kinematch.control.orders import Filters
from kinematch.database.idle import MODES
from kinematch.database.table import SearchTable, empty_search
from kinematch.errors import KinematchError
from kinematch.search import WideMatcher
from kinematch.search.layout_kernels import measure_memory


class SearchedSource(Protocol):
    """A database or a model, as kernels search it."""

    matcher: Any

    def find_terms(self, expression: str | None, mode: int, settings: Settings) -> tuple[str, int]:
        """The filter expression, None being the source's own, and how many frames or entries to ignore."""

    def admits(self, filter_: str) -> bool:
        """Whether anything may be taken."""

    def find(self, query: np.ndarray, current: int, filter_: str, bias: float, ignored: int) -> tuple[int, float]:
        """The best frame or entry for one query, and its cost."""

    def find_stays(self, filter_: str) -> np.ndarray:
        """Which frames or entries may keep playing."""


ASKED = 1  # in place of an address where a user's matcher searches


class Searches:
    """The searches of one source for one crowd; the handles that kernels know by address are kept here."""

    def __init__(self, source: SearchedSource):
        self.source, self.filters = source, Filters()
        self.memory = 0  # bytes that a search takes
        self.handles, self.ignores, self.admits, _ = empty_search()
        self.errors: dict[int, KinematchError] = {}  # by number, of filters that this source cannot be searched with
        self.exact = int(type(source.matcher) is WideMatcher)
        self._admitted: dict[str, bool] = {}  # by filter: to look through all frames takes long
        self._count = 0  # of the filters that are known
        self._kept: Any = None  # the tree, whose handles kernels know by address
        self._settings = Settings()

    def refresh(self, settings: Settings, filters: Filters) -> SearchTable | None:
        """A new table where filters, weights or what to ignore have changed since the last; else None."""
        matcher: Any = self.source.matcher
        tree = matcher.tree if self.exact else None
        count = len(filters.texts)
        if tree is self._kept and settings is self._settings and filters is self.filters and count == self._count:
            return None
        self._kept, self._settings, self.filters, self._count = tree, settings, filters, count
        shape = count, MODES
        self.handles, self.ignores = np.zeros((2, *shape), np.int64)
        self.admits = np.zeros(shape, bool)
        self.errors = {}
        for number, mode in np.ndindex(shape):
            try:
                filter_, ignore = self.find_terms(number, mode)
                if filter_ not in self._admitted:
                    self._admitted[filter_] = self.source.admits(filter_)
                self.admits[number, mode] = self._admitted[filter_]
            except KinematchError as error:  # it may be meant for another source, with other tags
                self.errors[number] = error
                continue
            self.ignores[number, mode] = ignore
            if self.exact:
                found = matcher.find_handle(tree, filter_)
                self.handles[number, mode] = found.address
                self.memory = max(self.memory, measure_memory(found.addresses))
            else:
                self.handles[number, mode] = ASKED
        return SearchTable(self.handles, self.ignores, self.admits, self.exact)

    def find_terms(self, number: int, mode: int) -> tuple[str, int]:
        """The filter expression, and how many frames to ignore."""
        return self.source.find_terms(self.filters.text(number), mode, self._settings)

    def find(
        self, query: np.ndarray, current: int, number: int, mode: int, ignored: int, bias: float
    ) -> tuple[int, float]:
        """The search as plain Python calls it."""
        filter_, _ = self.find_terms(number, mode)
        return self.source.find(query, current, filter_, bias, int(ignored))

    def stays(self, number: int, mode: int) -> np.ndarray:
        """Which frames may keep playing."""
        return self.source.find_stays(self.find_terms(number, mode)[0])
