"""The measure of compilation: each kernel once, with the parts that it calls."""

from kinematch.bench.compiling import time_kernels
from kinematch.compile.jit import inner, kernel, part


@inner
def double(x):
    return 2 * x


@part
def add_double(x, y):
    return x + double(y)


@kernel
def use_parts(x):
    return add_double(x, double(x))


def test_kernels_are_timed_with_their_parts_which_compute_what_they_say(monkeypatch, tmp_path):
    monkeypatch.setattr(use_parts._cache, "folder", tmp_path)  # else an earlier run's code is loaded
    with time_kernels() as seconds:
        assert use_parts(3.0) == 15.0
    assert list(seconds) == ["use_parts"]
    assert seconds["use_parts"] > 0
