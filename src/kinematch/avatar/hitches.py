"""Hitches of live devices, in words: lost and found ones, clocks that jump, places that cannot be."""

import math
from collections import deque

import numpy as np

from kinematch.avatar.trackers import POINTS, Trackers

LOST = 1.0  # s
FARTHEST = 1000.0  # m from the origin
NAMES = {
    "head": "headset", "left_hand": "left controller", "right_hand": "right controller", "waist": "waist tracker",
    "chest": "chest tracker", "left_foot": "left foot's tracker", "right_foot": "right foot's tracker",
}  # fmt: skip


class Hitches:
    """Notices what goes wrong with one user's devices; each hitch is told once, until it is over."""

    def __init__(self) -> None:
        self.messages: deque[str] = deque(maxlen=50)  # oldest first
        self._open: set[str] = set()  # hitches that last
        self._seen = [math.nan] * len(POINTS)  # s, when each point was last tracked; NaN: never
        self._time = -math.inf

    def look(self, devices: Trackers) -> bool:
        """Look at one sample; whether its time goes on from the one before."""
        now = float(devices.times[0])
        if not math.isfinite(now):
            self._tell("clock", "a sample of the trackers has no time; it is left out", lasts=True)
            return True
        forwards = now >= self._time
        if not forwards:
            self.messages.append(f"time went back by {self._time - now:.2f} s; going on from there")
            self._seen = [math.nan if math.isnan(seen) else now for seen in self._seen]
        self._time = now
        if math.isnan(self._seen[0]):
            self._seen[0] = now  # a headset is expected from the start; other devices once they were seen
        for k, (point, valid) in enumerate(zip(POINTS, devices.valid[0].tolist())):
            if valid:
                self._seen[k] = now
            lost = now - self._seen[k] > LOST
            if lost or point in self._open:
                self._tell(point, f"the {NAMES[point]} is not tracked", lasts=lost)
        far = bool(np.abs(devices.positions).max() > FARTHEST)
        if far or "far" in self._open:
            self._tell("far", f"a device reports a place more than {FARTHEST:g} m away", lasts=far)
        return forwards

    def say(self, text: str) -> None:
        """Tell something, unless it was told lately."""
        if text not in self.messages:
            self.messages.append(text)

    def _tell(self, kind: str, text: str, *, lasts: bool) -> None:
        if lasts and kind not in self._open:
            self._open.add(kind)
            self.messages.append(text)
        elif not lasts and kind in self._open:
            self._open.remove(kind)
            if kind in NAMES:
                self.messages.append(f"the {NAMES[kind]} is tracked again")
