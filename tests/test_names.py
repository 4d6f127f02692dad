"""Plain technical English, constants with a unit, classes with one meaning: phrases and names that no file may have."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "kinematch"
# each with what to write instead
PHRASES = {
    r"\bsomebody\b": "the noun: a user, a person, a character",
    r"\banew\b": "again",
    r"\beverybody\b": "the noun: all users, all characters",
    r"\blest\b": "so that ... not",
    r"\b(tell|tells|told) apart\b": "distinguish",
    r"(\b(at most|of|with|each|every|for|over|by|have|let|take) |\"\"\")so many\b": "a number of",
    r"\b(is|are) told to\b": "is commanded to",
    r"\b(says?|tells?) nothing (about|of)\b": "does not determine",
    r"\bis no (UTF-8|XML|JSON|text|number|file|pose|picture|video|recording|calibration|address)\b": "is not",
    r"\bwhat is no\b": "values that are not",
    r"\b(a|the) [a-z]+ of nobody\b": "say which",
    r"\bso-many|-manieth\b": "the n-th",
    r"\bwithout a will\b": "say what it does",
}
METAPHORS = {
    "errand", "impatience", "attendant", "shelf", "hitches", "rivals", "rival", "worn", "dressing", "sight", "guest",
}  # fmt: skip
SCHEMAS = {"gltf_schema"}
# adjectives and adverbs that do not say of what, nor in which unit: MIN_STANCE_SECONDS, not SHORTEST
BARE = {
    "SHORTEST", "LONGEST", "LARGEST", "SMALLEST", "MOST", "LEAST", "FEWEST", "FARTHEST", "NEAREST", "HIGHEST",
    "LOWEST", "SLOWEST", "FASTEST", "STEEPEST", "SHALLOWEST", "DEEPEST", "TALLEST", "THINNEST", "THICKEST", "OLDEST",
    "LATEST", "EARLIEST", "STILL", "FAR", "NEAR", "SHORT", "LONG", "LARGE", "SMALL", "LATE", "EARLY", "ENOUGH",
    "MANY", "FEW", "KEPT", "SEEN", "LOST", "TAKEN", "HELD", "MOVED", "TOGETHER", "EVERY", "ALONE", "BEYOND", "AWAY",
    "AHEAD", "BEFORE", "AFTER", "AGAIN", "FOREVER", "NOTHING", "NONE",
}  # fmt: skip


def list_texts() -> Iterator[Path]:
    yield from sorted(SOURCE.rglob("*.py"))
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from sorted((ROOT / "client" / "src").rglob("*.ts"))
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md"))


def find_phrases(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers, and what was found there with its replacement."""
    for number, line in enumerate(text.split("\n"), 1):
        for phrase, better in PHRASES.items():
            if found := re.search(phrase, line, re.IGNORECASE):
                yield number, f"{found[0]!r}; write: {better}"


def find_bare_constants(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers and names of constants of a module that are bare adjectives."""
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name) and name.id.strip("_") in BARE:
                    yield node.lineno, name.id


def find_classes(path: Path) -> Iterator[str]:
    """Names of public classes of a file, but for the fields of formats that others define."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and path.stem not in SCHEMAS:
            yield node.name


def test_texts_have_none_of_the_listed_phrases():
    assert not [
        f"{path.relative_to(ROOT)}:{number}: {found}"
        for path in list_texts()
        for number, found in find_phrases(path.read_text(encoding="utf-8"))
    ]


def test_constants_are_not_bare_adjectives():
    assert not [
        f"{path.relative_to(ROOT)}:{number}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for number, name in find_bare_constants(path.read_text(encoding="utf-8"))
    ]


def test_modules_and_classes_are_not_called_by_a_metaphor():
    found = [path for path in SOURCE.rglob("*.py") if METAPHORS & {path.stem, *map(str.lower, find_classes(path))}]
    assert not found


def test_a_class_has_one_meaning():
    homes: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for name in find_classes(path):
            homes.setdefault(name, []).append(str(path.relative_to(SOURCE)))
    assert not {name: found for name, found in homes.items() if len(found) > 1}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Somebody whose level head stays low for long sits.", True),
        ('"""Fit the avatar anew."""', True),
        ('fail("is no XML: ...")', True),
        ('"""A user whose head stays level and low for SEAT_SECONDS is seated."""', False),
        ('fail("is not XML: ...")', False),
    ],
)
def test_a_listed_phrase_is_found_and_plain_english_is_not(text, found):
    assert bool(list(find_phrases(text))) == found


def test_bare_adjectives_are_found_alone_and_in_tuples_and_nouns_are_not():
    text = "SHORTEST = 0.1\nSTILL, HELD_SECONDS = 0.003, 0.6\n_MOST: int = 3\nMIN_STANCE_SECONDS = 0.1\n"
    assert list(find_bare_constants(text)) == [(1, "SHORTEST"), (2, "STILL"), (3, "_MOST")]
