"""TOML from anywhere: Python's own parser, with a guard against keys that would keep it busy for minutes."""

import re
import tomllib
from typing import Any

MAX_KEY_PARTS = 50  # of a dotted key; the parser takes time by the square of it
# possessive, so that nothing is tried twice
_DEEP_KEY = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}""")


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a text; raises `tomllib.TOMLDecodeError`."""
    deep = _DEEP_KEY.search(text)
    if deep is not None:
        line = text.count("\n", 0, deep.start()) + 1
        column = deep.start() - text.rfind("\n", 0, deep.start())
        message = f"A key of more than {MAX_KEY_PARTS} parts (at line {line}, column {column})"
        raise tomllib.TOMLDecodeError(message)
    return tomllib.loads(text)
