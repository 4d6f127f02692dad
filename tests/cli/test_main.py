"""The command line answers help, refuses unknown verbs, and never shows a traceback for a user's mistake."""

import importlib
import inspect

import pytest

from kinematch.cli.main import VERBS, main


def test_no_arguments_and_help_list_every_verb(capsys):
    for arguments in ([], ["--help"], ["help"]):
        assert main(arguments) == 0
        printed = capsys.readouterr().out
        assert all(verb in printed for verb in VERBS)


def test_an_unknown_verb_is_refused_with_the_nearest(capsys):
    assert main(["docter"]) == 2
    assert "did you mean 'doctor'?" in capsys.readouterr().err


def test_the_version_is_printed(capsys):
    from kinematch import __version__

    assert main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_a_documented_function_with_help(verb, capsys):
    function = getattr(importlib.import_module(f"kinematch.cli.{verb}"), verb)
    assert inspect.getdoc(function)
    with pytest.raises(SystemExit) as stopped:
        main([verb, "--help"])
    assert stopped.value.code == 0
    assert verb in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["doctor", "nowhere.bvh"], ["build", "nowhere.toml"], ["inspect", "nowhere"]])
def test_a_missing_file_is_one_line_without_traceback(arguments, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert "nowhere" in printed.err
    assert "Traceback" not in printed.err + printed.out
