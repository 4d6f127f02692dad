"""The screen prints names as they stand in files, and obeys none of them."""

import pytest
from rich.panel import Panel
from rich.table import Table

from kinematch.cli.main import main
from kinematch.cli.screen import Screen, progress_bar
from kinematch.files import write_clip
from kinematch.synth import walk_along

NAMES = ["[bold]x[/bold]", "[/]", ":smile:", "[link=http://x]y", "{x}", "%s", "\\[red]"]


@pytest.mark.parametrize("name", NAMES)
def test_markup_and_emoji_codes_are_plain_text_everywhere(name, capsys):
    screen = Screen()
    table = Table("column", title=name)
    table.add_row(name)
    screen.print(table)
    screen.print(Panel(name))
    screen.say(name, (name, "red"))
    assert capsys.readouterr().out.count(name) == 5


def test_control_characters_are_spelt_out(capsys):
    Screen().say("a\x1b[31mb\x9bc\nd")
    assert capsys.readouterr().out == "a\\x1b[31mb\\x9bc\nd\n"


def test_a_terminal_that_does_not_know_its_width_shows_everything(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "0")
    Screen().print("words that need room")
    assert capsys.readouterr().out == "words that need room\n"


def test_long_lines_are_left_whole(capsys):
    Screen().say("x" * 1000)
    assert capsys.readouterr().out == "x" * 1000 + "\n"


def test_without_a_terminal_each_stage_is_a_line_when_it_begins(capsys):
    with progress_bar("opening") as show:
        assert capsys.readouterr().err == ""  # what fails at once is told in one line
        show(0, 2)
        assert capsys.readouterr().err == "opening\n"
        show(1, 2)
        show(0, None, "building [bold]")
        show(5, 9, "building [bold]")
    assert capsys.readouterr().err == "building [bold]\n"


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A walk whose file and joints bear the oddest names."""
    folder = tmp_path_factory.mktemp("odd [red]")
    walk = walk_along([(0, 0), (0, 2)])
    path = folder / "[bold]:smile:.bvh"
    write_clip(path, walk)
    text = path.read_text().replace("LeftHand", "[/]\x1b[31m").replace("Head", ":heart:")
    path.write_text(text.replace("LeftToe", "[blink]toe"))
    return path


def test_every_verb_bears_odd_names(odd, capsys):
    recipe = odd.parent / "recipe.toml"
    roles = '{ head = ":heart:", left_hand = "[/]\\u001b[31m", left_toes = "[blink]toe" }'
    tags = '["[bold]:smile:", "\\u001b[31m"]'
    recipe.write_text(f'[[source]]\nfiles = ["*.bvh"]\ntags = {tags}\nroles = {roles}\n')
    copy = str(odd.parent / "[red]:heart:.glb")
    for arguments in (
        ["doctor", str(odd)],
        ["doctor", str(odd.parent)],
        ["build", str(recipe)],
        ["inspect", str(recipe.with_suffix(".kinematch"))],
        ["convert", str(odd), copy],
    ):
        assert main(arguments) in (0, 1), arguments
        printed = capsys.readouterr()
        assert "\x1b" not in printed.out + printed.err
        assert any(name in printed.out for name in ("[bold]:smile:", copy)), arguments
