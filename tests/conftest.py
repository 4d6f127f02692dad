"""Fixtures that every test folder shares."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real mocap that KINEMATCH_DATA names; in CI a missing folder is a failure, elsewhere a skip."""
    folder = os.environ.get("KINEMATCH_DATA")
    if folder and Path(folder).is_dir():
        return Path(folder)
    reason = f"real data not found: set KINEMATCH_DATA to its folder (now {folder!r})"
    if os.environ.get("KINEMATCH_REQUIRE_DATA"):
        pytest.fail(reason)
    pytest.skip(reason)
