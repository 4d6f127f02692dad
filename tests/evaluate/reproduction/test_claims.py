"""The claims of the works as data, and how they are judged."""

from dataclasses import replace

import pytest

from kinematch.errors import KinematchError
from kinematch.evaluate.reproduction.claims import NO, NOT_COMPARABLE, WORKS, YES, Claim, judge_claim, load_work
from kinematch.evaluate.reproduction.run import EXPERIMENTS

CLAIMS = [claim for name in WORKS for claim in load_work(name).claims]
CLAIM = Claim(
    "mmvr", "made", "7.4", "the network is better", "orientation", "degrees", "r50", "", "", expects=("r50 < headset",)
)


def test_every_claim_names_an_experiment_and_says_what_must_hold_or_why_nothing_can_be_said():
    assert len(CLAIMS) >= 45
    assert len({(claim.work, claim.name) for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert claim.run in EXPERIMENTS, claim.name
        assert bool(claim.expects) != bool(claim.reason), claim.name
        assert claim.says.endswith("."), claim.name
        assert all((claim.place, claim.unit, claim.method, claim.data)), claim.name
        assert claim.measures  # comparisons that cannot be read raise


def test_every_experiment_serves_a_claim():
    assert {claim.run for claim in CLAIMS} == set(EXPERIMENTS)


@pytest.mark.parametrize(
    ("values", "agreement", "told"),
    [
        ({"r50": 5.0, "headset": 15.0}, YES, ""),
        ({"r50": 15.0, "headset": 15.0}, NO, "expected r50 < headset, found 15 and 15"),
        ({"r50": 16.0, "headset": 15.0}, NO, "expected r50 < headset"),
        ({"r50": 5.0}, NOT_COMPARABLE, "not measured: headset"),
        ({"r50": 5.0, "headset": float("nan")}, NOT_COMPARABLE, "not measured: headset"),
    ],
)
def test_a_claim_holds_if_every_comparison_does_and_nothing_is_said_without_figures(values, agreement, told):
    verdict = judge_claim(CLAIM, values)
    assert verdict.agreement == agreement
    assert told in verdict.reason


def test_a_number_may_stand_on_either_side_and_all_comparisons_count():
    claim = replace(CLAIM, expects=("r50 > 1", "r50 < 6.5"))
    assert judge_claim(claim, {"r50": 5.0}).agreement == YES
    assert judge_claim(claim, {"r50": 7.0}).agreement == NO
    assert judge_claim(claim, {"r50": 0.5}).agreement == NO


def test_a_claim_with_a_reason_is_never_judged():
    claim = replace(CLAIM, expects=(), reason="another compiler")
    verdict = judge_claim(claim, {"r50": 5.0, "headset": 15.0})
    assert (verdict.agreement, verdict.reason) == (NOT_COMPARABLE, "another compiler")


def test_unknown_works_and_unreadable_comparisons_are_refused():
    with pytest.raises(KinematchError, match="did you mean 'mmvr'"):
        load_work("mmrv")
    with pytest.raises(KinematchError, match="expected `a < b`"):
        _ = replace(CLAIM, expects=("r50 about headset",)).measures
