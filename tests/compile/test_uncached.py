"""Compiled code that cannot be kept: it is compiled again, and never loaded from a folder that is not the user's."""

import importlib.util

import numba
import pytest
from numba.core.caching import NullCache

from kinematch.compile import internals


@pytest.fixture
def dispatcher(tmp_path, monkeypatch):
    """Of a function in a folder where numba can keep nothing."""
    (tmp_path / "alone.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "__pycache__").write_text("not a folder, so that nobody, root included, can write into it")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(internals, "_warn_uncached", internals._warn_uncached.__wrapped__)
    spec = importlib.util.spec_from_file_location("alone", tmp_path / "alone.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return numba.njit(module.double)


@pytest.mark.skipif("sys.platform in ('win32', 'darwin')", reason="the folders of other systems")
@pytest.mark.parametrize("home", ["alone.py/below", "~"])  # below a file; and what an unknown home is taken for
def test_code_that_cannot_be_kept_is_compiled_and_one_line_says_so(dispatcher, home, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("HOME", home if home == "~" else str(tmp_path / home))
    internals.set_cache(dispatcher, ())
    assert isinstance(dispatcher._cache, NullCache)
    assert dispatcher(21) == 42
    (line,) = caplog.messages
    assert "set NUMBA_CACHE_DIR to a folder" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["__pycache__", "alone.py"]


@pytest.mark.skipif("sys.platform in ('win32', 'darwin')", reason="the folders of other systems")
def test_code_is_kept_below_the_users_home(dispatcher, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    internals.set_cache(dispatcher, ())
    assert dispatcher(21) == 42
    assert list((tmp_path / "home" / ".cache" / "numba").rglob("*.nbi"))
    assert not caplog.messages
