"""`kinematch VERB ...`: finds the verb, runs it, and turns our errors into one line."""

import importlib
import os
import sys

from kinematch import __version__
from kinematch.errors import KinematchError, unknown

# Each verb lives in cli/VERB.py as a function of the same name; only the one asked for is imported.
VERBS = {
    "demo": "build the built-in database and show it: no files needed",
    "doctor": "say what a mocap file is, what is wrong with it, and how to mend it",
    "init": "write a commented recipe for the files of a folder",
    "build": "turn a recipe into a motion-matching database",
    "inspect": "show what a database holds and what it lacks",
    "convert": "turn one motion file into another",
    "synth": "write the built-in dance card as files",
}


def main(arguments: list[str] | None = None) -> int:
    """The console command; returns the exit status: 0 good, 1 a finding, 2 an error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        _print_overview()
        return 0
    if arguments[0] in ("-V", "--version", "version"):
        print(f"kinematch {__version__}")
        return 0
    verb, rest = arguments[0], arguments[1:]
    try:
        return _run(verb, rest)
    except KinematchError as error:
        print(f"kinematch {verb}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nkinematch {verb}: interrupted; earlier results are untouched", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader (head, less) went away; silence the flush at exit as well
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(verb: str, rest: list[str]) -> int:
    if verb not in VERBS:
        raise KinematchError(unknown("verb", verb, VERBS))
    import tyro

    function = getattr(importlib.import_module(f"kinematch.cli.{verb}"), verb)
    return int(tyro.cli(function, args=rest, prog=f"kinematch {verb}") or 0)


def _print_overview() -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(f"[bold]kinematch {__version__}[/]: from raw motion capture to a steerable character\n")
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2))
    for verb, text in VERBS.items():
        table.add_row(f"  [cyan]{verb}[/]", text)
    console.print(table)
    console.print("\n[dim]kinematch VERB --help explains a verb; start with[/] kinematch demo")


if __name__ == "__main__":
    sys.exit(main())
