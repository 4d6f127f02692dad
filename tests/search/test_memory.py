"""Handles never outlive their memory, and arrays may lie anywhere: on disk, read-only, at odd addresses."""

import gc
import os
import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.event import RecordingListener, install_listener

from kinematch.database import storage
from kinematch.search import BoxMatcher, ExhaustiveMatcher, SearchSpace, WideMatcher, search_space
from kinematch.search.space import plain_space
from kinematch.search.wide_kernels import find_one, find_some
from kinematch.threads import count_threads, run_in_pieces

AGREEMENT = runpy.run_path(str(Path(__file__).with_name("agreement.py")))
Case, random_case, reference, same = (AGREEMENT[name] for name in ("Case", "random_case", "reference", "same"))
MATCHERS = [ExhaustiveMatcher, BoxMatcher, WideMatcher]
each = pytest.mark.parametrize("kind", MATCHERS, ids=lambda kind: kind.__name__)


def crooked(array: np.ndarray) -> np.ndarray:
    """A copy that begins at an odd address and may not be written to."""
    out = np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)
    assert array.itemsize == 1 or not out.flags.aligned
    return out


def strided(array: np.ndarray) -> np.ndarray:
    """A copy that lies with gaps."""
    wide = np.zeros((*array.shape, 3), array.dtype)
    wide[..., 1] = array
    return wide[..., 1]


def rebuilt(space: SearchSpace, change) -> SearchSpace:
    fields = {name: getattr(space, name) for name in SearchSpace.__dataclass_fields__}
    return SearchSpace(**{k: change(v) if isinstance(v, np.ndarray) and v.size else v for k, v in fields.items()})


@each
@pytest.mark.parametrize("change", [crooked, strided, np.asfortranarray], ids=lambda f: f.__name__)
def test_arrays_may_lie_anywhere(kind, change):
    for seed in range(12):
        case = random_case(seed)
        if not len(case.queries):
            continue
        matcher = kind(rebuilt(case.space, change))
        with install_listener("numba:compile", compiled := RecordingListener()):
            found = matcher.find(change(case.queries), change(case.current), **case.question)
        assert not compiled.buffer  # nothing is compiled anew because of where an array lies
        same(found, reference(case), change.__name__)


def test_a_single_query_may_lie_anywhere_and_numbers_be_of_any_kind():
    rng = np.random.default_rng(0)
    matcher = WideMatcher(plain_space(rng.normal(size=(500, 7))))
    query = rng.normal(size=7).astype(np.float32)
    expected = matcher.find_one(query, 250, stay_bias=1.0, ignore=5)
    with install_listener("numba:compile", compiled := RecordingListener()):
        for given in (crooked(query), strided(query), np.broadcast_to(query, (3, 7))[1]):
            assert matcher.find_one(given, 250, stay_bias=1.0, ignore=5) == expected
        assert matcher.find_one(query, np.int32(250), stay_bias=1, ignore=np.uint8(5)) == expected
        assert matcher.find_one(query, np.uint64(250), stay_bias=np.float32(1), ignore=5) == expected
        found = matcher.find(query, 250, stay_bias=1, ignore=5)
    assert not compiled.buffer
    assert (int(found.frames[0]), float(found.costs[0])) == expected


def test_a_batch_of_any_layout_and_type_is_converted_and_nothing_compiled():
    rng = np.random.default_rng(0)
    matcher = WideMatcher(plain_space(rng.normal(size=(500, 7))))
    queries, current = rng.normal(size=(6, 7)).astype(np.float32), np.array([-1, 0, 7, 300, 499, 12], np.int32)
    expected = matcher.find(queries, current, stay_bias=1.0, ignore=5)
    compiled = len(find_some.signatures), len(find_one.signatures)
    read_only = queries.copy()
    read_only.flags.writeable = False
    mapped = queries.view(np.memmap)
    for given in (read_only, queries.astype(np.float64), np.asfortranarray(queries), crooked(queries), mapped,
                  strided(queries), queries.astype(">f4"), queries.tolist()):  # fmt: skip
        for frames in (current, current.astype(np.int64), crooked(current), strided(current), current.tolist()):
            found = matcher.find(given, frames, stay_bias=np.float32(1), ignore=np.int16(5))
            assert (found.frames == expected.frames).all()
            assert (found.costs == expected.costs).all()
    assert (len(find_some.signatures), len(find_one.signatures)) == compiled == (1, 1)


@each
def test_memory_lives_as_long_as_the_matcher(kind):
    """Everything that can be let go is, and its memory written over, before the search."""
    for seed in range(5):
        case = random_case(seed)
        matcher = kind(rebuilt(case.space, np.copy))
        expected = reference(case)
        matcher.set_weights(case.space.weights.copy())
        del case.space
        gc.collect()
        litter = [np.full(n, 0xFF, np.uint8) for n in (100, 1000, 10_000, 100_000, 1_000_000) for _ in range(5)]
        del litter
        same(matcher.find(case.queries, case.current, **case.question), expected, "after collection")


def test_trees_that_were_replaced_are_let_go():
    matcher = WideMatcher(plain_space(np.random.default_rng(0).normal(size=(2000, 5))))
    old = matcher._tree
    matcher.find(np.zeros((1, 5)))
    matcher.set_weights(np.full(5, 2, np.float32))
    matcher.settle()
    gc.collect()
    assert sys.getrefcount(old) == 2  # this variable and the argument


@each
def test_a_database_is_searched_where_it_lies_on_disk(kind, built_in, tmp_path):
    path = tmp_path / "copy.kinematch"
    shutil.copy(built_in, path)
    database = storage.load(path)
    space = search_space(database)
    assert np.shares_memory(space.values, database.features.values)
    matcher = kind(space)
    del database
    gc.collect()
    os.remove(path)  # the mapping outlives the name
    rng = np.random.default_rng(0)
    queries = AGREEMENT["random_queries"](rng, space.values, 100)
    current = rng.integers(-1, space.frame_count, size=100).astype(np.int32)
    same(matcher.find(queries, current), reference(Case(space, queries, current, "", 0.0, 20)), "mapped")


def test_a_forked_process_can_search():
    """As data loaders do; numba's own threads would have ended the child."""
    space = plain_space(np.random.default_rng(0).normal(size=(500, 7)))
    matcher = WideMatcher(space)
    expected = matcher.find(space.values).frames
    child = os.fork()
    if child == 0:
        os._exit(0 if (matcher.find(space.values).frames == expected).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(count_threads() < 2, reason="one core: nothing is shared")
def test_an_error_in_one_thread_is_raised_and_the_rest_is_done():
    done = []

    def work(own: slice) -> None:
        if own.start == 64:
            raise ValueError("no")
        done.append(own.start)

    with pytest.raises(ValueError, match="no"):
        run_in_pieces(1000, work, worth=1)
    run_in_pieces(0, lambda own: done.append(own), worth=1)
    assert 0 in done
