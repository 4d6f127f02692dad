"""Body orientation: where the hips face, from a headset and any other trackers."""

from kinematch.avatar.orientation.estimator import Direction, DirectionEstimator, Headset
from kinematch.avatar.orientation.paper import VARIANTS, PaperNetwork
from kinematch.avatar.orientation.recurrent import RecurrentEstimator
from kinematch.errors import KinematchError, unknown

__all__ = ["ESTIMATORS", "Direction", "DirectionEstimator", "Headset", "PaperNetwork", "RecurrentEstimator"]
__all__ += ["make_estimator"]

ESTIMATORS = ("recurrent", "headset", *(f"paper-{variant}" for variant in VARIANTS))


def make_estimator(name: str = "recurrent", count: int = 1) -> DirectionEstimator:
    """The estimator of a name, with the weights that ship, for a number of users."""
    if name not in ESTIMATORS:
        raise KinematchError(unknown("direction estimator", name, ESTIMATORS))
    if name == "recurrent":
        return RecurrentEstimator(count)
    return Headset(count) if name == "headset" else PaperNetwork(count, variant=name.removeprefix("paper-"))
