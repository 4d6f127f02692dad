"""What the page is compiled from is pinned, runs no scripts, and is part of what is distributed."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]


def test_every_package_of_the_page_has_one_exact_version():
    package = json.loads((ROOT / "client" / "package.json").read_text())
    pinned = package["dependencies"] | package["devDependencies"] | package["overrides"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in pinned.values()), pinned
    lock = ROOT / "client" / "node_modules" / ".package-lock.json"
    if not lock.exists():
        pytest.skip("the page's packages are not installed here")
    packages = json.loads(lock.read_text())["packages"]
    installed = {path.removeprefix("node_modules/"): each for path, each in packages.items()}
    # binaries of one platform follow the exact version of the package that asks for them; checkers are not shipped
    spared = {name for name, each in installed.items() if each.get("optional") or each.get("dev")}
    floating = [name for name in installed if name not in spared and name not in pinned]
    assert not floating


def test_the_sdist_carries_the_page():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert build["sdist"]["artifacts"] == build["wheel"]["artifacts"] == ["src/kinematch/studio/static"]


def test_a_registry_out_of_reach_is_one_sentence_and_scripts_are_off(monkeypatch, tmp_path):
    pytest.importorskip("hatchling")
    sys.path.insert(0, str(ROOT))
    try:
        import hatch_build
    finally:
        sys.path.remove(str(ROOT))
    commands = []

    def fail(command, **more):
        commands.append(command)
        said = "npm error code ENOTFOUND\nnpm error network request to x failed"
        return SimpleNamespace(returncode=1, stdout="", stderr=said)

    monkeypatch.setattr(subprocess, "run", fail)
    (tmp_path / "package.json").write_text("{}")
    with pytest.raises(RuntimeError, match=r"cannot be reached; try again online$"):
        hatch_build.build_client(tmp_path, tmp_path / "static", say=lambda text: None)
    assert "--ignore-scripts" in commands[0]
    assert "--fetch-retries=0" in commands[0]
