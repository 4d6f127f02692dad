"""The screen: whatever comes from files and recipes is shown as it stands there, never taken for a command."""

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.text import Text

from kinematch.errors import FileError, visible
from kinematch.writing import write_beside

if TYPE_CHECKING:
    from PIL import Image

NARROWEST = 20  # columns; terminals that do not know their width say 0
WIDE = 160  # columns of a pipe or file, which has room for whole rows


class Screen(Console):
    """A console that knows no markup, so that a joint may be called [bold] or :smile:."""

    def __init__(self, *, stderr: bool = False):
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)
        if self.width < NARROWEST or (not self.is_terminal and "COLUMNS" not in os.environ):
            self.width = WIDE

    def say(self, *parts: str | tuple[str, str]) -> None:
        """A line, however long, of texts and of texts with a style."""
        self.print(Text.assemble(*parts), soft_wrap=True)

    def print_wide(self, table: Any) -> None:
        """A table of many columns: on a narrow terminal rows go over the edge rather than lose their words."""
        own, self.width = self.width, max(self.width, WIDE)
        self.print(table, crop=False)
        self.width = own

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # which is no error of ours: main knows what to do

    def render(self, *arguments: Any, **more: Any) -> Iterable[Segment]:
        for text, style, control in super().render(*arguments, **more):
            yield Segment(text if control else "\n".join(map(visible, text.split("\n"))), style, control)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None]]:
    """A bar on stderr that disappears at the end; called with the number done, the total and, if it changes, of what.

    Without a terminal each stage is a line when it begins.
    """
    screen = Screen(stderr=True)
    if not screen.is_terminal:
        yield _lines(screen, what)
        return
    columns = (TextColumn("{task.description:18}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, now=what: bar.update(task, description=now, completed=done, total=total)


def _lines(screen: Screen, what: str) -> Callable[..., None]:
    last = ""

    def show(done: int, total: int | None, now: str = what) -> None:
        nonlocal last
        if now != last:
            screen.say(now)
            last = now

    return show


def write_figures(path: Path | None, figures: Any) -> None:
    """Figures as JSON, where a file for them is named."""
    if path is not None:
        write_beside(path, json.dumps(figures, indent=2).encode())


def write_picture(path: Path, picture: "Image.Image") -> None:
    """A still picture as PNG, whole or not at all."""
    if path.suffix.lower() != ".png":
        raise FileError(path, "still pictures are written as .png")
    content = io.BytesIO()
    picture.save(content, "PNG")
    write_beside(path, content.getvalue())
