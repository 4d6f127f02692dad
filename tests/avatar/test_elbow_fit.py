"""Elbows as recorded people have them."""

import numpy as np

import kinematch as km
from kinematch.avatar.upper_body.elbow_fit import Arms, find_arms, find_terms, fit_elbows, measure_elbows
from kinematch.avatar.upper_body.kernels.elbow_weights import ELBOW_WEIGHTS
from kinematch.motion.clean.mirror import mirror

WEIGHTS = np.array(ELBOW_WEIGHTS)


def test_elbows_of_a_person_that_the_fit_never_saw_are_near(data):
    clip = km.read(data / "lafan1-clips" / "walk1_subject1_walk.bvh")
    elsewhere = np.zeros_like(WEIGHTS)
    elsewhere[0] = [0.3, -1.0, -0.4]  # down, out and back, as solvers have it that know no better
    misses, plain = measure_elbows([clip], WEIGHTS), measure_elbows([clip], elsewhere)
    assert misses.mean() < 0.035
    assert misses.mean() < 0.8 * plain.mean()


def test_a_fit_to_one_person_suits_that_person(data):
    clip = km.read(data / "cmu-everyday" / "02_05.bvh")
    own = fit_elbows([clip], np.random.default_rng(0))
    assert own.shape == WEIGHTS.shape
    assert measure_elbows([clip], own).mean() < measure_elbows([clip], WEIGHTS).mean() + 0.002


def test_mirrored_arms_are_the_same_arms(data):
    clip = km.read(data / "cmu-everyday" / "02_05.bvh").frames(0, 100)
    arms, mirrored = find_arms([clip]), find_arms([mirror(clip)])
    count = len(arms.hands) // 2
    for one, other in zip(arms[:3], mirrored[:3]):
        assert np.allclose(one[:count], other[count:], atol=0.05)


def test_terms_are_those_of_the_solver():
    rng = np.random.default_rng(0)
    turns = np.linalg.qr(rng.normal(size=(5, 3, 3)))[0]
    arms = Arms(rng.normal(size=(5, 3)), np.zeros((5, 3)), turns, np.ones(5))
    terms = find_terms(arms)
    w, along, thumb = arms.hands[0], turns[0, :, 0], turns[0, :, 2]
    expected = [1, *w, w[0] * w[0], w[0] * w[1], w[0] * w[2], w[1] * w[1], w[1] * w[2], w[2] * w[2], *along, *thumb]
    expected += [value * place for place in w for value in (*along, *thumb)]
    assert np.allclose(terms[0], expected)
