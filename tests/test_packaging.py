"""What the page is compiled from is pinned, has known hashes, runs no scripts, and is part of what is distributed."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
CLIENT = ROOT / "client"
INTERFACE = "hatchling.builders.hooks.plugin.interface"


@pytest.fixture
def hatch_build(monkeypatch):
    """The build hook; of hatchling, which builds alone have, it takes only a class to derive from."""
    interface = ModuleType(INTERFACE)
    interface.BuildHookInterface = object
    monkeypatch.setitem(sys.modules, INTERFACE, interface)
    monkeypatch.syspath_prepend(str(ROOT))
    import hatch_build

    yield hatch_build
    del sys.modules["hatch_build"]


@pytest.fixture(scope="module")
def locked() -> dict[str, dict]:
    """The packages of the lock file by their place; the place of the page itself is empty."""
    return json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))["packages"]


def test_every_package_of_the_page_has_one_exact_version(locked):
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    for kind in ("dependencies", "devDependencies"):
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package[kind].values()), package[kind]
        assert locked[""][kind] == package[kind], "run npm install --package-lock-only in client/"
        assert package[kind] == {name: locked[f"node_modules/{name}"]["version"] for name in package[kind]}


def test_the_lock_file_has_a_strong_hash_of_every_package(locked):
    hashes = {name: each.get("integrity", "") for name, each in locked.items() if name}
    assert len(hashes) > 30
    assert not [name for name, found in hashes.items() if not re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", found)]


def test_the_lock_file_has_no_address_but_those_of_sponsors(locked):
    assert not [name for name, each in locked.items() if "resolved" in each]
    rest = {name: {key: each[key] for key in each if key != "funding"} for name, each in locked.items()}
    assert "://" not in json.dumps(rest)
    assert "registry" not in (CLIENT / "package-lock.json").read_text(encoding="utf-8")


def test_the_lock_file_has_the_binaries_of_every_platform(locked):
    wanted = {name for each in locked.values() for name in each.get("optionalDependencies", {})}
    assert not [name for name in wanted if f"node_modules/{name}" not in locked]
    assert {"linux", "darwin", "win32"} <= {one for each in locked.values() for one in each.get("os", [])}


def test_the_sdist_carries_the_page_and_the_lock_file():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert build["sdist"]["artifacts"] == build["wheel"]["artifacts"] == ["src/kinematch/studio/static"]
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8")  # hatchling leaves out what git ignores
    assert "package-lock.json" not in ignored


def test_packages_with_other_hashes_are_not_taken_for_installed(hatch_build, tmp_path):
    lock, installed = tmp_path / "package-lock.json", tmp_path / ".package-lock.json"
    one, binary = {"integrity": "sha512-one"}, {"integrity": "sha512-binary", "optional": True}
    lock.write_text(json.dumps({"packages": {"": {}, "node_modules/a": one, "node_modules/b": binary}}))
    assert not hatch_build._is_installed(installed, lock)
    for packages, expected in (
        ({"node_modules/a": one}, True),
        ({"node_modules/a": one, "node_modules/b": binary}, True),
        ({"node_modules/b": binary}, False),
        ({"node_modules/a": {"integrity": "sha512-other"}}, False),
        ({"node_modules/a": one, "node_modules/c": one}, False),
    ):
        installed.write_text(json.dumps({"packages": packages}))
        assert hatch_build._is_installed(installed, lock) is expected, packages


def test_a_registry_out_of_reach_is_one_sentence_and_scripts_are_off(hatch_build, monkeypatch, tmp_path):
    commands = []

    def fail(command, **more):
        commands.append(command)
        said = "npm error code ENOTFOUND\nnpm error network request to x failed"
        return SimpleNamespace(returncode=1, stdout="", stderr=said)

    monkeypatch.setattr(subprocess, "run", fail)
    (tmp_path / "package.json").write_text("{}")
    with pytest.raises(RuntimeError, match=r"cannot be reached; try again online$"):
        hatch_build.build_client(tmp_path, tmp_path / "static", say=lambda text: None)
    assert "ci" in commands[0]
    assert "--ignore-scripts" in commands[0]
    assert "--fetch-retries=0" in commands[0]


def test_ci_tries_the_extras_that_users_get():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extras = [
        each for name in ("scale", "onnx", "camera", "usd", "fbx") for each in project["optional-dependencies"][name]
    ]
    assert not [each for each in extras if f"'{each}'" not in script]
