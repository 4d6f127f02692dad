"""Offsets of transitions: what is shown keeps place and velocity at a jump, moves at its own rate, and decays."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematch.character.constants import OVERSHOOT
from kinematch.character.settings import DEAD, NO_TRANSITION, QUINTIC, SPRING
from kinematch.character.step.offsets import (
    fade_place,
    fade_rotation,
    read_offset,
    remember,
    show_place,
    show_rotation,
    show_spin,
    show_velocity,
)
from kinematch.math.series import find_vector_rate, from_rotation_vector, to_rotation_vector
from kinematch.math.spring_kernels import evaluate_quintic, make_spring
from kinematch.math.vectors import Vector, inverse, rotate

KINDS = {"spring": SPRING, "quintic": QUINTIC, "dead": DEAD}
HALFLIFE = 0.2
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


def remember_place(kind, shown, velocity, animated, animated_velocity):
    memory = np.zeros((6, 1))
    gap = shown, velocity
    if kind != DEAD:
        gap = shown - animated, velocity - animated_velocity
    remember(memory, 0, kind, HALFLIFE, *gap)
    return memory


def remember_rotation(kind, shown, spin, animated, animated_spin):
    """As transition.start_transition does."""
    memory = np.zeros((6, 1))
    if kind == DEAD:
        gap = to_rotation_vector(shown), spin
    else:
        step = to_rotation_vector(shown * inverse(animated))
        gap = step, find_vector_rate(step, spin - rotate(from_rotation_vector(step), animated_spin))
    remember(memory, 0, kind, HALFLIFE, *gap)
    return memory


def make_jump(kind, seed):
    """What is shown and what is animated after a jump, with velocities that no kind has to forget."""
    rng = np.random.default_rng(seed)
    shown, animated, velocity = (Vector(*one) for one in rng.normal(size=(3, 3)) * 0.3)
    missing = Vector(*rng.normal(size=3) * 0.3)
    if kind == QUINTIC:  # it remembers a velocity along its offset, towards zero
        missing = (shown - animated) * -0.9
    return shown, velocity + missing, animated, velocity


def turn_on(q, spin, dt):
    return from_rotation_vector(spin * dt) * q


@every_kind
@pytest.mark.parametrize("seed", range(5))
def test_at_the_moment_of_a_jump_neither_place_nor_velocity_changes(kind, seed):
    shown, velocity, animated, own = make_jump(kind, seed)
    memory = remember_place(kind, shown, velocity, animated, own)
    np.testing.assert_allclose(show_place(memory, 0, kind, 0.0, HALFLIFE, animated), shown, atol=1e-12)
    np.testing.assert_allclose(show_velocity(memory, 0, kind, 0.0, HALFLIFE, animated, own), velocity, atol=1e-12)


@pytest.mark.parametrize("kind", [SPRING, DEAD])
@pytest.mark.parametrize("seed", range(5))
def test_at_the_moment_of_a_jump_neither_rotation_nor_spin_changes(kind, seed):
    shown, spin, animated, own = make_jump(kind, seed)
    shown, animated = from_rotation_vector(shown * 4.0), from_rotation_vector(animated * 4.0)  # far apart
    memory = remember_rotation(kind, shown, spin, animated, own)
    found = show_rotation(memory, 0, kind, 0.0, HALFLIFE, animated)
    assert abs(np.dot(found, shown)) == pytest.approx(1.0, abs=1e-8)
    np.testing.assert_allclose(show_spin(memory, 0, kind, 0.0, HALFLIFE, animated, own), spin, atol=1e-7)


@every_kind
@pytest.mark.parametrize("age", [0.03, 0.15, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_shown_moves_at_the_velocity_that_is_shown(kind, age, seed):
    """In the midst of a transition, measured by a small step of time."""
    dt = 1e-5
    shown, velocity, animated, own = make_jump(kind, seed)
    places, turns = (
        remember_place(kind, shown, velocity, animated, own),
        remember_rotation(kind, from_rotation_vector(shown), velocity, from_rotation_vector(animated), own),
    )
    turned = from_rotation_vector(animated)
    fade_place(places, 0, kind, HALFLIFE, make_spring(HALFLIFE, age))
    fade_rotation(turns, 0, kind, HALFLIFE, make_spring(HALFLIFE, age))
    before = show_place(places, 0, kind, age, HALFLIFE, animated)
    rate = show_velocity(places, 0, kind, age, HALFLIFE, animated, own)
    turn = show_rotation(turns, 0, kind, age, HALFLIFE, turned)
    spin = show_spin(turns, 0, kind, age, HALFLIFE, turned, own)
    fade_place(places, 0, kind, HALFLIFE, make_spring(HALFLIFE, dt))
    fade_rotation(turns, 0, kind, HALFLIFE, make_spring(HALFLIFE, dt))
    after = show_place(places, 0, kind, age + dt, HALFLIFE, animated + own * dt)
    np.testing.assert_allclose((np.array(after) - before) / dt, rate, atol=1e-3)
    on = show_rotation(turns, 0, kind, age + dt, HALFLIFE, turn_on(turned, own, dt))
    change = Rotation.from_quat(on, scalar_first=True) * Rotation.from_quat(turn, scalar_first=True).inv()
    # dead blending goes along a chord, at a rate that its angle tells only nearly
    np.testing.assert_allclose(change.as_rotvec() / dt, spin, atol=0.25 if kind == DEAD else 1e-3)


@every_kind
def test_a_step_split_in_two_fades_alike(kind):
    shown, velocity, animated, own = make_jump(kind, 0)
    for make, fade in ((remember_place, fade_place), (remember_rotation, fade_rotation)):
        given = shown, velocity, animated, own
        if make is remember_rotation:
            given = from_rotation_vector(shown), velocity, from_rotation_vector(animated), own
        once, twice = (make(kind, *given) for _ in range(2))
        fade(once, 0, kind, HALFLIFE, make_spring(HALFLIFE, 0.1))
        for dt in (0.03, 0.07):
            fade(twice, 0, kind, HALFLIFE, make_spring(HALFLIFE, dt))
        np.testing.assert_allclose(once, twice, atol=1e-9)


@every_kind
def test_half_of_a_jump_remains_after_a_half_life_and_nothing_after_many(kind):
    """From rest to rest; blending towards the new pose is halfway then too."""
    animated, shown, still = Vector(0.0, 0.0, 0.0), Vector(0.4, 0.0, 0.0), Vector(0.0, 0.0, 0.0)
    for seconds, left in ((HALFLIFE, 0.5), (0.05 * HALFLIFE, 1.0), (12 * HALFLIFE, 0.0)):
        places = remember_place(kind, shown, still, animated, still)
        turns = remember_rotation(kind, from_rotation_vector(shown), still, from_rotation_vector(animated), still)
        fade_place(places, 0, kind, HALFLIFE, make_spring(HALFLIFE, seconds))
        fade_rotation(turns, 0, kind, HALFLIFE, make_spring(HALFLIFE, seconds))
        place = show_place(places, 0, kind, seconds, HALFLIFE, animated)
        turn = show_rotation(turns, 0, kind, seconds, HALFLIFE, from_rotation_vector(animated))
        np.testing.assert_allclose(place, np.array(shown) * left, atol=0.01)
        np.testing.assert_allclose(to_rotation_vector(turn), np.array(shown) * left, atol=0.01)


def test_without_transitions_the_animated_pose_is_shown():
    memory, place, velocity = np.ones((6, 1)), Vector(1.0, 2.0, 3.0), Vector(0.1, 0.2, 0.3)
    given = memory, 0, NO_TRANSITION, 0.0, HALFLIFE
    assert show_place(*given, place) is place
    assert show_velocity(*given, place, velocity) is velocity
    assert show_rotation(*given, place) is place
    assert show_spin(*given, place, velocity) is velocity


@pytest.mark.parametrize("kind", [SPRING, DEAD])
def test_a_velocity_alone_carries_no_farther_than_it_may(kind):
    """Whatever it was; a small one carries as far as it goes."""
    nowhere, reached = Vector(0.0, 0.0, 0.0), {}
    for speed in (0.5, 100.0):
        memory = remember_place(kind, nowhere, Vector(0.0, speed, 0.0), nowhere, nowhere)
        farthest = 0.0
        for _ in range(400):
            fade_place(memory, 0, kind, HALFLIFE, make_spring(HALFLIFE, HALFLIFE / 40))
            farthest = max(farthest, memory[1, 0])
        reached[speed] = farthest
    assert reached[0.5] < 0.6 * OVERSHOOT
    assert 0.99 * OVERSHOOT < reached[100.0] < 1.01 * OVERSHOOT


@pytest.mark.parametrize("speed", [-3.0, -1.0, 0.0])
def test_a_quintic_ends_at_rest_at_its_time_and_does_not_overshoot(speed):
    memory = np.zeros((6, 1))
    remember(memory, 0, QUINTIC, HALFLIFE, Vector(0.3, 0.0, 0.0), Vector(speed, 0.7, 0.0))
    duration = memory[4, 0]
    assert memory[3, 0] == speed
    sizes = [read_offset(memory, 0, QUINTIC, age)[0].x for age in np.linspace(0, duration, 50)]
    assert min(sizes) > -1e-9
    assert (np.diff(sizes) < 1e-9).all()
    x, rate = evaluate_quintic(0.3, speed, duration, duration - 1e-6)
    assert abs(x) < 1e-6
    assert abs(rate) < 1e-3
    assert evaluate_quintic(0.3, speed, duration, duration + 0.1) == (0.0, 0.0)


def test_a_quintic_forgets_a_velocity_that_leads_away():
    memory = np.zeros((6, 1))
    remember(memory, 0, QUINTIC, HALFLIFE, Vector(0.3, 0.0, 0.0), Vector(2.0, 0.0, 0.0))
    assert memory[3, 0] == 0.0
    assert memory[4, 0] == pytest.approx(2 * HALFLIFE)


@pytest.mark.parametrize("kind", [SPRING, QUINTIC])
@pytest.mark.parametrize("seed", range(4))
def test_a_joint_that_whirls_turns_on_as_fast_as_it_says_far_from_its_pose(kind, seed):
    """For large offsets the rate of a rotation vector is no angular velocity."""
    dt = 1e-5
    shown, spin, animated, own = make_jump(kind, seed)
    turned = from_rotation_vector(animated * 4.0)
    memory = remember_rotation(kind, from_rotation_vector(shown * 4.0), spin, turned, own)
    turns, spins = [], []
    for age, on in ((0.0, turned), (dt, turn_on(turned, own, dt))):
        turns.append(show_rotation(memory, 0, kind, age, HALFLIFE, on))
        spins.append(np.array(show_spin(memory, 0, kind, age, HALFLIFE, on, own)))
        fade_rotation(memory, 0, kind, HALFLIFE, make_spring(HALFLIFE, dt))
    before, after = (Rotation.from_quat(turn, scalar_first=True) for turn in turns)
    np.testing.assert_allclose((after * before.inv()).as_rotvec() / dt, np.mean(spins, axis=0), atol=1e-3)
    assert np.linalg.norm(memory[:3]) > 0.3
