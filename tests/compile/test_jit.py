"""Compiled code is kept for the next run, and missed where it is not there."""

import numba
import numpy as np
import pytest

from kinematch.compile.jit import is_missing, kernel

SOURCE = """
from kinematch.compile.jit import kernel

@kernel
def doubled(values):
    return 2 * values.sum()
"""


@pytest.fixture
def doubled(tmp_path, monkeypatch):
    """Kernels of a file of their own, each as a new process would find it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # they are kept beside the file
    (tmp_path / "own_kernels.py").write_text(SOURCE)

    def loaded():
        scope: dict = {"__name__": "own_kernels", "__file__": str(tmp_path / "own_kernels.py")}
        exec(compile((tmp_path / "own_kernels.py").read_text(), tmp_path / "own_kernels.py", "exec"), scope)
        return scope["doubled"]

    return loaded


def test_code_is_missing_until_it_was_compiled_and_once_its_source_has_changed(doubled, tmp_path):
    assert is_missing(doubled())
    assert doubled()(np.ones(3)) == 6
    assert not is_missing(doubled())
    (tmp_path / "own_kernels.py").write_text(SOURCE + "\n")
    assert is_missing(doubled())


def test_damaged_files_are_missing(doubled, tmp_path):
    doubled()(np.ones(3))
    for file in tmp_path.rglob("*.nbi"):
        file.write_bytes(b"damaged")
    assert is_missing(doubled())


def test_without_a_folder_nothing_is_missing(monkeypatch):
    monkeypatch.setattr("kinematch.compile.jit._Cache.__init__", lambda *_: (_ for _ in ()).throw(RuntimeError))

    @kernel
    def one():
        return 1

    assert one() == 1
    assert not is_missing(one)
