"""Following: errors and response times that are known in closed form."""

import numpy as np
import pytest
from scipy.optimize import brentq

from kinematch.character.settings import Settings
from kinematch.evaluate.course import CommandChange, directions
from kinematch.evaluate.evaluation import perform
from kinematch.evaluate.following import facing_errors, position_errors, responses, steady_speeds, times_of
from kinematch.math.spring import omega

RATE = 60.0
TIMES = np.arange(1, 181) / RATE


def test_errors_are_distances_on_the_ground_and_the_shorter_angle(make_take):
    roots = np.zeros((120, 3))
    away = roots + np.array([0.3, 7.0, 0.4])
    take = make_take(roots, np.full(120, 3.0), body_positions=away, body_yaws=np.full(120, -3.0))
    np.testing.assert_allclose(position_errors(take), 0.5, rtol=1e-6)
    np.testing.assert_allclose(facing_errors(take), 2 * np.pi - 6.0, rtol=1e-6)


@pytest.mark.parametrize("degrees", [45, 90, 180])
def test_an_even_turn_is_answered_at_nine_tenths_of_its_time(make_take, degrees):
    angle = np.radians(degrees)
    yaws = angle * np.minimum(TIMES / 1.5, 1.0)  # done after a second and a half
    facings = np.tile(directions(np.array(angle)), (len(TIMES), 1))
    event = CommandChange("turn", 0.0, 3.0, angle)
    (answer,) = responses(make_take(np.zeros((len(TIMES), 3)), yaws, events=(event,), facings=facings))
    assert answer.seconds == pytest.approx(0.9 * 1.5, abs=1.5 / RATE)


def test_a_turn_that_never_comes_has_no_answer_and_counts_for_as_long_as_it_had(make_take):
    facings = np.tile([0.0, 0.0, -1.0], (len(TIMES), 1))
    event = CommandChange("turn", 1.0, 2.5, np.pi)
    answers = responses(make_take(np.zeros((len(TIMES), 3)), events=(event,), facings=facings))
    assert answers[0].seconds == np.inf
    assert times_of(answers, "turn").tolist() == [1.5]


def test_an_even_speed_up_is_answered_at_nine_tenths(make_take):
    roots = np.zeros((len(TIMES), 3))
    roots[:, 2] = np.where(TIMES < 1, 0.5 * TIMES**2, TIMES - 0.5)  # to 1 m/s within a second
    velocities = np.tile([0.0, 0.0, 1.0], (len(TIMES), 1))
    event = CommandChange("speed", 0.0, 3.0, 1.0)
    (answer,) = responses(make_take(roots, events=(event,), velocities=velocities))
    assert answer.seconds == pytest.approx(0.9, abs=2 / RATE)


def test_steady_speeds_of_steady_motion_are_exact_to_the_ends():
    places = TIMES[:, None] * np.array([3.0, 9.0, 4.0])  # heights do not count
    np.testing.assert_allclose(steady_speeds(places, RATE), 5.0, rtol=1e-9)


def test_the_simulated_body_answers_as_its_spring_says(small):
    """A critically damped spring has 10 % left when (1 + x) exp(-x) = 0.1, x being omega t."""
    settings = Settings()
    expected = brentq(lambda x: (1 + x) * np.exp(-x) - 0.1, 0, 20) / omega(settings.facing_halflife)
    done = perform(small, settings)
    takes = [t for t in done.takes if t.scenario.group == "turn 180"]
    assert takes
    for take in takes:
        turns = [answer.simulated for answer in responses(take) if answer.event.kind == "turn"]
        assert turns == pytest.approx([expected] * 4, abs=2 / RATE)
