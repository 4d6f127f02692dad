"""What the tests of exports share: pages and small characters."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinematch as km
from kinematch.export.character import write_character
from kinematch.export.folders import write_module
from kinematch.export.native.kinematch_native import Characters
from kinematch.export.targets import WEB


@pytest.fixture(scope="session")
def page(compiled, tmp_path_factory) -> Path:
    """A folder with kinematch.js and the module for pages."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "step.wasm").write_bytes(compiled(WEB))
    (folder / "kinematch.js").write_bytes(write_module())
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.fixture(scope="session")
def walker(built_of) -> km.Database:
    return built_of("idle", "walk_1.35", "walk_turn_*_90").database


@pytest.fixture(scope="session")
def walker_data(walker) -> bytes:
    return write_character(walker, filters=["walk", "idle"])


@pytest.fixture(scope="session")
def play(library) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """play(data, velocities): frames (S,) and global positions (S, J, 3) of a character in the library."""

    def run(data: bytes, velocities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own = Characters(library, data)
        frames, places = own.array("pose.frames"), own.array("pose.global_positions")
        found = []
        for velocity in velocities:
            own.command(velocity, velocity)
            own.step(1 / 60)
            found.append((int(frames[0]), places[0].copy()))
        return np.array([one[0] for one in found]), np.stack([one[1] for one in found])

    return run


@pytest.fixture(scope="session")
def stick() -> np.ndarray:
    """(S, 3) m/s: standing, walking, a curve, turning back, stopping."""
    times = np.arange(240) / 60
    speed = np.select([times < 0.4, times < 3.2], [0.0, 1.2], 0.0)
    angle = 0.8 * np.sin(2 * times) + np.where(times > 2, 2.4, 0.0)
    return np.stack([speed * np.sin(angle), 0 * times, speed * np.cos(angle)], axis=-1)
