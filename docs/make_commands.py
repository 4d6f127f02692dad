"""Write docs/commands.md, every verb of the command line with its options, from the verbs' own signatures.

python docs/make_commands.py
"""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tyro.conf import arg as tyro_arg

from kinematch.cli.main import VERBS

PAGE = Path(__file__).parent / "commands.md"
OPTION = type(tyro_arg(help=""))  # what options are annotated with
HEAD = """\
# Commands

Every verb of `kinematch` with its options. `kinematch VERB --help` prints the same. The exit status is 0 when all is
well, 1 for a finding (a file that cannot be built, a target that is missed) and 2 for an error, which is one line on
stderr.

*Written by `python docs/make_commands.py` from the code; a test keeps it up to date.*
"""
PAGES = {
    "play": "studio.md", "doctor": "broken-mocap.md", "init": "recipe.md", "build": "recipe.md",
    "pack": "packed.md", "convert": "retargeting.md", "avatar": "avatars.md", "camera": "camera.md",
    "stream": "stream.md", "record": "stream.md", "synth": "built-in.md", "evaluate": "evaluation.md",
    "reproduce": "reproduction.md", "tune": "evaluation.md", "train": "learned.md", "export": "export.md",
    "bench": "measured.md",
}  # fmt: skip
CONTRIBUTORS = "bench"


def write_page() -> str:
    ordered = sorted(VERBS, key=lambda verb: verb == CONTRIBUTORS)
    return "\n".join([HEAD, *(line for verb in ordered for line in describe_verb(verb))])


def describe_verb(verb: str) -> Iterator[str]:
    """A section with what the verb does, and a table for each of its commands."""
    found = getattr(importlib.import_module(f"kinematch.cli.{verb}"), verb)
    about = VERBS[verb][0].upper() + VERBS[verb][1:] + "."
    more = f" [More]({PAGES[verb]})." if verb in PAGES else ""
    yield f"## {verb}\n\n{about}{more}{' For contributors.' if verb == CONTRIBUTORS else ''}\n"
    if isinstance(found, Mapping):
        for name, command in found.items():
            yield f"### {verb} {name}\n"
            yield from describe_command(f"{verb} {name}", command)
    else:
        yield from describe_command(verb, found)


def describe_command(name: str, command: Callable) -> Iterator[str]:
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters.values()
    shown = [describe_parameter(one, hints[one.name]) for one in parameters]
    places = [form for form, _, is_place in shown if is_place]
    doc = " ".join(re.sub(r"`{2}", "`", inspect.getdoc(command) or "").split())
    yield f"`kinematch {' '.join([name, *places])}`: {doc}\n"
    if shown:
        yield "| option | meaning |\n|---|---|"
        yield from (f"| `{form}` | {text} |" for form, text, _ in shown)
        yield ""


def describe_parameter(parameter: inspect.Parameter, hint: Any) -> tuple[str, str, bool]:
    """How it is written, what it means, and whether its place says which it is."""
    kind, *notes = get_args(hint)
    while hasattr(kind, "__metadata__"):
        kind, notes = kind.__origin__, [*kind.__metadata__, *notes]
    option = next(note for note in notes if isinstance(note, OPTION))
    is_place = parameter.kind is inspect.Parameter.POSITIONAL_ONLY
    text = (option.help or "").replace("|", "\\|")
    needed = parameter.default is inspect.Parameter.empty
    if not needed and parameter.default not in (None, False, "", ()) and parameter.default != []:
        value = parameter.default
        shown = " ".join(map(str, value)) if isinstance(value, tuple | list) else value
        text += f" (default: `{shown}`)"
    word, many = name_value(kind)
    if is_place:
        form = f"{parameter.name.upper()}{'...' if many else ''}"
        return form if needed else f"[{form}]", text, True
    flag = "--" + (option.name or parameter.name.replace("_", "-"))
    names = ", ".join([flag, *(option.aliases or ())])
    return f"{names} {word}{'...' if many else ''}".rstrip(), text, False


def name_value(kind: Any) -> tuple[str, bool]:
    """What stands behind an option, and whether several may."""
    several = get_origin(kind) in (tuple, list)
    if several:
        inner = get_args(kind)
        return name_value(inner[0])[0], True
    if get_origin(kind) is Literal:
        return "{" + ",".join(map(str, get_args(kind))) + "}", False
    inner = [one for one in get_args(kind) if one is not NoneType]
    if inner:
        return name_value(inner[0])
    return {Path: "PATH", int: "INT", float: "NUMBER", bool: ""}.get(kind, "TEXT"), False


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
