"""The files that a recipe names, each once, and the keys that decide whether a file must be read again."""

import glob
import hashlib
import json
import os
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch, fnmatchcase
from functools import cache
from pathlib import Path

import kinematch
from kinematch.database.recipe import Recipe, Source
from kinematch.database.recipe_errors import find_line
from kinematch.errors import FileError, KinematchError, unknown
from kinematch.files.patterns import find_named_files
from kinematch.files.reading import file_kind, opened

# keys of a source that do not affect the frames of a clip: the choice of files, and marks on frames
_MARKS = {"files", "exclude", "tags", "range", "action"}
_CODE = ("compile", "math", "motion", "files", "synth", "database")


@dataclass(frozen=True)
class SourceFile:
    """One file, or one built-in motion, with the source that named it."""

    path: Path | None  # None for built-in motion
    source: Source
    index: int  # of the source in the recipe
    name: str  # name of its clips
    motion: int = 0  # index of a built-in motion
    link: str = ""  # the name of the file that leads to it, where that is a link
    found: bool = False  # by a pattern, among others: one that cannot be used is left out

    @property
    def label(self) -> str:
        """Its name in messages."""
        return str(self.path or f"built-in motion {self.name!r}")


def list_files(
    recipe: Recipe, folder: Path, recipe_path: Path, text: str, *, trusted: Collection[str] | None = None
) -> list[SourceFile]:
    """All files of a recipe in order; a glob that finds none and a file found twice are errors.

    `trusted`: the patterns that may lead out of the folder; all of them if it is not given.
    """

    def find(pattern: str) -> dict[Path, str]:
        return find_named_files(pattern, folder, stays_inside=trusted is not None and pattern not in trusted)

    found: list[SourceFile] = []
    owner: dict[Path, int] = {}
    listed: set[tuple[Path, int]] = set()
    for index, source in enumerate(recipe.source):
        if source.builtin:
            found += _list_built_in(source, index)
            _check_ranges(found, index, recipe_path, text)
            continue
        left_out = {path for pattern in source.exclude for path in find(pattern)}
        for pattern in source.files:
            paths = {
                path: link
                for path, link in find(pattern).items()
                if path not in left_out
                and not any(fnmatch(one, name) for name in source.exclude for one in (path.name, link))
            }
            if not paths:
                line = find_line(text, ("source", index, "files"))
                raise FileError(recipe_path, f"source[{index}].files: {_explain_empty(pattern, folder)}", line=line)
            for path, link in paths.items():
                first = owner.get(path, index)
                if first != index and not (source.clips and recipe.source[first].clips):
                    cure = "exclude it from one, or let both name their `clips`"
                    message = f"source[{index}].files: {path} is in source[{first}] already; {cure}"
                    raise FileError(recipe_path, message, line=find_line(text, ("source", index, "files")))
                if (path, index) not in listed:
                    listed.add((path, index))
                    owner.setdefault(path, index)
                    found.append(SourceFile(path, source, index, path.stem, link=link, found=glob.has_magic(pattern)))
        _check_ranges(found, index, recipe_path, text)
    return _tell_apart(found, folder)


def _check_ranges(found: list[SourceFile], index: int, recipe_path: Path, text: str) -> None:
    """Refuse a range that applies to none of the source's files."""
    own = [file for file in found if file.index == index]
    for k, one in enumerate(own[0].source.range if own else []):
        if not any(matches(file, one.files) for file in own):
            message = f"source[{index}].range[{k}].files: {one.files!r} matches none of the source's files"
            raise FileError(recipe_path, message, line=find_line(text, ("source", index, "range", k, "files")))
    for k, action in enumerate(own[0].source.action if own else []):
        if not any(matches(file, action.files) for file in own):
            message = f"source[{index}].action[{k}].files: {action.files!r} matches none of the source's files"
            raise FileError(recipe_path, message, line=find_line(text, ("source", index, "action", k, "files")))


