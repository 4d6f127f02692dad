"""`kinematch VERB ...`: finds the verb, runs it, and turns our errors into one line."""

import importlib
import io
import os
import shutil
import sys
import textwrap

from kinematch import __version__
from kinematch.errors import KinematchError, unknown, visible

# Each verb lives in cli/VERB.py as a function of the same name, or several by name; only the one asked for is imported.
# These files import what they need when they run, so that --help answers at once.
VERBS = {
    "play": "steer a character in the browser, see why it moves that way, tune it and build your own",
    "demo": "build the built-in database and show it; needs no files",
    "doctor": "report what a mocap file is, what is wrong with it, and how to fix it",
    "init": "write a commented recipe for the files in a folder",
    "build": "build a motion-matching database from a recipe",
    "inspect": "show what a database covers and what it lacks",
    "find": "find clips in databases by words, tags, speed, or likeness to a clip or pose",
    "pack": "compress a database to a tenth of its size, within an error bound",
    "convert": "convert a motion file to another format, or to a picture",
    "avatar": "animate a full body from recorded headset and controller tracking",
    "camera": "animate a full body from a video or webcam, with or without trackers",
    "stream": "stream a scripted character to other programs, without a page",
    "reference": "steer a robot by a script: joint angles for tracking policies",
    "record": "record motion that other programs send, as VMC or over a WebSocket, to a file",
    "synth": "write the built-in motion as files",
    "evaluate": "score how well a character, avatar, robot, retarget or learned model moves",
    "reproduce": "repeat what the five works behind Kinematch report, and say where the figures agree",
    "tune": "search for the settings with the best scores",
    "train": "train the networks that Kinematch uses, and score them",
    "export": "export a database or a trained model for engines and other programs",
    "bench": "benchmark the search, crowds of characters and more on this machine",
}


def main(arguments: list[str] | None = None) -> int:
    """The console command; returns the exit status: 0 good, 1 a finding, 2 an error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    verb, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    _open_streams()
    try:
        status = _run(verb, rest)
        sys.stdout.flush()  # a full disk or a closed pipe shows here, not when Python ends
        return status
    except KinematchError as error:
        return _fail(verb, str(error))
    except KeyboardInterrupt:
        print(f"\nkinematch {visible(verb)}: interrupted; earlier results are untouched", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader (head, less) went away
        _settle_output()
        return 0
    except OSError as error:
        _settle_output()
        where = f"{error.filename}: " if error.filename is not None else ""
        return _fail(verb, f"{where}{error.strerror or error}")
    except MemoryError:
        return _fail(verb, "not enough memory")


def _open_streams() -> None:
    """Names of files may hold what the terminal's encoding cannot; and there may be no output at all (>&-)."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, open until Python ends
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(verb: str, message: str) -> int:
    lines = "\n".join(visible(line) for line in message.split("\n"))
    print(f"kinematch {visible(verb[:40])}: {lines}", file=sys.stderr)
    return 2


def _settle_output() -> None:
    """What cannot be written must not be tried again, with a traceback, when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(verb: str, rest: list[str]) -> int:
    if verb in ("-h", "--help", "help"):
        _print_overview()
        return 0
    if verb in ("-V", "--version", "version"):
        print(f"kinematch {__version__}")
        return 0
    if verb not in VERBS:
        raise KinematchError(unknown("verb", verb, VERBS))
    import tyro

    module = importlib.import_module(f"kinematch.cli.{verb}")
    found = getattr(module, verb)
    plain = (tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone, tyro.conf.PositionalMetavarFromFieldName)
    program = f"kinematch {verb}"
    if isinstance(found, dict):
        about = VERBS[verb].capitalize() + f"; `{program} {next(iter(found))} --help` explains the first."
        if hasattr(module, "find_subcommand"):  # one may be left out
            rest = module.find_subcommand(rest)
            about += f" `{program}` without a subcommand means that one."
        made = tyro.extras.subcommand_cli_from_dict(found, args=rest, prog=program, description=about, config=plain)
    else:
        made = tyro.cli(found, args=rest, prog=program, config=plain)
    return int(made or 0)


def _print_overview() -> None:
    """All verbs with what they do; without rich, which takes longer to import than all else here."""
    width = max(40, shutil.get_terminal_size((160, 24)).columns)
    column = max(map(len, VERBS)) + 6
    print(f"kinematch {__version__}: from raw motion capture to a steerable character\n")
    for verb, text in VERBS.items():
        first = f"    {verb}".ljust(column)
        print(textwrap.fill(text, width, initial_indent=first, subsequent_indent=" " * column))
    print("\nkinematch VERB --help explains a verb; start with kinematch play")


if __name__ == "__main__":
    sys.exit(main())
