"""Problems of live devices, in words: lost and found ones, clocks that jump, impossible positions."""

import math
from collections import deque

import numpy as np

from kinematch.avatar.trackers import POINTS, Trackers

LOST_SECONDS = 1.0  # s
MAX_DISTANCE = 1000.0  # m from the origin
WARNING_NAMES = {
    "head": "headset", "left_hand": "left controller", "right_hand": "right controller", "waist": "waist tracker",
    "chest": "chest tracker", "left_foot": "left foot's tracker", "right_foot": "right foot's tracker",
}  # fmt: skip


class TrackingProblems:
    """Detects problems of one user's devices; each is reported once, until it is over."""

    def __init__(self) -> None:
        self.messages: deque[str] = deque(maxlen=50)  # oldest first
        self._open: set[str] = set()  # problems that last
        self._seen = [math.nan] * len(POINTS)  # s, when each point was last tracked; NaN: never
        self._time = -math.inf

    def look(self, devices: Trackers) -> bool:
        """Check one sample; whether its time is not before that of the last one."""
        now = float(devices.times[0])
        if not math.isfinite(now):
            self._tell("clock", "a sample of the trackers has no time; it is left out", lasts=True)
            return True
        forwards = now >= self._time
        if not forwards:
            self.messages.append(f"time went back by {self._time - now:.2f} s; continuing from there")
            self._seen = [math.nan if math.isnan(seen) else now for seen in self._seen]
        self._time = now
        if math.isnan(self._seen[0]):
            self._seen[0] = now  # a headset is expected from the start; other devices once they were seen
        for k, (point, valid) in enumerate(zip(POINTS, devices.valid[0].tolist())):
            if valid:
                self._seen[k] = now
            lost = now - self._seen[k] > LOST_SECONDS
            if lost or point in self._open:
                self._tell(point, f"the {WARNING_NAMES[point]} is not tracked", lasts=lost)
        far = bool(np.abs(devices.positions).max() > MAX_DISTANCE)
        if far or "far" in self._open:
            self._tell("far", f"a device reports a place more than {MAX_DISTANCE:g} m away", lasts=far)
        return forwards

    def say(self, text: str) -> None:
        """Report a message, unless it is among the last ones."""
        if text not in self.messages:
            self.messages.append(text)

    def _tell(self, kind: str, text: str, *, lasts: bool) -> None:
        if lasts and kind not in self._open:
            self._open.add(kind)
            self.messages.append(text)
        elif not lasts and kind in self._open:
            self._open.remove(kind)
            if kind in WARNING_NAMES:
                self.messages.append(f"the {WARNING_NAMES[kind]} is tracked again")
