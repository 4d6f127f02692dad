"""Edits of a recipe's text that leave every other line, comment and blank as the user wrote it."""

import copy
import tomllib
from collections.abc import Mapping
from typing import Any

from kinematch.database.recipe_errors import HEADER, Location, places, scan
from kinematch.doctor.quoting import quoted
from kinematch.errors import KinematchError

WIDTH = 100  # characters, beyond which a list is written over several lines


def set_value(text: str, at: Location, value: Any) -> str:
    """The text with `value` at a location such as ('source', 0, 'trim'); missing tables and keys are added."""
    _check_place(tomllib.loads(text), at)
    wanted = _assigned(tomllib.loads(text), at, value)
    return _sure(_set(text, at, value), wanted, at)


def remove(text: str, at: Location) -> str:
    """The text without a key or a table, and without the comment that stands right above the table."""
    _check_place(tomllib.loads(text), at)
    wanted = _without(tomllib.loads(text), at)
    return _sure(_remove(text, at), wanted, at)


def add_table(text: str, at: Location, values: Mapping[str, Any]) -> str:
    """The text with one more table in an array of them, such as ('feature',) or ('source', 1, 'range')."""
    now = tomllib.loads(text)
    _check_place(now, at)
    tables = _at(now, at[:-1])
    if not isinstance(tables, dict) or not isinstance(tables.setdefault(at[-1], []), list):
        raise KinematchError(f"the recipe has no array of tables `{_join(at)}`")
    tables[at[-1]].append(dict(values))
    lines = text.splitlines()
    own = [stop for _, stop, place in _sections(text) if place[: len(at[:-1])] == at[:-1] and place[:1] == at[:1]]
    new = ["[[" + ".".join(step for step in at if isinstance(step, str)) + "]]"]
    new += [f"{_key(key)} = {toml(value)}" for key, value in values.items()]
    return _sure(_spliced(lines, own[-1] if own else len(lines), new), now, at)


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return quoted(value)
        case Mapping():
            return (
                "{ " + ", ".join(f"{_key(key)} = {toml(one)}" for key, one in value.items()) + " }" if value else "{}"
            )
        case list() | tuple():
            parts = [toml(one) for one in value]
            short = f"[{', '.join(parts)}]"
            return short if len(short) <= WIDTH else "[\n" + "".join(f"    {part},\n" for part in parts) + "]"
    raise KinematchError(f"{value!r} cannot be written in a recipe")


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else quoted(key)


def _set(text: str, at: Location, value: Any) -> str:
    lines = text.splitlines()
    found = {place: (start, stop) for start, stop, place in _statements(text)}
    if at in found:
        start, stop = found[at]
        lines[start:stop] = (
            f"{_indent(lines[start])}{_key(str(at[-1]))} = {toml(value)}{_comment(lines, start, stop)}".split("\n")
        )
        return "\n".join(lines) + "\n"
    if at[:-1] in found:  # a key of an inline table: rewrite the whole table
        table = _at(tomllib.loads(text), at[:-1])
        if not isinstance(table, dict):
            raise _refuse_edit(at)
        return _set(text, at[:-1], {**table, at[-1]: value})
    if any(place[: len(at)] == at for _, _, place in _sections(text)):
        return _set(_remove(text, at), at, value)
    line = f"{_key(str(at[-1]))} = {toml(value)}".split("\n")
    table = at[:-1]
    section = next(((a, b) for a, b, place in _sections(text) if place == table), None)
    if section is None and table:
        return _spliced(lines, len(lines), [f"[{'.'.join(map(str, table))}]", *line])
    first = section[0] if section else 0
    last = section[1] if section else min((a for a, _, _ in _sections(text)), default=len(lines))
    inside = [stop for start, stop, place in _statements(text) if first <= start < last]
    header = next((k + 1 for k in range(first, last) if HEADER.match(lines[k])), None) if section else None
    if not inside and header is None:  # at the top of a file that has no keys of its own
        return _spliced(lines, last, line)
    place = max(inside) if inside else header or last
    return "\n".join([*lines[:place], *line, *lines[place:]]) + "\n"


def _remove(text: str, at: Location) -> str:
    lines = text.splitlines()
    for start, stop, place in reversed(list(_statements(text))):
        if place == at:
            del lines[start:stop]
            return "\n".join(lines) + "\n"
        if place == at[:-1] and isinstance(at[-1], str):
            table = {k: v for k, v in _at(tomllib.loads(text), place).items() if k != at[-1]}
            return _set(text, place, table)
    for start, stop, _ in reversed([one for one in _sections(text) if one[2][: len(at)] == at]):
        del lines[start:stop]
    return "\n".join(lines).rstrip("\n") + "\n"


