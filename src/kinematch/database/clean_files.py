"""Clean the files of a recipe on all cores, and keep their clips in the cache, where they may be already."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from kinematch.database.cleaned import CleanedClip, find_cleaned_folder, open_cleaned, remove_oldest, save_cleaned
from kinematch.database.cleaner import Cleaner, open_cleaners
from kinematch.database.prepare import find_target, prepare
from kinematch.database.recipe import Recipe
from kinematch.database.sources import SourceFile, make_clean_key
from kinematch.errors import FileError, KinematchError

Progress = Callable[[str, int, int], None]  # stage, items done, items in all
UNREADABLE = "unreadable: "  # how the key of a file begins that cannot be read
WORTH_CLEANERS = 20_000_000  # bytes of files, from which other processes save more time than they take to start
MOST_CLEANERS = 63  # beside this process
CLEANER_BYTES = 400_000_000  # that one takes


@dataclass(frozen=True, eq=False)
class CleanedFiles:
    clips: list[tuple[CleanedClip, ...]]  # of each file, in the order of the recipe
    failures: list[str]  # files that are left out, and why
    cleaned: int  # files that were not in the cache


def clean_files(
    files: Sequence[SourceFile], keys: Sequence[str], recipe: Recipe, text: str, recipe_path: Path, *, memory: int,
    progress: Progress,
) -> CleanedFiles:  # fmt: skip
    """The cleaned clips of all files. One that fails ends the run only if the recipe names it without a pattern."""
    folder = find_cleaned_folder()
    names = [make_clean_key(file, key) for file, key in zip(files, keys)]
    failures = {n: key.removeprefix(UNREADABLE) for n, key in enumerate(keys) if key.startswith(UNREADABLE)}
    clips = [() if number in failures else open_cleaned(folder, name) for number, name in enumerate(names)]
    missing = [number for number, found in enumerate(clips) if found is None]
    progress("clips", len(files) - len(missing), len(files))
    target = find_target(list(files), recipe, recipe_path.parent) if missing else None

    def clean_here(number: int) -> None:
        prepared = prepare(files[number], recipe.cleaning, folder=recipe_path.parent, target=target)
        save_cleaned(folder, names[number], prepared)

    def keep(number: int, error: KinematchError | None) -> None:
        if error is None:
            clips[number] = open_cleaned(folder, names[number])
            if clips[number] is None:
                raise FileError(folder, f"the cleaned clips of {files[number].label} cannot be read again")
        elif files[number].found:
            failures[number], clips[number] = str(error), ()
        else:
            raise error

    if missing:
        sizes = [path.stat().st_size for number in missing if (path := files[number].path)]
        count = min((os.cpu_count() or 1) - 1, MOST_CLEANERS, memory // CLEANER_BYTES - 1)
        with open_cleaners(count if sum(sizes) >= WORTH_CLEANERS else 0, text, recipe_path, folder) as cleaners:
            _clean_each(
                missing, names, cleaners, clean_here, keep, lambda n: progress("clips", n, len(files)), len(files)
            )
        remove_oldest(folder)
    told = [f"left out: {message}" for _, message in sorted(failures.items())]
    return CleanedFiles([found or () for found in clips], told, len(missing))


def _clean_each(
    missing: Sequence[int], names: Sequence[str], cleaners: Sequence[Cleaner], clean_here: Callable[[int], None],
    keep: Callable[[int, KinematchError | None], None], progress: Callable[[int], None], total: int,
) -> None:  # fmt: skip
    """Each file once, in the next process that is free; `keep` hears of each in this thread."""
    free: SimpleQueue[Cleaner | None] = SimpleQueue()  # None is this process
    for one in (None, *cleaners):
        free.put(one)

    def clean(number: int) -> None:
        cleaner = free.get()
        try:
            if cleaner is None or not cleaner.clean(number, names[number]):
                clean_here(number)
        finally:
            free.put(cleaner)

    with ThreadPoolExecutor(1 + len(cleaners)) as executor:
        try:
            tasks = {executor.submit(clean, number): number for number in missing}
            for done, task in enumerate(as_completed(tasks), 1):
                error = task.exception()
                if error is not None and not isinstance(error, KinematchError):
                    raise error
                keep(tasks[task], error)
                progress(total - len(missing) + done)
        except BaseException:
            executor.shutdown(wait=True, cancel_futures=True)
            raise


def count_memory() -> int:
    """Bytes of the machine; 8 GB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8_000_000_000
