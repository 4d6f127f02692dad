"""Four sources of the same motion, made once, and a user who walks before a camera."""

from dataclasses import replace

import numpy as np
import pytest

import kinematch as km
from kinematch.camera.simulate import Noise, simulate_camera
from kinematch.database.storage import Database
from kinematch.evaluate.camera.places import place_camera
from kinematch.evaluate.vr.users import make_cast
from kinematch.synth import walk_along

from .linear_model import make_linear_model
from .own_source import OwnSource

CLIPS = (
    *("idle", "starts_and_stops_walk", "walk_0.80", "walk_1.35", "walk_turn_*_90", "circle_*_1.4_1.5"),
    *("turn_in_place", "idle_level3", "walk_level3"),
)
WAY = [(-1.2, -2.5), (-1.2, 1.5), (1.2, 1.5), (1.2, -2.5)]  # m, of the user
CLEAR = Noise(0.002, 0.004, spells=0.0, swaps=0.0, dropped=0.0)


@pytest.fixture(scope="session")
def database(built_of) -> Database:
    """Some clips of the built-in motion, upright and crouching; commands that name no filter stay upright."""
    return replace(built_of(*CLIPS).database, filter="level0")


@pytest.fixture(scope="session")
def motions(database) -> dict:
    """The sources by name."""
    upright = np.asarray(database.poses.tags.of("level0"))
    return {
        "database": database, "packed": km.pack(database), "model": make_linear_model(database),
        "own": OwnSource(database, upright),
    }  # fmt: skip


@pytest.fixture(scope="session")
def cast():
    """One user with a headset and two controllers."""
    return make_cast([walk_along(WAY)])


@pytest.fixture(scope="session")
def landmarks(cast):
    """What a good camera sees of the user."""
    user = cast.users[0]
    return simulate_camera(user.clip, place_camera(user, "front"), np.random.default_rng(0), noise=CLEAR)
