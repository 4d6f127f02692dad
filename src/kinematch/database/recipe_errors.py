"""Errors in a recipe: file, line, key, value and the nearest valid choice."""

import re
import reprlib
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from kinematch.errors import FileError, unknown

KEY = r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'"""
HEADER = re.compile(rf"\s*(\[\[?)\s*((?:{KEY})(?:\s*\.\s*(?:{KEY}))*)\s*\]\]?")
ASSIGNMENT = re.compile(rf"\s*((?:{KEY})(?:\s*\.\s*(?:{KEY}))*)\s*=")
Location = tuple[str | int, ...]
MAX_MISTAKES = 20  # mistakes reported at once
SHORT_REPR = reprlib.Repr()
SHORT_REPR.maxstring = SHORT_REPR.maxother = 80


@dataclass(frozen=True)
class Mistake:
    line: int | None
    message: str


class RecipeError(FileError):
    """All mistakes that were found in a recipe, in the order of their lines; the first is where the error is."""

    def __init__(self, path: str | Path, mistakes: Sequence[Mistake], left_out: int = 0):
        self.mistakes, self.left_out = tuple(mistakes), left_out
        first, *rest = self.mistakes
        lines = [f"\n  {f'line {one.line}: ' if one.line else ''}{one.message}" for one in rest]
        lines += [f"\n  and {left_out} more"] if left_out else []
        super().__init__(path, first.message + "".join(lines), line=first.line)

    def __reduce__(self) -> tuple[Any, ...]:
        return RecipeError, (str(self.path), self.mistakes, self.left_out)


def toml_error(path: str | Path, text: str, error: ValueError | RecursionError) -> FileError:
    """What the parser says; besides its own errors there are whole numbers of thousands of digits, and deep nesting."""
    if isinstance(error, RecursionError):
        return FileError(path, "is no recipe: its tables or lists stand too deep in one another")
    # before Python 3.14 the parser gives the place in its message only
    place = re.search(r" \(at (?:line (\d+), column \d+|(end of document))\)", str(error))
    line = None
    if place:
        line = max(1, len(text.splitlines())) if place[2] else int(place[1])
    message = str(error).replace(place[0], "") if place and place[1] else str(error)
    return FileError(path, f"is no valid TOML: {message}", line=line)


def recipe_error(path: str | Path, text: str, error: ValidationError, model: type[BaseModel]) -> RecipeError:
    """One error for all that pydantic found, in the order of their lines."""
    found: dict[Location, list[str]] = {}
    problems = error.errors()
    for problem in problems[:MAX_MISTAKES]:
        # a union of types adds the type it tried to the location; the user's key ends before that
        steps = _steps(text, problem["loc"], model)
        if problem["type"] == "extra_forbidden":
            steps.add(problem["loc"][-1])  # a key of an inline table stands in no place of its own
        location = tuple(step for step in problem["loc"] if step in steps)
        found.setdefault(location, []).append(describe(location, dict(problem), model))
    mistakes = [
        Mistake(find_line(text, location), _key(location) + "; or ".join(whats)) for location, whats in found.items()
    ]
    return RecipeError(path, sorted(mistakes, key=lambda one: one.line or 0), max(0, len(problems) - MAX_MISTAKES))


def _key(location: Location) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step[:60]}" for step in location).lstrip(".")
    return f"{path}: " if path else ""


def describe(location: Location, problem: Mapping[str, Any], model: type[BaseModel]) -> str:
    """What is wrong at a location: `unknown key 'tgas'; did you mean 'tags'?`"""
    value = problem["input"]
    message = f"{problem['msg'][0].lower()}{problem['msg'][1:]}, got {SHORT_REPR.repr(value)}"
    match problem["type"]:
        case "extra_forbidden":
            choices = [f.alias or name for name, f in _model_at(model, location[:-1]).model_fields.items()]
            return unknown("key", str(location[-1]), choices).replace("no key", "unknown key")
        case "missing":
            return "is missing"
        case "value_error" | "assertion_error":
            return str(problem["ctx"]["error"])
        case "literal_error" if isinstance(value, str):
            return unknown("value", value, _choices(_annotation_at(model, location)))
    return message


def find_line(text: str, location: Location) -> int | None:
    """The line of a key such as ('source', 1, 'tags'), or of the nearest table that holds it."""
    best: tuple[int, int | None] = (0, None)
    for line, place in places(text):
        shared = 0
        while shared < min(len(place), len(location)) and place[shared] == location[shared]:
            shared += 1
        if shared == len(place) and shared > best[0]:
            best = (shared, line)
    return best[1]


def places(text: str) -> Iterator[tuple[int, Location]]:
    """Every table header and assignment with its location; the lines inside multi-line values are skipped."""
    table: Location = ()
    counts: dict[Location, int] = {}
    open_brackets, quotes = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if not open_brackets and not quotes:
            header, assignment = HEADER.match(line), ASSIGNMENT.match(line)
            if header:
                table = ()
                words = _words(header[2])
                for k, word in enumerate(words):
                    table = (*table, word)
                    if k == len(words) - 1 and header[1] == "[[":
                        counts[table] = counts.get(table, -1) + 1
                    if table in counts:
                        table = (*table, counts[table])
                yield number, table
                continue
            if assignment:
                yield number, (*table, *_words(assignment[1]))
        open_brackets, quotes = scan(line, open_brackets, quotes)


def _words(dotted: str) -> list[str]:
    return [word.strip("\"'") for word in re.findall(KEY, dotted)]


def scan(line: str, brackets: int, quotes: str) -> tuple[int, str]:
    """How many brackets and which quotes are open after a line."""
    for token in re.findall(r"\"\"\"|'''|\\.|[\"'\[\]{}#]", line):
        if quotes:
            quotes = "" if token == quotes else quotes
        elif token[0] in "\"'":
            quotes = token
        elif token == "#":
            break
        elif token in "[{":
            brackets += 1
        elif token in "]}":
            brackets -= 1
    return max(0, brackets), quotes if len(quotes) == 3 else ""


def _steps(text: str, location: Location, model: type[BaseModel]) -> set[str | int]:
    """The steps of a pydantic location that are keys or indices of the recipe, not names of tried types."""
    keys = {f.alias or name for inner in _models(model) for name, f in inner.model_fields.items()}
    written = {word for _, place in places(text) for word in place}
    return {step for step in location if isinstance(step, int) or step in keys or step in written}


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        inner = _inner(field.annotation)
        if inner:
            yield from _models(inner)


def _inner(annotation: object) -> type[BaseModel] | None:
    for candidate in (annotation, *typing.get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _choices(annotation: object) -> list[str]:
    """The words that a type admits: those of all Literals in it."""
    if typing.get_origin(annotation) is typing.Literal:
        return [choice for choice in typing.get_args(annotation) if isinstance(choice, str)]
    return [choice for inner in typing.get_args(annotation) for choice in _choices(inner)]


def _annotation_at(model: type[BaseModel], location: Location) -> object:
    """The type of the key that a location ends at, or of the list it is in."""
    keys = [k for k, step in enumerate(location) if isinstance(step, str)]
    owner = _model_at(model, location[: keys[-1]])
    named = {f.alias or name: f for name, f in owner.model_fields.items()}
    return named[str(location[keys[-1]])].annotation


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel]:
    for step in location:
        if isinstance(step, str):
            named = {f.alias or name: f for name, f in model.model_fields.items()}
            model = _inner(named[step].annotation) or model
    return model
