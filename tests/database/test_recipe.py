"""Recipes: what they accept, and how precisely they refuse."""

import contextlib
import os
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.database.recipe import parse_recipe, read_recipe
from kinematch.database.recipe_errors import RecipeError, find_line
from kinematch.database.schema import default_features
from kinematch.errors import FileError

LEAST = '[[source]]\nfiles = ["a.bvh"]\n'


def refusal(text: str) -> str:
    with pytest.raises(FileError) as caught:
        parse_recipe(text, "r.toml")
    return str(caught.value)


def test_the_least_recipe_has_the_papers_features_and_all_defaults():
    recipe = parse_recipe(LEAST)
    assert recipe.feature_schema().features == default_features()
    assert recipe.cleaning.frame_rate == 60
    assert recipe.matching.tail == 0.33
    assert recipe.weights().quality == 1


def test_trajectories_are_flat_and_joints_are_not_unless_said():
    text = '[[feature]]\nkind = "trajectory_position"\ntimes = [1]\n[[feature]]\nkind = "position"\njoint = "x"\n'
    flat, full = parse_recipe(LEAST + text).feature_schema().features
    assert (flat.dimensions, full.dimensions) == (2, 3)
    (tall,) = (
        parse_recipe(LEAST + text.split('[[feature]]\nkind = "position')[0] + "dimensions = 3\n")
        .feature_schema()
        .features
    )
    assert tall.dimensions == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LEAST + 'tgas = ["x"]', "r.toml:3: source[0].tgas: unknown key 'tgas'; did you mean 'tags'?"),
        ("a = = 1", "r.toml:1: is no valid TOML: Invalid value"),
        ("", "r.toml: source: is missing"),
        ("source = 3", "r.toml:1: source: input should be a valid list, got 3"),
        ("output = 3\n" + LEAST, "r.toml:1: output: input should be a valid string, got 3"),
        (
            LEAST + "[cleaning]\nframe_rate = 0",
            "cleaning.frame_rate: input should be greater than or equal to 1, got 0",
        ),
        (
            LEAST + "[cleaning]\nframe_rate = 1e9",
            "r.toml:4: cleaning.frame_rate: input should be less than or equal to 1000",
        ),
        (
            LEAST + "[cleaning]\ncontact_speed = [1, 0.5]",
            "r.toml:4: cleaning.contact_speed: [1.0, 0.5]: the first must",
        ),
        (LEAST + "trim = [0, 1e308]", "r.toml:3: source[0].trim[1]: input should be less than or equal to 1000000000"),
        (LEAST + "floor = nan", "r.toml:3: source[0].floor: input should be"),
        (LEAST + "scale_to_leg_length = 1e30", "r.toml:3: source[0].scale_to_leg_length: input should be less than"),
        (LEAST + 'unit = "parsec"', "r.toml:3: source[0].unit: no unit 'parsec'; choose from: m, "),
        (LEAST + "unit = 1e30", "r.toml:3: source[0].unit: unit 1e+30, expected metres per unit of the file: a number"),
        (
            LEAST + "[[source.range]]\ncost_factor = 1e300",
            "r.toml:4: source[0].range[0].cost_factor: input should be less",
        ),
        (
            LEAST + "[matching]\nquality = 1e300",
            "r.toml:4: matching.quality: input should be less than or equal to 1000000",
        ),
        (
            LEAST + '[[feature]]\nkind = "trajectory_position"\ntimes = [1e9]',
            "r.toml:3: feature[0]: feature 'trajectory_position': time 1000000000.0 s, expected -60 to 60",
        ),
        (LEAST + '[[feature]]\nkind = "trajectory_position"\ntimes = [nan]', "time nan s, expected -60 to 60"),
        (
            LEAST + "[cleaning]\nframe_rate = nan",
            "r.toml:4: cleaning.frame_rate: input should be a finite number, got nan",
        ),
        (LEAST + '[cleaning]\nmirror = "yes"', "r.toml:4: cleaning.mirror: input should be a valid boolean, got 'yes'"),
        (LEAST + 'up = "Q"', "r.toml:3: source[0].up: no value 'Q'; choose from: X, Y, Z, -X, -Y, -Z"),
        (LEAST + 'builtin = "locomotion"', "r.toml:1: source[0]: give either `files` or `builtin`"),
        ('[[source]]\nbuiltin = "locomotoin"', "no value 'locomotoin'; did you mean 'locomotion'?"),
        (LEAST + "trim = [3, 2]", "source[0]: `trim` [3.0, 2.0] must be [from, to] with from before to"),
        (LEAST + "drop = [[1, 2], [4, 4]]", "source[0]: `drop` [4.0, 4.0] must be [from, to] with from before to"),
        (LEAST + "trim = [1]", "r.toml:3: source[0].trim: list should have at least 2 items"),
        (
            LEAST + "[[source.range]]\nfrom = 3\nto = 1",
            "r.toml:3: source[0].range[0]: `to` (1) must come after `from` (3)",
        ),
        (
            LEAST + "[[source.range]]\nfrm = 3",
            "r.toml:4: source[0].range[0].frm: unknown key 'frm'; did you mean 'from'?",
        ),
        (LEAST + '[[feature]]\nkind = "positon"', "r.toml:4: feature[0].kind: no feature kind 'positon'; did you mean"),
        (
            LEAST + '[[feature]]\nkind = "position"',
            "r.toml:3: feature[0]: feature 'position': a position needs `joint`",
        ),
        (LEAST + '[[feature]]\njoint = "x"', "r.toml:3: feature[0].kind: is missing"),
        (
            LEAST + '[matching]\nnormalisation = "blok"',
            "r.toml:4: matching.normalisation: no value 'blok'; did you mean 'block'?",
        ),
        (
            LEAST + "[matching]\ntail = -1",
            "r.toml:4: matching.tail: input should be greater than or equal to 0, got -1",
        ),
        (LEAST + "[clening]\nmirror = true", "r.toml:3: clening: unknown key 'clening'; did you mean 'cleaning'?"),
    ],
)
def test_what_is_wrong_is_named_with_line_key_and_value(text, expected):
    assert expected in refusal(text)


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines():
    message = refusal('[[source]]\nfiles = ["a"]\n[[source]]\nfiles = [\n  "b", # ]\n]\nlop = true\nseed = "x"\n')
    assert message.splitlines() == [
        "r.toml:7: source[1].lop: unknown key 'lop'; did you mean 'loop'?",
        "  line 8: source[1].seed: input should be a valid integer, got 'x'",
    ]


