"""Tuning: a mix of measures, driven down on one seed and told on others."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character.settings import Settings
from kinematch.errors import KinematchError
from kinematch.evaluate.evaluation import make_assignment
from kinematch.evaluate.tune import MIX, RANGES, mixed, parse_mix, pooled, tune


def test_a_mix_of_what_was_there_is_one_and_of_half_of_it_a_half():
    reference = {"skate_mean": 0.1, "position_mean": 0.2, "rough": 0.004}
    mix = {"skate_mean": 1.0, "position_mean": 3.0}
    assert mixed(reference, reference, mix) == 1.0
    assert mixed({name: value / 2 for name, value in reference.items()}, reference, mix) == 0.5
    assert mixed(reference | {"skate_mean": np.nan}, reference, mix) > 1


def test_mixes_are_read_from_text_and_mistakes_are_told():
    assert parse_mix("skate_mean=2, rough") == {"skate_mean": 2.0, "rough": 1.0}
    for text, message in (
        ("skate=1", "no measure 'skate'"),
        ("rough=much", "expected measure=number"),
        ("rough=-1", "from 0 on"),
        ("distinct=1", "less is better"),
        ("", "empty"),
    ):
        with pytest.raises(KinematchError, match=message):
            parse_mix(text)


def test_every_range_lies_within_what_the_settings_allow_and_holds_their_default():
    fields = Settings.__dataclass_fields__
    for name, (low, high, _) in RANGES.items():
        about = fields[name].metadata
        assert about["low"] <= low < high <= about["high"], name
        assert low <= getattr(Settings(), name) <= high, name
    assert sum(MIX.values()) > 0


def test_of_several_seeds_the_largest_is_the_largest_and_pops_are_counted_together():
    rows = [{"roughest": 1.6, "pops": 1.0, "rough": 0.1}, {"roughest": 1.2, "pops": 0.0, "rough": 0.3}]
    assert pooled(rows) == {"roughest": 1.6, "pops": 1.0, "rough": 0.2}


def test_tuning_never_ends_worse_than_it_began_and_repeats_itself(database, monkeypatch):
    def short(*given, **more):
        whole = make_assignment(*given, **more)
        return replace(whole, scenarios=whole.scenarios[:2])

    monkeypatch.setattr("kinematch.evaluate.tune.make_assignment", short)
    told = []
    made = [tune(database, trials=3, progress=lambda *now: told.append(now)) for _ in range(2)]
    assert made[0].best <= 1.0
    assert made[0].settings == made[1].settings
    assert [now[:2] for now in told[:3]] == [(1, 3), (2, 3), (3, 3)]
    assert set(made[0].before) == set(made[0].after)
    kept = tune(database, trials=3, weights=False)
    assert kept.settings.weights == Settings().weights
