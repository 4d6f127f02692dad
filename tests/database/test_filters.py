"""Filters: precedence, parentheses, and errors that say what was expected."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematch.database.filters import tag_mask
from kinematch.errors import KinematchError

NAMES = ("walk", "crouch", "idle-2")
TABLE = np.array([[n >> k & 1 for k in range(3)] for n in range(8)], bool)  # every combination
WALK, CROUCH, IDLE = TABLE.T


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("", np.ones(8, bool)),
        ("  ", np.ones(8, bool)),
        ("walk", WALK),
        ("!walk", ~WALK),
        ("!!walk", WALK),
        ("walk & !crouch | idle-2", (WALK & ~CROUCH) | IDLE),
        ("idle-2 | walk & !crouch", (WALK & ~CROUCH) | IDLE),
        ("walk&(crouch|idle-2)", WALK & (CROUCH | IDLE)),
        ("!(walk | crouch)", ~(WALK | CROUCH)),
        ("walk | crouch | idle-2", WALK | CROUCH | IDLE),
    ],
)
def test_not_binds_closest_then_and_then_or(expression, expected):
    assert (tag_mask(expression, NAMES, TABLE) == expected).all()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("walk &", "expected a tag, found the end"),
        ("& walk", "expected a tag, found '&' .token 1."),
        ("walk crouch", "expected the end, found 'crouch' .token 2."),
        ("(walk", r"expected '\)', found the end"),
        ("walk)", r"expected the end, found '\)'"),
        ("()", r"expected a tag, found '\)'"),
        ("!", "expected a tag, found the end"),
        ("wolk", "no tag 'wolk'; did you mean 'walk'"),
        ("(" * 5000 + "walk" + ")" * 5000, "nested too deeply"),
        ("!" * 5000 + "walk", "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_told(expression, message):
    with pytest.raises(KinematchError, match=message):
        tag_mask(expression, NAMES, TABLE)


@st.composite
def expressions(draw, depth=4):
    """Our expression and the same in Python."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(NAMES))
        return name, {"walk": "W", "crouch": "C", "idle-2": "I"}[name]
    match draw(st.sampled_from(["!", "&", "|"])):
        case "!":
            ours, theirs = draw(expressions(depth=depth - 1))
            return f"!({ours})", f"(~{theirs})"
        case operator:
            a, b = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
            return f"({a[0]}) {operator} ({b[0]})", f"({a[1]} {operator} {b[1]})"


@given(expressions())
def test_any_expression_means_what_python_means(pair):
    ours, theirs = pair
    assert (tag_mask(ours, NAMES, TABLE) == eval(theirs, {"W": WALK, "C": CROUCH, "I": IDLE})).all()


@given(st.text(alphabet="walk crouh&|!()-2", max_size=30))
def test_any_text_is_a_mask_or_one_clear_error(text):
    with contextlib.suppress(KinematchError):
        assert tag_mask(text, NAMES, TABLE).shape == (8,)
