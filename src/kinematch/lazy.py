"""Names that a folder offers to users, imported when they are first used, so that opening the folder costs nothing."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def offer_names(folder: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a folder that offers names, each from one of its modules: name -> module."""

    def find_name(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {folder!r} has no attribute {name!r}")
        return getattr(import_module(f"{folder}.{homes[name]}"), name)

    return find_name
