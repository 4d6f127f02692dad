"""The command line answers help, refuses unknown verbs, and never shows a traceback for a user's mistake."""

import importlib
import inspect
import os
import re
import subprocess
import sys

import pytest

from kinematch.cli.main import VERBS, main
from kinematch.errors import listed, unknown


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


COMMANDS = [[verb] for verb in VERBS] + [["bench", "search"], ["bench", "character"], ["bench", "start"]]
COMMANDS += [["train", "orientation"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_verb_is_a_documented_function_with_help(command, capsys):
    found = getattr(importlib.import_module(f"kinematch.cli.{command[0]}"), command[0])
    functions = list(found.values()) if isinstance(found, dict) else [found]
    assert all(inspect.getdoc(function) for function in functions)
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--help"])
    assert stopped.value.code == 0
    assert command[-1] in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_explains_every_parameter_in_words(command, capsys):
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    printed = " ".join(capsys.readouterr().out.replace("│", "").split())
    assert "default: None" not in printed
    assert "default: )" not in printed
    assert "default: False" not in printed
    assert "default: True" not in printed  # of a flag that can only be set
    assert not re.search(r"\b([A-Z]+)\]? \1 \(", printed, re.IGNORECASE)  # FOLDER folder (required)


def test_help_of_a_benchmark_shows_its_own_options_alone(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "character", "--help"])
    printed = capsys.readouterr().out
    assert "--growth-to" not in printed
    assert "questions" not in printed


@pytest.mark.parametrize("arguments", [["doctor", "nowhere.bvh"], ["build", "nowhere.toml"], ["inspect", "nowhere"]])
def test_a_missing_file_is_one_line_without_traceback(arguments, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert "nowhere" in printed.err
    assert "Traceback" not in printed.err + printed.out


def test_the_doctor_asks_for_files_where_none_are_named(capsys):
    assert main(["doctor"]) == 2
    assert "which files" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_what_is_wanted_and_nothing_of_python(verb, capsys):
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    usage = capsys.readouterr().out.split("\n\n")[0]
    assert "None" not in usage
    assert "--no-" not in usage.replace("--no-open", "")  # which is a wish of its own, and no half of a pair


def kinematch(*arguments: str, **more) -> subprocess.CompletedProcess:
    """The command in a process of its own, as a shell runs it."""
    code = "import sys; from kinematch.cli.main import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True, **more)


@pytest.mark.parametrize("arguments", [["help"], ["--version"], ["doctor", "--json", "x.bvh"]])
def test_a_full_disk_at_the_output_is_one_line(arguments, tmp_path):
    (tmp_path / "x.bvh").write_text("HIERARCHY\n")
    with open("/dev/full", "w") as full:
        done = kinematch(*arguments, cwd=tmp_path, stdout=full)
    assert done.returncode == 2
    assert done.stderr == f"kinematch {arguments[0]}: No space left on device\n"


def test_a_reader_that_went_away_is_no_error(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    done = kinematch("help", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_names_that_the_encoding_of_the_output_cannot_hold_are_spelt_out(tmp_path):
    (tmp_path / "n\u00e4me\udcff.bvh").write_text("x")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = kinematch("doctor", ".", cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    assert done.returncode == 1
    assert r"n\xe4me\udcff.bvh" in done.stdout
    done = kinematch("inspect", "n\u00e4me\udcff.bvh", cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == "kinematch inspect: n\\xe4me\\udcff.bvh: is no database: only 1 bytes long\n"


def test_whatever_the_system_refuses_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["demo", "-o", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err == f"kinematch demo: {tmp_path / 'file'}: File exists\n"


def test_errors_can_neither_break_lines_nor_command_the_terminal(tmp_path, capsys):
    name = "a\nb\x1b[31m"
    assert main(["inspect", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err == f"kinematch inspect: {tmp_path}/a\\x0ab\\x1b[31m: no such file\n"
    assert main(["\x1b[31m"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_lists_of_names_stay_on_one_line_and_end():
    assert listed(["a\nb", "c"]) == "a\\x0ab, c"
    message = unknown("joint", "x" * 1000, [f"j{k}" for k in range(1000)])
    assert message.endswith("j59 and 940 more")
    assert len(message) < 600


HEAVY = ("numba", "scipy", "numpy", "pydantic", "starlette", "PIL", "rich")
AT_ONCE = [[], ["--version"], *([*command, "--help"] for command in COMMANDS)]


@pytest.mark.parametrize("arguments", AT_ONCE, ids=" ".join)
def test_help_imports_nothing_heavy(arguments):
    code = f"""
import sys
from kinematch.cli.main import main
try:
    main({arguments!r})
except SystemExit:
    pass
print("imported:", *(name for name in {HEAVY!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported:"


def test_names_repeated_for_a_quick_help_are_those_of_the_code():
    from kinematch.cli import evaluate_character, tune
    from kinematch.evaluate.sweeps import SWEEPS
    from kinematch.evaluate.tune import MIX, parse_mix

    assert list(evaluate_character.SWEEPS) == list(SWEEPS)
    assert parse_mix(tune.USUAL_MIX) == MIX
