"""Marks: what a recipe says about ranges of a file's time, as marks of frames of its clips."""

from collections.abc import Sequence

from kinematch.database.poses import Mark
from kinematch.database.prepare import TimedClip, find_frames, find_missing_actions
from kinematch.database.recipe import Recipe
from kinematch.database.sources import SourceFile


def mark_clip(file: SourceFile, clip: TimedClip, recipe: Recipe) -> list[Mark]:
    """Convert the ranges of a file from its seconds to frames of one of its clips."""
    marks = []
    for one in file.source.range:
        start, stop = find_frames(one, file, clip)
        if stop > start:
            tags, closed = swap_tags(one.tags, clip, recipe), one.no_entry
            if one.loop:  # what is jumped to is the loop, which never ends
                closed = closed or not clip.loop
            marks.append(Mark(start, stop, tags, no_entry=closed, no_exit=one.no_exit, cost_factor=one.cost_factor))
    return marks


def find_empty_ranges(files: list[SourceFile], prepared: Sequence[Sequence[TimedClip]]) -> list[str]:
    """Ranges and actions without a frame: they lie past the end, or in a part that was cut."""
    marked: dict[tuple[int, int], bool] = {}
    for file, clips in zip(files, prepared):
        for k, one in enumerate(file.source.range):
            stretches = [find_frames(one, file, clip) for clip in clips]
            marked[file.index, k] = marked.get((file.index, k), False) or any(b > a for a, b in stretches)
    missing = [one for file, clips in zip(files, prepared) for one in find_missing_actions(file, clips)]
    return [f"source[{index}].range[{k}] marks no frame" for (index, k), some in marked.items() if not some] + missing


def swap_tags(tags: Sequence[str], clip: TimedClip, recipe: Recipe) -> frozenset[str]:
    """A mirrored left turn is a right turn."""
    pairs = {a: b for left, right in recipe.cleaning.mirror_tags for a, b in ((left, right), (right, left))}
    return frozenset(pairs.get(tag, tag) if clip.mirrored else tag for tag in tags)
