"""The recipe page says what the models say, and its examples are recipes."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest

from kinematch.database.recipe import Cleaning, parse_recipe
from kinematch.database.recipe_reference import TABLES, reference
from kinematch.math.smoothing import window_frames
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.root import DIRECTION_WINDOW, POSITION_WINDOW

PAGE = Path(__file__).parents[2] / "docs" / "recipe.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.S)


def test_the_page_holds_the_reference_as_the_models_tell_it():
    text = PAGE.read_text(encoding="utf-8")
    start, stop = text.index("recipe_reference -->\n") + len("recipe_reference -->\n"), text.index("<!-- end reference")
    assert text[start:stop].strip() == reference().strip(), (
        "write kinematch.database.recipe_reference.reference() there"
    )


def test_every_key_has_a_meaning():
    for model in TABLES.values():
        for field in model.model_fields.values():
            assert field.description


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_of_the_page_are_recipes(text):
    parse_recipe(text)


def test_the_examples_use_every_table():
    used = {key for text in EXAMPLES for key in tomllib.loads(text)}
    assert used >= {"source", "cleaning", "feature", "matching", "output"}


def test_the_defaults_are_those_of_the_functions():
    cleaning = Cleaning.model_validate({})
    defaults = {name: one.default for name, one in inspect.signature(find_contacts).parameters.items()}
    assert cleaning.contact_speed == [defaults["speed_on"], defaults["speed_off"]]
    assert cleaning.contact_height == [defaults["height_on"], defaults["height_off"]]
    assert cleaning.contact_radius == defaults["radius"]
    for mine, theirs in (
        (cleaning.root_position_window, POSITION_WINDOW),
        (cleaning.root_direction_window, DIRECTION_WINDOW),
    ):
        assert window_frames(mine, 60) == window_frames(theirs, 60)
        assert mine == pytest.approx(theirs, abs=1e-4)
