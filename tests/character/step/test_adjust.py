"""Adjusting the root: gaps to the body close at their half-lives, within what the clip moves, and stay in the clamp."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.settings import make_knobs
from kinematch.character.step.adjust import adjust_root, clamp_gap, close_gaps, fade_root_offset
from kinematch.character.step.springs import make_springs

from ..states import open_stages, scatter

DT = 1 / 60
NONE = Settings(
    synchronization_halflife=0.0, adjustment_halflife=0.0, turn_halflife=0.0, clamp_distance=0.0, clamp_angle=0.0
)


def close(settings: Settings, gap: float, angle: float, *, distance: float = 0.0, turn: float = 0.0, dt: float = DT):
    knobs = make_knobs(settings)
    x, z = 0.6 * gap, 0.8 * gap
    limits = settings.adjustment_ratio * distance, settings.turn_ratio * abs(turn)
    share, left = close_gaps(x, z, angle, *limits, knobs, make_springs(knobs, dt))
    return gap * share, left


def test_with_everything_off_gaps_stay():
    assert close(NONE, 0.4, -0.7) == pytest.approx((0.4, -0.7))
    assert close(NONE, 0.0, 0.0) == (0.0, 0.0)


def test_synchronization_halves_gaps_in_its_half_life_however_the_time_is_split():
    settings = replace(NONE, synchronization_halflife=0.3)
    assert close(settings, 0.4, -0.7, dt=0.3) == pytest.approx((0.2, -0.35))
    first = close(settings, 0.4, -0.7, dt=0.1)
    assert close(settings, *first, dt=0.2) == pytest.approx((0.2, -0.35))


def test_a_character_that_stands_still_is_not_dragged_and_one_that_moves_by_a_share_at_most():
    settings = replace(NONE, adjustment_halflife=0.1, adjustment_ratio=0.2, turn_halflife=0.1, turn_ratio=0.5)
    assert close(settings, 0.4, 0.7) == pytest.approx((0.4, 0.7))
    assert close(settings, 0.4, 0.7, distance=0.05, turn=-0.02) == pytest.approx((0.39, 0.69))
    far = close(settings, 0.4, 0.7, distance=100.0, turn=100.0, dt=0.1)
    assert far == pytest.approx((0.2, 0.35))  # the half-life, not the share, limits it then


def test_a_clamp_limits_gaps_softly_and_leaves_small_ones_alone():
    for gap in np.linspace(0, 2, 41):
        left = clamp_gap(gap, 0.3, DT)
        assert left <= min(gap, 0.3)
        if gap <= 0.15:
            assert left == gap
    lefts = [clamp_gap(gap, 0.3, DT) for gap in np.linspace(0, 0.3, 200)]
    assert (np.diff(lefts) > 0).all()
    gap, angle = close(replace(NONE, clamp_distance=0.3, clamp_angle=1.0), 0.9, -1.1, dt=0.0)
    assert (gap, angle) == pytest.approx((0.3, -1.0))


@pytest.fixture
def standing(database):
    return Crowd(database, 12, settings=replace(NONE, transition_halflife=0.2), compiled=False)


def test_the_root_goes_the_way_of_its_clip_where_nothing_draws_it(standing):
    data, _ = open_stages(standing)
    scatter(standing, 0)
    standing.state.offsets.roots[:] = 0.0
    rng, playing = np.random.default_rng(1), standing.state.playing
    data.work.motions[:, :3] = rng.normal(size=(12, 3)) * 0.05
    before, yaws = playing.positions.copy(), playing.yaws.copy()
    ages, since = standing.state.offsets.ages.copy(), standing.state.schedule.since.copy()
    for n in range(12):
        adjust_root(data, n, make_springs(data.settings, DT))
    x, z, turn = data.work.motions[:, :3].T
    np.testing.assert_allclose(playing.positions[:, 0] - before[:, 0], np.cos(yaws) * x + np.sin(yaws) * z, atol=1e-9)
    np.testing.assert_allclose(playing.positions[:, 2] - before[:, 2], np.cos(yaws) * z - np.sin(yaws) * x, atol=1e-9)
    np.testing.assert_allclose(np.exp(1j * playing.yaws), np.exp(1j * (yaws + turn)), atol=1e-9)
    np.testing.assert_allclose(data.pose.displacements, playing.positions - before, atol=1e-12)
    np.testing.assert_allclose(data.pose.turns, turn, atol=1e-9)
    np.testing.assert_allclose(standing.state.offsets.ages, ages + DT)
    np.testing.assert_allclose(standing.state.schedule.since, since + DT)


def test_what_a_jump_left_of_the_roots_velocity_carries_it_equally_far_in_any_steps(standing):
    data, _ = open_stages(standing)
    roots, ways = standing.state.offsets.roots, []
    standing.state.offsets.ages[:] = 0.0
    for steps in ([0.5], [0.05] * 10, [0.2, 0.01, 0.29]):
        roots[0] = [1.0, -0.5, 2.0, 0.0, 0.0, 0.0]
        ways.append(sum(np.array(fade_root_offset(data, 0, make_springs(data.settings, dt))) for dt in steps))
        assert abs(roots[0, :3]).max() < 0.2
    np.testing.assert_allclose(ways[1:], [ways[0]] * 2, atol=1e-12)
    assert ways[0][0] > 0.1
    standing.state.offsets.ages[:] = 1e3  # long forgotten
    roots[0, :3] = 1.0
    assert fade_root_offset(data, 0, make_springs(data.settings, DT)) == (0.0, 0.0, 0.0)
    assert (roots[0, :3] == 1.0).all()


def test_a_turn_that_a_transition_holds_back_is_adjusted_by_a_share_of_the_clips_own(database):
    crowd = Crowd(database, settings=replace(NONE, turn_halflife=0.01, turn_ratio=0.5), compiled=False)
    data, _ = open_stages(crowd)
    by = make_springs(data.settings, DT)
    for own, adjusted in ((0.01, 0.005), (0.0, 0.0)):
        crowd.teleport(np.zeros((1, 3)), np.zeros(1))
        crowd.body.yaws[:] = 0.5
        crowd.state.offsets.ages[:] = 0.0
        crowd.state.offsets.roots[:] = 0.0
        crowd.state.offsets.roots[0, 2] = 1.0
        held = fade_root_offset(data, 0, by).z
        crowd.state.offsets.roots[0, 2] = -own / held  # so that the root does not turn at all
        crowd.state.offsets.roots[0, 5] = 0.0
        data.work.motions[0], data.pose.turns[0] = (0.0, 0.0, own, 0.0, 0.5 * own), 0.0
        adjust_root(data, 0, by)
        assert data.pose.turns[0] == pytest.approx(adjusted, abs=1e-9)
