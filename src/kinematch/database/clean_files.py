"""Clean the files of a recipe on all cores, and keep their clips in the cache, where they may be already."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from kinematch.database.cleaned import CleanedClip, open_cleaned, write_cleaned
from kinematch.database.prepare import find_target, prepare
from kinematch.database.recipe import Recipe, parse_recipe
from kinematch.database.sources import SourceFile, hash_value, list_files, make_clean_key
from kinematch.errors import FileError, KinematchError
from kinematch.motion.skeleton import Skeleton
from kinematch.tasks import KeptTask, Store, count_processes, open_store, run_tasks

Progress = Callable[[str, int, int], None]  # stage, items done, items in all
UNREADABLE = "unreadable: "  # how the key of a file begins that cannot be read
MIN_SHARED_BYTES = 20_000_000  # of files, from which other processes save more time than they take to start


@dataclass(frozen=True, eq=False)
class CleanedFiles:
    clips: list[tuple[CleanedClip, ...]]  # of each file, in the order of the recipe
    failures: list[str]  # files that are left out, and why
    cleaned: int  # files that were not in the cache


def find_cleaned(cache: Path | None = None) -> Store:
    return open_store("cleaned", ".cleaned", cache)


def clean_files(
    files: Sequence[SourceFile], keys: Sequence[str], text: str, recipe_path: Path, *, memory: int,
    cluster: str | None, progress: Progress, cache: Path | None = None,
) -> CleanedFiles:  # fmt: skip
    """The cleaned clips of all files. One that fails ends the run only if the recipe names it without a pattern."""
    store = find_cleaned(cache)
    names = [make_clean_key(file, key) for file, key in zip(files, keys)]
    failures = {n: key.removeprefix(UNREADABLE) for n, key in enumerate(keys) if key.startswith(UNREADABLE)}
    clips = [() if number in failures else open_cleaned(store.place(name)) for number, name in enumerate(names)]
    missing = [number for number, found in enumerate(clips) if found is None]
    ready = len(files) - len(missing)
    progress("clips", ready, len(files))

    def keep(task: int, error: KinematchError | None) -> None:
        nonlocal ready
        number = missing[task]
        if error is None:
            clips[number] = open_cleaned(store.place(names[number]))
            if clips[number] is None:
                raise FileError(store.folder, f"the cleaned clips of {files[number].label} cannot be read again")
        elif files[number].found:
            failures[number] = str(error)
        else:
            raise error
        ready += 1
        progress("clips", ready, len(files))

    given = {"text": text, "recipe": str(recipe_path.absolute()), "files": hash_value(names)}
    tasks = [
        KeptTask(names[number], f"{__name__}:clean_one", {**given, "number": number, "label": files[number].label})
        for number in missing
    ]
    size = sum(path.stat().st_size for number in missing if (path := files[number].path))
    run_tasks(tasks, store, keep, processes=count_processes(memory) if size >= MIN_SHARED_BYTES else 0, cluster=cluster)
    if missing:
        store.remove_oldest()
    told = [f"left out: {message}" for _, message in sorted(failures.items())]
    return CleanedFiles([found or () for found in clips], told, len(missing))


def clean_one(given: dict[str, Any], place: Path) -> None:
    """A task: clean one file of a recipe."""
    path = Path(given["recipe"])
    recipe, files, target = _open_recipe(given["text"], path, given["files"])
    number = given["number"]
    if number >= len(files) or files[number].label != given["label"]:
        raise FileError(given["label"], "is not among the files that this process finds for the recipe")
    write_cleaned(place, prepare(files[number], recipe.cleaning, folder=path.parent, target=target))


@lru_cache(1)
def _open_recipe(text: str, path: Path, digest: str) -> tuple[Recipe, list[SourceFile], Skeleton | None]:
    """`digest`: of all files, since what was found for others is of no use."""
    recipe = parse_recipe(text, path)
    files = list_files(recipe, path.parent, path, text)
    return recipe, files, find_target(files, recipe, path.parent)