def _list_built_in(source: Source, index: int) -> list[SourceFile]:
    from kinematch.synth import motions
    from kinematch.synth.actions import list_actions

    names = [motion.name for motion in (list_actions() if source.builtin == "actions" else motions())]
    try:
        chosen = choose_clips(source, names)
    except KinematchError as error:
        raise KinematchError(f"source[{index}].clips: {error}") from None
    return [SourceFile(None, source, index, name, motion=k) for k, name in enumerate(names) if name in chosen]


def choose_clips(source: Source, names: list[str]) -> list[str]:
    """The names that match the source's `clips`; a pattern that matches none is an error."""
    for pattern in source.clips:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise KinematchError(unknown("clip", pattern, names))
    return [name for name in names if not source.clips or any(fnmatchcase(name, one) for one in source.clips)]


def _explain_empty(pattern: str, folder: Path) -> str:
    """`'mocpa/*.bvh' matches no file; there is no folder /home/me/mocpa`"""
    place = folder
    for part in Path(pattern).parts[:-1]:
        if glob.has_magic(part):
            break
        place = place / part
        if not os.path.isdir(place):  # Path.is_dir raises for a name too long
            return f"{pattern!r} matches no file; there is no folder {place}"
    return f"{pattern!r} matches no file in {place}"


def _tell_apart(files: list[SourceFile], folder: Path) -> list[SourceFile]:
    """Give files of the same name in different folders longer names."""
    uses = Counter(name for name, _ in {(file.name, file.path) for file in files})

    def longer(file: SourceFile) -> str:
        if file.path is None or uses[file.name] == 1:
            return file.name
        path = file.path.with_suffix("") if file.path.suffix else file.path
        relative = path.relative_to(folder.resolve()) if path.is_relative_to(folder.resolve()) else path
        return relative.as_posix()

    return [replace(file, name=longer(file)) for file in files]


def refuse_twice(clips: list[tuple[SourceFile, str]]) -> None:
    """Sources may share a file whose animations they part; no clip may be in two."""
    owner: dict[tuple[str, str], int] = {}
    for file, name in clips:
        first = owner.setdefault((file.label, name), file.index)
        if first != file.index:
            message = f"{name!r} is in source[{first}] and source[{file.index}]; name it in the `clips` of one"
            raise FileError(file.label, message)


def matches(file: SourceFile, pattern: str) -> bool:
    """Whether the `files` of a range match this file."""
    names = (file.path.name, file.link) if file.path else (file.name,)
    return any(fnmatch(name, pattern) for name in names)


def make_file_key(file: SourceFile, recipe: Recipe, folder: Path, *, target: str) -> str:
    """A key that changes whenever the clips of a file may change: its bytes, its fixes, the cleaning, our own code."""
    beside = [folder / file.source.tpose] if file.source.tpose else []
    if file.path:
        file_kind(file.path)  # refuse a file of another kind before reading all of it
    return hash_value(
        {
            "code": hash_code(),
            "files": [hash_file(path) for path in ([file.path] if file.path else []) + beside],
            "name": [file.name, file.motion],
            "source": file.source.model_dump(mode="json", exclude=_MARKS),
            "cleaning": recipe.cleaning.model_dump(mode="json", exclude={"mirror_tags"}),
            "target": target if file.source.retarget else "",
        }
    )


def make_clean_key(file: SourceFile, file_key: str) -> str:
    """A key of the cleaned clips of a file: the file's, and what a recipe says that goes into clips."""
    source, path = file.source, file.path
    loops = [one.model_dump(mode="json") for one in source.range if one.loop]
    actions = [one.model_dump(mode="json") for one in source.action]
    return hash_value([file_key, path.name if path else "", file.link, loops, actions])


def hash_value(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def hash_file(path: Path) -> str:
    with opened(path) as (file, _):
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def hash_code() -> str:
    """A hash of all code that turns files into clips and clips into databases."""
    root = Path(kinematch.__file__).parent
    return hash_value([kinematch.__version__, [hash_file(path) for path in _list_code(root)]])


def _list_code(root: Path) -> Iterator[Path]:
    for folder in _CODE:
        yield from sorted((root / folder).rglob("*.py"))
