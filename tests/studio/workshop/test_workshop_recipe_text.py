"""Laws of editing a recipe's text: the values change as asked, every comment stays, and set then undone is a round."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import KinematchError
from kinematch.studio.workshop.recipe_text import add_table, remove, set_value, toml

TEXT = """\
# my recipe # with care
output = "walk.kinematch"  # where to

[[source]]
# the good takes
files = [
    "a.bvh",   # first
    "b #2.bvh",
]
tags = ["walk"]      # words
roles = { hips = "Pelvis" }

# a turn
[[source.range]]
from = 1.5
to = 2
tags = ["turn"]

[[source]]
files = ["c.bvh"]

[source.roles]
head = "Head"

# how it is cleaned
[cleaning]
mirror = true        # twice the motion
"""

PLACES = [
    ("output",),
    ("skeleton",),
    ("source", 0, "files"),
    ("source", 0, "trim"),
    ("source", 0, "roles"),
    ("source", 0, "roles", "head"),
    ("source", 0, "range", 0, "to"),
    ("source", 0, "range", 0, "no_entry"),
    ("source", 1, "loop"),
    ("source", 1, "roles"),
    ("source", 1, "roles", "neck"),
    ("cleaning", "mirror"),
    ("cleaning", "frame_rate"),
    ("matching", "quality"),
]
VALUES = st.one_of(
    st.booleans(),
    st.integers(-1000, 1000),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=20),
    st.lists(st.text(max_size=30), max_size=8),
    st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3),
)


def at(values, place):
    for step in place:
        values = values[step]
    return values


@settings(max_examples=150, deadline=None)
@given(place=st.sampled_from(PLACES), value=VALUES)
def test_what_is_set_is_there_and_nothing_else_has_changed(place, value):
    edited = set_value(TEXT, place, value)
    assert at(tomllib.loads(edited), place) == value
    for comment in ("# my recipe # with care", "# where to", "# the good takes", "# words", "# a turn", "# twice"):
        assert comment in edited
    if len(place) > 1 and place[:3] != ("source", 1, "roles"):
        again = (
            remove(edited, place)
            if place not in _present()
            else set_value(edited, place, at(tomllib.loads(TEXT), place))
        )
        parsed = tomllib.loads(again)
        parsed.pop("matching", None)  # a table that was made for the key stays, empty
        assert parsed == tomllib.loads(TEXT)


def _present():
    found = []
    for place in PLACES:
        try:
            at(tomllib.loads(TEXT), place)
        except (KeyError, IndexError):
            continue
        found.append(place)
    return found


@given(value=VALUES)
def test_toml_reads_back_as_the_value(value):
    assert tomllib.loads(f"x = {toml(value)}")["x"] == value


def test_a_key_goes_where_its_table_is_and_a_changed_one_stays_on_its_line():
    edited = set_value(TEXT, ("cleaning", "mirror"), False)
    assert edited == TEXT.replace("mirror = true        # twice", "mirror = false        # twice")
    lines = set_value(TEXT, ("source", 0, "trim"), [0.5, 9.0]).splitlines()
    assert lines.index("trim = [0.5, 9.0]") == lines.index('roles = { hips = "Pelvis" }') + 1


def test_tables_are_added_beside_their_like():
    edited = add_table(TEXT, ("source", 0, "range"), {"from": 3.0, "tags": ["stop"]})
    assert [one["tags"] for one in tomllib.loads(edited)["source"][0]["range"]] == [["turn"], ["stop"]]
    edited = add_table(edited, ("feature",), {"kind": "height", "joint": "head"})
    assert tomllib.loads(edited)["feature"] == [{"kind": "height", "joint": "head"}]
    edited = add_table(edited, ("source",), {"files": ["d.bvh"]})
    assert tomllib.loads(edited)["source"][2] == {"files": ["d.bvh"]}
    assert edited.index('"d.bvh"') < edited.index("# how it is cleaned") < edited.index("[cleaning]")
    assert tomllib.loads(add_table("", ("source",), {"files": ["d.bvh"]})) == {"source": [{"files": ["d.bvh"]}]}


def test_a_table_goes_with_all_that_is_in_it():
    edited = remove(TEXT, ("source", 0))
    assert [source["files"] for source in tomllib.loads(edited)["source"]] == [["c.bvh"]]
    assert "# a turn" not in edited
    assert "# how it is cleaned" in edited
    assert "range" not in tomllib.loads(remove(TEXT, ("source", 0, "range", 0)))["source"][0]


def test_what_cannot_be_edited_line_by_line_is_refused_not_spoilt():
    text = 'source = [{ files = ["a.bvh"] }, { files = ["b.bvh"] }]\n'
    with pytest.raises(KinematchError, match="change it in the recipe's text"):
        add_table(text, ("source",), {"files": ["c.bvh"]})
    with pytest.raises(KinematchError, match=r"has no `source\.7`"):
        set_value(TEXT, ("source", 7, "loop"), True)
