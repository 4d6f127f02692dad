"""From moving hands: where wrists are behind controllers, and which controller is in which hand."""

from collections import deque

import numpy as np

from kinematch.avatar.calibration import Calibration, swap_hands
from kinematch.avatar.pivot import find_pivot
from kinematch.avatar.stance import find_hands
from kinematch.avatar.trackers import HANDS, HEAD, Trackers
from kinematch.math import quaternion

MAX_WRIST_SPEED_RATIO = 0.35  # speed of a wrist against its controller's, at most, when the hand turns about it
MAX_WRIST_DISTANCE = 0.1  # m between a found wrist and that of the preset, at most
MIN_WRISTS = 3  # found wrists before they are believed
MIN_CORRECTION = 0.01  # m by which a wrist is put right at once
SWAP_SECONDS = 6.0  # s in which each hand is on the other side before controllers count as swapped
SWAP_DISTANCE = 0.15  # m by which they are then


class WristFinder:
    """Finds wrists: the points that controllers turn about."""

    def __init__(self, expected: np.ndarray):
        """`expected` (7, 3) m: the offsets of the preset."""
        self._expected = expected
        self._found: dict[int, deque[np.ndarray]] = {hand: deque(maxlen=16) for hand in HANDS}
        self._turn = 0

    def look(self, recent: Trackers, calibration: Calibration) -> np.ndarray | None:
        """The offsets of devices (7, 3) m from their joints, when the last sample of one hand gives better ones."""
        self._turn = 1 - self._turn
        hand = HANDS[self._turn]
        worn = swap_hands(recent, np.array([calibration.swapped]))
        if not worn.valid[:, hand].all():
            return None
        pivot = find_pivot(worn.rotations[:, hand], worn.velocities[:, hand], worn.angular_velocities[:, hand])
        if pivot is None or pivot[1] > MAX_WRIST_SPEED_RATIO:
            return None
        offset = -quaternion.rotate(calibration.rotations[hand], pivot[0])
        if np.linalg.norm(offset - self._expected[hand]) > MAX_WRIST_DISTANCE:
            return None
        self._found[hand].append(offset)
        positions = calibration.positions.copy()
        positions[hand] = np.median(self._found[hand], axis=0)
        moved = np.linalg.norm(positions[hand] - calibration.positions[hand])
        return positions if len(self._found[hand]) >= MIN_WRISTS and moved > MIN_CORRECTION else None


class SwapFinder:
    """Finds controllers that are in each other's hand: hands stay on each other's side for long."""

    def __init__(self) -> None:
        self._crossed = 0.0  # s

    def look(self, devices: Trackers, calibration: Calibration, passed: float) -> bool:
        """Whether controllers count as swapped now, after one sample; dt [s] is the time since the last one."""
        joints = calibration.locate_joints(devices)
        if not joints.valid[0, [HEAD, *HANDS]].all():
            return False
        left, right = find_hands(devices, joints)[0]
        across = left[0] - right[0]
        self._crossed += passed if across < -SWAP_DISTANCE else -2 * passed if across > 0 else 0.0
        self._crossed = max(0.0, self._crossed)
        if self._crossed < SWAP_SECONDS:
            return False
        self._crossed = 0.0
        return True
