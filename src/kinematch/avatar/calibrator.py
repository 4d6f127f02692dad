"""Calibrator: watches one user's devices, measures the user automatically or at a button, and reports problems."""

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from kinematch.avatar.calibration import (
    DEFAULT_HEIGHT,
    EYE_TO_CROWN,
    HEIGHT_RANGE,
    REACH_SHARE,
    Calibration,
    make_calibration,
    swap_hands,
)
from kinematch.avatar.hand_finders import SwapFinder, WristFinder
from kinematch.avatar.history import UserHistory
from kinematch.avatar.stance import (
    SEATED_SHARE,
    STANDING_EYES,
    STILL_SECONDS,
    find_device_rotations,
    find_reaches,
    is_level,
    is_still,
    suggests_sitting,
    tell_arms,
)
from kinematch.avatar.trackers import HANDS, HEAD, LEFT_HAND, POINTS, Trackers
from kinematch.avatar.tracking_problems import TrackingProblems
from kinematch.errors import KinematchError
from kinematch.math import quaternion

LOOK_SECONDS = 0.06  # s between looks
ARM_SECONDS = 0.3  # s for which hands stay far out before that is an arm's length
SEAT_SECONDS = 4.0  # s of a level, lowered head that make a user seated
CONTROLLER_RADIUS = 0.03  # m between a controller that lies on the floor and its origin
WINDOW_SECONDS = 1.5  # s that are looked back
MAX_SEAT_TRAVEL = 0.8  # m of travel that a seated user does not reach
MIN_STANDING_EYES = 1.32  # m above the floor: lower ones are more often of seated adults than of standing children
GUESS_LOOKS = 12  # looks, 4 s, at a head that is never still
MAX_GLANCE_ANGLE = np.radians(40)  # from level, of heads that still give a user's height
MIN_HEAD_HEIGHT = 0.4  # m above the floor, below the headset of any standing or seated user


