"""History: positions of trackers in the last seconds, to look up the moment at which a picture was taken."""

import numpy as np

SPAN_SECONDS = 9.0  # s that are kept
MAX_SAMPLES = 2400  # samples at most; at higher rates the history is shorter


class TimedRows:
    """Rows of numbers by time, the newest last."""

    def __init__(self, width: int):
        self._times = np.zeros(2 * MAX_SAMPLES)
        self._rows = np.zeros((2 * MAX_SAMPLES, width))
        self._start = self._stop = 0

    def append(self, time: float, row: np.ndarray) -> None:
        """A new row; a clock that goes backwards starts over."""
        if self._stop > self._start and time <= self._times[self._stop - 1]:
            if time > self._times[self._stop - 1] - 1e-9:
                return
            self._start = self._stop = 0
        if self._stop == len(self._times):
            count = self._stop - self._start
            self._times[:count] = self._times[self._start : self._stop]
            self._rows[:count] = self._rows[self._start : self._stop]
            self._start, self._stop = 0, count
        self._times[self._stop], self._rows[self._stop] = time, row
        self._stop += 1
        self._start = max(self._start, self._stop - MAX_SAMPLES)
        while self._times[self._start] < time - SPAN_SECONDS:
            self._start += 1

    @property
    def times(self) -> np.ndarray:
        return self._times[self._start : self._stop]

    @property
    def rows(self) -> np.ndarray:
        return self._rows[self._start : self._stop]

    def at(self, time: float) -> np.ndarray:
        """The row at a time, between its neighbours; the nearest one outside."""
        times, rows = self.times, self.rows
        after = int(np.searchsorted(times, time))
        if after == 0 or after == len(times):
            return rows[min(after, len(times) - 1)]
        share = (time - times[after - 1]) / (times[after] - times[after - 1])
        return rows[after - 1] + share * (rows[after] - rows[after - 1])