def _statements(text: str) -> list[tuple[int, int, Location]]:
    """Each assignment with its lines [start, stop)."""
    lines = text.splitlines()
    out = []
    for number, place in places(text):
        start = stop = number - 1
        if HEADER.match(lines[start]) and not _is_assignment(lines[start]):
            continue
        brackets, quotes = 0, ""
        while stop < len(lines):
            brackets, quotes = scan(lines[stop], brackets, quotes)
            stop += 1
            if not brackets and not quotes:
                break
        out.append((start, stop, place))
    return out


def _is_assignment(line: str) -> bool:
    return not line.lstrip().startswith("[")


def _sections(text: str) -> list[tuple[int, int, Location]]:
    """Each table with its lines [start, stop), including the comment right above its header."""
    lines = text.splitlines()
    heads = [(number - 1, place) for number, place in places(text) if not _is_assignment(lines[number - 1])]
    starts = []
    for head, _ in heads:
        start = head
        while start and lines[start - 1].lstrip().startswith("#"):
            start -= 1
        if not start:  # a comment at the top of the file is about the file
            start = head
        starts.append(start)
    stops = [*starts[1:], len(lines)]
    return [(start, stop, place) for start, stop, (_, place) in zip(starts, stops, heads)]


def _spliced(lines: list[str], at: int, new: list[str]) -> str:
    """New lines with one blank line on either side."""
    before, after = list(lines[:at]), list(lines[at:])
    while before and not before[-1].strip():
        before.pop()
    while after and not after[0].strip():
        after.pop(0)
    parts = [*before, *([""] if before else []), *"\n".join(new).split("\n"), *([""] if after else []), *after]
    return "\n".join(parts) + "\n"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _comment(lines: list[str], start: int, stop: int) -> str:
    """The comment after a value on its last line, with the blanks before it; a # inside a string starts none."""
    statement, last = "\n".join(lines[start : stop - 1]), lines[stop - 1]
    whole = tomllib.loads("\n".join(lines[start:stop]))
    for k, letter in enumerate(last):
        if letter == "#":
            try:
                if tomllib.loads(f"{statement}\n{last[:k]}") == whole:
                    return last[len(last[:k].rstrip()) :]
            except tomllib.TOMLDecodeError:
                continue
    return ""


def _sure(text: str, wanted: dict[str, Any], at: Location) -> str:
    """The text, if it parses to the expected contents; some ways to write a recipe can only be edited by hand."""
    try:
        if tomllib.loads(text) == wanted:
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise _refuse_edit(at)


def _refuse_edit(at: Location) -> KinematchError:
    return KinematchError(
        f"`{_join(at)}` is written in a way that the panels cannot edit; change it in the recipe's text"
    )


def _check_place(values: Any, at: Location) -> None:
    """Refuse a place that is not in the recipe and cannot be added to it."""
    if not at:
        raise KinematchError("this edit names no place, expected one such as source, 0, tags")
    for k, step in enumerate(at):
        if isinstance(values, dict) and isinstance(step, str):
            if step not in values and all(isinstance(one, str) for one in at[k:]):
                return
            values = values.get(step)
        elif isinstance(values, list) and isinstance(step, int) and 0 <= step < len(values):
            values = values[step]
        else:
            raise KinematchError(f"the recipe has no `{_join(at[: k + 1])}`")


def _join(at: Location) -> str:
    return ".".join(map(str, at))[:200]


def _at(values: Any, at: Location) -> Any:
    for step in at:
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            raise KinematchError(f"the recipe has no `{_join(at)}`") from None
    return values


def _assigned(values: dict[str, Any], at: Location, value: Any) -> dict[str, Any]:
    table: Any = values
    for k, step in enumerate(at[:-1]):
        new = isinstance(step, str) and isinstance(table, dict)
        table = table.setdefault(step, {}) if new else _at(values, at[: k + 1])
    table[at[-1]] = copy.deepcopy(value)
    return values


def _without(values: dict[str, Any], at: Location) -> dict[str, Any]:
    table = _at(values, at[:-1])
    _at(table, at[-1:])
    del table[at[-1]]
    if isinstance(table, list) and not table:  # an empty array of tables counts as missing
        del _at(values, at[:-2])[at[-2]]
    return values
