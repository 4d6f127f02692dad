"""Which bodies walk: those told to, once they no longer run."""

import numpy as np

from kinematch.control.body import place_at_rest
from kinematch.control.command import move
from kinematch.control.walking import find_walkers


def test_a_body_walks_that_is_told_to_and_no_longer_runs():
    told, now = np.array([0.0, 1.8, 1.8, 3.6, 0.0]), np.array([0.0, 1.0, 3.0, 1.0, 2.1])
    ahead = np.array([[0.0, 0.0, 1.0]])
    body = place_at_rest(np.zeros((5, 3)), np.zeros(5))
    body.velocities[:] = now[:, None] * ahead
    np.testing.assert_array_equal(find_walkers(move(told[:, None] * ahead), body), [True, True, False, False, True])
