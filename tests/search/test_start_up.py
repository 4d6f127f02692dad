"""Start-up: the first ever search says that it compiles, later ones load; no folder or file that fails breaks it."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import kinematch
from kinematch.search import BoxMatcher, ExhaustiveMatcher, WideMatcher, announce, warm_up
from kinematch.search.space import plain_space

SEARCH = """
import numpy as np
from kinematch.search import WideMatcher, warm_up
from kinematch.search.space import plain_space
{between}
matcher = WideMatcher(plain_space(np.arange(50, dtype=np.float32)[:, None]))
print(matcher.find_one(np.array([7], np.float32)), kinematch.__file__)
"""


@pytest.fixture
def package(tmp_path) -> Path:
    """A copy of the package in a folder of its own."""
    copy = tmp_path / "site" / "kinematch"
    shutil.copytree(Path(kinematch.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def search(package: Path, between: str = "", **environment: str) -> str:
    """Search in a new process that imports the copy; returns what it said on standard error."""
    code = "import kinematch\n" + SEARCH.format(between=between)
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"(7, 0.0) {package / '__init__.py'}"
    return done.stderr


@pytest.mark.slow
def test_the_first_search_ever_says_that_it_compiles_and_later_ones_load(package, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert search(package, **cache).count(announce.MESSAGE) == 1
    assert search(package, **cache) == ""
    for kept in (tmp_path / "cache").rglob("*.code"):
        kept.write_bytes(kept.read_bytes()[:-9])
    assert search(package, **cache).count(announce.MESSAGE) == 1
    assert search(package, **cache) == ""
    # numba alone would not notice that code was drawn from a file that is another now
    changed = package / "search" / "vector_kernels.py"
    changed.write_text(changed.read_text() + "\n")
    assert search(package, **cache).count(announce.MESSAGE) == 1


@pytest.mark.slow
def test_without_any_cache_folder_it_still_searches(package, tmp_path):
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    no_cache = {name: str(nowhere / "below") for name in ("NUMBA_CACHE_DIR", "KINEMATCH_CACHE", "HOME")}
    said = search(package, **no_cache)
    assert said.count(announce.MESSAGE) == 1
    assert said.count("compiled code is not kept") == said.count("set NUMBA_CACHE_DIR to a folder") == 1


@pytest.mark.slow
def test_a_cache_folder_that_goes_away_after_import_breaks_nothing(package, tmp_path):
    cache = tmp_path / "cache"
    between = f"import pathlib, shutil; shutil.rmtree({str(cache)!r}); pathlib.Path({str(cache)!r}).write_text('')"
    assert search(package, between, NUMBA_CACHE_DIR=str(cache)).count(announce.MESSAGE) == 1


@pytest.mark.slow
def test_the_first_matchers_of_several_threads_do_not_get_in_each_others_way(package, tmp_path):
    between = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(3) as threads:
    list(threads.map(WideMatcher, [plain_space(np.arange(50, dtype=np.float32)[:, None]) for _ in range(3)]))
"""
    assert search(package, between, NUMBA_CACHE_DIR=str(tmp_path / "cache")).count(announce.MESSAGE) == 1


def test_once_made_a_matcher_has_nothing_left_to_compile():
    warm_up()
    heard = []
    with announce.telling(heard.append):
        for kind in (WideMatcher, BoxMatcher, ExhaustiveMatcher):
            matcher = kind(plain_space(np.random.default_rng(0).normal(size=(300, 9))))
            for count in (0, 1, 200):
                matcher.find(np.zeros((count, 9)), np.zeros(count, int), stay_bias=1, ignore=3)
            matcher.set_weights(np.arange(9))
            matcher.find(np.zeros((1, 9)))
    assert not heard


def test_compiling_is_told_and_other_libraries_are_not(caplog):
    @numba.njit
    def ours(x):
        return x + 1

    heard = []
    with announce.telling(heard.append):
        ours(1)
    assert not heard  # a function of this test, not of the search
    ours.py_func.__module__ = "kinematch.search.kernels"
    with announce.telling(heard.append):
        ours(1.0)
        ours(2.0)
    assert heard == [announce.MESSAGE]
    with caplog.at_level(logging.WARNING):
        announce._warn("one")
        announce._warn("one")
    assert [record.name for record in caplog.records] == ["kinematch"]
