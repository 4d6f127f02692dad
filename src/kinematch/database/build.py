"""Build a database from a recipe: clean the files, join the poses, measure features; unchanged stages are reused."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from kinematch import __version__
from kinematch.database import storage
from kinematch.database.assemble import MarkedClip, assemble
from kinematch.database.budget import choose_by_coverage
from kinematch.database.clean_files import UNREADABLE, Progress, clean_files
from kinematch.database.cleaned import CleanedClip
from kinematch.database.feature_database import FeaturePlan, find_targets
from kinematch.database.features import BUILT_IN, KINDS
from kinematch.database.filters import tag_mask
from kinematch.database.marks import find_empty_ranges, mark_clip, swap_tags
from kinematch.database.mixture import find_mixture
from kinematch.database.poses import PoseDatabase
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
from kinematch.motion.skeleton import Skeleton
from kinematch.tasks import count_memory
from kinematch.writing import place_for

Reused = Literal["nothing", "clips", "everything"]


@dataclass(frozen=True, eq=False)
class BuildResult:
    path: Path
    reused: Reused  # of an earlier build
    cleaned: int  # files that were cleaned for it, others being kept from earlier builds
    seconds: dict[str, float]  # by stage
    warnings: tuple[str, ...]

    @cached_property
    def database(self) -> Database:
        """The database in memory."""
        return storage.load(self.path)

    @cached_property
    def on_disk(self) -> Database:
        """The database to look through, its frames on disk."""
        return storage.open_on_disk(self.path, verify=False)


def build(
    recipe_path: str | Path, *, progress: Progress = lambda stage, done, total: None, memory: int | None = None,
    cluster: str | None = None, cache: Path | None = None,
) -> BuildResult:  # fmt: skip
    """Build the database a recipe describes and write it to its output; an interruption leaves the old file intact.

    Memory holds a clip at a time for each core. `memory`: bytes that all processes together may take, so that fewer
    are started; a quarter of the machine's by default. `cluster`: the address of a Ray cluster that cleans the files.
    `cache`: a folder for cleaned clips instead of the user's.
    """
    try:
        return _build(Path(recipe_path), progress, memory or count_memory() // 4, cluster, cache)
    except FileError:
        raise
    except KinematchError as error:  # an error of no particular file is an error of the recipe
        raise FileError(recipe_path, str(error)) from None


def _build(recipe_path: Path, progress: Progress, memory: int, cluster: str | None, cache: Path | None) -> BuildResult:
    text = read_recipe_text(recipe_path)
    recipe = parse_recipe(text, recipe_path)
    folder = recipe_path.parent
    output = folder / (recipe.output or recipe_path.stem + storage.SUFFIX)
    place_for(output)  # fail before the work, not after it
    clock = _Clock()

    files = list_files(recipe, folder, recipe_path, text)
    target_digest = hash_file(folder / recipe.skeleton) if recipe.skeleton else hash_value([f.name for f in files[:1]])
    keys = [_make_key(file, recipe, folder, target_digest) for file in files]
    poses_key = hash_value([keys, _list_marks(recipe), target_digest])
    features_key = hash_value([poses_key, _describe_features(recipe)])
    clock.lap("look")
    earlier = _read_earlier(output)
    if earlier.get("features_key") == features_key:
        return BuildResult(output, "everything", 0, clock.laps, tuple(earlier["warnings"]))

    found = clean_files(files, keys, text, recipe_path, memory=memory, cluster=cluster, progress=progress, cache=cache)
    clock.lap("clips")
    progress("poses", 0, 1)
    warnings = [*found.failures, *_list_left_out(found.clips), *_list_warnings(found.clips)]
    warnings += find_empty_ranges(files, found.clips)
    chosen = [[clip for clip in clips if not clip.fault] for clips in found.clips]
    if not any(chosen):
        raise KinematchError(f"no clip is fit for a database: {warnings[0]}")
    everything = [(file, clip) for file, clips in zip(files, chosen) for clip in clips]
    skeleton, kept, misfits = _choose_alike(everything, recipe, folder)
    refuse_twice([(file, clip.name) for file, clip in kept])
    sources = [
        {"path": file.label, "key": key, "clips": [clip.name for owner, clip in kept if owner is file]}
        for file, key in zip(files, keys)
    ]
    parts = [
        MarkedClip(clip, swap_tags([*clip.tags, *file.source.tags], clip, recipe), tuple(mark_clip(file, clip, recipe)))
        for file, clip in kept
    ]
    if recipe.minutes is not None:
        choice = choose_by_coverage(parts, skeleton, recipe.minutes)
        parts, names = choice.clips, {one.clip.name for one in choice.clips}
        sources = [{**one, "clips": [name for name in one["clips"] if name in names]} for one in sources]
        misfits.append(choice.report)
    plan = FeaturePlan(recipe.feature_schema(), recipe.matching.normalisation, recipe.weights(), recipe.matching.tail)
    more = {
        "kinematch": __version__, "recipe": text, "sources": sources, "warnings": [*warnings, *misfits],
        "poses_key": poses_key, "features_key": features_key,
    }  # fmt: skip

    def check(poses: PoseDatabase) -> list[str]:
        _check_filter(recipe, poses, recipe_path, text)
        return find_mixture(files, sources, poses, recipe.matching.filter)

    assemble(output, parts, skeleton, plan, more, recipe.matching.filter, check=check, progress=progress)
    clock.lap("features")
    reused: Reused = "clips" if not found.cleaned else "nothing"
    written = storage.read_about(output)["more"]
    return BuildResult(output, reused, found.cleaned, clock.laps, tuple(written["warnings"]))


def _make_key(file: SourceFile, recipe: Recipe, folder: Path, target_digest: str) -> str:
    """Where a file cannot even be read, the reason takes the place of its key."""
    try:
        return make_file_key(file, recipe, folder, target=target_digest)
    except KinematchError as error:
        if not file.found:
            raise
        return f"{UNREADABLE}{error}"


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
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.laps[stage] = now - self._last
        self._last = now


def _read_earlier(output: Path) -> dict[str, Any]:
    """What an earlier build says of itself, if its file is there and intact."""
    if not output.exists():
        return {}
    try:
        return dict(storage.open_on_disk(output).about)  # a damaged file is built again
    except FileError as error:
        if error.kind == "foreign":
            message = f"{error.message}; choose another `output`, so that it is not overwritten"
            raise FileError(output, message, kind="foreign") from None
        return {}


def _list_marks(recipe: Recipe) -> Any:
    """Everything a recipe says about frames, apart from how they are made."""
    kept = {"tags", "range", "action"}
    marks = [s.model_dump(mode="json", include=kept) for s in recipe.source]
    return [marks, recipe.cleaning.mirror_tags, recipe.minutes]


def _describe_features(recipe: Recipe) -> Any:
    own = [KINDS[f.kind] for f in recipe.feature_schema().features if f.kind not in BUILT_IN]
    # a user's function may have changed without notice: never reuse its values
    return [
        [entry.model_dump(mode="json") for entry in recipe.feature],
        recipe.matching.model_dump(mode="json"),
        os.urandom(16).hex() if own else hash_code(),
    ]


def _list_left_out(cleaned: Sequence[Sequence[CleanedClip]]) -> list[str]:
    """Clips that are unfit, their mirror images not named, and why."""
    unfit = (one for own in cleaned for one in own if one.fault and not one.mirrored)
    return [f"left out: {one.name}: {one.fault}" for one in unfit]


def _list_warnings(cleaned: Sequence[Sequence[CleanedClip]]) -> list[str]:
    """Each warning once, with the clips it applies to."""
    names: dict[str, list[str]] = {}
    for clip in (clip for clips in cleaned for clip in clips):
        for warning in clip.warnings:
            names.setdefault(warning, []).append(clip.name)
    return [f"{listed(about, 3)}: {warning}" for warning, about in names.items()]


def _choose_alike(
    clips: Sequence[tuple[SourceFile, CleanedClip]], recipe: Recipe, folder: Path
) -> tuple[Skeleton, list[tuple[SourceFile, CleanedClip]], list[str]]:
    """The skeleton of the database, the clips on it, and what is left out: files found by a pattern, on other ones."""
    first_file, first = _find_most_common(clips)
    skeleton, owner = first.skeleton, first_file.label
    if recipe.skeleton:
        skeleton, owner = add_root(read_clip(folder / recipe.skeleton)).skeleton, recipe.skeleton
    kept, left_out = [], dict[str, str]()
    for file, clip in clips:
        difference = skeleton.difference(clip.skeleton)
        wrong = ""
        if difference:
            wrong = (
                f"its skeleton differs from that of {owner}: {difference}; "
                "give it a [[source]] of its own with `retarget = true`, or exclude it"
            )
        elif not np.array_equal(clip.contact_joints, first.contact_joints):
            names = [clip.skeleton.names[joint] for joint in clip.contact_joints]
            wrong = f"its contact joints {names} differ from those of {first_file.label}"
        if not wrong:
            kept.append((file, clip))
        elif file.found:
            left_out[file.label] = f"left out: {file.label}: {wrong}"
        else:
            raise FileError(file.label, wrong)
    if not kept:
        raise KinematchError(f"no clip is fit for a database: {next(iter(left_out.values()))}")
    return skeleton, kept, list(left_out.values())


def _find_most_common(clips: Sequence[tuple[SourceFile, CleanedClip]]) -> tuple[SourceFile, CleanedClip]:
    """The first clip of the skeleton with most frames; files that a recipe names one by one come before all others."""
    firsts: list[tuple[SourceFile, CleanedClip]] = []
    frames: list[float] = []
    for file, clip in clips:
        known = (n for n, (_, like) in enumerate(firsts) if not like.skeleton.difference(clip.skeleton))
        group = next(known, len(firsts))
        if group == len(firsts):
            firsts.append((file, clip))
            frames.append(0)
        frames[group] += clip.frame_count if file.found else np.inf
    return firsts[int(np.argmax(frames))]
