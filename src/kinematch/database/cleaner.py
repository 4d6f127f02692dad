"""Cleaner: a process that cleans files beside this one, since Python's lock lets the threads of one take turns only.

python -m kinematch.database.cleaner reads a line of JSON with the recipe, then lines with the number of a file and the
key to keep its clips under. It answers each with a line: `kept`, or `failed`. Not a pool of multiprocessing's: that
would run the user's own script again in each process.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from kinematch.database.cleaned import save_cleaned
from kinematch.database.prepare import find_target, prepare
from kinematch.database.recipe import parse_recipe
from kinematch.database.sources import hash_code, list_files

KEPT, FAILED = "kept", "failed"


class Cleaner:
    """Another process that cleans files of a recipe into a folder."""

    def __init__(self, text: str, path: Path, folder: Path):
        command = [sys.executable, "-m", "kinematch.database.cleaner"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        asked = {"text": text, "path": str(path.absolute()), "folder": str(folder.absolute()), "code": hash_code()}
        self._ask(json.dumps(asked))

    def clean(self, number: int, key: str) -> bool:
        """Whether the clips of a file are now kept; False where it could not clean it, for whatever reason."""
        try:
            self._ask(json.dumps([number, key]))
            assert self._process.stdout is not None
            answer = self._process.stdout.readline().strip()
        except (OSError, ValueError):
            answer = ""
        if answer not in (KEPT, FAILED):  # it has ended, or said something else: no answer of it can be trusted
            self._process.kill()
        return answer == KEPT

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, line: str) -> None:
        with suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()


@contextmanager
def open_cleaners(count: int, text: str, path: Path, folder: Path) -> Iterator[list[Cleaner]]:
    """Start `count` cleaners for the files of a recipe, or fewer where no process can be started."""
    cleaners: list[Cleaner] = []
    try:
        with suppress(OSError):
            for _ in range(count):
                cleaners.append(Cleaner(text, path, folder))
        yield cleaners
    finally:
        for cleaner in cleaners:
            cleaner.close()


def clean_for_another(asked: TextIO, answers: TextIO) -> None:
    """Be the other process until nothing more is asked."""
    given = json.loads(asked.readline())
    if given["code"] != hash_code():
        return
    path, folder = Path(given["path"]), Path(given["folder"])
    recipe = parse_recipe(given["text"], path)
    files = list_files(recipe, path.parent, path, given["text"])
    target = find_target(files, recipe, path.parent)
    for line in asked:
        number, key = json.loads(line)
        try:
            save_cleaned(folder, key, prepare(files[number], recipe.cleaning, folder=path.parent, target=target))
            answer = KEPT
        except Exception:  # the process that asked cleans it itself, and says what is wrong
            answer = FAILED
        answers.write(answer + "\n")
        answers.flush()


if __name__ == "__main__":
    clean_for_another(sys.stdin, sys.stdout)
