"""The last seconds of one user's trackers, in arrays that are written round and round."""

import numpy as np

from kinematch.avatar.trackers import POINTS, Trackers

FIELDS = ("times", "positions", "rotations", "velocities", "angular_velocities", "valid")


class History:
    """The last samples of one user; older ones are overwritten."""

    def __init__(self, size: int = 600):
        points = len(POINTS)
        shapes = {"times": (), "rotations": (points, 4), "valid": (points,)}
        self._arrays = {
            name: np.zeros((size, *shapes.get(name, (points, 3))), bool if name == "valid" else np.float64)
            for name in FIELDS
        }
        self._size, self._count = size, 0

    def append(self, sample: Trackers) -> None:
        """Remember one sample."""
        row = self._count % self._size
        for name, array in self._arrays.items():
            array[row] = getattr(sample, name)[0]
        self._count += 1

    def clear(self) -> None:
        """Forget everything."""
        self._count = 0

    def recall(self, seconds: float) -> Trackers:
        """The samples of the last seconds, oldest first."""
        rows = np.arange(max(0, self._count - self._size), self._count) % self._size
        times = self._arrays["times"][rows]
        if len(rows):
            rows = rows[np.searchsorted(times, times[-1] - seconds) :]
        return Trackers(*(array[rows] for array in self._arrays.values()))
