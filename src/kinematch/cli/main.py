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
    "play": "steer a character in the browser, see why it moves as it does, tune it and build your own",
    "demo": "build the built-in database and show it: no files needed",
    "doctor": "say what a mocap file is, what is wrong with it, and how to mend it",
    "init": "write a commented recipe for the files of a folder",
    "build": "turn a recipe into a motion-matching database",
    "inspect": "show what a database holds and what it lacks",
    "pack": "write a database in a tenth of its memory, within an error bound",
    "convert": "turn one motion file into another",
    "avatar": "make a full body from recorded trackers of a headset and controllers",
    "camera": "make a full body from a video or webcam, with trackers or without",
    "stream": "send a character that plays a script to other programs, without a page",
    "record": "write motion that other programs send, as VMC or over a WebSocket, as a file",
    "synth": "write the built-in dance card as files",
    "evaluate": "put a character through a course and say how well it moves",
    "tune": "search the settings that move best",
    "train": "train the networks that the package runs, and score them",
    "export": "write a database or a trained model for engines and other programs",
    "bench": "measure the search against its rivals, and crowds of characters, on this machine",
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

    found = getattr(importlib.import_module(f"kinematch.cli.{verb}"), verb)
    plain = (tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone, tyro.conf.PositionalMetavarFromFieldName)
    program = f"kinematch {verb}"
    if isinstance(found, dict):
        about = VERBS[verb].capitalize() + f"; `{program} {next(iter(found))} --help` explains the first."
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
