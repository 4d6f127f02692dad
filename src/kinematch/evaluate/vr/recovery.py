"""Recovery: how many wrong starts of a method's estimator are over half a second later."""

from collections.abc import Sequence

import numpy as np

from kinematch.avatar.orientation import make_estimator
from kinematch.avatar.orientation.recovery import measure_recovery
from kinematch.evaluate.vr.methods import ESTIMATORS
from kinematch.evaluate.vr.users import Cast

STARTS = 150  # wrong starts of each cast
RECOVERY_SECONDS, RECOVERED_DEGREES = 0.5, 5.0  # s after a wrong start, and degrees from the right one by then


def find_recovered(method: str, casts: Sequence[Cast]) -> float:
    """Share [%] of wrong starts that are over; NaN for methods that estimate nothing, and for short users."""
    if method not in ESTIMATORS:
        return float("nan")
    apart = np.concatenate([_measure_cast(method, cast) for cast in casts])
    return 100 * float((apart < RECOVERED_DEGREES).mean()) if len(apart) else float("nan")


def _measure_cast(method: str, cast: Cast) -> np.ndarray:
    """Degrees (starts,) from the right direction that soon after wrong starts."""
    rate, calibration, count = cast.users[0].rate, cast.calibration, len(cast.users)
    apart = measure_recovery(
        make_estimator(ESTIMATORS[method]), [calibration.locate_joints(user.devices) for user in cast.users],
        np.random.default_rng(0), head_heights=np.full(count, calibration.head_height),
        arm_lengths=np.full(count, calibration.arm_length), rate=rate, starts=STARTS,
    )  # fmt: skip
    return apart[:, round(RECOVERY_SECONDS * rate)]