class Calibrator:
    """Measures one user. `calibration` is good from the first moment and gets better while the user moves."""

    def __init__(self, calibration: Calibration | str = "generic"):
        """Start from a stored calibration, or from a device preset by name."""
        self.calibration = make_calibration(calibration) if isinstance(calibration, str) else calibration
        self.measured: set[str] = set() if isinstance(calibration, str) else {"height"}  # seen rather than guessed
        self._begin()

    def restart(self) -> None:
        """Forget what was measured, for another person; the offsets of devices stay."""
        self.measured = self.measured & {"floor", "wrists", "rotations"}
        self.calibration = replace(self.calibration, height=DEFAULT_HEIGHT, arm_length=0.0, seated=False, swapped=False)
        self._begin()

    def _begin(self) -> None:
        self.problems = TrackingProblems()
        self._history = UserHistory()
        self._looked, self._lowered, self._turn = -np.inf, 0.0, 0
        self._origin: np.ndarray | None = None  # m, where the headset was first
        self._eyes: deque[float] = deque(maxlen=600)  # m above the floor
        self._roamed = 0.0  # m that it went away from there
        self._wrists, self._swaps = WristFinder(self.calibration.positions), SwapFinder()

    @property
    def messages(self) -> list[str]:
        """Messages for the user, oldest first."""
        return list(self.problems.messages)

    def watch(self, devices: Trackers) -> Calibration:
        """Take one sample of the user's devices; the calibration, a new one only when something was learned."""
        if len(devices) != 1:
            raise KinematchError(f"trackers of {len(devices)} users, expected one")
        if not self.problems.look(devices):
            self._history.clear()  # time went backwards
            self._looked = -np.inf
        if np.isfinite(devices.times[0]):
            self._history.append(devices)
            if devices.times[0] - self._looked >= LOOK_SECONDS:
                passed = min(devices.times[0] - self._looked, 2 * LOOK_SECONDS)
                self._looked = float(devices.times[0])
                self._look(passed)
        return self.calibration

    def measure_height(self) -> Calibration:
        """At a button: the user stands upright now."""
        recent = self._recall(0.3, "headset")
        eyes = self._find_eyes(recent)
        self._refuse_sitting(eyes, 0.0)
        if not is_level(recent.rotations[-1:, HEAD])[0]:
            raise KinematchError("the headset is tilted; look straight ahead and try again")
        if not HEIGHT_RANGE[0] <= eyes + EYE_TO_CROWN <= HEIGHT_RANGE[1]:
            raise KinematchError(
                f"the headset is {eyes:.2f} m above the floor, expected 0.7 to 2.4; is the floor right?"
            )
        self._set_height(eyes, overwrite=True)
        return self.calibration

    def measure_floor(self) -> Calibration:
        """At a button: a controller lies on the floor."""
        recent = self._recall(0.5, "controller", HANDS)
        heights = [recent.positions[recent.valid[:, hand], hand, 1] for hand in HANDS]
        lying = [float(np.median(h)) for h in heights if len(h) > 2 and np.ptp(h) < 0.01]
        if not lying:
            raise KinematchError("no controller lies still; lay one on the floor and try again")
        self._change(floor=min(lying) - CONTROLLER_RADIUS)
        self.measured.add("floor")
        return self.calibration

    def measure_pose(self) -> Calibration:
        """At a button: the user stands in a T-pose (palms down), or upright with hanging arms (palms inwards).

        Tells how each device is turned on its joint, and in a T-pose how long the arms are.
        """
        recent = self._recall(0.3, "headset")
        worn = swap_hands(recent, np.array([self.calibration.swapped]))
        eyes = self._find_eyes(recent)
        arms = tell_arms(recent, worn)
        # how controllers are turned is not known yet, but a stretched arm and its controller lie on one line
        reach = float(np.median(find_reaches(recent, worn)))
        reach -= float(np.linalg.norm(self.calibration.positions[LEFT_HAND]))
        self._refuse_sitting(eyes, reach if arms == "out" else 0.0)
        if arms == "other":
            raise KinematchError("neither a T-pose nor hanging arms; stretch both arms out to the sides, palms down")
        self._set_height(eyes, overwrite=True)
        if arms == "out":
            self._change(arm_length=float(np.clip(reach, *self._arm_range())))
            self.measured.add("arm_length")
        found = find_device_rotations(worn.take(slice(-1, None)), arms)
        rotations = np.where(
            worn.valid[-1, :, None] & (np.arange(len(POINTS)) != HEAD)[:, None], found, self.calibration.rotations
        )
        if "wrists" in self.measured:  # found in the controller's axes, where they stay
            change = quaternion.multiply(rotations, quaternion.inverse(self.calibration.rotations))
            self._change(positions=quaternion.rotate(change, self.calibration.positions))
        self._change(rotations=rotations)
        self._wrists = WristFinder(self.calibration.positions)
        self.measured.add("rotations")
        return self.calibration

    def settle(self) -> Calibration:
        """Guess the height from what was seen so far, if it was not measured: a recording may be short."""
        if "height" not in self.measured and self._eyes:
            usual = float(np.quantile(self._eyes, 0.9))
            likely = self._find_lowest_eyes() <= usual <= STANDING_EYES[1]
            if likely and abs(usual + EYE_TO_CROWN - self.calibration.height) > 0.03:
                self._set_height(usual, overwrite=True)
                self.measured.discard("height")
        return self.calibration

    def _look(self, passed: float) -> None:
        """Learn from the last moments, one thing at a time to keep each step short."""
        recent = self._history.recall(WINDOW_SECONDS)
        last = recent.take(slice(-1, None))
        if not last.valid[0, HEAD]:
            return
        if self._origin is None:
            self._origin = last.positions[0, HEAD].copy()
        self._turn = (self._turn + 1) % 5
        if self._turn == 0:
            self._find_floor(recent)
        elif self._turn == 1:
            self._find_height(self._find_eyes(last), recent)
        elif self._turn == 2:
            self._find_reach(recent)
        elif self._turn == 3:
            self._find_seat(self._find_eyes(last), recent, 5 * passed)
            if self._swaps.look(last, self.calibration, 5 * passed):
                self._change(swapped=not self.calibration.swapped)
                self.problems.say("the left and right controllers were swapped; each now drives the other hand")
        elif (positions := self._wrists.look(recent, self.calibration)) is not None:
            self._change(positions=positions)
            self.measured.add("wrists")

    def _find_height(self, eyes: float, recent: Trackers) -> None:
        """The height of a user who stands still; else roughly the usual height of the head."""
        assert self._origin is not None
        self._roamed = max(self._roamed, float(np.linalg.norm((recent.positions[-1, HEAD] - self._origin)[[0, 2]])))
        lowest = self._find_lowest_eyes()
        still = is_still(recent.take(recent.times >= recent.times[-1] - STILL_SECONDS))
        if still and lowest <= eyes <= STANDING_EYES[1] and not suggests_sitting(eyes, self._known_reach()):
            self._set_height(eyes)
        if "height" in self.measured or not is_level(recent.rotations[-1:, HEAD], MAX_GLANCE_ANGLE)[0]:
            return
        self._eyes.append(eyes)
        if len(self._eyes) >= GUESS_LOOKS:
            self.settle()

    def _find_floor(self, recent: Trackers) -> None:
        """For a space with its origin at the eyes instead of the floor: put the floor below a standing user."""
        eyes = recent.positions[:, HEAD, 1] - self.calibration.floor
        if (
            "floor" in self.measured
            or len(recent) < 10
            or eyes.max() > MIN_HEAD_HEIGHT
            or not recent.valid[:, HEAD].all()
        ):
            return
        if recent.times[-1] - recent.times[0] < 0.9 * WINDOW_SECONDS:
            return
        floor = float(np.median(recent.positions[:, HEAD, 1])) - self.calibration.height + EYE_TO_CROWN
        self._change(floor=floor)
        self.problems.say(
            "the floor is not where the headset says; it is guessed. Lay a controller on the floor to measure it"
        )

    def _set_height(self, eyes: float, *, overwrite: bool = False) -> None:
        """A user who leans or bends appears smaller, so the largest height counts."""
        height = float(np.clip(eyes + EYE_TO_CROWN, *HEIGHT_RANGE))
        if not overwrite and "height" in self.measured and height < self.calibration.height + 0.01:
            return
        arms = self.calibration.arm_length / self.calibration.height if "arm_length" in self.measured else REACH_SHARE
        arm_length = self.calibration.arm_length if "arm_length" in self.measured and not overwrite else arms * height
        low, high = self._arm_range(height)
        self._change(height=height, arm_length=float(np.clip(arm_length, low, high)), seated=False)
        self.measured.add("height")
        self._lowered = 0.0

    def _find_reach(self, recent: Trackers) -> None:
        """Arms are as long as both hands get away from the neck for a moment."""
        last = recent.take(recent.times >= recent.times[-1] - ARM_SECONDS)
        reach = float(find_reaches(last, self.calibration.locate_joints(last)).min())
        low, high = self._arm_range(HEIGHT_RANGE[1] if self.calibration.seated else None)
        if reach > self.calibration.arm_length + 0.01 and len(last) > 5 and low <= reach <= high:
            self._change(arm_length=reach)
            self.measured.add("arm_length")

    def _find_seat(self, eyes: float, recent: Trackers, passed: float) -> None:
        """A user whose head stays level and low for SEAT_SECONDS is seated."""
        standing = self.calibration.height - EYE_TO_CROWN
        level = bool(is_level(recent.rotations[-1:, HEAD])[0])
        steady = float(np.ptp(recent.positions[:, HEAD, 1])) < 0.05
        sits = eyes < SEATED_SHARE * standing or suggests_sitting(eyes, self._known_reach())
        self._lowered = self._lowered + passed if sits and level and steady else 0.0 if not sits else self._lowered
        if self._lowered > SEAT_SECONDS and not self.calibration.seated:
            height = max(self.calibration.height, self._known_reach() / REACH_SHARE)
            self._change(seated=True, height=float(np.clip(height, *HEIGHT_RANGE)))
            self.problems.say("you seem to sit; stand up once, or press calibrate, for your height")
        elif self.calibration.seated and eyes > 0.9 * standing:
            self._change(seated=False)

    def _find_lowest_eyes(self) -> float:
        """Height [m] of eyes above the floor, above which a user stands."""
        return STANDING_EYES[0] if self._roamed > MAX_SEAT_TRAVEL else MIN_STANDING_EYES

    def _find_eyes(self, recent: Trackers) -> float:
        """Height [m] of the headset above the floor if it were level: nodding does not change a user's size."""
        ahead = self.calibration.positions[HEAD]
        turned = quaternion.rotate(recent.rotations[:, HEAD], np.broadcast_to(ahead, (len(recent), 3)))
        heights = recent.positions[:, HEAD, 1] - turned[:, 1]
        return float(np.median(heights)) + float(ahead[1]) - self.calibration.floor

    def _known_reach(self) -> float:
        """An arm's length that was measured; 0 before."""
        return self.calibration.arm_length if "arm_length" in self.measured else 0.0

    def _refuse_sitting(self, eyes: float, reach: float) -> None:
        reach = max(reach, self._known_reach())
        known = f"arms of a user of {reach / REACH_SHARE:.2f} m" if suggests_sitting(eyes, reach) else ""
        if not known and self.calibration.seated and "height" in self.measured:
            known = f"and you were {self.calibration.height:.2f} m tall when you stood"
        if known:
            raise KinematchError(
                f"you seem to sit: eyes {eyes:.2f} m above the floor, {known}; stand up and try again, or start again "
                "for another person. What was known before still holds"
            )

    def _arm_range(self, height: float | None = None) -> tuple[float, float]:
        """Arm lengths [m] of people of a height."""
        height = self.calibration.height if height is None else height
        return 0.38 * height, 0.53 * height

    def _recall(self, seconds: float, what: str, points: tuple[int, ...] = (HEAD,)) -> Trackers:
        recent = self._history.recall(seconds)
        if not len(recent) or not recent.valid[-1, list(points)].any():
            raise KinematchError(f"no {what} is tracked; wake it up and try again")
        return recent.take(np.flatnonzero(recent.valid[:, list(points)].any(axis=1)))

    def _change(self, **fields: Any) -> None:
        self.calibration = replace(self.calibration, **fields)
