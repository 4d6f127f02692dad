"""Uncertainty that holds: the network's own guess of its error, brought in line with people it never saw."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinematch.avatar.orientation.network import OrientationNetwork
from kinematch.avatar.orientation.recurrent import RecurrentEstimator
from kinematch.avatar.orientation.training.people import Person
from kinematch.avatar.orientation.training.score import look_around, run_estimator

BIN_COUNT = 12
SLOPE_RANGE = (0.3, 2.0)  # beyond these a network knows nothing about its errors
MIN_ERROR = 1e-3  # rad


def calibrate(network: OrientationNetwork, people: Sequence[Person]) -> OrientationNetwork:
    """The network with the trust under which its expected errors are, bin by bin, the mean errors on these people."""
    plain = replace(network, trust=(0.0, 1.0))
    found = [
        one
        for users in (people, look_around(people))
        for one in run_estimator(RecurrentEstimator(network=plain), users)
    ]
    expected = np.log(np.radians(np.concatenate([one.expected for one in found])))
    errors = np.radians(np.concatenate([one.errors for one in found]))
    parts = np.array_split(np.argsort(expected), BIN_COUNT)
    guesses = np.array([expected[part].mean() for part in parts])
    found_errors = np.log([max(errors[part].mean(), MIN_ERROR) for part in parts])
    slope = float(np.clip(np.polyfit(guesses, found_errors, 1)[0], *SLOPE_RANGE))
    return replace(network, trust=(float((found_errors - slope * guesses).mean()), slope))
