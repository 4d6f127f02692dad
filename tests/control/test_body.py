"""The simulated body: alike whatever the steps."""

import numpy as np

from kinematch.control.body import Halflives, SimulatedBody, place_at_rest, predict_bodies
from kinematch.control.command import move


def advance_body(body: SimulatedBody, command, dt: float) -> SimulatedBody:
    return SimulatedBody(*(array[:, 0] for array in predict_bodies(body, command, np.array([dt]), Halflives())))


def test_the_body_moves_alike_whatever_the_step():
    for command in (move([[1.0, 0, 2.0], [0, 0, -1.0]]), move(np.zeros((2, 3)))):
        start = place_at_rest(np.zeros((2, 3)), np.array([0.3, -2.0]))
        start.yaw_rates[:] = [1.0, -3.0]
        once, often = advance_body(start, command, 0.5), start
        for dt in (0.1, 0.003, 0.25, 0.147):
            often = advance_body(often, command, dt)
        for a, b in zip(once, often):
            np.testing.assert_allclose(a, b, atol=1e-9)
