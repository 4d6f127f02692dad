"""Faithful modes: settings as the works have them, where our defaults differ. None of them is a default of ours."""

from dataclasses import replace
from math import log
from typing import Any

from kinematch.character.settings import Settings
from kinematch.database.feature_database import build_features
from kinematch.database.storage import Database
from kinematch.evaluate.sweeps import PRESET, block_weights

# nothing but synchronization draws the root to the simulated body, and no pelvis is lowered
BARE: dict[str, Any] = {
    "adjustment_halflife": 0.0, "turn_halflife": 0.0, "clamp_distance": 0.0, "clamp_angle": 0.0, "pelvis": False,
}  # fmt: skip
RATE = 60.0  # Hz, at which the works' factors are applied
LAST_FRAMES = 30 / RATE  # s of each clip that digital humans 3.3 leaves out
BLEND = 0.4  # s, the longest transition of digital humans 4.3
SNAP = 0.005  # s, half-life of a lock that is not smoothed: the shortest there is


def find_synchronization(factor: float) -> float:
    """Our half-life for a factor of digital humans 3.5, which is what is made up in a sixtieth of a second."""
    if factor == 0:
        return 0.0
    return 0.001 if factor == 1 else -log(2) / (RATE * log(1 - factor))  # of a full one 1e-5 is left


def digital_humans(database: Database, *, synchronization: float = 0.5, **changes: Any) -> Settings:
    """Digital humans: a search every 200 ms with nothing that favours or avoids the playing frame, its weights,
    quintic transitions of at most 0.4 s, and synchronization alone to stay with the controller."""
    settings = Settings(
        search_interval=0.2, stay_bias=0.0, ignore=0.0, transition="quintic", transition_halflife=BLEND / 2,
        weights=block_weights(database, PRESET), synchronization_halflife=find_synchronization(synchronization), **BARE,
    )  # fmt: skip
    return replace(settings, **changes)


def learned(**changes: Any) -> Settings:
    """Learned MM: without foot lock, adjustment and clamp, which it names as future work (6.2.1)."""
    return replace(Settings(foot_lock=False, **BARE), **changes)


def leave_out_tail(database: Database, seconds: float) -> Database:
    """The same database, whose last seconds of each clip no search may take."""
    features = database.features
    made = build_features(
        database.poses, features.schema, normalisation=features.normalisation, weights=features.weights, tail=seconds,
        warn=lambda message: None,
    )  # fmt: skip
    return replace(database, features=made)
