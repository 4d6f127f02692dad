"""Build a database from a recipe: clean the files, join the poses, measure features; unchanged stages are reused."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import Any, Literal

import numpy as np

from kinematch import __version__
from kinematch.database import storage
from kinematch.database.cleaner import Cleaner, open_cleaners
from kinematch.database.feature_database import build_features, find_targets
from kinematch.database.features import BUILT_IN, KINDS
from kinematch.database.filters import tag_mask
from kinematch.database.marks import find_empty_ranges, mark_clip, swap_tags
from kinematch.database.mixture import find_mixture
from kinematch.database.poses import ClipEntry, PoseDatabase, build_poses
from kinematch.database.prepare import Prepared, find_target, prepare
from kinematch.database.recipe import Recipe, parse_recipe, read_recipe_text
from kinematch.database.recipe_errors import find_line
from kinematch.database.sources import (
    SourceFile,
    hash_code,
    hash_file,
    hash_value,
    list_files,
    make_file_key,
    refuse_twice,
)
from kinematch.database.storage import Database
from kinematch.errors import FileError, KinematchError, listed
from kinematch.files import read_clip
from kinematch.motion.clean.root import add_root
from kinematch.writing import place_for

WORTH_CLEANERS = 20_000_000  # bytes of files, from which other processes save more time than they take to start
MOST_CLEANERS = 7  # beside this process; each takes 0.2 GB
Reused = Literal["nothing", "poses", "everything"]
Progress = Callable[[str, int, int], None]  # stage, items done, items in all


@dataclass(frozen=True, eq=False)
class BuildResult:
    database: Database
    path: Path
    reused: Reused  # of an earlier build
    seconds: dict[str, float]  # by stage
    warnings: tuple[str, ...]


def build(recipe_path: str | Path, *, progress: Progress = lambda stage, done, total: None) -> BuildResult:
    """Build the database a recipe describes and write it to its output; an interruption leaves the old file intact."""
    try:
        return _build(Path(recipe_path), progress)
    except FileError:
        raise
    except KinematchError as error:  # an error of no particular file is an error of the recipe
        raise FileError(recipe_path, str(error)) from None


def _build(recipe_path: Path, progress: Progress) -> BuildResult:
    text = read_recipe_text(recipe_path)
    recipe = parse_recipe(text, recipe_path)
    folder = recipe_path.parent
    output = folder / (recipe.output or recipe_path.stem + storage.SUFFIX)
    place_for(output)  # fail before the work, not after it
    clock = _Clock()

    files = list_files(recipe, folder, recipe_path, text)
    target_digest = hash_file(folder / recipe.skeleton) if recipe.skeleton else hash_value([f.name for f in files[:1]])
    keys = [make_file_key(file, recipe, folder, target=target_digest) for file in files]
    poses_key = hash_value([keys, _list_marks(recipe), target_digest])
    features_key = hash_value([poses_key, _describe_features(recipe)])
    clock.lap("look")
    earlier = _load_earlier(output)
    if earlier and earlier.about.get("features_key") == features_key:
        return BuildResult(earlier, output, "everything", clock.laps, tuple(earlier.about["warnings"]))

    found: list[str] = []
    reused: Reused = "nothing"
    if earlier and earlier.about.get("poses_key") == poses_key:
        poses, sources, reused = earlier.poses, earlier.about["sources"], "poses"
        found += earlier.about["source_warnings"]
    else:
        prepared = _prepare_all(files, recipe, text, recipe_path, progress)
        clock.lap("clips")
        progress("poses", 0, 1)
        found += _list_left_out(prepared) + _list_warnings(prepared) + find_empty_ranges(files, prepared)
        prepared = [[clip for clip in clips if not clip.fault] for clips in prepared]
        if not any(prepared):
            raise KinematchError(f"no clip is fit for a database: {found[0]}")
        sources = [
            {"path": file.label, "key": key, "clips": [clip.clip.name for clip in clips]}
            for file, key, clips in zip(files, keys, prepared)
        ]
        poses = _assemble(files, prepared, recipe, folder)
        del prepared
        clock.lap("poses")
    _check_filter(recipe, poses, recipe_path, text)
    source_warnings = list(found)
    found += find_mixture(files, sources, poses, recipe.matching.filter)
    progress("features", 0, 1)
    features = build_features(
        poses,
        recipe.feature_schema(),
        normalisation=recipe.matching.normalisation,
        weights=recipe.weights(),
        tail=recipe.matching.tail,
        warn=found.append,
    )
    clock.lap("features")
    about = {
        "kinematch": __version__, "recipe": text, "sources": sources, "source_warnings": source_warnings,
        "warnings": found, "poses_key": poses_key, "features_key": features_key,
    }  # fmt: skip
    database = Database(poses, features, about, recipe.matching.filter)
    progress("write", 0, 1)
    storage.save(output, database)
    clock.lap("write")
    return BuildResult(storage.load(output), output, reused, clock.laps, tuple(found))


def _check_filter(recipe: Recipe, poses: PoseDatabase, recipe_path: Path, text: str) -> None:
    """The recipe's filter names tags that exist, and leaves frames to find."""
    expression = recipe.matching.filter
    if not expression.strip():
        return
    try:
        mask = tag_mask(expression, poses.tags.names, poses.tags.frames)
        if not (mask & find_targets(poses, tail=recipe.matching.tail, past=recipe.feature_schema().past)).any():
            raise KinematchError(f"filter {expression!r} admits no frame that a search may jump to")
    except KinematchError as error:
        line = find_line(text, ("matching", "filter"))
        raise FileError(recipe_path, f"matching.filter: {error}", line=line) from None