def test_long_values_and_many_mistakes_are_cut_short():
    assert len(refusal(LEAST + f"tags = '{'x' * 100_000}'")) < 300
    assert len(refusal(LEAST + f"{'x' * 100_000} = 1")) < 1000
    many = refusal(LEAST + "".join(f"x{k} = 1\n" for k in range(3000))).splitlines()
    assert len(many) == 21
    assert many[-1] == "  and 2980 more"


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a" + ".a" * 5000 + " = 1", "a = " + "9" * 5000])
def test_what_overstrains_the_parser_is_refused_too(text):
    assert "r.toml" in refusal(text)


def test_an_unknown_key_of_an_inline_table_is_named():
    expected = "r.toml:1: source[0].tgas: unknown key 'tgas'; did you mean 'tags'?"
    assert refusal('source = [{files = ["a.bvh"], tgas = []}]') == expected


def test_two_features_of_one_name_are_refused():
    twice = '[[feature]]\nkind = "height"\njoint = "hips"\n' * 2
    assert "two features are named 'hips_height'" in refusal(LEAST + twice)


def test_lines_are_found_in_tables_arrays_and_dotted_keys():
    text = 'a.b = 1\n[[s]]\nx = [\n 1,\n]\n[[s]]\n  "y" = """\nx = 9\n"""\n[s.t]\nz = 2\n[[s.r]]\n[[s.r]]\nw = 1\n'
    assert find_line(text, ("a", "b")) == 1
    assert find_line(text, ("s", 0, "x")) == 3
    assert find_line(text, ("s", 1)) == 6
    assert find_line(text, ("s", 1, "y")) == 7
    assert find_line(text, ("s", 1, "x")) == 6
    assert find_line(text, ("s", 1, "t", "z")) == 11
    assert find_line(text, ("s", 1, "r", 1, "w")) == 14
    assert find_line(text, ("nowhere",)) is None
    assert find_line('pairs = [\n  ["a"],\n]\ny = 1\n', ("y",)) == 4  # a row of an array is no table


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        read_recipe(tmp_path / "none.toml")
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="UTF-8"):
        read_recipe(tmp_path / "x.toml")
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for ever
    with pytest.raises(FileError, match="is not a regular file"):
        read_recipe(tmp_path / "pipe")
    with open(tmp_path / "huge.toml", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(FileError, match="is no recipe: 1099511627776 bytes long"):
        read_recipe(tmp_path / "huge.toml")


def test_byte_order_marks_and_line_ends_of_other_systems_do_no_harm(tmp_path):
    text = '[[source]]\nfiles = ["a.bvh"]\n'
    for k, data in enumerate((b"\xef\xbb\xbf" + text.encode(), text.replace("\n", "\r\n").encode())):
        (tmp_path / f"{k}.toml").write_bytes(data)
        assert read_recipe(tmp_path / f"{k}.toml") == parse_recipe(text)


words = st.sampled_from(
    [
        "[[source]]",
        "[cleaning]",
        "files",
        "=",
        '"a.bvh"',
        "[",
        "]",
        "\n",
        "mirror",
        "true",
        "1",
        "[[feature]]",
        "kind",
        ".",
        "{",
        "}",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(words, max_size=30).map(" ".join)))
def test_any_text_is_a_recipe_or_a_file_error(text):
    with contextlib.suppress(FileError):
        parse_recipe(text)


def test_an_error_carries_every_mistake_with_its_line():
    text = '[[source]]\nfiels = []\nbuiltin = "locomotion"\n\n[cleaning]\nfloor = "atuo"\nframe_rate = 0\n'
    with pytest.raises(RecipeError) as raised:
        parse_recipe(text, "a.toml")
    error = raised.value
    assert [one.line for one in error.mistakes] == [2, 6, 7]
    assert "unknown key 'fiels'" in error.mistakes[0].message
    assert "no value 'atuo'; did you mean 'auto'?" in error.mistakes[1].message
    again = pickle.loads(pickle.dumps(error))
    assert (again.mistakes, again.line, str(again)) == (error.mistakes, error.line, str(error))


def test_a_text_that_ends_too_early_is_wrong_at_its_last_line():
    with pytest.raises(FileError) as raised:
        parse_recipe("[[source]]\nfiles = [\n", "a.toml")
    assert raised.value.line == 2
