"""Labels of a take in a recipe: stretches of one file that it drops or tags, changed one at a time."""

import glob
import tomllib
from typing import Any

from kinematch.database.recipe_errors import Location
from kinematch.database.sources import matches
from kinematch.doctor.labels import write_filter
from kinematch.doctor.prescribe import join_stretches
from kinematch.errors import KinematchError
from kinematch.studio.workshop.file_edits import files_of, find_file, set_for_files
from kinematch.studio.workshop.messages import TimeRange
from kinematch.studio.workshop.project_files import Project
from kinematch.studio.workshop.recipe_text import add_table, remove, set_value


def set_label(project: Project, text: str, file: str, *, was: TimeRange | None, now: TimeRange | None) -> str:
    """The text with a stretch of one file changed, added or removed."""
    if now is not None and (now.start < 0 or (now.stop is not None and now.stop <= now.start)):
        raise KinematchError(f"a stretch cannot go from {now.start:g} to {now.stop or 0:g} s: it ends after it starts")
    if was is not None and now is not None and was.tags and now.tags:
        at = _find_range(project, text, file, was)
        for key, value in (("from", now.start), ("to", now.stop), ("tags", list(now.tags))):
            text = _put(text, (*at, key), value)
        return text
    if was is not None and was.tags:
        text = remove(text, _find_range(project, text, file, was))
    elif was is not None:
        text = _drop(project, text, file, without=was)
    if now is not None and now.tags:
        text = _add_range(project, text, file, now)
    elif now is not None:
        text = _drop(project, text, file, more=now)
    return text


def keep_filter(before: str, after: str) -> str:
    """The text with a default filter that follows its ranges, if it did before: a filter must name tags that exist, and
    what is tagged as lying or jumping is to be left aside. A filter of the user's own is not touched."""
    now = _filter_of(after)
    wanted = write_filter(_range_tags(after))
    if now != _filter_of(before) or now != write_filter(_range_tags(before)) or now == wanted:
        return after
    return _put(after, ("matching", "filter"), wanted or None)


def _filter_of(text: str) -> str:
    return str(_as(dict, tomllib.loads(text).get("matching")).get("filter", ""))


def _range_tags(text: str) -> list[str]:
    """Of an unchecked recipe."""
    sources = [_as(dict, one) for one in _as(list, tomllib.loads(text).get("source"))]
    ranges = [_as(dict, one) for source in sources for one in _as(list, source.get("range"))]
    return [tag for one in ranges for tag in _as(list, one.get("tags")) if isinstance(tag, str)]


def _as(kind: type, value: Any) -> Any:
    """The value, or an empty one where it is of another kind."""
    return value if isinstance(value, kind) else kind()


def _put(text: str, at: Location, value: Any) -> str:
    """The text with a value, or without the key if it is None."""
    if value is not None:
        return set_value(text, at, value)
    table: Any = tomllib.loads(text)
    for step in at[:-1]:
        table = table[step]
    return remove(text, at) if at[-1] in table else text


def _find_range(project: Project, text: str, file: str, wanted: TimeRange) -> Location:
    one = find_file(project, text, file)
    for k, said in enumerate(one.source.range):
        if matches(one, said.files) and (said.start, said.stop, said.tags) == (wanted.start, wanted.stop, wanted.tags):
            return ("source", one.index, "range", k)
    raise KinematchError(f"the recipe has no range {', '.join(wanted.tags)!r} from {wanted.start:g} s in {file}")


def _add_range(project: Project, text: str, file: str, new: TimeRange) -> str:
    one = find_file(project, text, file)
    alone = not any(other.index == one.index and other.path != one.path for other in files_of(project, text))
    values: dict[str, Any] = {} if alone or one.path is None else {"files": glob.escape(one.path.name)}
    values |= {"from": new.start} | ({} if new.stop is None else {"to": new.stop}) | {"tags": list(new.tags)}
    return add_table(text, ("source", one.index, "range"), values)


def _drop(
    project: Project, text: str, file: str, *, without: TimeRange | None = None, more: TimeRange | None = None
) -> str:
    """The text that drops one stretch less, or one more; stretches that then overlap are joined."""
    drops = [list(one) for one in find_file(project, text, file).source.drop]
    if without is not None:
        if [without.start, without.stop] not in drops:
            raise KinematchError(f"the recipe does not drop {without.start:g} to {without.stop or 0:g} s of {file}")
        drops = [one for one in drops if one != [without.start, without.stop]]
    if more is not None:
        if more.stop is None:
            raise KinematchError("what is left out needs an end, in seconds")
        drops.append([more.start, more.stop])
    return set_for_files(project, text, [file], values={"drop": join_stretches(drops) or None}, whole=False)
