"""Copies: how records that never change are copied and pickled."""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any


class Unchanging:
    """A frozen dataclass that is its own copy. Pickling goes through its constructor, which makes arrays read-only."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.init}  # type: ignore[arg-type]
        plain = {name: dict(one) if isinstance(one, MappingProxyType) else one for name, one in given.items()}
        return make_record, (type(self), plain)


def make_record(kind: type, values: Mapping[str, Any]) -> Any:
    """The inverse of pickling a record."""
    return kind(**values)