class _Clock:
    def __init__(self):
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.laps[stage] = now - self._last
        self._last = now


def _load_earlier(output: Path) -> Database | None:
    """The database of an earlier build, if it is there and intact."""
    if not output.exists():
        return None
    try:
        return storage.load(output, verify=True)  # a damaged file is built again
    except FileError as error:
        if error.kind == "foreign":
            message = f"{error.message}; choose another `output`, so that it is not overwritten"
            raise FileError(output, message, kind="foreign") from None
        return None


def _list_marks(recipe: Recipe) -> Any:
    """Everything a recipe says about frames, apart from how they are made."""
    kept = {"tags", "range", "action"}
    return [[s.model_dump(mode="json", include=kept) for s in recipe.source], recipe.cleaning.mirror_tags]


def _describe_features(recipe: Recipe) -> Any:
    own = [KINDS[f.kind] for f in recipe.feature_schema().features if f.kind not in BUILT_IN]
    # a user's function may have changed without notice: never reuse its values
    return [
        [entry.model_dump(mode="json") for entry in recipe.feature],
        recipe.matching.model_dump(mode="json"),
        os.urandom(16).hex() if own else hash_code(),
    ]


def _prepare_all(
    files: list[SourceFile], recipe: Recipe, text: str, recipe_path: Path, progress: Progress
) -> list[list[Prepared]]:
    """Clean all files, many of them on all cores; results are in the order of the recipe."""
    out: list[list[Prepared]] = [[] for _ in files]
    folder = recipe_path.parent
    target = find_target(files, recipe, folder)
    size = sum(file.path.stat().st_size for file in files if file.path)
    helpers = min((os.cpu_count() or 1) - 1, MOST_CLEANERS) if size >= WORTH_CLEANERS else 0
    with open_cleaners(helpers, text, recipe_path) as cleaners, ThreadPoolExecutor(1 + len(cleaners)) as executor:
        free: SimpleQueue[Cleaner | None] = SimpleQueue()  # None is this process
        for one in (None, *cleaners):
            free.put(one)

        def clean(number: int) -> list[Prepared]:
            cleaner = free.get()
            try:
                found = cleaner.prepare(number) if cleaner else None
                return found or prepare(files[number], recipe.cleaning, folder=folder, target=target)
            finally:
                free.put(cleaner)

        try:
            tasks = {executor.submit(clean, number): number for number in range(len(files))}
            progress("clips", 0, len(files))
            for done, task in enumerate(as_completed(tasks), 1):
                out[tasks[task]] = task.result()
                progress("clips", done, len(files))
        except BaseException:
            executor.shutdown(wait=True, cancel_futures=True)
            raise
    return out


def _list_left_out(prepared: Sequence[Sequence[Prepared]]) -> list[str]:
    """Clips that are unfit, their mirror images not named, and why."""
    unfit = (one for own in prepared for one in own if one.fault and not one.mirrored)
    return [f"left out: {one.clip.name}: {one.fault}" for one in unfit]


def _list_warnings(prepared: Sequence[Sequence[Prepared]]) -> list[str]:
    """Each warning once, with the clips it applies to."""
    names: dict[str, list[str]] = {}
    for clip in (clip for clips in prepared for clip in clips):
        for warning in clip.warnings:
            names.setdefault(warning, []).append(clip.clip.name)
    return [f"{listed(about, 3)}: {warning}" for warning, about in names.items()]


def _assemble(
    files: list[SourceFile], prepared: Sequence[Sequence[Prepared]], recipe: Recipe, folder: Path
) -> PoseDatabase:
    everything = [(file, clip) for file, clips in zip(files, prepared) for clip in clips]
    refuse_twice([(file, clip.clip.name) for file, clip in everything])
    first_file, first = everything[0]
    skeleton, owner = first.clip.skeleton, first_file.label
    if recipe.skeleton:
        skeleton, owner = add_root(read_clip(folder / recipe.skeleton)).skeleton, recipe.skeleton
    for file, clip in everything:
        difference = skeleton.difference(clip.clip.skeleton)
        if difference:
            raise FileError(
                file.label,
                f"its skeleton differs from that of {owner}: {difference}; "
                "give it a [[source]] of its own with `retarget = true`, or exclude it",
            )
        if not np.array_equal(clip.contact_joints, first.contact_joints):
            names = [clip.clip.skeleton.names[joint] for joint in clip.contact_joints]
            raise FileError(file.label, f"its contact joints {names} differ from those of {first_file.label}")
    entries = [
        ClipEntry(
            clip.clip.with_(skeleton=skeleton, tags=swap_tags([*clip.clip.tags, *file.source.tags], clip, recipe)),
            clip.contacts,
            loop=clip.loop,
            marks=tuple(mark_clip(file, clip, recipe)),
        )
        for file, clip in everything
    ]
    return build_poses(entries, first.contact_joints)
