"""Compiled code is kept for the next run, and missed where it is not there."""

from collections import namedtuple
from pathlib import Path

import numba
import numpy as np
import pytest

import kinematch
from kinematch.compile.code_cache import _can_run, is_missing
from kinematch.compile.internals import watch_compilation
from kinematch.compile.jit import digest_sources, kernel

SOURCE = """
from kinematch.compile.jit import kernel

@kernel
def doubled(values):
    return 2 * values.sum()
"""


@pytest.fixture
def doubled(tmp_path, monkeypatch):
    """Kernels of a file of their own, each as a new process would find it, in one of two checkouts."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def loaded(checkout="one", source=SOURCE):
        (tmp_path / checkout).mkdir(exist_ok=True)
        file = tmp_path / checkout / "own_kernels.py"
        file.write_text(source)
        scope: dict = {"__name__": "own_kernels", "__file__": str(file)}
        exec(compile(source, file, "exec"), scope)
        return scope["doubled"]

    return loaded


def test_code_is_missing_until_it_was_compiled_and_once_its_source_has_changed(doubled):
    assert is_missing(doubled())
    assert doubled()(np.ones(3)) == 6
    assert not is_missing(doubled())
    assert is_missing(doubled(source=SOURCE + "\n"))


def test_checkouts_with_the_same_source_share_compiled_code(doubled):
    doubled("one")(np.ones(3))
    digest_sources.cache_clear()  # as in another process
    compiled = []
    with watch_compilation(compiled.append):
        assert doubled("two")(np.ones(3)) == 6
        assert not compiled
        assert doubled("two")(np.ones(3, np.float32)) == 6
        assert compiled


def test_named_tuples_of_one_name_with_other_fields_do_not_share_code(doubled):
    first, other = (numba.typeof(namedtuple("Pair", fields)(1.0, 2.0)) for fields in ("low high", "high low"))
    assert str(first) == str(other)
    cache, target = doubled()._cache, ("system", "processor", "+features")
    assert cache._name_entry((first,), target) != cache._name_entry((other,), target)


def test_code_of_a_wheel_runs_on_processors_that_have_all_its_features():
    own = ("x86_64-linux", "new", "+avx2,-avx512f,+fma")
    assert _can_run(own, ("x86_64-linux", "common", "+avx2"))
    for given in (("x86_64-linux", "common", "+avx512f"), ("arm64-linux", "common", "+avx2")):
        assert not _can_run(own, given)


def test_damaged_files_are_missing(doubled, tmp_path):
    doubled()(np.ones(3))
    for file in tmp_path.rglob("*.code"):
        file.write_bytes(file.read_bytes()[:-1])
    assert is_missing(doubled())
    assert doubled()(np.ones(3)) == 6
    assert not is_missing(doubled())


def test_without_a_folder_nothing_is_missing(monkeypatch):
    monkeypatch.setattr("kinematch.compile.code_cache.find_code_folder", lambda: None)

    @kernel
    def one():
        return 1

    assert one() == 1
    assert not is_missing(one)


@pytest.mark.parametrize(
    ("folder", "used"),
    [
        ("avatar/upper_body/kernels", "math/kernels.py"),
        ("studio/vr", "avatar/upper_body/kernels/vectors.py"),
        ("character/step", "character/step/legs.py"),
        ("character/step", "character/constants.py"),
        ("character/step", "character/settings.py"),
        ("character/step", "search/wide_kernels.py"),
        ("character/step", "database/packing/kernels.py"),
        ("character/step", "database/packing/layout.py"),
    ],
)
def test_kernels_and_constants_of_other_folders_are_part_of_the_source(folder, used, monkeypatch):
    package, read = Path(kinematch.__file__).parent, Path.read_bytes
    changed = package / used
    before = digest_sources.__wrapped__(package / folder)
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path == changed))
    assert digest_sources.__wrapped__(package / folder) != before
