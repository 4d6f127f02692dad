"""Exhaustive, boxes and the wide tree find the same frames at the same costs as plain numpy, bit for bit."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kinematch.search.space import plain_space

AGREEMENT = runpy.run_path(str(Path(__file__).with_name("agreement.py")))
Case, check, random_case = AGREEMENT["Case"], AGREEMENT["check"], AGREEMENT["random_case"]

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e15, -1e15, 1e19, 1e-20, 1e-44, 3e38, -3e38]),
    st.floats(-4, 4, width=32),
)
FACTORS = st.sampled_from([1.0, 1.0, 0.5, 2.0, 1e-6, 1e6])


@st.composite
def cases(draw):
    frames, columns, count = draw(st.integers(1, 40)), draw(st.integers(1, 5)), draw(st.integers(1, 6))
    rows = draw(arrays(np.float32, (draw(st.integers(1, 6)), columns), elements=NUMBERS))  # few, so that frames repeat
    flags = arrays(bool, frames)
    cut = draw(flags)
    cut[0] = True
    starts = np.flatnonzero(cut).astype(np.int32)
    space = plain_space(
        rows[draw(arrays(np.int64, frames, elements=st.integers(0, len(rows) - 1)))],
        weights=draw(arrays(np.float32, columns, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, 1e-30]))),
        targets=draw(flags),
        clip_starts=starts,
        clip_stops=np.append(starts[1:], frames).astype(np.int32),
        ends=draw(flags),
        cost_factor=draw(arrays(np.float32, frames, elements=FACTORS)),
        tag_names=AGREEMENT["TAGS"],
        tags=draw(arrays(bool, (frames, 3))),
    )
    return Case(
        space=space,
        queries=draw(arrays(np.float32, (count, columns), elements=NUMBERS)),
        current=draw(arrays(np.int32, count, elements=st.integers(-1, frames - 1))),
        filter=draw(st.sampled_from(list(AGREEMENT["FILTERS"]))),
        stay_bias=draw(st.sampled_from([0.0, 1e-40, 0.25, 1.0, 1e30])),
        ignore=draw(st.sampled_from([0, 1, 3, 10**15])),
    )


@given(cases())
@settings(max_examples=200, deadline=None)
def test_small_spaces_of_awkward_numbers(case):
    check(case)


@pytest.mark.parametrize("seed", range(0, 200, 50))
def test_random_spaces(seed):
    for one in range(seed, seed + 50):
        check(random_case(one))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 2000, 250))
def test_many_random_spaces(seed):
    for one in range(seed, seed + 100):
        check(random_case(one))


@pytest.mark.parametrize("count", [0, 1, 63, 64, 127, 128, 1000])
def test_a_batch_of_any_size_answers_each_query_as_if_alone(count):
    rng = np.random.default_rng(count)
    space = AGREEMENT["random_space"](np.random.default_rng(5))
    queries = AGREEMENT["random_queries"](rng, space.values, count)
    current = rng.integers(-1, space.frame_count, size=count).astype(np.int32)
    check(Case(space, queries, current, "!b", 0.0, 20))
