"""Compiled code is kept for the next run, and missed where it is not there."""

from pathlib import Path

import numba
import numpy as np
import pytest

import kinematch
from kinematch.compile.internals import is_missing
from kinematch.compile.jit import _sources, kernel

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
    monkeypatch.setattr(
        "kinematch.compile.internals.SourceCache.__init__", lambda *_: (_ for _ in ()).throw(RuntimeError)
    )

    @kernel
    def one():
        return 1

    assert one() == 1
    assert not is_missing(one)


@pytest.mark.parametrize(
    ("folder", "used"),
    [
        ("avatar/upper_body/kernels", "math/kernels.py"),
        ("studio/room", "avatar/upper_body/kernels/vectors.py"),
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
    before = _sources.__wrapped__(package / folder)
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path == changed))
    assert _sources.__wrapped__(package / folder) != before
