"""Height levels: heads at different heights play different parts of a database, and walking changes none."""

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.levels import HEAD_TO_ROOT_SHARE, Levels, find_levels

LEVELS = Levels(
    ("low", "middle", "high"), np.array([0.7, 0.9, 1.0]), np.array([[0, 1.1, 0.3], [0, 1.4, 0.1], [0, 1.5, 0]]), 2
)


def choose(ratios, current=-1):
    return LEVELS.choose(np.atleast_1d(ratios), np.full(np.size(ratios), current)).tolist()


def test_the_built_in_set_has_tiptoe_upright_and_four_knee_bends_by_height():
    levels = find_levels(km.load("built-in"))
    assert levels.filters == ("level4", "level3", "level2", "level1", "level0", "tiptoe")
    assert levels.filters[levels.upright] == "level0"
    assert levels.ratios[levels.upright] == 1.0


def test_who_crouches_carries_the_head_ahead_of_the_root():
    levels = find_levels(km.load("built-in"))
    deep, upright = levels.find_offsets(np.array([0.75, 1.0]))
    assert deep[2] > upright[2] + 0.03
    assert deep[1] == 0


def test_the_first_level_is_the_nearest():
    assert choose([0.2, 0.72, 0.88, 0.97, 1.4]) == [0, 0, 1, 2, 2]


def test_a_level_is_kept_until_well_past_the_middle_to_the_next():
    assert choose(0.94, current=2) == [2]  # the middle is 0.95
    assert choose(0.94, current=1) == [1]
    assert choose(0.92, current=2) == [1]
    assert choose(0.98, current=1) == [2]


def test_a_small_error_of_height_takes_no_lower_level():
    levels = find_levels(km.load("built-in"))
    upright = np.array([levels.upright])
    assert levels.choose(np.array([0.985]), upright) == upright
    assert levels.choose(np.array([0.96]), upright) != upright


def test_a_sudden_squat_goes_straight_to_the_lowest_level():
    assert choose(0.5, current=2) == [0]


def test_a_database_without_levels_has_one_that_is_always_chosen():
    one = Levels((None,), np.ones(1), np.array([[0, 1.5, 0.1]]), 0)
    assert one.choose(np.array([0.3, 1.0, 2.0]), np.array([-1, 0, 0])).tolist() == [0, 0, 0]
    np.testing.assert_allclose(one.find_offsets(np.array([0.4])), [[0, 0, HEAD_TO_ROOT_SHARE * 0.1]])


def test_users_name_their_own_filters():
    levels = find_levels(km.load("built-in"), ["level0", "crouch3"])
    assert levels.filters == ("crouch3", "level0")


def test_levels_that_do_not_rise_are_refused():
    with pytest.raises(km.KinematchError, match="rising"):
        Levels(("a", "b"), np.array([1.0, 1.0]), np.zeros((2, 3)), 0)
