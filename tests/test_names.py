"""Plain technical English and constants with a unit: phrases and names that no file may have, but for folders to do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "kinematch"
# folders and pages that have such findings still: take a name out when it has none any more, and never add one
PHRASES_TO_DO = {
    "character", "compile", "control", "database", "doctor", "evaluate", "motion", "studio", "synth", "docs/api.md",
}  # fmt: skip
CONSTANTS_TO_DO = {
    "character", "cli", "control", "database", "doctor", "evaluate", "motion", "search", "studio", "synth",
}  # fmt: skip
MODULES_TO_DO = {"studio"}
# each with what to write instead
PHRASES = {
    r"\bsomebody\b": "the noun: a user, a person, a character",
    r"\banew\b": "again",
    r"(\b(at most|of|with|each|every|for|over|by|have|let|take) |\"\"\")so many\b": "a number of",
    r"\b(is|are) told to\b": "is commanded to",
    r"\b(says?|tells?) nothing (about|of)\b": "does not determine",
    r"\bis no (UTF-8|XML|JSON|text|number|file|pose|picture|video|recording|calibration|address)\b": "is not",
    r"\bwhat is no\b": "values that are not",
    r"\b(a|the) [a-z]+ of nobody\b": "say which",
    r"\bso-many|-manieth\b": "the n-th",
    r"\bwithout a will\b": "say what it does",
}
MODULES = {"queued", "impatience", "vr_session", "library", "hitches", "compared", "worn", "dressing", "sight"}
# adjectives and adverbs that do not say of what, nor in which unit: MIN_STANCE_SECONDS, not SHORTEST
BARE = {
    "SHORTEST", "LONGEST", "LARGEST", "SMALLEST", "MOST", "LEAST", "FEWEST", "FARTHEST", "NEAREST", "HIGHEST",
    "LOWEST", "SLOWEST", "FASTEST", "STEEPEST", "SHALLOWEST", "DEEPEST", "TALLEST", "THINNEST", "THICKEST", "OLDEST",
    "LATEST", "EARLIEST", "STILL", "FAR", "NEAR", "SHORT", "LONG", "LARGE", "SMALL", "LATE", "EARLY", "ENOUGH",
    "MANY", "FEW", "KEPT", "SEEN", "LOST", "TAKEN", "HELD", "MOVED", "TOGETHER", "EVERY", "ALONE", "BEYOND", "AWAY",
    "AHEAD", "BEFORE", "AFTER", "AGAIN", "FOREVER", "NOTHING", "NONE",
}  # fmt: skip


def place(path: Path) -> str:
    """A folder of the package, or a page."""
    return path.relative_to(SOURCE).parts[0] if path.is_relative_to(SOURCE) else path.relative_to(ROOT).as_posix()


def list_texts() -> Iterator[Path]:
    yield from sorted(SOURCE.rglob("*.py"))
    yield from sorted((ROOT / "docs").glob("*.md"))
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


def check_findings(findings: dict[str, list[str]], to_do: set[str]) -> None:
    assert not [line for where, lines in findings.items() if where not in to_do for line in lines]


def test_texts_have_none_of_the_listed_phrases():
    findings: dict[str, list[str]] = {}
    for path in list_texts():
        for number, found in find_phrases(path.read_text(encoding="utf-8")):
            findings.setdefault(place(path), []).append(f"{path.relative_to(ROOT)}:{number}: {found}")
    check_findings(findings, PHRASES_TO_DO)


def test_constants_are_not_bare_adjectives():
    findings: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for number, name in find_bare_constants(path.read_text(encoding="utf-8")):
            findings.setdefault(place(path), []).append(f"{path.relative_to(ROOT)}:{number}: {name}")
    check_findings(findings, CONSTANTS_TO_DO)


def test_modules_are_not_called_by_a_metaphor():
    findings: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.stem in MODULES:
            findings.setdefault(place(path), []).append(str(path.relative_to(ROOT)))
    check_findings(findings, MODULES_TO_DO)


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
