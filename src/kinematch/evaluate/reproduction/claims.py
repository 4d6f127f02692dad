"""Claims: what the five works report, as data, and whether our figures agree in order and direction."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any, Literal

from kinematch.errors import KinematchError, unknown
from kinematch.files.toml import parse_toml

WORKS = ("thesis", "digital-humans", "mmvr", "camera", "learned")
Agreement = Literal["yes", "no", "not comparable"]
YES: Agreement = "yes"
NO: Agreement = "no"
NOT_COMPARABLE: Agreement = "not comparable"
AS_ABOVE = "as above"
COMPARISON = re.compile(r"(\S+) ([<>]) (\S+)")


@dataclass(frozen=True)
class Claim:
    """One figure or statement of a work, and which measures of which experiment stand beside it."""

    work: str
    name: str
    place: str  # table, figure or section
    says: str  # in our words
    run: str  # the experiment
    unit: str
    own: str  # the measure by the work's own method
    method: str  # of the work
    data: str  # of the work
    value: float | None = None  # of the work, in the unit; None for a statement without a figure
    ours: str = ""  # the measure by our default, where there is one
    digits: int = 1
    expects: tuple[str, ...] = ()  # comparisons `a < b` of measures and numbers that must hold
    reason: str = ""  # why it cannot be compared
    discuss: str = ""  # what a contradiction comes from

    @property
    def measures(self) -> set[str]:
        """All measures that it refers to."""
        named = {side for one in self.expects for side in split_comparison(one)[::2] if not _is_number(side)}
        return named | {self.own} | ({self.ours} if self.ours else set())


@dataclass(frozen=True)
class ClaimVerdict:
    agreement: Agreement
    reason: str  # why it does not agree, or cannot be compared
    checks: tuple[str, ...] = ()  # each comparison with its figures


@dataclass(frozen=True)
class CitedWork:
    name: str  # as --work takes it
    title: str
    short: str
    claims: tuple[Claim, ...]


@cache
def load_work(name: str) -> CitedWork:
    """The claims of a work."""
    if name not in WORKS:
        raise KinematchError(unknown("work", name, WORKS))
    file = resources.files(__package__) / "claims" / f"{name.replace('-', '_')}.toml"
    data: dict[str, Any] = parse_toml(file.read_text(encoding="utf-8"))
    known = {field.name for field in fields(Claim)}
    claims: list[Claim] = []
    for one in data["claim"]:
        if strange := set(one) - known:
            raise KinematchError(f"claim {one.get('name')!r} of {name}: unknown {', '.join(sorted(strange))}")
        for field in ("method", "data"):  # of the claim before
            one[field] = one[field].replace(AS_ABOVE, getattr(claims[-1], field) if claims else "")
        claims.append(Claim(work=name, **{**one, "expects": tuple(one.get("expects", ()))}))
    return CitedWork(name, data["title"], data["short"], tuple(claims))


def split_comparison(text: str) -> tuple[str, str, str]:
    """`a < b` as its three words."""
    found = COMPARISON.fullmatch(text)
    if found is None:
        raise KinematchError(f"comparison {text!r}, expected `a < b` or `a > b`")
    return found.group(1), found.group(2), found.group(3)


def judge_claim(claim: Claim, values: Mapping[str, float]) -> ClaimVerdict:
    """Whether all that a claim expects holds for measures; why not, or why nothing can be said."""
    if claim.reason:
        return ClaimVerdict(NOT_COMPARABLE, claim.reason)
    if missing := sorted(
        name for name in claim.measures - {claim.ours} if not math.isfinite(values.get(name, math.nan))
    ):
        return ClaimVerdict(NOT_COMPARABLE, f"not measured: {', '.join(missing)}")
    failed, checks = [], []
    for text in claim.expects:
        left, sign, right = split_comparison(text)
        a, b = (float(side) if _is_number(side) else values[side] for side in (left, right))
        checks.append(f"{text}: {a:.4g} and {b:.4g}")
        if not (a < b if sign == "<" else a > b):
            failed.append(f"expected {text}, found {a:.4g} and {b:.4g}")
    return ClaimVerdict(NO if failed else YES, "; ".join(failed), tuple(checks))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[\d.]+", text) is not None
