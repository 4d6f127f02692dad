"""Follower: whether a body may be the one of the frame before. Where people cross, an estimator mixes them up."""

import numpy as np

MAX_SPEED = 5.0  # m/s across the picture, of a person running past a camera
PLACE_SLACK = 0.15  # m by which a place that is seen well is off
DEPTH_SLACK = 0.3  # share of the distance, which is seen badly
LOST_SECONDS = 0.5  # s after which a person may be anywhere


class Follower:
    """Follows one body from frame to frame."""

    def __init__(self) -> None:
        self._place = np.zeros(3)  # m in camera space, of the last frame that was accepted
        self._time = -np.inf  # s

    def accepts(self, place: np.ndarray, time: float) -> bool:
        """Whether a body (3,) m in camera space can have come here; if so, it is followed from here."""
        passed, step = time - self._time, place - self._place
        if 0 <= passed < LOST_SECONDS:
            reach = MAX_SPEED * passed
            if np.hypot(step[0], step[1]) > reach + PLACE_SLACK or abs(step[2]) > reach + DEPTH_SLACK * self._place[2]:
                return False
        self._place, self._time = place, time
        return True


def find_steady(places: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Which positions (F, 3) m at times (F,) s can be of one moving person: (F,) bool."""
    follower = Follower()
    return np.array([follower.accepts(place, float(time)) for place, time in zip(places, times)], bool)
