"""Tag filters: boolean expressions over tags, such as `walk & !crouch | idle`, as masks of frames."""

import re
from collections.abc import Sequence

import numpy as np

from kinematch.errors import KinematchError, unknown

_TOKEN = re.compile(r"\s*([&|!()]|[^\s&|!()]+)")


def tag_mask(expression: str, names: Sequence[str], tags: np.ndarray) -> np.ndarray:
    """Frames (F,) that an expression admits: ! binds closest, then &, then |; parentheses group; empty admits all."""
    if not expression.strip():
        return np.ones(len(tags), bool)
    tokens = _TOKEN.findall(expression)
    parser = _Parser(expression, tokens, names, tags)
    try:
        mask = parser.either()
    except RecursionError:
        raise KinematchError(f"filter {expression[:20]!r}...: nested too deeply") from None
    if parser.at < len(tokens):
        raise parser.wrong("the end")
    return mask


def check_filter(expression: str, names: Sequence[str]) -> None:
    """Raise if an expression cannot be read or names a tag that does not exist."""
    if not isinstance(expression, str):
        raise KinematchError(f"filter {expression!r}, expected text")
    tag_mask(expression, names, np.zeros((0, len(names)), bool))


class _Parser:
    """Recursive descent over a handful of tokens; each method returns the mask of what it read."""

    def __init__(self, expression: str, tokens: list[str], names: Sequence[str], tags: np.ndarray):
        self.expression, self.tokens, self.names, self.tags = expression, tokens, list(names), tags
        self.at = 0

    def either(self) -> np.ndarray:
        mask = self.both()
        while self.took("|"):
            mask = mask | self.both()
        return mask

    def both(self) -> np.ndarray:
        mask = self.single()
        while self.took("&"):
            mask = mask & self.single()
        return mask

    def single(self) -> np.ndarray:
        if self.took("!"):
            return ~self.single()
        if self.took("("):
            mask = self.either()
            if not self.took(")"):
                raise self.wrong("')'")
            return mask
        if self.at >= len(self.tokens) or self.tokens[self.at] in "&|)":
            raise self.wrong("a tag")
        name = self.tokens[self.at]
        self.at += 1
        if name not in self.names:
            raise KinematchError(f"filter {self.expression!r}: {unknown('tag', name, self.names)}")
        return self.tags[:, self.names.index(name)].astype(bool)

    def took(self, token: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def wrong(self, expected: str) -> KinematchError:
        found = repr(self.tokens[self.at]) if self.at < len(self.tokens) else "the end"
        return KinematchError(f"filter {self.expression!r}: expected {expected}, found {found} (token {self.at + 1})")
