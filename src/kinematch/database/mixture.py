"""A mixture: takes and animations in place that a search is free to mix."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinematch.database.filters import tag_mask
from kinematch.database.poses import PoseDatabase
from kinematch.database.prepare import MIRRORED
from kinematch.database.sources import SourceFile
from kinematch.errors import listed


def find_mixture(
    files: Sequence[SourceFile], sources: Sequence[Mapping[str, Any]], poses: PoseDatabase, expression: str
) -> list[str]:
    """A warning where the default filter admits both; loops that travel belong to either."""
    admitted = tag_mask(expression, poses.tags.names, poses.tags.frames) if expression.strip() else None
    takes: list[str] = []
    in_place: list[str] = []
    numbers = {name: number for number, name in enumerate(poses.clip_names)}
    for file, source in zip(files, sources):
        own = in_place if file.source.in_place else None if file.source.loop else takes
        for name in source["clips"]:
            frames = poses.clip_frames(numbers[name])
            if own is not None and not name.endswith(MIRRORED) and (admitted is None or np.any(admitted[frames])):
                own.append(name)
    if not takes or not in_place:
        return []
    both = f"takes ({listed(takes, 2)}) and animations in place ({listed(in_place, 2)}) are matched together"
    return [f"{both}: keep them apart by tags and `[matching] filter`"]
