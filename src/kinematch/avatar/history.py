"""The last seconds of one user's trackers, in arrays that are written round and round.

Each sample is written twice, `size` rows apart: so the last ones are always in one piece.
"""

import numpy as np

from kinematch.avatar.trackers import POINTS, WITHOUT_FINGERS, Trackers


class UserHistory:
    """The last samples of one user; older ones are overwritten."""

    def __init__(self, size: int = 600):
        points = len(POINTS)
        shapes = {"times": (), "rotations": (points, 4), "valid": (points,)}
        self._arrays = {
            name: np.zeros((2 * size, *shapes.get(name, (points, 3))), bool if name == "valid" else np.float64)
            for name in WITHOUT_FINGERS
        }
        self._size, self._count = size, 0

    def append(self, sample: Trackers) -> None:
        """Remember one sample."""
        row = self._count % self._size
        for name, array in self._arrays.items():
            array[row] = array[row + self._size] = getattr(sample, name)[0]
        self._count += 1

    def clear(self) -> None:
        """Forget everything."""
        self._count = 0

    def recall(self, seconds: float) -> Trackers:
        """The samples of the last seconds, oldest first."""
        count = min(self._count, self._size)
        end = (self._count - 1) % self._size + self._size + 1
        times = self._arrays["times"][end - count : end]
        start = end - count + (int(np.searchsorted(times, times[-1] - seconds)) if count else 0)
        return Trackers.wrap(*(array[start:end].copy() for array in self._arrays.values()), None)
