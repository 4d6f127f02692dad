"""A platform wheel, in a new environment: `kinematch play` compiles nothing, and shows a page that can be steered."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import kinematch
from kinematch.export import wheel

ROOT = Path(__file__).parents[2]
PARTS = ("src", "docs", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE", "client")


@pytest.mark.slow
def test_an_installed_platform_wheel_compiles_nothing(tmp_path, monkeypatch):
    pytest.importorskip("hatchling")
    project = tmp_path / "project"
    for part in PARTS:
        given = ROOT / part
        if given.is_dir():
            shutil.copytree(given, project / part, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy2(given, project / part)
    shipped = project / "src" / "kinematch" / "shipped"
    wheel.make_shipped(shipped, this_processor=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = [*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(project)]
    subprocess.run(build, env={**os.environ, "KINEMATCH_PLATFORM_WHEEL": "1"}, check=True)
    (built,) = tmp_path.glob("*.whl")
    assert not built.name.endswith("any.whl")

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "new")], check=True)
    python = tmp_path / "new" / "bin" / "python"
    subprocess.run([*pip, "--python", str(python), "install", "-q", "--no-deps", "--no-index", str(built)], check=True)
    (site,) = (tmp_path / "new" / "lib").glob("python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib"))  # what Kinematch needs; its own copy comes first
    code = tmp_path / "code"
    own = {"NUMBA_CACHE_DIR": str(code), "KINEMATCH_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    wheel.play({"PATH": os.environ["PATH"], **own}, str(python))
    assert list((code / "kinematch").glob("*")) == []
    assert not Path(kinematch.__file__).is_relative_to(tmp_path)
