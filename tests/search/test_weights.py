"""Weights that change at run time are exact at once, whoever else is searching."""

import runpy
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematch.search import BoxMatcher, ExhaustiveMatcher, WideMatcher
from kinematch.search.space import plain_space

AGREEMENT = runpy.run_path(str(Path(__file__).with_name("agreement.py")))
Case, random_case, reference, same = (AGREEMENT[name] for name in ("Case", "random_case", "reference", "same"))


@pytest.mark.parametrize("kind", [ExhaustiveMatcher, BoxMatcher, WideMatcher])
def test_other_weights_are_exact_at_once_and_after_regrouping(kind):
    rng = np.random.default_rng(0)
    for seed in range(30):
        case = random_case(seed)
        if np.abs(case.space.values).max() > 1e37 or np.abs(case.queries).max(initial=0) > 1e37:
            continue  # other weights would overflow
        matcher = kind(case.space)
        matcher.find(case.queries[:1], case.current[:1], **case.question)
        for _ in range(2):
            weights = (rng.uniform(0, 2, case.space.column_count) * (rng.random() < 0.9)).astype(np.float32)
            matcher.set_weights(weights)
            assert (matcher.weights == weights).all()
            expected = reference(case, weights)
            same(matcher.find(case.queries, case.current, **case.question), expected, "at once")
            if kind is WideMatcher:
                matcher.settle()
                same(matcher.find(case.queries, case.current, **case.question), expected, "settled")


def test_weights_are_copied_and_not_watched():
    matcher = WideMatcher(plain_space(np.eye(40, dtype=np.float32)))
    weights = np.ones(40, np.float32)
    matcher.set_weights(weights)
    weights[:] = 0
    assert matcher.find_one(np.zeros(40, np.float32)) == (0, 1.0)
    matcher.settle()
    assert matcher.find_one(np.zeros(40, np.float32)) == (0, 1.0)


def test_the_tree_is_grouped_anew_for_the_last_weights():
    rng = np.random.default_rng(1)
    matcher = WideMatcher(plain_space(np.cumsum(rng.normal(size=(3000, 8)), axis=0)))
    before = matcher._tree.grouping
    for n in range(20):
        matcher.set_weights(np.roll([100, 1, 1, 1, 1, 1, 1, 0.01], n).astype(np.float32))
    matcher.settle()
    assert matcher._regrouping is None
    fresh = WideMatcher(replace(matcher.space, weights=matcher.weights))
    assert (matcher._tree.grouping.frames == fresh._tree.grouping.frames).all()
    assert (matcher._tree.grouping.frames != before.frames).any()


def test_threads_search_while_weights_and_filters_change():
    """Every answer is right for one of the weights that were in use while it was sought."""
    rng = np.random.default_rng(2)
    tags = rng.random((4000, 3)) < (0.95, 0.5, 0.1)
    space = plain_space(np.cumsum(rng.normal(size=(4000, 9)), axis=0), tag_names=AGREEMENT["TAGS"], tags=tags)
    queries = AGREEMENT["random_queries"](rng, space.values, 200)
    current = rng.integers(-1, 4000, size=200).astype(np.int32)
    choices = [rng.uniform(0, 2, 9).astype(np.float32) for _ in range(4)]
    filters = ["", "a", "!b", "a & !b | c"]
    cases = {name: Case(space, queries, current, name, 0.1, 20) for name in filters}
    expected = {name: [reference(cases[name], weights) for weights in choices] for name in filters}
    matcher = WideMatcher(replace(space, weights=choices[0]))
    stop, wrong = threading.Event(), []

    def search(seed: int) -> None:
        own = np.random.default_rng(seed)
        for _ in range(60):
            name = filters[own.integers(4)]
            case, right = cases[name], expected[name]
            try:
                if own.random() < 0.5:
                    found = matcher.find(queries, current, **case.question)
                    if not any((found.frames == f).all() and (found.costs == c).all() for f, c in right):
                        wrong.append(name)
                else:
                    for n in own.integers(200, size=20).tolist():
                        frame, cost = matcher.find_one(queries[n], int(current[n]), **case.question)
                        if not any(frame == f[n] and cost == c[n] for f, c in right):
                            wrong.append((name, n))
            except Exception as error:
                wrong.append(error)
        stop.set()

    def change() -> None:
        own = np.random.default_rng(99)
        while not stop.is_set():
            matcher.set_weights(choices[own.integers(4)])

    threads = [threading.Thread(target=search, args=(seed,)) for seed in range(4)]
    threads += [threading.Thread(target=change) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive()
    assert not wrong
    matcher.settle()
    last = [(matcher.weights == weights).all() for weights in choices].index(True)
    for name in filters:
        same(matcher.find(queries, current, **cases[name].question), expected[name][last], name)
