"""The screen: whatever comes from files and recipes is shown as it stands there, never taken for a command."""

import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from kinematch.errors import visible

WIDE = 160  # columns of a pipe or file, which has room for whole rows


class Screen(Console):
    """A console that knows no markup, so that a joint may be called [bold] or :smile:."""

    def __init__(self, *, stderr: bool = False):
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = WIDE

    def say(self, *parts: str | tuple[str, str]) -> None:
        """A line, however long, of texts and of texts with a style."""
        self.print(Text.assemble(*parts), soft_wrap=True)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # which is no error of ours: main knows what to do

    def render(self, *arguments: Any, **more: Any) -> Iterable[Segment]:
        for text, style, control in super().render(*arguments, **more):
            yield Segment(text if control else "\n".join(map(visible, text.split("\n"))), style, control)
