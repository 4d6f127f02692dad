"""Tags: words attached to frames of a database, by clip or by range."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError, unknown


@dataclass(frozen=True, eq=False)
class Tags:
    names: tuple[str, ...]  # sorted, unique
    frames: np.ndarray  # (F, T) bool, whether a frame has a tag

    def __post_init__(self) -> None:
        if self.frames.ndim != 2 or self.frames.shape[1] != len(self.names) or self.frames.dtype != np.bool_:
            raise KinematchError(f"tags have shape {self.frames.shape}, expected (frames, {len(self.names)}) of bool")

    def of(self, name: str) -> np.ndarray:
        """Frames (F,) that have a tag."""
        if name not in self.names:
            raise KinematchError(unknown("tag", name, self.names))
        return self.frames[:, self.names.index(name)]


def tag_frames(frame_count: int, marks: Iterable[tuple[int, int, Iterable[str]]]) -> Tags:
    """Tags from ranges (start, stop, words) of frames, half open."""
    kept = [(start, stop, frozenset(words)) for start, stop, words in marks]
    names = tuple(sorted(frozenset().union(*(words for _, _, words in kept))))
    frames = np.zeros((frame_count, len(names)), bool)
    for start, stop, words in kept:
        for word in words:
            frames[start:stop, names.index(word)] = True
    return Tags(names, frames)
