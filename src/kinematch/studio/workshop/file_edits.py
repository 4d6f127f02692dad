"""Edits of one file's part of a recipe, which is split off from a source that it shares with other files."""

import glob
import tomllib
from fnmatch import fnmatch
from typing import Any

from kinematch.database.recipe_errors import Location
from kinematch.database.sources import SourceFile, matches
from kinematch.errors import KinematchError
from kinematch.studio.workshop.project_files import Project, find_used, list_page_files
from kinematch.studio.workshop.recipe_text import add_table, remove, set_value


def set_for_files(project: Project, text: str, files: list[str], *, values: dict[str, Any], whole: bool) -> str:
    """Set keys of some files' source; they are split off into their own source first, unless all of it is meant."""
    groups: dict[int, list[SourceFile]] = {}
    for file in files:
        one = find_file(project, text, file)
        groups.setdefault(one.index, []).append(one)
    for index, group in groups.items():
        if not whole:
            text, index = isolate(project, text, group)
        for key, value in values.items():
            at: Location = ("source", index, key)
            if value is not None:
                text = set_value(text, at, value)
            elif key in tomllib.loads(text)["source"][index]:
                text = remove(text, at)
    return text


def isolate(project: Project, text: str, group: list[SourceFile]) -> tuple[str, int]:
    """Split files off into a source of their own, with the keys and ranges that apply to them; nothing else changes."""
    index, paths = group[0].index, {one.path for one in group}
    others = [other for other in files_of(project, text) if other.index == index and other.path not in paths]
    if not others:
        return text, index
    sources = tomllib.loads(text)["source"]
    source = sources[index]
    kept = {key: value for key, value in source.items() if key not in ("files", "exclude", "range")}
    ranges = source.get("range", [])
    own = [r for r in ranges if any(matches(one, r.get("files", "*")) for one in group)]
    for k in reversed(range(len(ranges))):
        if not any(matches(other, ranges[k].get("files", "*")) for other in others):
            text = remove(text, ("source", index, "range", k))
    for one in group:
        text = strike_file(project, text, one)
    names = [glob.escape(project.relative(one.path)) for one in group]
    text = add_table(text, ("source",), {"files": names, **kept})
    for said in own:
        text = add_table(text, ("source", len(sources), "range"), _name_really(said, group))
    return text, len(sources)


def _name_really(said: dict[str, Any], group: list[SourceFile]) -> dict[str, Any]:
    """A range that names a link, with the name of the file itself, by which the new source lists it."""
    pattern = said.get("files", "*")
    links = [one.path for one in group if one.path and matches(one, pattern) and not fnmatch(one.path.name, pattern)]
    return {**said, "files": glob.escape(links[0].name)} if links else said


def strike_file(project: Project, text: str, one: SourceFile) -> str:
    """Remove a file from the list that names it; exclude it where a glob matches it."""
    source = tomllib.loads(text)["source"][one.index]
    name = glob.escape(project.relative(one.path))
    if name in source["files"]:
        return set_value(text, ("source", one.index, "files"), [other for other in source["files"] if other != name])
    return set_value(text, ("source", one.index, "exclude"), [*source.get("exclude", []), name])


def files_of(project: Project, text: str) -> list[SourceFile]:
    """All files of a recipe's text."""
    return list_page_files(project, text)


def find_file(project: Project, text: str, name: str) -> SourceFile:
    """The file of this name in a recipe's text."""
    if one := find_used(project, name, files_of(project, text)):
        return one
    raise KinematchError(f"the recipe has no file {name!r}")
