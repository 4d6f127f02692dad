"""Compiled code is kept where it can be used again, and known for that."""

import numpy as np
import pytest

from kinematch.math.jit import is_kept, kernel

SOURCE = """
from kinematch.math.jit import kernel

@kernel
def doubled(values):
    return 2 * values.sum()
"""


@pytest.fixture
def doubled(tmp_path, monkeypatch):
    """Kernels of a file of their own, each as a new process would find it."""
    (tmp_path / "own_kernels.py").write_text(SOURCE)

    def loaded():
        scope: dict = {"__name__": "own_kernels", "__file__": str(tmp_path / "own_kernels.py")}
        exec(compile((tmp_path / "own_kernels.py").read_text(), tmp_path / "own_kernels.py", "exec"), scope)
        return scope["doubled"]

    return loaded


def test_code_is_kept_once_it_was_compiled_and_until_its_source_changes(doubled, tmp_path):
    assert not is_kept(doubled())
    assert doubled()(np.ones(3)) == 6
    assert is_kept(doubled())
    (tmp_path / "own_kernels.py").write_text(SOURCE + "\n")
    assert not is_kept(doubled())


def test_damaged_files_are_not_kept(doubled, tmp_path):
    doubled()(np.ones(3))
    for file in tmp_path.rglob("*.nbi"):
        file.write_bytes(b"damaged")
    assert not is_kept(doubled())


def test_without_a_folder_nothing_is_kept(monkeypatch):
    monkeypatch.setattr("kinematch.math.jit._Cache.__init__", lambda *_: (_ for _ in ()).throw(RuntimeError))

    @kernel
    def one():
        return 1

    assert one() == 1
    assert not is_kept(one)
